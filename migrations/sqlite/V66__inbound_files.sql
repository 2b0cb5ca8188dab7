-- The files that banks send, their bytes in pieces, and the reports in them; and how a report finds its payment.

CREATE TABLE inbound_files (
    org          BLOB NOT NULL,
    id           BLOB NOT NULL,
    connection   BLOB NOT NULL,
    name         TEXT NOT NULL,
    size         INTEGER NOT NULL,
    modified     INTEGER,
    sha256       TEXT NOT NULL,
    status       TEXT NOT NULL,
    duplicate_of BLOB,
    findings     TEXT NOT NULL,
    items        INTEGER NOT NULL,
    unmatched    INTEGER NOT NULL,
    version      INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX inbound_files_by_hash ON inbound_files (org, connection, sha256, id);
CREATE INDEX inbound_files_by_name ON inbound_files (org, connection, name, id);

CREATE TABLE inbound_parts (
    org          BLOB NOT NULL,
    id           BLOB NOT NULL,
    file         BLOB NOT NULL,
    number       INTEGER NOT NULL,
    sealed_bytes BLOB NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX inbound_parts_of_file ON inbound_parts (org, file, id);

CREATE TABLE bank_items (
    org           BLOB NOT NULL,
    id            BLOB NOT NULL,
    inbound_file  BLOB NOT NULL,
    connection    BLOB NOT NULL,
    line          INTEGER NOT NULL,
    kind          TEXT NOT NULL,
    code          TEXT NOT NULL,
    trace         TEXT,
    amount        INTEGER NOT NULL,
    individual_id TEXT NOT NULL,
    text          TEXT,
    status        TEXT NOT NULL,
    reason        TEXT,
    transfer      BLOB,
    bank_file     BLOB,
    payout_method BLOB,
    created_at    INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX bank_items_of_file ON bank_items (org, inbound_file, id);
CREATE INDEX bank_items_of_transfer ON bank_items (org, transfer, id);

ALTER TABLE bank_files ADD COLUMN first_trace INTEGER;
ALTER TABLE bank_files ADD COLUMN returned INTEGER NOT NULL DEFAULT 0;
CREATE INDEX bank_files_by_trace ON bank_files (org, connection, first_trace, id);
CREATE INDEX bank_entries_by_number ON bank_entries (org, file, number, transfer);
CREATE INDEX bank_entries_of_method ON bank_entries (org, payout_method, transfer);
