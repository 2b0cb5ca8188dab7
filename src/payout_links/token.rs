//! The claim token: 256 random bits, and the organization in front of them, because it
//! must be found without anyone saying whose it is. Its hash is indexed; a sealed copy
//! is kept for the `link` field (decisions.md 9).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

use super::model::PayoutLink;
use crate::ids::{Entropy, OrgId};
use crate::vault::{Purpose, Vault};

/// A token that somebody showed.
#[derive(Clone)]
pub struct ClaimToken {
    /// The organization that it names.
    pub org: OrgId,
    /// Its keyed hash.
    pub hash: Vec<u8>,
}

impl ClaimToken {
    /// Reads a token; `None` when it cannot be one.
    pub fn parse(vault: &Vault, token: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (org, secret) = bytes.split_first_chunk::<16>()?;
        (secret.len() == 32).then(|| Self { org: OrgId(Uuid::from_bytes(*org)), hash: hash(vault, &bytes) })
    }
}

impl std::fmt::Debug for ClaimToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClaimToken(…)")
    }
}

/// A token that was just drawn, as the record of a link keeps it.
#[derive(Clone)]
pub struct NewToken {
    /// Its keyed hash.
    pub hash: Vec<u8>,
    /// The token, sealed.
    pub sealed: Vec<u8>,
}

impl NewToken {
    /// Draws a token.
    pub fn draw(vault: &Vault, entropy: &mut Entropy, org: OrgId) -> Self {
        let mut token = org.0.as_bytes().to_vec();
        token.extend_from_slice(&entropy.bytes::<32>());
        let hash = hash(vault, &token);
        let sealed = vault.seal(Purpose::ClaimToken, &hash, &token, entropy.bytes());
        Self { hash, sealed }
    }
}

impl std::fmt::Debug for NewToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NewToken(…)")
    }
}

/// The token of a link as it stands in its address; `None` when the sealed copy was tampered with.
pub(super) fn shown(vault: &Vault, link: &PayoutLink) -> Option<String> {
    let token = vault.open(Purpose::ClaimToken, &link.token_hash, &link.sealed_token).ok()?;
    Some(URL_SAFE_NO_PAD.encode(token))
}

/// Whether a link was made with this vault's master key.
pub fn opens_with(vault: &Vault, link: &PayoutLink) -> bool {
    shown(vault, link).is_some()
}

fn hash(vault: &Vault, token: &[u8]) -> Vec<u8> {
    vault.keyed_hash(Purpose::ClaimToken, &[token]).to_vec()
}
