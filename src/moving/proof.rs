//! A comparable summary of a store's data, which proves that a move neither lost nor changed anything.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::clock::Time;
use crate::events::EventStream;
use crate::ids::{AppId, OrgId};
use crate::ledger::LedgerAccount;
use crate::store::{Reads, Snapshot, StoreError};
use crate::tables;
use crate::world::record::{Kind, feed_bytes};
use crate::world::{Row, Table, Value};

/// Columns with a past time: the latest of an organization is not after its last command.
const PASSED: [&str; 2] = ["created_at", "updated_at"];

/// SHA-256, shown in hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub struct Hash(pub Vec<u8>);

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }
}

#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct TableProof {
    pub name: &'static str,
    /// Of all organizations.
    pub rows: u64,
    /// Over all rows in key order.
    pub digest: Hash,
}

/// The totals of one organization's ledger accounts, in cents.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct BookProof {
    pub organization: OrgId,
    pub currency: String,
    pub accounts: u64,
    /// The sum of balances above zero.
    pub above_zero: i64,
    /// The sum of balances below zero; both sums add up to zero.
    pub below_zero: i64,
}

/// The end of one app's event log. Its hash covers all earlier events.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct LogProof {
    pub organization: OrgId,
    pub app: AppId,
    pub sequence: i64,
    pub hash: Hash,
}

/// The summary of a whole store. Stores with equal data have equal proofs, whether in SQLite or PostgreSQL.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct Proof {
    /// In the order of [`tables::ALL`].
    pub tables: Vec<TableProof>,
    pub books: Vec<BookProof>,
    pub logs: Vec<LogProof>,
    /// The latest past time in the rows of each organization.
    #[serde(skip)]
    pub moments: BTreeMap<Uuid, Time>,
}

impl Proof {
    /// Reads a whole store in one consistent snapshot. Calls `seen` periodically with the number of rows read.
    ///
    /// # Errors
    /// If the store cannot be read, or holds an invalid row.
    pub fn of(reads: &Reads, mut seen: impl FnMut(u64)) -> Result<Self, StoreError> {
        reads.snapshot(|snapshot| {
            let (mut moments, mut read) = (BTreeMap::new(), 0);
            let mut whole = Vec::new();
            for &table in tables::ALL {
                let proof = table_proof(snapshot, table, &mut moments, &mut |rows| seen(read + rows))?;
                read += proof.rows;
                whole.push(proof);
            }
            Ok(Self { tables: whole, books: books(snapshot)?, logs: logs(snapshot)?, moments })
        })
    }

    pub fn digest(&self) -> Vec<u8> {
        let mut digest = Sha256::new();
        for TableProof { name, rows, digest: of_table } in &self.tables {
            feed_bytes(&mut digest, name.as_bytes());
            digest.update(rows.to_be_bytes());
            digest.update(&of_table.0);
        }
        digest.finalize().to_vec()
    }

    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// Describes the differences to another store; empty if equal.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut found = Vec::new();
        for (here, there) in self.tables.iter().zip(&other.tables) {
            let TableProof { name, rows, .. } = here;
            if *rows != there.rows {
                found.push(format!("{name}: {rows} rows in the store, {} in the database", there.rows));
            } else if here != there {
                found.push(format!("{name}: {rows} rows in both, with different contents"));
            }
        }
        for book in self.books.iter().filter(|book| !other.books.contains(book)) {
            let BookProof { organization, currency, .. } = book;
            found.push(format!("organization {organization}: its balances in {currency} differ"));
        }
        for log in self.logs.iter().filter(|log| !other.logs.contains(log)) {
            found.push(format!("app {}: its event log ends at another event", log.app));
        }
        found
    }
}

/// Digests a table and collects its past times.
fn table_proof(
    snapshot: &Snapshot<'_>,
    table: &'static Table,
    moments: &mut BTreeMap<Uuid, Time>,
    seen: &mut impl FnMut(u64),
) -> Result<TableProof, StoreError> {
    let columns = table.columns.iter().enumerate();
    let passed = columns.filter(|(_, column)| column.kind == Kind::Time && PASSED.contains(&column.name));
    let passed: Vec<usize> = passed.map(|(place, _)| place).collect();
    let organization = table.key().columns[0];
    let (mut digest, mut rows) = (Sha256::new(), 0_u64);
    snapshot.rows(table, 0, |row: Row| {
        row.iter().for_each(|value| value.feed(&mut digest));
        let times =
            passed.iter().filter_map(|&place| if let Value::Time(time) = row[place] { Some(time) } else { None });
        let latest = times.max().unwrap_or(Time::from_micros(0));
        if let Value::Id(of) = row[organization] {
            let known = moments.entry(of).or_insert(latest);
            *known = latest.max(*known);
        }
        rows += 1;
        if rows.is_multiple_of(1_000) {
            seen(rows);
        }
        Ok::<_, StoreError>(())
    })?;
    seen(rows);
    Ok(TableProof { name: table.name, rows, digest: Hash(digest.finalize().to_vec()) })
}

fn books(snapshot: &Snapshot<'_>) -> Result<Vec<BookProof>, StoreError> {
    let mut books: BTreeMap<(OrgId, String), BookProof> = BTreeMap::new();
    snapshot.each::<LedgerAccount>(|account| {
        let (organization, currency) = (account.org, account.currency.clone());
        let book = books.entry((organization, currency.clone())).or_insert(BookProof {
            organization,
            currency,
            accounts: 0,
            above_zero: 0,
            below_zero: 0,
        });
        book.accounts += 1;
        let cents = account.balance.get();
        // Saturates instead of failing; `verify` checks that the accounts balance.
        let side = if cents > 0 { &mut book.above_zero } else { &mut book.below_zero };
        *side = side.saturating_add(cents);
        Ok(())
    })?;
    Ok(books.into_values().collect())
}

fn logs(snapshot: &Snapshot<'_>) -> Result<Vec<LogProof>, StoreError> {
    let mut logs = Vec::new();
    snapshot.each::<EventStream>(|stream| {
        let EventStream { org: organization, app, sequence, hash, .. } = stream.clone();
        logs.push(LogProof { organization, app, sequence, hash: Hash(hash) });
        Ok(())
    })?;
    Ok(logs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::clock::EnvironmentClock;
    use crate::store::Memory;
    use crate::world::Record as _;

    fn proof(ahead_seconds: &[i64]) -> Proof {
        let memory = Memory::new();
        for (number, ahead_seconds) in (1_u128..).zip(ahead_seconds) {
            let row = EnvironmentClock { org: OrgId(Uuid::from_u128(number)), ahead_seconds: *ahead_seconds };
            memory.tamper(EnvironmentClock::TABLE, row.key(), Some(row.values()));
        }
        Proof::of(&Reads::Memory(memory), |_| {}).unwrap()
    }

    #[test]
    fn a_missing_or_different_row_is_reported() {
        let honest = proof(&[1, 2, 3]);
        assert_eq!((honest.rows(), honest.differences(&proof(&[1, 2, 3]))), (3, Vec::new()));
        assert_eq!(honest.differences(&proof(&[1, 2])), ["environment_clock: 3 rows in the store, 2 in the database"]);
        for other in [[1, 2, 4], [2, 1, 3]] {
            let reported = honest.differences(&proof(&other));
            assert_eq!(reported, ["environment_clock: 3 rows in both, with different contents"]);
            assert_ne!(honest.digest(), proof(&other).digest());
        }
    }
}
