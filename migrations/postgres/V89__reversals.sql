-- Reversals of entries and files at a bank: what an entry is, which entry it follows, and the orders of members.

ALTER TABLE bank_files ADD COLUMN purpose text COLLATE "C" NOT NULL DEFAULT 'payments';
ALTER TABLE bank_files ADD COLUMN send_by bigint;
ALTER TABLE bank_entries ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT 'payment';
ALTER TABLE bank_entries ADD COLUMN of_transfer uuid;
ALTER TABLE bank_entries ADD COLUMN follows uuid;
ALTER TABLE bank_entries ADD COLUMN followed_by uuid;
ALTER TABLE bank_entries ADD COLUMN reversal uuid;
ALTER TABLE bank_entries ADD COLUMN error text COLLATE "C";
CREATE INDEX bank_entries_of_transfer ON bank_entries (org, of_transfer, transfer) WHERE of_transfer IS NOT NULL;

CREATE TABLE bank_reversals (
    org          uuid NOT NULL,
    id           uuid NOT NULL,
    file         uuid NOT NULL,
    entry        uuid,
    reason       text COLLATE "C" NOT NULL,
    evidence     text COLLATE "C",
    found_at     bigint NOT NULL,
    send_by      bigint NOT NULL,
    status       text COLLATE "C" NOT NULL,
    through      uuid,
    joined       bigint NOT NULL,
    skipped      bigint NOT NULL,
    settled      bigint NOT NULL,
    returned     bigint NOT NULL,
    unsent       bigint NOT NULL,
    made_by      uuid NOT NULL,
    approved_by  uuid,
    approved_at  bigint,
    dismissed_by uuid,
    dismissal    text COLLATE "C",
    version      bigint NOT NULL,
    created_at   bigint NOT NULL,
    updated_at   bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX bank_reversals_of_file ON bank_reversals (org, file, id);
