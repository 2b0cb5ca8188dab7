-- What an app keeps about a payee belongs to its profile of that payee, and a payout method belongs to the app that added it or
-- in whose claim the payee chose it. docs/internals/adr/0038 says how data from before is divided.

ALTER TABLE app_users ADD COLUMN disconnected_at INTEGER;
ALTER TABLE app_users ADD COLUMN auto_payout_enabled INTEGER NOT NULL DEFAULT 0;
ALTER TABLE app_users ADD COLUMN default_payout_method BLOB;
ALTER TABLE app_users ADD COLUMN metadata TEXT;
ALTER TABLE app_users ADD COLUMN payout_options_exclude_list TEXT NOT NULL DEFAULT '[]';
ALTER TABLE app_users ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

ALTER TABLE payout_methods ADD COLUMN app BLOB NOT NULL DEFAULT x'00000000000000000000000000000000';
ALTER TABLE payout_methods ADD COLUMN origin TEXT NOT NULL DEFAULT 'app';

ALTER TABLE users ADD COLUMN phone_app BLOB;
ALTER TABLE users ADD COLUMN phone_set_at INTEGER;
ALTER TABLE users ADD COLUMN email_app BLOB;
ALTER TABLE users ADD COLUMN email_set_at INTEGER;

-- 1. A method goes to the app that was connected first.
UPDATE payout_methods SET app = first.app FROM
    (SELECT org, user_id, app, min(connected_at) FROM app_users GROUP BY org, user_id) AS first
WHERE first.org = payout_methods.org AND first.user_id = payout_methods.user_id;
-- 2. Where several apps were connected when it was made, it is not known which of them added it.
UPDATE payout_methods SET origin = 'unknown' WHERE
    (SELECT count(*) FROM app_users AS known WHERE known.org = payout_methods.org
        AND known.user_id = payout_methods.user_id AND known.connected_at <= payout_methods.created_at) > 1;
-- 3. A method that the payee chose in a claim goes to the app of that claim.
UPDATE payout_methods SET origin = 'payee', app = chosen.app FROM
    (SELECT org, payout_method, app, min(created_at) FROM claim_sessions
        WHERE payout_method IS NOT NULL GROUP BY org, payout_method) AS chosen
WHERE chosen.org = payout_methods.org AND chosen.payout_method = payout_methods.id;
-- 4. The other apps that have the same right get a row of their own, as old as the first.
INSERT INTO payout_methods (org, id, user_id, app, origin, platform, description, mask, sealed_details, fingerprint, bank_name,
    routing_number, email, phone_number, cash_tag, handle, holder_name, country, currency, rtp_enabled, metadata, in_use,
    created_at, disabled_at, disabled_reason, version)
SELECT m.org, substr(m.id, 1, 8) || randomblob(8), m.user_id, known.app, m.origin, m.platform, m.description, m.mask,
    m.sealed_details, m.fingerprint, m.bank_name, m.routing_number, m.email, m.phone_number, m.cash_tag, m.handle, m.holder_name,
    m.country, m.currency, m.rtp_enabled, m.metadata, m.in_use, m.created_at, m.disabled_at, m.disabled_reason, 1
FROM payout_methods AS m JOIN app_users AS known ON known.org = m.org AND known.user_id = m.user_id
WHERE m.in_use AND known.app <> m.app AND (
    m.origin = 'unknown' AND known.connected_at <= m.created_at
    OR m.origin = 'payee' AND EXISTS (SELECT 1 FROM claim_sessions AS chosen
        WHERE chosen.org = m.org AND chosen.app = known.app AND chosen.payout_method = m.id));
-- 5. Each app gets a profile with what was the payee's. A default method is carried over where it is known whose it is; where
-- it is not, automatic payouts are off, and the payee chooses by the next link.
UPDATE app_users SET metadata = u.metadata, payout_options_exclude_list = u.payout_options_exclude_list, version = u.version,
    auto_payout_enabled = u.auto_payout_enabled AND u.default_payout_method IS NULL
FROM users AS u WHERE u.org = app_users.org AND u.id = app_users.user_id;
UPDATE app_users SET default_payout_method = own.id, auto_payout_enabled = u.auto_payout_enabled
FROM users AS u
    JOIN payout_methods AS chosen ON chosen.org = u.org AND chosen.id = u.default_payout_method
    JOIN payout_methods AS own ON own.org = u.org AND own.user_id = u.id AND own.fingerprint = chosen.fingerprint
WHERE u.org = app_users.org AND u.id = app_users.user_id AND own.app = app_users.app AND own.in_use AND own.origin <> 'unknown';
-- 6. Contact data that is not verified was written by the only app that is connected. Of several it is not known which; then only
-- the organization changes it.
UPDATE users SET phone_app = CASE WHEN phone_verified_at IS NULL AND phone_e164 IS NOT NULL THEN only.app END,
    email_app = CASE WHEN email_verified_at IS NULL AND email IS NOT NULL THEN only.app END
FROM (SELECT org, user_id, min(app) AS app FROM app_users GROUP BY org, user_id HAVING count(*) = 1) AS only
WHERE only.org = users.org AND only.user_id = users.id;
