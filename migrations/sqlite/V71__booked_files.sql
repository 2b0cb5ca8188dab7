-- Which files and payments the bank has booked, and which returned payments it has credited.

ALTER TABLE bank_files ADD COLUMN debit_due BLOB;
ALTER TABLE bank_files ADD COLUMN debit_line BLOB;
ALTER TABLE bank_files ADD COLUMN booked INTEGER NOT NULL DEFAULT 0;
CREATE INDEX bank_files_debit_due ON bank_files (org, debit_due, id) WHERE debit_due IS NOT NULL;
ALTER TABLE bank_entries ADD COLUMN debit_line BLOB;
ALTER TABLE bank_entries ADD COLUMN credit_due BLOB;
ALTER TABLE bank_entries ADD COLUMN credit_line BLOB;
CREATE INDEX bank_entries_credit_due ON bank_entries (org, credit_due, transfer) WHERE credit_due IS NOT NULL;

UPDATE bank_files SET debit_due = settlement_account WHERE status = 'sent';
UPDATE bank_entries SET credit_due = settlement_account
WHERE status = 'returned'
  AND EXISTS (
      SELECT 1 FROM bank_files
      WHERE bank_files.org = bank_entries.org AND bank_files.id = bank_entries.file AND bank_files.status = 'sent'
  );
