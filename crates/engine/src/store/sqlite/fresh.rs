//! No read at once returns a row that is older than a confirmed commit, or than a row that was returned before.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use rusqlite::Connection;

use super::prepare;
use super::readers::Readers;
use super::writer::Writer;
use crate::ids::OrgId;
use crate::store::Reserve;
use crate::store::cache::RowCache;
use crate::world::record::{key, record};
use crate::world::{Columns, Record, TableChanges, Want};

record! {
    pub struct Count in "counts" {
        key (org, id)
        few OF_ORG (org);
        pub org: OrgId,
        pub id: i64,
        pub count: i64,
    }
}

const ORG: OrgId = OrgId(uuid::Uuid::nil());
const COMMITS: i64 = 400;

fn counted(id: i64, count: i64) -> Count {
    Count { org: ORG, id, count }
}

fn write(inserts: Vec<Count>, updates: Vec<Count>) -> Vec<TableChanges> {
    let rows = |records: Vec<Count>| records.iter().map(Record::values).collect::<Vec<_>>();
    let changed = vec![Columns::ALL; updates.len()];
    let (inserts, updates) = (rows(inserts), rows(updates));
    vec![TableChanges { table: Count::TABLE, inserts, updates, changed, deletes: Vec::new() }]
}

fn open(path: &Path, of_writer: Arc<RowCache>, of_readers: Arc<RowCache>) -> (Writer, Readers) {
    let connection = Connection::open(path).unwrap();
    prepare(&connection).unwrap();
    let table = "CREATE TABLE counts (org BLOB, id INTEGER, count INTEGER, PRIMARY KEY (org, id))";
    connection.execute(table, []).unwrap();
    let reserve = Reserve::of(path);
    let readers = Readers::open(path, reserve.clone()).unwrap().cached(of_readers);
    (Writer::start(path, connection, Arc::new(AtomicU64::new(0)), reserve, of_writer).unwrap(), readers)
}

/// Returns how many reads were stale, while two threads read two rows and the list of them, and commits count in both.
fn stale_reads(of_writer: Arc<RowCache>, of_readers: Arc<RowCache>) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, readers) = open(&folder.path().join("x.sqlite"), of_writer, of_readers);
    writer.commit(&write(vec![counted(1, 0), counted(2, 0)], Vec::new())).unwrap();
    let (confirmed, done) = (AtomicI64::new(0), AtomicBool::new(false));
    let both = [Want::row::<Count>(key![ORG, 1_i64]), Want::row::<Count>(key![ORG, 2_i64])];
    let wants = [both[..1].to_vec(), both.to_vec(), vec![Want::by::<Count>(Count::OF_ORG, key![ORG])]];
    let read = || {
        let (mut stale, mut newest) = (0, 0);
        while !done.load(Ordering::SeqCst) {
            for wants in &wants {
                newest = newest.max(confirmed.load(Ordering::SeqCst));
                let Some(found) = readers.load_at_once(wants) else { continue };
                let found = found.unwrap();
                let count = |record: &crate::world::record::AnyRecord| record.downcast_ref::<Count>().unwrap().count;
                let counts: Vec<i64> = found.iter().flat_map(|records| records.iter().map(count)).collect();
                // Rows of one read are of one state.
                stale += usize::from(counts.iter().any(|count| *count < newest || *count != counts[0]));
                newest = newest.max(counts[0]);
            }
        }
        stale
    };
    std::thread::scope(|scope| {
        let reading = [scope.spawn(read), scope.spawn(read)];
        for count in 1..=COMMITS {
            writer.commit(&write(Vec::new(), vec![counted(1, count), counted(2, count)])).unwrap();
            confirmed.store(count, Ordering::SeqCst);
        }
        done.store(true, Ordering::SeqCst);
        reading.into_iter().map(|reading| reading.join().unwrap()).sum()
    })
}

#[test]
fn no_read_is_older_than_a_confirmed_commit_or_than_another_read() {
    let cache = Arc::new(RowCache::default());
    assert_eq!(stale_reads(cache.clone(), cache), 0);
}

/// The negative control: the writer maintains another cache.
#[test]
fn a_cache_that_the_writer_does_not_maintain_is_found_stale() {
    assert!(stale_reads(Arc::default(), Arc::default()) > 0);
}
