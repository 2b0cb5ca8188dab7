use crate::chain::{Head, Log};
use crate::events;
use crate::ledger::{LedgerBook, Transaction};
use crate::store::{Reads, StoreError};
use crate::world::record::key;

/// Returns the head of every log with an event, and of every ledger with a transaction, for `bursar anchor`.
pub fn heads(reads: &Reads) -> Result<Vec<Head>, StoreError> {
    reads.snapshot(|snapshot| {
        let mut heads = events::heads(snapshot)?;
        let mut books = Vec::new();
        snapshot.each::<LedgerBook>(|book| {
            books.push(book.clone());
            Ok(())
        })?;
        for book in books {
            let last = snapshot.get::<Transaction>(&key![book.org, book.last_number])?;
            heads.extend(last.map(|last| Head {
                log: Log::Ledger,
                of: book.org.0,
                sequence: book.last_number,
                hash: book.hash.clone(),
                at: last.created_at,
            }));
        }
        Ok(heads)
    })
}
