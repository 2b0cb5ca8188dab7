-- Statements of settlement accounts, the last one of each account, and their lines, which are bank items.

CREATE TABLE bank_statements (
    org                uuid NOT NULL,
    id                 uuid NOT NULL,
    connection         uuid NOT NULL,
    settlement_account uuid NOT NULL,
    inbound_file       uuid NOT NULL,
    booked_on          text COLLATE "C" NOT NULL,
    reference          text COLLATE "C" NOT NULL,
    sequence           bigint,
    opening            bigint NOT NULL,
    closing            bigint NOT NULL,
    lines              bigint NOT NULL,
    credits            bigint NOT NULL,
    credit             bigint NOT NULL,
    debits             bigint NOT NULL,
    debit              bigint NOT NULL,
    status             text COLLATE "C" NOT NULL,
    reason             text COLLATE "C",
    position           bigint,
    applied_at         bigint,
    confirmed_by       uuid,
    closed_by          uuid,
    evidence           text COLLATE "C",
    version            bigint NOT NULL,
    created_at         bigint NOT NULL,
    updated_at         bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX bank_statements_by_day ON bank_statements (org, settlement_account, booked_on, id);
CREATE INDEX bank_statements_by_status ON bank_statements (org, settlement_account, status, id);

CREATE TABLE bank_balances (
    org                uuid NOT NULL,
    settlement_account uuid NOT NULL,
    statement          uuid NOT NULL,
    booked_on          text COLLATE "C" NOT NULL,
    sequence           bigint,
    closing            bigint NOT NULL,
    statements         bigint NOT NULL,
    PRIMARY KEY (org, settlement_account)
);

ALTER TABLE bank_items ADD COLUMN statement uuid;
ALTER TABLE bank_items ADD COLUMN settlement_account uuid;
ALTER TABLE bank_items ADD COLUMN reference text COLLATE "C";
ALTER TABLE bank_items ADD COLUMN meaning text COLLATE "C";
ALTER TABLE bank_items ADD COLUMN booked_as text COLLATE "C";
ALTER TABLE bank_items ADD COLUMN app uuid;
ALTER TABLE bank_items ADD COLUMN suspense uuid;
CREATE INDEX bank_items_of_statement ON bank_items (org, statement, id) WHERE statement IS NOT NULL;
CREATE INDEX bank_items_in_suspense ON bank_items (org, suspense, id) WHERE suspense IS NOT NULL;
