-- Bank accounts that are no user's payout method: of apps, payment customers and vendors; and which way a rail moves money.

CREATE TABLE bank_accounts (
    org             BLOB NOT NULL,
    id              BLOB NOT NULL,
    app             BLOB NOT NULL,
    holder          BLOB NOT NULL,
    name            TEXT NOT NULL,
    account_type    TEXT NOT NULL,
    routing_number  TEXT NOT NULL,
    bank_name       TEXT,
    last4           TEXT NOT NULL,
    sealed_number   BLOB NOT NULL,
    fingerprint     BLOB NOT NULL,
    rtp_enabled     INTEGER NOT NULL,
    in_use          INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    disabled_at     INTEGER,
    disabled_reason TEXT,
    version         INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX bank_accounts_of_holder ON bank_accounts (org, holder, id);

ALTER TABLE transfers ADD COLUMN bank_account BLOB;
ALTER TABLE rail_items ADD COLUMN direction TEXT NOT NULL DEFAULT 'credit';
