-- The set-up of an organization's banks: connections, originators, settlement accounts, and the routes of rails.

CREATE TABLE bank_connections (
    org              BLOB NOT NULL,
    id               BLOB NOT NULL,
    name             TEXT NOT NULL,
    transport        TEXT NOT NULL,
    format           TEXT NOT NULL,
    settings         TEXT NOT NULL,
    settings_version INTEGER NOT NULL,
    status           TEXT NOT NULL,
    made_by          BLOB NOT NULL,
    tested_by        BLOB,
    tested_at        INTEGER,
    evidence         TEXT,
    approved_by      BLOB,
    approved_at      INTEGER,
    paused_by        BLOB,
    paused_at        INTEGER,
    pause_reason     TEXT,
    version          INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);

CREATE TABLE originators (
    org           BLOB NOT NULL,
    id            BLOB NOT NULL,
    connection    BLOB NOT NULL,
    app           BLOB,
    company_name  TEXT NOT NULL,
    company_id    TEXT NOT NULL,
    description   TEXT NOT NULL,
    discretionary TEXT,
    entry_classes TEXT NOT NULL,
    status        TEXT NOT NULL,
    made_by       BLOB NOT NULL,
    approved_by   BLOB,
    approved_at   INTEGER,
    ended_by      BLOB,
    ended_at      INTEGER,
    version       INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX originators_of_connection ON originators (org, connection, id);

CREATE TABLE settlement_accounts (
    org            BLOB NOT NULL,
    id             BLOB NOT NULL,
    connection     BLOB NOT NULL,
    name           TEXT NOT NULL,
    currency       TEXT NOT NULL,
    account_type   TEXT NOT NULL,
    routing_number TEXT NOT NULL,
    last4          TEXT NOT NULL,
    sealed_number  BLOB NOT NULL,
    fingerprint    BLOB NOT NULL,
    statement_kind TEXT NOT NULL,
    booking_grain  TEXT NOT NULL,
    status         TEXT NOT NULL,
    made_by        BLOB NOT NULL,
    approved_by    BLOB,
    approved_at    INTEGER,
    ended_by       BLOB,
    ended_at       INTEGER,
    version        INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX settlement_accounts_of_connection ON settlement_accounts (org, connection, id);

CREATE TABLE rail_routes (
    org                BLOB NOT NULL,
    id                 BLOB NOT NULL,
    platform           TEXT NOT NULL,
    currency           TEXT NOT NULL,
    from_on            TEXT NOT NULL,
    connection         BLOB NOT NULL,
    originator         BLOB NOT NULL,
    settlement_account BLOB NOT NULL,
    status             TEXT NOT NULL,
    made_by            BLOB NOT NULL,
    approved_by        BLOB,
    approved_at        INTEGER,
    ended_by           BLOB,
    ended_at           INTEGER,
    version            INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX rail_routes_of_rail ON rail_routes (org, platform, currency, id);
