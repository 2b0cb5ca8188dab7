-- The book: its ledger accounts, the transactions between them, and the entries of each account.
-- Transactions and entries are only ever added. Amounts are cents.

CREATE TABLE ledger_books (
    org           BLOB NOT NULL,
    last_number   INTEGER NOT NULL,
    accounts      INTEGER NOT NULL,
    PRIMARY KEY (org)
);

CREATE TABLE ledger_accounts (
    org        BLOB NOT NULL,
    id         BLOB NOT NULL,
    number     INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    app        BLOB,
    user       BLOB,
    platform   TEXT,
    balance    INTEGER NOT NULL,
    entries    INTEGER NOT NULL,
    currency   TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE UNIQUE INDEX ledger_accounts_by_number ON ledger_accounts (org, number);
CREATE INDEX ledger_accounts_by_app ON ledger_accounts (org, app, number);

CREATE TABLE transactions (
    org              BLOB NOT NULL,
    number           INTEGER NOT NULL,
    app              BLOB,
    posting          BLOB NOT NULL,
    transfer         BLOB,
    kind             TEXT NOT NULL,
    amount           INTEGER NOT NULL CHECK (amount > 0),
    source           BLOB NOT NULL,
    destination      BLOB NOT NULL,
    source_name      TEXT NOT NULL,
    destination_name TEXT NOT NULL,
    metadata         TEXT,
    created_at       INTEGER NOT NULL,
    PRIMARY KEY (org, number)
);
CREATE INDEX transactions_by_transfer ON transactions (org, transfer, number);
CREATE INDEX transactions_by_app ON transactions (org, app, number);

CREATE TABLE ledger_entries (
    org           BLOB NOT NULL,
    account       BLOB NOT NULL,
    number        INTEGER NOT NULL,
    amount        INTEGER NOT NULL CHECK (amount <> 0),
    balance_after INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    PRIMARY KEY (org, account, number)
);

CREATE TABLE holds (
    org       BLOB NOT NULL,
    id        BLOB NOT NULL,
    app       BLOB NOT NULL,
    amount    INTEGER NOT NULL CHECK (amount > 0),
    state     TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    closed_at INTEGER,
    PRIMARY KEY (org, id)
);
