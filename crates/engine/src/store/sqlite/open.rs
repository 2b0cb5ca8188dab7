//! Opens a file, for service, for reading only, or to copy it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use rusqlite::{Connection, OpenFlags};

use super::connection::{BUSY, bring_up_to_date, make_private, prepare, read_connection};
use super::error::OpenError;
use super::identity::{self, Expected};
use super::readers::Readers;
use super::writer::{Writer, checkpoints};
use crate::store::background::BackgroundThread;
use crate::store::cache::RowCache;
use crate::store::{Reserve, departure};

pub struct Sqlite {
    pub writer: Writer,
    pub readers: Readers,
    pub reserve: Reserve,
    pub checkpointer: BackgroundThread,
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
        let cache = Arc::new(RowCache::default());
        let readers = Readers::open(path, reserve.clone()).map_err(failed)?.cached(cache.clone());
        let log = Arc::new(AtomicU64::new(0));
        let background = Connection::open(path).map_err(failed)?;
        prepare(&background).map_err(failed)?;
        let no_thread = |source| OpenError::Thread { path: path.display().to_string(), what: "checkpoints", source };
        let checkpointer = checkpoints(background, path, log.clone(), reserve.clone()).map_err(no_thread)?;
        let writer = Writer::start(path, connection, log, reserve.clone(), cache)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::schema;

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

        // `apps` reads these texts (`settings_of_a_migrated_store_are_read`).
        let settings = |id: u8| -> String {
            connection.query_row("SELECT settings FROM apps WHERE id = ?1", [[id]], |row| row.get(0)).unwrap()
        };
        let table = r#"{"ach":{"fixed":7,"percent":"0","min":0,"max":null}}"#;
        assert_eq!(settings(1), format!(r#"{{"fees":{{"made":1,"version":1,"table":{table},"scheduled":[]}}}}"#));
        assert_eq!(settings(2), "{}");
        let none = r#"{"made":0,"version":0,"table":{},"scheduled":[]}"#;
        assert_eq!(settings(3), format!(r#"{{"fees":{none},"require_idempotency_key":true}}"#));
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
