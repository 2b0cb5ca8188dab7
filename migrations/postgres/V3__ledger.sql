-- The book: its ledger accounts, the transactions between them, and the entries of each account.
-- Transactions and entries are only ever added. Amounts are cents.

CREATE TABLE ledger_books (
    org           uuid NOT NULL,
    last_number   bigint NOT NULL,
    accounts      bigint NOT NULL,
    PRIMARY KEY (org)
) WITH (fillfactor = 60);

CREATE TABLE ledger_accounts (
    org        uuid NOT NULL,
    id         uuid NOT NULL,
    number     bigint NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    app        uuid,
    "user"     uuid,
    platform   text COLLATE "C",
    balance    bigint NOT NULL,
    entries    bigint NOT NULL,
    currency   text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    PRIMARY KEY (org, id)
) WITH (fillfactor = 60);
CREATE UNIQUE INDEX ledger_accounts_by_number ON ledger_accounts (org, number);
CREATE INDEX ledger_accounts_by_app ON ledger_accounts (org, app, number);

CREATE TABLE transactions (
    org              uuid NOT NULL,
    number           bigint NOT NULL,
    app              uuid,
    posting          uuid NOT NULL,
    transfer         uuid,
    kind             text COLLATE "C" NOT NULL,
    amount           bigint NOT NULL CHECK (amount > 0),
    source           uuid NOT NULL,
    destination      uuid NOT NULL,
    source_name      text COLLATE "C" NOT NULL,
    destination_name text COLLATE "C" NOT NULL,
    metadata         text COLLATE "C",
    created_at       bigint NOT NULL,
    PRIMARY KEY (org, number)
);
CREATE INDEX transactions_by_transfer ON transactions (org, transfer, number);
CREATE INDEX transactions_by_app ON transactions (org, app, number);

CREATE TABLE ledger_entries (
    org           uuid NOT NULL,
    account       uuid NOT NULL,
    number        bigint NOT NULL,
    amount        bigint NOT NULL CHECK (amount <> 0),
    balance_after bigint NOT NULL,
    created_at    bigint NOT NULL,
    PRIMARY KEY (org, account, number)
);

CREATE TABLE holds (
    org       uuid NOT NULL,
    id        uuid NOT NULL,
    app       uuid NOT NULL,
    amount    bigint NOT NULL CHECK (amount > 0),
    state     text COLLATE "C" NOT NULL,
    opened_at bigint NOT NULL,
    closed_at bigint,
    PRIMARY KEY (org, id)
);
