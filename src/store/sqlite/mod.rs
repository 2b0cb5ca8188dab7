//! The embedded store: SQLite in WAL mode, with one writer and several readers.
//!
//! Invariant: `Ok` from a commit means that the changes are on the disk (`synchronous=FULL`: the log is flushed before
//! COMMIT returns). Commits and checkpoints are in [`writer`].

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, Value as SqlValue, ValueRef};
use rusqlite::{CachedStatement, Connection, OpenFlags, Statement, ToSql, params_from_iter};
use uuid::Uuid;

use super::background::BackgroundThread;
use super::{Reserve, Snapshot, Storage, StoreError, departure};
use crate::clock::Time;
use crate::store::{migrations, sql};
use crate::world::record::{Corrupt, Kind};
use crate::world::{Row, Table, Value, Want};

const BUSY: Duration = Duration::from_secs(10);
/// Prepared statements per connection; a table needs about three.
const STATEMENTS_MAX: usize = 256;
const READERS: usize = 4;

pub(in crate::store) mod identity;
pub mod schema;
mod writer;

use identity::Expected;
pub use writer::Writer;
use writer::checkpoints;

/// Read connections, each lent to one reader at a time.
#[derive(Clone)]
pub struct Readers {
    reserve: Reserve,
    idle: Arc<(Mutex<Vec<Connection>>, Condvar)>,
}

pub struct Sqlite {
    pub writer: Writer,
    pub readers: Readers,
    pub reserve: Reserve,
    pub checkpointer: BackgroundThread,
}

/// Why a database could not be opened. `path` is its file.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("cannot open the database {path}: {source}")]
    Database {
        path: String,
        /// From SQLite.
        source: rusqlite::Error,
    },
    #[error("cannot open the database {path}: cannot start the thread for its {what}: {source}")]
    Thread {
        path: String,
        /// The purpose of the thread.
        what: &'static str,
        source: std::io::Error,
    },
    #[error("cannot open the database {path}: it is not a bursar store: {reason}")]
    NotAStore {
        path: String,
        /// The contents found, and the remedy.
        reason: String,
    },
    #[error("cannot migrate the database {path}: {reason}")]
    Migration {
        path: String,
        /// The message of the migration tool.
        reason: String,
    },
    /// The schema is older than the program and may not be changed.
    #[error("the database {path} needs {missing} migration(s); run `bursar migrate`, or start without --no-migrate")]
    Outdated {
        path: String,
        /// The number of missing migrations.
        missing: usize,
    },
    /// The schema is newer than the program.
    #[error("the database {path} was created by a newer version of bursar")]
    Newer {
        /// The database file.
        path: String,
    },
    /// All data has moved to a server; serving the store too would fork it.
    #[error(
        "the store {path} moved to {target} on {left_at}. Serve that database with --database-url, the same data \
         folder and the same key file. To return to this file, run `bursar move --give-up --to` with that database"
    )]
    Moved {
        path: String,
        /// The URL of the database, without user and password.
        target: String,
        left_at: Time,
    },
}

impl Sqlite {
    /// Opens the file, creates it if it is missing, and brings its schema up to date if `migrate` allows it.
    pub fn open(path: &Path, migrate: bool) -> Result<Self, OpenError> {
        let failed = |source| OpenError::Database { path: path.display().to_string(), source };
        identity::check(path, Expected::StoreOrNew)?;
        make_private(path);
        let mut connection = Connection::open(path).map_err(failed)?;
        prepare(&connection).map_err(failed)?;
        bring_up_to_date(&mut connection, path, migrate)?;
        departure::refuse_moved(&connection, path)?;
        let reserve = Reserve::of(path);
        let readers = Readers::open(path, reserve.clone()).map_err(failed)?;
        let log = Arc::new(AtomicU64::new(0));
        let background = Connection::open(path).map_err(failed)?;
        prepare(&background).map_err(failed)?;
        let no_thread = |source| OpenError::Thread { path: path.display().to_string(), what: "checkpoints", source };
        let checkpointer = checkpoints(background, path, log.clone(), reserve.clone()).map_err(no_thread)?;
        let writer = Writer::start(path, connection, log, reserve.clone())?;
        Ok(Self { writer, readers, reserve, checkpointer })
    }

    /// Opens an existing file for reading only, such as for `bursar verify`.
    pub fn read_only(path: &Path) -> Result<Readers, OpenError> {
        let failed = |source| OpenError::Database { path: path.display().to_string(), source };
        identity::check(path, Expected::Store)?;
        bring_up_to_date(&mut read_connection(path).map_err(failed)?, path, false)?;
        Readers::open(path, Reserve::of(path)).map_err(failed)
    }

    /// Copies one consistent state of a store into a new file, which only its owner can read. Writers of the store
    /// continue.
    pub fn copy(from: &Path, to: &Path) -> Result<(), OpenError> {
        let failed = |source| OpenError::Database { path: from.display().to_string(), source };
        identity::check(from, Expected::Store)?;
        let connection = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed)?;
        connection.busy_timeout(BUSY).map_err(failed)?;
        make_private(to);
        connection.execute("VACUUM INTO ?1", [to.to_string_lossy()]).map_err(failed)?;
        Ok(())
    }
}

/// Creates the file with access for its owner only, unless it exists; SQLite gives the log and its index the same mode.
/// Errors are ignored here, because SQLite reports them better.
fn make_private(path: &Path) {
    let made = std::fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(path);
    drop(made);
}

pub(super) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    // Deleted and overwritten data must not remain in free bytes of the file, above all that of erased payees.
    connection.pragma_update(None, "secure_delete", "ON")?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    // The log file is overwritten from its start after a checkpoint; appending costs twice as much.
    connection.pragma_update(None, "journal_size_limit", -1)?;
    // 16 MiB. After each commit SQLite scans the whole cache; the system caches the rest of the file.
    connection.pragma_update(None, "cache_size", -16_384)?;
    Ok(())
}

pub(super) fn bring_up_to_date(connection: &mut Connection, path: &Path, migrate: bool) -> Result<(), OpenError> {
    let failed = |reason| OpenError::Migration { path: path.display().to_string(), reason };
    if migrate {
        return schema::migrate(connection, i32::MAX).map_err(failed);
    }
    let known = migrations::SQLITE.len();
    let applied = schema::history(connection).map_err(failed)?.len();
    if applied < known {
        return Err(OpenError::Outdated { path: path.display().to_string(), missing: known - applied });
    }
    if applied > known {
        return Err(OpenError::Newer { path: path.display().to_string() });
    }
    Ok(())
}

/// Returns the rows for each want, in order, from one state.
fn load_consistently(connection: &mut Connection, wants: &[Want]) -> Result<Vec<Vec<Row>>, StoreError> {
    if let [_] = wants {
        // A single statement sees one consistent state.
        return load(connection, wants);
    }
    let transaction = connection.transaction().map_err(unreadable)?;
    load(&transaction, wants)
}

fn load(connection: &Connection, wants: &[Want]) -> Result<Vec<Vec<Row>>, StoreError> {
    // Many wants of a batch use the same statement: each is prepared once.
    let mut prepared: HashMap<(&'static str, &'static [usize]), CachedStatement<'_>> = HashMap::new();
    let mut load_one = |want: &Want| match want {
        Want::Rows(wanted) => {
            let (table, index) = (wanted.table, wanted.index);
            let statement = match prepared.entry((table.name, index.columns)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    new.insert(connection.prepare_cached(&sql::select(table, index)).map_err(unreadable)?)
                }
            };
            read_rows(table, statement, &wanted.values)
        }
        Want::Page(query) => {
            let (text, values) = sql::page(query);
            let mut statement = connection.prepare_cached(&text).map_err(unreadable)?;
            read_rows(query.table, &mut statement, &values)
        }
    };
    wants.iter().map(&mut load_one).collect()
}

fn read_rows(table: &'static Table, statement: &mut Statement<'_>, values: &Row) -> Result<Vec<Row>, StoreError> {
    let mut rows = statement.query(params_from_iter(values)).map_err(unreadable)?;
    let mut loaded = Vec::new();
    while let Some(row) = rows.next().map_err(unreadable)? {
        loaded.push(read_row(table, row)?);
    }
    Ok(loaded)
}

fn read_row(table: &'static Table, row: &rusqlite::Row<'_>) -> Result<Row, StoreError> {
    let mut values = Vec::with_capacity(table.columns.len());
    for (position, column) in table.columns.iter().enumerate() {
        let cell = row.get_ref(position).map_err(unreadable)?;
        let value = read_cell(column.kind, cell)
            .ok_or_else(|| Corrupt { column: column.name, found: cell.data_type().to_string() })?;
        values.push(value);
    }
    Ok(values)
}

fn read_cell(kind: Kind, cell: ValueRef<'_>) -> Option<Value> {
    match (kind, cell) {
        (_, ValueRef::Null) => Some(Value::Null),
        (Kind::Id, ValueRef::Blob(bytes)) => Uuid::from_slice(bytes).ok().map(Value::Id),
        (Kind::Int, ValueRef::Integer(number)) => Some(Value::Int(number)),
        (Kind::Bool, ValueRef::Integer(number)) => Some(Value::Bool(number != 0)),
        (Kind::Time, ValueRef::Integer(micros)) => Some(Value::Time(Time::from_micros(micros))),
        (Kind::Text, ValueRef::Text(text)) => std::str::from_utf8(text).ok().map(|text| Value::Text(text.to_owned())),
        (Kind::Bytes, ValueRef::Blob(bytes)) => Some(Value::Bytes(bytes.to_vec())),
        (Kind::Id | Kind::Int | Kind::Bool | Kind::Time | Kind::Text | Kind::Bytes, _) => None,
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(SqlValue::Null),
            Self::Id(id) => ToSqlOutput::Borrowed(ValueRef::Blob(id.as_bytes())),
            Self::Int(number) => ToSqlOutput::Owned(SqlValue::Integer(*number)),
            Self::Bool(yes) => ToSqlOutput::Owned(SqlValue::Integer(i64::from(*yes))),
            Self::Time(time) => ToSqlOutput::Owned(SqlValue::Integer(time.micros())),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

fn read_connection(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    connection.busy_timeout(BUSY)?;
    Ok(connection)
}

impl Readers {
    pub(super) fn open(path: &Path, reserve: Reserve) -> rusqlite::Result<Self> {
        let connections: Vec<Connection> = (0..READERS).map(|_| read_connection(path)).collect::<Result<_, _>>()?;
        Ok(Self { reserve, idle: Arc::new((Mutex::new(connections), Condvar::new())) })
    }

    pub(super) fn limit_storage(&self, quota_bytes: Option<u64>) {
        self.reserve.limit(quota_bytes);
    }

    pub(super) fn is_full(&self) -> bool {
        self.reserve.is_full()
    }

    pub(super) fn storage(&self) -> Option<Storage> {
        self.reserve.storage()
    }

    pub(super) fn load(&self, wants: &[Want]) -> Result<Vec<Vec<Row>>, StoreError> {
        load_consistently(self.borrow().connection(), wants)
    }

    pub(super) fn load_at_once(&self, wants: &[Want]) -> Option<Result<Vec<Vec<Row>>, StoreError>> {
        if !wants.iter().all(Want::is_one_row) {
            return None;
        }
        let connection = self.idle.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop()?;
        let mut borrowed = Borrowed { readers: self, connection: Some(connection) };
        Some(load_consistently(borrowed.connection(), wants))
    }

    pub(super) fn snapshot<T>(
        &self,
        look: impl FnOnce(&Snapshot<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut borrowed = self.borrow();
        let transaction = borrowed.connection().transaction().map_err(unreadable)?;
        look(&Snapshot::Sqlite(&transaction))
    }

    fn borrow(&self) -> Borrowed<'_> {
        let (idle, freed) = &*self.idle;
        let mut idle = idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        loop {
            match idle.pop() {
                Some(connection) => return Borrowed { readers: self, connection: Some(connection) },
                None => idle = freed.wait(idle).unwrap_or_else(std::sync::PoisonError::into_inner),
            }
        }
    }
}

/// A lent connection. Its drop returns it, also after a panic.
struct Borrowed<'a> {
    readers: &'a Readers,
    connection: Option<Connection>,
}

impl Borrowed<'_> {
    fn connection(&mut self) -> &mut Connection {
        self.connection.as_mut().expect("only drop takes the connection away")
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        let (idle, freed) = &*self.readers.idle;
        idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner).extend(self.connection.take());
        freed.notify_one();
    }
}

pub(super) fn each<E: From<StoreError>>(
    connection: &Connection,
    table: &'static Table,
    skip: u64,
    show: &mut impl FnMut(Row) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = connection.prepare_cached(&sql::every(table, skip)).map_err(unreadable)?;
    let mut rows = statement.query([]).map_err(unreadable)?;
    while let Some(row) = rows.next().map_err(unreadable)? {
        show(read_row(table, row)?)?;
    }
    Ok(())
}

pub(super) fn get(connection: &Connection, table: &'static Table, key: &Row) -> Result<Option<Row>, StoreError> {
    let mut statement = connection.prepare_cached(&sql::select(table, table.key())).map_err(unreadable)?;
    let mut rows = statement.query(params_from_iter(key)).map_err(unreadable)?;
    rows.next().map_err(unreadable)?.map(|row| read_row(table, row)).transpose()
}

pub(super) fn unreadable(error: rusqlite::Error) -> StoreError {
    StoreError::Read(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::Settings;
    use crate::fees::Schedule;
    use crate::money::Cents;
    use crate::platform::Platform;

    /// Migrates a store from before fee tables had versions and days were counted.
    #[test]
    fn fees_and_payouts_of_before_are_taken_over() {
        let mut connection = Connection::open_in_memory().unwrap();
        schema::migrate(&mut connection, 8).unwrap();
        let (with_fees, without) = (r#"{"fees": {"ach": {"fixed": 7, "percent": "0", "min": 0, "max": null}}}"#, "{}");
        let empty = r#"{"fees": {}, "require_idempotency_key": true}"#;
        for (id, settings) in [(1_u8, with_fees), (2, without), (3, empty)] {
            let app = "INSERT INTO apps VALUES (x'00', ?1, 'App', 'approved', NULL, ?2, 1, 5, NULL)";
            connection.execute(app, rusqlite::params![[id], settings]).unwrap();
        }
        // The last microsecond of 2026-03-02, and the first one of the next day.
        let (monday, tuesday) = (1_772_495_999_999_999_i64, 1_772_496_000_000_000_i64);
        for (id, kind, status, amount, at) in [
            (1_u8, "payout", "completed", 100, monday),
            (2, "payout", "reversed", 20, monday),
            (3, "payout", "failed", 3_000, monday),
            (4, "balance", "completed", 3_000, monday),
            (5, "payout", "pending", 4, tuesday),
            (6, "payable", "completed", 7, monday),
            (7, "balance", "completed", -8, monday),
            (8, "refill", "completed", -3_000, monday),
        ] {
            let transfer = "INSERT INTO transfers (org, id, app, kind, status, amount, fee, platform_fee, fx_fee, arrives, \
                 tax_exempt, version, created_at, updated_at) VALUES (x'00', ?1, x'01', ?2, ?3, ?4, 0, 0, 0, ?4, 0, 1, ?5, ?5)";
            connection.execute(transfer, rusqlite::params![[id], kind, status, amount, at]).unwrap();
        }
        schema::migrate(&mut connection, i32::MAX).unwrap();

        let settings = |id: u8| -> Settings {
            let text = "SELECT settings FROM apps WHERE id = ?1";
            let text: String = connection.query_row(text, [[id]], |row| row.get(0)).unwrap();
            serde_json::from_str(&text).unwrap()
        };
        let seven = Schedule { fixed: Cents::new(7), ..Schedule::FREE };
        let now = Time::from_micros(tuesday);
        assert_eq!(settings(1).fees.holding(now).0, 1);
        assert_eq!(settings(1).fees.holding(now).1.schedule(Platform::Ach, None), seven);
        assert_eq!(settings(2), Settings::default());
        assert_eq!(settings(3), Settings { require_idempotency_key: true, ..Settings::default() });
        let list = |query: &str| -> Vec<String> {
            let mut statement = connection.prepare(query).unwrap();
            statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        assert_eq!(list("SELECT hex(app) || ' ' || version || ' ' || effective_at FROM fee_tables"), ["01 1 5"]);
        let days = "SELECT measure || ' ' || day || ' ' || total FROM limit_days ORDER BY measure, day";
        let counted = ["payable 2026-03-02 7", "payout 2026-03-02 120", "payout 2026-03-03 4", "transfer 2026-03-02 8"];
        assert_eq!(list(days), counted);
    }

    /// Migrates a store from before links counted their payouts' amounts, and in-progress transfers had an owner.
    #[test]
    fn links_and_transfers_of_before_are_counted() {
        let mut connection = Connection::open_in_memory().unwrap();
        schema::migrate(&mut connection, 25).unwrap();
        let link = "INSERT INTO payout_links (org, id, app, token_hash, sealed_token, amount, status, payee, delivery_method, \
             deliveries, tax_exempt, collect_compliance, transfer, accounting_data, funding_source, expires_at, version, \
             created_at, updated_at) VALUES (x'00', ?1, x'01', ?1, x'', 500, 'claimed', '{}', 'link', 1, 0, 0, x'09', '{}', \
             'service_balance', 1, 1, 1, 1)";
        for id in [7_u8, 8] {
            connection.execute(link, [[id]]).unwrap();
        }
        for (id, kind, status, user, customer) in [
            (1_u8, "balance", "completed", Some([5_u8]), None),
            (2, "payout", "completed", Some([5]), None),
            (3, "payout", "reversed", Some([5]), None),
            (4, "payout", "pending", Some([5]), None),
            (5, "payout", "failed", Some([5]), None),
            (6, "payment", "created", None, Some([6_u8])),
        ] {
            let transfer = "INSERT INTO transfers (org, id, app, user_id, customer, kind, status, amount, payout_link, fee, \
                 platform_fee, fx_fee, arrives, funded, tax_exempt, version, created_at, updated_at) \
                 VALUES (x'00', ?1, x'01', ?2, ?3, ?4, ?5, 100, ?6, 25, 0, 0, 75, 0, 0, 1, 1, 1)";
            let of_link = (kind != "payment").then_some([7_u8]);
            connection.execute(transfer, rusqlite::params![[id], user, customer, kind, status, of_link]).unwrap();
        }
        schema::migrate(&mut connection, i32::MAX).unwrap();

        let list = |query: &str| -> Vec<String> {
            let mut statement = connection.prepare(query).unwrap();
            statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        let links = "SELECT hex(id) || ' ' || paid_out || ' ' || hex(newest_payout) FROM payout_links ORDER BY id";
        assert_eq!(list(links), ["07 225 05", "08 0 "]);
        let transfers =
            "SELECT hex(id) || ' ' || hex(under_way_of) FROM transfers WHERE under_way_of IS NOT NULL ORDER BY id";
        assert_eq!(list(transfers), ["04 05", "06 06"]);
    }
}
