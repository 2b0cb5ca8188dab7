-- Bills and withdrawals in files for a bank: entries to bank accounts, the class of a file's entries, and who holds an
-- account.

ALTER TABLE bank_files ADD COLUMN entry_class TEXT;
ALTER TABLE bank_accounts ADD COLUMN holder_type TEXT;

ALTER TABLE bank_entries RENAME TO bank_entries_to_users;
DROP INDEX bank_entries_of_file;
DROP INDEX bank_entries_by_number;
DROP INDEX bank_entries_of_method;
DROP INDEX bank_entries_credit_due;
CREATE TABLE bank_entries (
    org                BLOB NOT NULL,
    transfer           BLOB NOT NULL,
    file               BLOB NOT NULL,
    number             INTEGER NOT NULL,
    app                BLOB NOT NULL,
    user_id            BLOB,
    payout_method      BLOB,
    bank_account       BLOB,
    settlement_account BLOB NOT NULL,
    amount             INTEGER NOT NULL,
    name               TEXT,
    status             TEXT NOT NULL,
    answer             TEXT,
    debit_line         BLOB,
    credit_due         BLOB,
    credit_line        BLOB,
    created_at         INTEGER NOT NULL,
    ended_at           INTEGER,
    PRIMARY KEY (org, transfer)
);
CREATE INDEX bank_entries_of_file ON bank_entries (org, file, transfer);
CREATE INDEX bank_entries_by_number ON bank_entries (org, file, number, transfer);
CREATE INDEX bank_entries_of_method ON bank_entries (org, payout_method, transfer);
CREATE INDEX bank_entries_of_account ON bank_entries (org, bank_account, transfer) WHERE bank_account IS NOT NULL;
CREATE INDEX bank_entries_credit_due ON bank_entries (org, credit_due, transfer) WHERE credit_due IS NOT NULL;
INSERT INTO bank_entries (
    org, transfer, file, number, app, user_id, payout_method, settlement_account, amount, name, status, answer,
    debit_line, credit_due, credit_line, created_at, ended_at
)
SELECT
    org, transfer, file, number, app, user_id, payout_method, settlement_account, amount, name, status, answer,
    debit_line, credit_due, credit_line, created_at, ended_at
FROM bank_entries_to_users;
DROP TABLE bank_entries_to_users;
