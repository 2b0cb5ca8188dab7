-- Payments at providers behind HTTP.

CREATE TABLE rail_payments (
    org                BLOB NOT NULL,
    transfer           BLOB NOT NULL,
    app                BLOB NOT NULL,
    route              BLOB NOT NULL,
    provider           BLOB NOT NULL,
    platform           TEXT NOT NULL,
    amount             INTEGER NOT NULL,
    status             TEXT NOT NULL,
    attempts           INTEGER NOT NULL,
    first_attempted_at INTEGER,
    attempted_at       INTEGER,
    sealed_order       BLOB,
    reference          TEXT,
    fee                INTEGER,
    failure            TEXT,
    doubt              TEXT,
    look_up            BLOB,
    version            INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL,
    PRIMARY KEY (org, transfer)
);
CREATE INDEX rail_payments_by_status ON rail_payments (org, status, transfer);
