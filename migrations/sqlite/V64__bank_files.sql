-- Payments that reach a bank in files: the files, their entries, and the numbers that a connection gives.

CREATE TABLE bank_files (
    org                BLOB NOT NULL,
    id                 BLOB NOT NULL,
    connection         BLOB NOT NULL,
    originator         BLOB NOT NULL,
    settlement_account BLOB NOT NULL,
    status             TEXT NOT NULL,
    window_name        TEXT NOT NULL,
    window_at          INTEGER NOT NULL,
    submit_by          INTEGER NOT NULL,
    effective_on       TEXT NOT NULL,
    settles_at         INTEGER NOT NULL,
    same_day           INTEGER NOT NULL,
    entries            INTEGER NOT NULL,
    credit             INTEGER NOT NULL,
    entries_ever       INTEGER NOT NULL,
    header             TEXT,
    name               TEXT,
    size               INTEGER,
    sha256             TEXT,
    must_release       INTEGER NOT NULL,
    released_by        BLOB,
    released_at        INTEGER,
    leases             INTEGER NOT NULL,
    way                TEXT,
    temp_name          TEXT,
    doubt              TEXT,
    unswept            INTEGER NOT NULL,
    sealed_at          INTEGER,
    sent_at            INTEGER,
    ended_through      BLOB,
    closed_by          BLOB,
    evidence           TEXT,
    version            INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX bank_files_of_window ON bank_files (org, connection, window_at, id);

CREATE TABLE bank_entries (
    org                BLOB NOT NULL,
    transfer           BLOB NOT NULL,
    file               BLOB NOT NULL,
    number             INTEGER NOT NULL,
    app                BLOB NOT NULL,
    user_id            BLOB NOT NULL,
    payout_method      BLOB NOT NULL,
    settlement_account BLOB NOT NULL,
    amount             INTEGER NOT NULL,
    name               TEXT,
    status             TEXT NOT NULL,
    created_at         INTEGER NOT NULL,
    ended_at           INTEGER,
    PRIMARY KEY (org, transfer)
);
CREATE INDEX bank_entries_of_file ON bank_entries (org, file, transfer);

CREATE TABLE bank_sequences (
    org        BLOB NOT NULL,
    connection BLOB NOT NULL,
    next_trace INTEGER NOT NULL,
    day        TEXT NOT NULL,
    files      INTEGER NOT NULL,
    credit     INTEGER NOT NULL,
    PRIMARY KEY (org, connection)
);
