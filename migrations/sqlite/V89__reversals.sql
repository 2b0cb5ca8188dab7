-- Reversals of entries and files at a bank: what an entry is, which entry it follows, and the orders of members.

ALTER TABLE bank_files ADD COLUMN purpose TEXT NOT NULL DEFAULT 'payments';
ALTER TABLE bank_files ADD COLUMN send_by INTEGER;
ALTER TABLE bank_entries ADD COLUMN kind TEXT NOT NULL DEFAULT 'payment';
ALTER TABLE bank_entries ADD COLUMN of_transfer BLOB;
ALTER TABLE bank_entries ADD COLUMN follows BLOB;
ALTER TABLE bank_entries ADD COLUMN followed_by BLOB;
ALTER TABLE bank_entries ADD COLUMN reversal BLOB;
ALTER TABLE bank_entries ADD COLUMN error TEXT;
CREATE INDEX bank_entries_of_transfer ON bank_entries (org, of_transfer, transfer) WHERE of_transfer IS NOT NULL;

CREATE TABLE bank_reversals (
    org          BLOB NOT NULL,
    id           BLOB NOT NULL,
    file         BLOB NOT NULL,
    entry        BLOB,
    reason       TEXT NOT NULL,
    evidence     TEXT,
    found_at     INTEGER NOT NULL,
    send_by      INTEGER NOT NULL,
    status       TEXT NOT NULL,
    through      BLOB,
    joined       INTEGER NOT NULL,
    skipped      INTEGER NOT NULL,
    settled      INTEGER NOT NULL,
    returned     INTEGER NOT NULL,
    unsent       INTEGER NOT NULL,
    made_by      BLOB NOT NULL,
    approved_by  BLOB,
    approved_at  INTEGER,
    dismissed_by BLOB,
    dismissal    TEXT,
    version      INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX bank_reversals_of_file ON bank_reversals (org, file, id);
