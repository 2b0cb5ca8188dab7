//! Passes records in groups.

use super::report::TOGETHER;
use crate::store::{Snapshot, StoreError};
use crate::world::Record;

/// Passes all records of a kind in groups, so that their related rows are fetched together: each query to a server
/// costs a round trip. Returns the number of records.
pub(super) fn together<R: Record>(
    snapshot: &Snapshot<'_>,
    mut fetch: impl FnMut(&[R]) -> Result<(), StoreError>,
) -> Result<u64, StoreError> {
    let (mut some, mut seen) = (Vec::with_capacity(TOGETHER), 0);
    snapshot.each::<R>(|record| {
        seen += 1;
        some.push(record.clone());
        if some.len() < TOGETHER {
            return Ok(());
        }
        fetch(&std::mem::replace(&mut some, Vec::with_capacity(TOGETHER)))
    })?;
    fetch(&some)?;
    Ok(seen)
}
