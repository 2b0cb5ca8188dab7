//! The migrations of both stores, and the history table that records which of them a database has had.
//!
//! The table's name, columns and checksums are those of the crate `refinery`, which ran the migrations of earlier
//! versions: their databases open unchanged.

use std::fmt;
use std::hash::{Hash as _, Hasher as _};

use siphasher::sip::SipHasher13;

use crate::clock::Clock;

/// The history table.
pub const HISTORY: &str = "refinery_schema_history";
/// Creates the history table.
pub const CREATE_HISTORY: &str = "CREATE TABLE IF NOT EXISTS refinery_schema_history (version int4 PRIMARY KEY, \
    name VARCHAR(255), applied_on VARCHAR(255), checksum VARCHAR(255))";
/// Reads the history table.
pub(super) const READ_HISTORY: &str = "SELECT version, name, checksum FROM refinery_schema_history ORDER BY version";

/// A migration of one store.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    /// Its place in the order.
    pub version: i32,
    /// The end of its file name.
    pub name: &'static str,
    /// Its statements.
    pub sql: &'static str,
}

/// A row of the history table.
#[derive(Clone, Debug)]
pub(super) struct Applied {
    pub version: i32,
    pub name: String,
    pub checksum: String,
}

macro_rules! migrations {
    ($($version:literal $name:literal),* $(,)?) => {
        /// The migrations of the embedded store, in order.
        pub const SQLITE: &[Migration] = &[$(migrations!("sqlite", $version, $name)),*];
        /// The migrations of the shared store, in order.
        pub const POSTGRES: &[Migration] = &[$(migrations!("postgres", $version, $name)),*];
    };
    ($store:literal, $version:literal, $name:literal) => {
        Migration {
            version: $version,
            name: $name,
            sql: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/", $store, "/V", $version, "__", $name, ".sql")),
        }
    };
}

migrations! {
    1 "machinery",
    2 "apps",
    3 "ledger",
    4 "messages",
    5 "users",
    6 "payout_methods",
    7 "transfers",
    8 "payout_links",
    9 "fee_tables",
    10 "payout_days",
    11 "payout_requests",
    12 "payout_link_batches",
    13 "bank_accounts",
    14 "funding",
    15 "payments",
    16 "vendors",
    17 "approval_policies",
    18 "payables",
    19 "webhooks",
    20 "event_lookups",
    21 "screening",
    22 "tax_years",
    23 "app_compliance",
    24 "deliveries",
    25 "user_findings",
    26 "bounded_lookups",
    27 "member_versions",
    28 "moves",
    29 "jobs_by_lane",
    30 "sends_of_links",
    31 "whose_links",
    32 "app_profiles",
    33 "users_without_preferences",
    34 "changes_to_a_payee",
    35 "change_notices",
    36 "member_sessions",
    39 "seals",
    41 "limit_days",
    42 "debits",
    43 "keyed_history",
    44 "erasures",
    45 "delivery_days",
    47 "public_requests",
    48 "delivery_errors",
    49 "no_payout_days",
    50 "contact_changes",
    52 "verification_versions",
    53 "standard_names",
    54 "standard_words",
    55 "event_segments",
    56 "stored_answers_of_events",
    57 "inbox_texts_of_links",
    58 "link_ids_in_tokens",
    60 "bank_set_up",
    64 "bank_files",
    65 "unbooked_accounts",
    66 "inbound_files",
    67 "decisions_about_inbound_files",
    68 "app_logos",
    69 "entries_of_transactions",
    70 "bank_statements",
    71 "booked_files",
    72 "proposals_of_members",
    75 "no_ledger_entries",
    78 "rail_providers",
    79 "rail_payments",
    80 "messages_to_banks",
    82 "languages_of_payees",
    83 "languages_of_messages",
    84 "text_stops",
    85 "movements_in_files",
    86 "debits_in_files",
    88 "decisions_about_payments",
    89 "reversals",
    92 "requests_for_new_links",
    94 "answers_of_receivers",
    95 "prenotes",
    96 "files_that_wait",
    97 "pages_of_inbound_files",
    98 "corrected_entries",
    99 "folders_that_cannot_be_read",
    100 "failed_deliveries",
}

impl Migration {
    /// The checksum of its version, name and statements.
    #[must_use]
    pub fn checksum(&self) -> u64 {
        let mut hasher = SipHasher13::new();
        self.name.hash(&mut hasher);
        self.version.hash(&mut hasher);
        self.sql.hash(&mut hasher);
        hasher.finish()
    }

    /// The statement that records it in the history table.
    #[must_use]
    pub fn record(&self) -> String {
        let Self { version, name, .. } = self;
        let (now, checksum) = (Clock::wall().now(), self.checksum());
        format!(
            "INSERT INTO {HISTORY} (version, name, applied_on, checksum) VALUES ({version}, '{name}', '{now}', '{checksum}')"
        )
    }
}

impl fmt::Display for Migration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "V{}__{}", self.version, self.name)
    }
}

/// The migrations that a database lacks. Fails where its history, in order of version, is not a beginning of the known ones.
pub(super) fn missing(known: &'static [Migration], history: &[Applied]) -> Result<&'static [Migration], String> {
    for applied in history {
        let Applied { version, name, checksum } = applied;
        match known.iter().find(|migration| migration.version == *version) {
            None => {
                return Err(format!(
                    "the database has had migration V{version}__{name}, which this version of bursar lacks"
                ));
            }
            Some(known) if known.name == name && known.checksum().to_string() == *checksum => {}
            Some(known) => {
                return Err(format!(
                    "the database has had migration V{version}__{name}, which differs from {known} of this version of bursar"
                ));
            }
        }
    }
    let skipped = known.iter().zip(history).find(|(known, applied)| known.version != applied.version);
    if let Some((skipped, _)) = skipped {
        return Err(format!("the database has had later migrations, but not {skipped}"));
    }
    Ok(known.get(history.len()..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(known: &[Migration]) -> Vec<Applied> {
        let applied = |migration: &Migration| Applied {
            version: migration.version,
            name: migration.name.to_owned(),
            checksum: migration.checksum().to_string(),
        };
        known.iter().map(applied).collect()
    }

    #[test]
    fn the_list_holds_every_file_in_order() {
        for (store, known) in [("sqlite", SQLITE), ("postgres", POSTGRES)] {
            let mut files: Vec<String> =
                std::fs::read_dir(format!("{}/../../migrations/{store}", env!("CARGO_MANIFEST_DIR")))
                    .unwrap()
                    .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                    .collect();
            files.sort();
            let mut listed: Vec<String> = known.iter().map(|migration| format!("{migration}.sql")).collect();
            listed.sort();
            assert_eq!(listed, files);
            assert!(known.is_sorted_by(|one, next| one.version < next.version));
        }
    }

    /// Values that refinery 0.10 wrote.
    #[test]
    fn checksums_are_those_of_earlier_versions() {
        let checksum = |known: &[Migration], version| {
            known.iter().find(|migration| migration.version == version).unwrap().checksum()
        };
        assert_eq!(checksum(SQLITE, 1), 5_229_931_553_869_837_308);
        assert_eq!(checksum(SQLITE, 52), 15_190_449_759_807_354_387);
        assert_eq!(checksum(POSTGRES, 1), 6_832_200_005_696_501_621);
        assert_eq!(checksum(POSTGRES, 52), 10_588_967_271_216_372_791);
    }

    #[test]
    fn a_history_must_be_a_beginning_of_the_known_migrations() {
        let all = history(SQLITE);
        assert_eq!(missing(SQLITE, &[]).unwrap().len(), SQLITE.len());
        assert_eq!(missing(SQLITE, &all[..3]).unwrap()[0].version, 4);
        assert_eq!(missing(SQLITE, &all).unwrap().len(), 0);
        let refused = |change: fn(&mut Vec<Applied>)| {
            let mut changed = history(SQLITE);
            change(&mut changed);
            missing(SQLITE, &changed).unwrap_err()
        };
        let reason = refused(|history| {
            history.push(Applied { version: 999, name: "later".to_owned(), checksum: "1".to_owned() })
        });
        assert_eq!(reason, "the database has had migration V999__later, which this version of bursar lacks");
        let reason = refused(|history| history[1].checksum = "1".to_owned());
        assert_eq!(
            reason,
            "the database has had migration V2__apps, which differs from V2__apps of this version of bursar"
        );
        let reason = refused(|history| history[1].name = "other".to_owned());
        assert_eq!(
            reason,
            "the database has had migration V2__other, which differs from V2__apps of this version of bursar"
        );
        let reason = refused(|history| drop(history.remove(1)));
        assert_eq!(reason, "the database has had later migrations, but not V2__apps");
    }
}
