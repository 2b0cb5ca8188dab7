-- How apps are filled and emptied: what their wallets wait for, what they owe, and what passed between them and their organization.

CREATE TABLE wallet_watches (
    org        BLOB NOT NULL,
    app        BLOB NOT NULL,
    floor      INTEGER,
    refill     BLOB,
    rests_until INTEGER,
    owed       INTEGER NOT NULL CHECK (owed >= 0),
    pulls      INTEGER NOT NULL CHECK (pulls >= 0),
    called     INTEGER NOT NULL,
    PRIMARY KEY (org, app)
);

CREATE TABLE debts (
    org        BLOB NOT NULL,
    id         BLOB NOT NULL,
    app        BLOB NOT NULL,
    kind       TEXT NOT NULL,
    platform   TEXT NOT NULL,
    amount     INTEGER NOT NULL CHECK (amount > 0),
    left_open  INTEGER NOT NULL CHECK (left_open BETWEEN 0 AND amount),
    open       INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    covered_at INTEGER,
    PRIMARY KEY (org, id)
);
CREATE INDEX debts_by_app ON debts (org, app, open);

CREATE TABLE organization_transfers (
    org        BLOB NOT NULL,
    id         BLOB NOT NULL,
    app        BLOB NOT NULL,
    amount     INTEGER NOT NULL CHECK (amount <> 0),
    metadata   TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
