//! Data migrations: they fill the tables and columns that schema migrations added. Each statement joins rows of one
//! organization only, and can run twice.

/// V31: the user that a link was made for or claimed by.
pub(super) const LINKS: &[&str] = &["UPDATE payout_links SET payee_user = coalesce(claimed_user, for_user) \
    WHERE payee_user IS NULL AND (claimed_user IS NOT NULL OR for_user IS NOT NULL)"];

/// A data migration between two schema versions.
pub(super) struct Step {
    /// The version that adds the columns.
    pub(super) version: i32,
    /// The version that drops the columns which the statements read.
    pub(super) dropped_by: i32,
    pub(super) statements: &'static [&'static str],
}

pub(super) const STEPS: [Step; 5] = [
    Step { version: 32, dropped_by: 33, statements: PROFILES },
    Step { version: 41, dropped_by: 49, statements: LIMITS },
    Step { version: 53, dropped_by: 54, statements: STANDARD_WORDS },
    Step { version: 69, dropped_by: 75, statements: ENTRIES },
    // No version drops what these read: they run until the one after them is there.
    Step { version: 71, dropped_by: 75, statements: DUE },
];

/// V41: the same sums as in `migrations/sqlite/V41__limit_days.sql`.
const LIMITS: &[&str] = &[
    "INSERT INTO limit_days (org, app, measure, payer, day, total) \
     SELECT org, app, 'payout', '00000000-0000-0000-0000-000000000000'::uuid, day, total FROM payout_days \
     ON CONFLICT (org, app, measure, payer, day) DO UPDATE SET total = excluded.total",
    "INSERT INTO limit_days (org, app, measure, payer, day, total) \
     SELECT org, app, measure, '00000000-0000-0000-0000-000000000000'::uuid, day, sum(abs(amount))::bigint FROM \
        (SELECT org, app, CASE kind WHEN 'balance' THEN 'transfer' ELSE kind END AS measure, \
            to_char(to_timestamp(created_at / 1000000) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, amount FROM transfers \
            WHERE status NOT IN ('failed', 'canceled') AND \
                (kind IN ('payable', 'payment') OR kind = 'balance' AND amount < 0 AND payout_link IS NULL)) AS moved \
     GROUP BY org, app, measure, day ON CONFLICT (org, app, measure, payer, day) DO UPDATE SET total = excluded.total",
    "INSERT INTO limit_days (org, app, measure, payer, day, total) \
     SELECT org, app, 'payer_payment', payer, day, sum(amount)::bigint FROM \
        (SELECT org, app, coalesce(user_id, customer) AS payer, \
            to_char(to_timestamp(created_at / 1000000) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, amount FROM transfers \
            WHERE kind = 'payment' AND status NOT IN ('failed', 'canceled')) AS paid \
     WHERE payer IS NOT NULL GROUP BY org, app, payer, day \
     ON CONFLICT (org, app, measure, payer, day) DO UPDATE SET total = excluded.total",
];

/// V32: the same as `migrations/sqlite/V32__app_profiles.sql`, which has the reason for each step.
const PROFILES: &[&str] = &[
    "UPDATE payout_methods SET app = first.app FROM \
        (SELECT DISTINCT ON (org, user_id) org, user_id, app FROM app_users ORDER BY org, user_id, connected_at, app) AS first \
     WHERE first.org = payout_methods.org AND first.user_id = payout_methods.user_id \
        AND payout_methods.app = '00000000-0000-0000-0000-000000000000'",
    "UPDATE payout_methods SET origin = 'unknown' FROM \
        (SELECT m.org, m.id FROM payout_methods AS m \
            JOIN app_users AS known ON known.org = m.org AND known.user_id = m.user_id \
            WHERE known.connected_at <= m.created_at GROUP BY m.org, m.id HAVING count(*) > 1) AS shared \
     WHERE shared.org = payout_methods.org AND shared.id = payout_methods.id \
        AND payout_methods.origin = 'app'",
    "UPDATE payout_methods SET origin = 'payee', app = chosen.app FROM \
        (SELECT DISTINCT ON (org, payout_method) org, payout_method, app FROM claim_sessions \
            WHERE payout_method IS NOT NULL ORDER BY org, payout_method, created_at) AS chosen \
     WHERE chosen.org = payout_methods.org AND chosen.payout_method = payout_methods.id \
        AND payout_methods.origin <> 'payee'",
    "INSERT INTO payout_methods (org, id, user_id, app, origin, platform, description, mask, sealed_details, fingerprint, \
        bank_name, routing_number, email, phone_number, cash_tag, handle, holder_name, country, currency, rtp_enabled, \
        metadata, in_use, created_at, disabled_at, disabled_reason, version) \
     SELECT m.org, (substr(replace(m.id::text, '-', ''), 1, 16) || \
            substr(md5(m.id::text || known.app::text), 17))::uuid, m.user_id, known.app, m.origin, \
        m.platform, m.description, m.mask, m.sealed_details, m.fingerprint, m.bank_name, m.routing_number, m.email, \
        m.phone_number, m.cash_tag, m.handle, m.holder_name, m.country, m.currency, m.rtp_enabled, m.metadata, m.in_use, \
        m.created_at, m.disabled_at, m.disabled_reason, 1 \
     FROM payout_methods AS m JOIN app_users AS known ON known.org = m.org AND known.user_id = m.user_id \
        LEFT JOIN (SELECT DISTINCT org, app, payout_method FROM claim_sessions WHERE payout_method IS NOT NULL) AS chosen \
            ON chosen.org = m.org AND chosen.app = known.app AND chosen.payout_method = m.id \
     WHERE m.in_use AND known.app <> m.app AND (m.origin = 'unknown' AND known.connected_at <= m.created_at \
        OR m.origin = 'payee' AND chosen.app IS NOT NULL) \
     ON CONFLICT DO NOTHING",
    "UPDATE app_users SET metadata = u.metadata, payout_options_exclude_list = u.payout_options_exclude_list, \
        version = u.version, auto_payout_enabled = u.auto_payout_enabled AND u.default_payout_method IS NULL \
     FROM users AS u WHERE u.org = app_users.org AND u.id = app_users.user_id",
    "UPDATE app_users SET default_payout_method = own.id, auto_payout_enabled = u.auto_payout_enabled \
     FROM users AS u \
        JOIN payout_methods AS chosen ON chosen.org = u.org AND chosen.id = u.default_payout_method \
        JOIN payout_methods AS own ON own.org = u.org AND own.user_id = u.id AND own.fingerprint = chosen.fingerprint \
     WHERE u.org = app_users.org AND u.id = app_users.user_id AND own.app = app_users.app AND own.in_use \
        AND own.origin <> 'unknown'",
    "UPDATE users SET phone_app = CASE WHEN phone_verified_at IS NULL AND phone_e164 IS NOT NULL THEN only_one.app END, \
        email_app = CASE WHEN email_verified_at IS NULL AND email IS NOT NULL THEN only_one.app END \
     FROM (SELECT org, user_id, (array_agg(app))[1] AS app FROM app_users GROUP BY org, user_id HAVING count(*) = 1) AS only_one \
     WHERE only_one.org = users.org AND only_one.user_id = users.id",
];

/// V69: the same as `migrations/sqlite/V69__entries_of_transactions.sql`.
const ENTRIES: &[&str] = &[
    "UPDATE transactions SET source_balance = entry.balance_after FROM ledger_entries AS entry \
     WHERE entry.org = transactions.org AND entry.account = transactions.source AND entry.number = transactions.number",
    "UPDATE transactions SET destination_balance = entry.balance_after FROM ledger_entries AS entry \
     WHERE entry.org = transactions.org AND entry.account = transactions.destination \
        AND entry.number = transactions.number",
];

/// V71: the same as `migrations/sqlite/V71__booked_files.sql`.
const DUE: &[&str] = &[
    "UPDATE bank_files SET debit_due = settlement_account WHERE status = 'sent' AND debit_line IS NULL",
    "UPDATE bank_entries SET credit_due = bank_entries.settlement_account FROM bank_files AS file \
     WHERE file.org = bank_entries.org AND file.id = bank_entries.file AND file.status = 'sent' \
        AND bank_entries.status = 'returned' AND bank_entries.credit_line IS NULL",
];

/// V53: the same as `migrations/sqlite/V53__standard_names.sql` and `V54__standard_words.sql`.
const STANDARD_WORDS: &[&str] = &[
    "INSERT INTO wallet_funding (org, app, floor, refill, refill_after, owed, pulls, scheduled) \
     SELECT org, app, floor, refill, rests_until, owed, pulls, called FROM wallet_watches \
     ON CONFLICT (org, app) DO UPDATE SET floor = excluded.floor, refill = excluded.refill, \
        refill_after = excluded.refill_after, owed = excluded.owed, pulls = excluded.pulls, scheduled = excluded.scheduled",
    "UPDATE event_streams SET notified_sequence = told_sequence, subscription = CASE listening \
        WHEN 'nobody' THEN 'none' WHEN 'quiet' THEN 'idle' ELSE 'scheduled' END",
    "UPDATE jobs SET lane = 'system' WHERE lane = 'house'",
    "UPDATE jobs SET work = replace(work, '\"kind\":\"tend_wallet\"', '\"kind\":\"top_up_wallet\"') \
     WHERE work LIKE '%\"kind\":\"tend_wallet\"%'",
];
