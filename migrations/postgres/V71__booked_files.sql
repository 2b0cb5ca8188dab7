-- Which files and payments the bank has booked, and which returned payments it has credited. The program fills what is
-- due (crates/engine/src/store/postgres/filling.rs).

ALTER TABLE bank_files ADD COLUMN debit_due uuid;
ALTER TABLE bank_files ADD COLUMN debit_line uuid;
ALTER TABLE bank_files ADD COLUMN booked bigint NOT NULL DEFAULT 0;
CREATE INDEX bank_files_debit_due ON bank_files (org, debit_due, id) WHERE debit_due IS NOT NULL;
ALTER TABLE bank_entries ADD COLUMN debit_line uuid;
ALTER TABLE bank_entries ADD COLUMN credit_due uuid;
ALTER TABLE bank_entries ADD COLUMN credit_line uuid;
CREATE INDEX bank_entries_credit_due ON bank_entries (org, credit_due, transfer) WHERE credit_due IS NOT NULL;
