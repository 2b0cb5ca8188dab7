-- Statements of settlement accounts, the last one of each account, and their lines, which are bank items.

CREATE TABLE bank_statements (
    org                BLOB NOT NULL,
    id                 BLOB NOT NULL,
    connection         BLOB NOT NULL,
    settlement_account BLOB NOT NULL,
    inbound_file       BLOB NOT NULL,
    booked_on          TEXT NOT NULL,
    reference          TEXT NOT NULL,
    sequence           INTEGER,
    opening            INTEGER NOT NULL,
    closing            INTEGER NOT NULL,
    lines              INTEGER NOT NULL,
    credits            INTEGER NOT NULL,
    credit             INTEGER NOT NULL,
    debits             INTEGER NOT NULL,
    debit              INTEGER NOT NULL,
    status             TEXT NOT NULL,
    reason             TEXT,
    position           INTEGER,
    applied_at         INTEGER,
    confirmed_by       BLOB,
    closed_by          BLOB,
    evidence           TEXT,
    version            INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX bank_statements_by_day ON bank_statements (org, settlement_account, booked_on, id);
CREATE INDEX bank_statements_by_status ON bank_statements (org, settlement_account, status, id);

CREATE TABLE bank_balances (
    org                BLOB NOT NULL,
    settlement_account BLOB NOT NULL,
    statement          BLOB NOT NULL,
    booked_on          TEXT NOT NULL,
    sequence           INTEGER,
    closing            INTEGER NOT NULL,
    statements         INTEGER NOT NULL,
    PRIMARY KEY (org, settlement_account)
);

ALTER TABLE bank_items ADD COLUMN statement BLOB;
ALTER TABLE bank_items ADD COLUMN settlement_account BLOB;
ALTER TABLE bank_items ADD COLUMN reference TEXT;
ALTER TABLE bank_items ADD COLUMN meaning TEXT;
ALTER TABLE bank_items ADD COLUMN booked_as TEXT;
ALTER TABLE bank_items ADD COLUMN app BLOB;
ALTER TABLE bank_items ADD COLUMN suspense BLOB;
CREATE INDEX bank_items_of_statement ON bank_items (org, statement, id) WHERE statement IS NOT NULL;
CREATE INDEX bank_items_in_suspense ON bank_items (org, suspense, id) WHERE suspense IS NOT NULL;
