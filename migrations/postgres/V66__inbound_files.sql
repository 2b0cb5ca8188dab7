-- The files that banks send, their bytes in pieces, and the reports in them; and how a report finds its payment.

CREATE TABLE inbound_files (
    org          uuid NOT NULL,
    id           uuid NOT NULL,
    connection   uuid NOT NULL,
    name         text COLLATE "C" NOT NULL,
    size         bigint NOT NULL,
    modified     bigint,
    sha256       text COLLATE "C" NOT NULL,
    status       text COLLATE "C" NOT NULL,
    duplicate_of uuid,
    findings     text COLLATE "C" NOT NULL,
    items        bigint NOT NULL,
    unmatched    bigint NOT NULL,
    version      bigint NOT NULL,
    created_at   bigint NOT NULL,
    updated_at   bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX inbound_files_by_hash ON inbound_files (org, connection, sha256, id);
CREATE INDEX inbound_files_by_name ON inbound_files (org, connection, name, id);

CREATE TABLE inbound_parts (
    org          uuid NOT NULL,
    id           uuid NOT NULL,
    file         uuid NOT NULL,
    number       bigint NOT NULL,
    sealed_bytes bytea NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX inbound_parts_of_file ON inbound_parts (org, file, id);

CREATE TABLE bank_items (
    org           uuid NOT NULL,
    id            uuid NOT NULL,
    inbound_file  uuid NOT NULL,
    connection    uuid NOT NULL,
    line          bigint NOT NULL,
    kind          text COLLATE "C" NOT NULL,
    code          text COLLATE "C" NOT NULL,
    trace         text COLLATE "C",
    amount        bigint NOT NULL,
    individual_id text COLLATE "C" NOT NULL,
    text          text COLLATE "C",
    status        text COLLATE "C" NOT NULL,
    reason        text COLLATE "C",
    transfer      uuid,
    bank_file     uuid,
    payout_method uuid,
    created_at    bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX bank_items_of_file ON bank_items (org, inbound_file, id);
CREATE INDEX bank_items_of_transfer ON bank_items (org, transfer, id);

ALTER TABLE bank_files ADD COLUMN first_trace bigint;
ALTER TABLE bank_files ADD COLUMN returned bigint NOT NULL DEFAULT 0;
CREATE INDEX bank_files_by_trace ON bank_files (org, connection, first_trace, id);
CREATE INDEX bank_entries_by_number ON bank_entries (org, file, number, transfer);
CREATE INDEX bank_entries_of_method ON bank_entries (org, payout_method, transfer);
