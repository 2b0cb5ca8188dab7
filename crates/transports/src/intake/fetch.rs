//! Reads a complete file, and checks that it was complete.

use sha2::{Digest as _, Sha256};

use crate::entry::Entry;
use crate::error::{Error, Kind};
use crate::name::Name;
use crate::transport::Transport;

/// A file of the bank. The hash is its identity: the same bytes under another name are the same file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    pub name: Name,
    pub bytes: Vec<u8>,
    pub sha256: [u8; 32],
}

/// Fetches a file that [`super::Watch`] found ready.
///
/// # Errors
///
/// Returns [`Kind::Changed`] if the file was written since it was listed; the next polls find it ready again.
pub async fn fetch(transport: &mut Transport, entry: &Entry) -> Result<Received, Error> {
    let bytes = transport
        .read(&entry.name, entry.stat.size.saturating_add(1))
        .await
        .map_err(|error| if error.kind == Kind::TooLarge { changed(entry) } else { error })?;
    let after = transport.stat(&entry.name).await?;
    // A bank may remove a file that was read. Its size was equal in two polls and while it was read.
    if bytes.len() as u64 != entry.stat.size || after.is_some_and(|after| after != entry.stat) {
        return Err(changed(entry));
    }
    let sha256 = Sha256::digest(&bytes).into();
    Ok(Received { name: entry.name.clone(), bytes, sha256 })
}

fn changed(entry: &Entry) -> Error {
    Error::new(Kind::Changed, "read", entry.name.as_str(), "it was written after it was listed")
}
