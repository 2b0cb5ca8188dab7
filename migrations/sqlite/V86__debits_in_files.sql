-- Debits in files for a bank: the direction of a file and of its entries, and the sum of a day's files that collect.

ALTER TABLE bank_files ADD COLUMN direction TEXT NOT NULL DEFAULT 'credit';
ALTER TABLE bank_entries ADD COLUMN direction TEXT NOT NULL DEFAULT 'credit';
ALTER TABLE bank_sequences ADD COLUMN debit INTEGER NOT NULL DEFAULT 0;
