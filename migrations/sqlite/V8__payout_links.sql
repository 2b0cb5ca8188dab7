-- Payout links, and the claims of them in progress.

CREATE TABLE payout_links (
    org                BLOB NOT NULL,
    id                 BLOB NOT NULL,
    app                BLOB NOT NULL,
    token_hash         BLOB NOT NULL,
    sealed_token       BLOB NOT NULL,
    amount             INTEGER NOT NULL CHECK (amount > 0),
    status             TEXT NOT NULL,
    payee              TEXT NOT NULL,
    payee_phone        TEXT,
    payee_email        TEXT,
    for_user           BLOB,
    delivery_method    TEXT NOT NULL,
    message            TEXT,
    deliveries         INTEGER NOT NULL CHECK (deliveries BETWEEN 0 AND 5),
    tax_exempt         INTEGER NOT NULL,
    collect_compliance INTEGER NOT NULL,
    claimed_user       BLOB,
    flow               BLOB,
    transfer           BLOB NOT NULL,
    memo               TEXT,
    metadata           TEXT,
    description        TEXT,
    accounting_data    TEXT NOT NULL,
    created_by_email   TEXT,
    funding_source     TEXT NOT NULL,
    fee_party          TEXT,
    expires_at         INTEGER NOT NULL,
    version            INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE UNIQUE INDEX payout_links_by_token ON payout_links (org, token_hash);
CREATE INDEX payout_links_by_app ON payout_links (org, app, id);
CREATE INDEX payout_links_by_phone ON payout_links (org, payee_phone, id) WHERE payee_phone IS NOT NULL;
CREATE INDEX payout_links_by_email ON payout_links (org, payee_email, id) WHERE payee_email IS NOT NULL;
CREATE INDEX payout_links_by_user ON payout_links (org, claimed_user, id) WHERE claimed_user IS NOT NULL;

CREATE TABLE claim_contacts (
    org        BLOB NOT NULL,
    link       BLOB NOT NULL,
    channel    TEXT NOT NULL,
    recipient  TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (org, link)
);

CREATE TABLE claim_sessions (
    org             BLOB NOT NULL,
    id              BLOB NOT NULL,
    app             BLOB NOT NULL,
    link            BLOB NOT NULL,
    secret_hash     BLOB NOT NULL,
    user_id         BLOB NOT NULL,
    asks_profile    INTEGER NOT NULL,
    asks_compliance INTEGER NOT NULL,
    payout_method   BLOB,
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE UNIQUE INDEX claim_sessions_by_secret ON claim_sessions (org, secret_hash);
