-- Payments that reach a bank in files: the files, their entries, and the numbers that a connection gives.

CREATE TABLE bank_files (
    org                uuid NOT NULL,
    id                 uuid NOT NULL,
    connection         uuid NOT NULL,
    originator         uuid NOT NULL,
    settlement_account uuid NOT NULL,
    status             text COLLATE "C" NOT NULL,
    window_name        text COLLATE "C" NOT NULL,
    window_at          bigint NOT NULL,
    submit_by          bigint NOT NULL,
    effective_on       text COLLATE "C" NOT NULL,
    settles_at         bigint NOT NULL,
    same_day           boolean NOT NULL,
    entries            bigint NOT NULL,
    credit             bigint NOT NULL,
    entries_ever       bigint NOT NULL,
    header             text COLLATE "C",
    name               text COLLATE "C",
    size               bigint,
    sha256             text COLLATE "C",
    must_release       boolean NOT NULL,
    released_by        uuid,
    released_at        bigint,
    leases             bigint NOT NULL,
    way                text COLLATE "C",
    temp_name          text COLLATE "C",
    doubt              text COLLATE "C",
    unswept            boolean NOT NULL,
    sealed_at          bigint,
    sent_at            bigint,
    ended_through      uuid,
    closed_by          uuid,
    evidence           text COLLATE "C",
    version            bigint NOT NULL,
    created_at         bigint NOT NULL,
    updated_at         bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX bank_files_of_window ON bank_files (org, connection, window_at, id);

CREATE TABLE bank_entries (
    org                uuid NOT NULL,
    transfer           uuid NOT NULL,
    file               uuid NOT NULL,
    number             bigint NOT NULL,
    app                uuid NOT NULL,
    user_id            uuid NOT NULL,
    payout_method      uuid NOT NULL,
    settlement_account uuid NOT NULL,
    amount             bigint NOT NULL,
    name               text COLLATE "C",
    status             text COLLATE "C" NOT NULL,
    created_at         bigint NOT NULL,
    ended_at           bigint,
    PRIMARY KEY (org, transfer)
);
CREATE INDEX bank_entries_of_file ON bank_entries (org, file, transfer);

CREATE TABLE bank_sequences (
    org        uuid NOT NULL,
    connection uuid NOT NULL,
    next_trace bigint NOT NULL,
    day        text COLLATE "C" NOT NULL,
    files      bigint NOT NULL,
    credit     bigint NOT NULL,
    PRIMARY KEY (org, connection)
);
