-- Transfers, and the book of the sandbox's rails, which only they write.

CREATE TABLE transfers (
    org           BLOB NOT NULL,
    id            BLOB NOT NULL,
    app           BLOB NOT NULL,
    user_id       BLOB,
    kind          TEXT NOT NULL,
    status        TEXT NOT NULL,
    amount        INTEGER NOT NULL,
    platform      TEXT,
    payout_method BLOB,
    payout_link   BLOB,
    fee           INTEGER NOT NULL,
    platform_fee  INTEGER NOT NULL,
    fx_fee        INTEGER NOT NULL,
    arrives       INTEGER NOT NULL,
    fee_party     TEXT,
    error         TEXT,
    tax_exempt    INTEGER NOT NULL,
    metadata      TEXT,
    settles_at    INTEGER,
    completed_at  INTEGER,
    version       INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX transfers_by_app ON transfers (org, app, id);
CREATE INDEX transfers_by_user ON transfers (org, app, user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX transfers_by_link ON transfers (org, payout_link) WHERE payout_link IS NOT NULL;

CREATE TABLE rail_items (
    org           BLOB NOT NULL,
    transfer      BLOB NOT NULL,
    app           BLOB NOT NULL,
    platform      TEXT NOT NULL,
    amount        INTEGER NOT NULL CHECK (amount > 0),
    accepted_at   INTEGER NOT NULL,
    settles_at    INTEGER NOT NULL,
    fails_with    TEXT,
    returns_at    INTEGER,
    returned_with TEXT,
    PRIMARY KEY (org, transfer)
);
