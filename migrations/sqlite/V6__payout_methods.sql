-- Where users' money goes. What is needed to pay is sealed; the rest is what people may see.

CREATE TABLE payout_methods (
    org             BLOB NOT NULL,
    id              BLOB NOT NULL,
    user_id         BLOB NOT NULL,
    platform        TEXT NOT NULL,
    description     TEXT NOT NULL,
    mask            TEXT,
    sealed_details  BLOB NOT NULL,
    fingerprint     BLOB NOT NULL,
    bank_name       TEXT,
    routing_number  TEXT,
    email           TEXT,
    phone_number    TEXT,
    cash_tag        TEXT,
    handle          TEXT,
    country         TEXT,
    currency        TEXT NOT NULL,
    rtp_enabled     INTEGER NOT NULL,
    metadata        TEXT,
    in_use          INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    disabled_at     INTEGER,
    disabled_reason TEXT,
    version         INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX payout_methods_of_user ON payout_methods (org, user_id);
-- The same account at two users is worth a look.
CREATE INDEX payout_methods_by_fingerprint ON payout_methods (org, fingerprint);
