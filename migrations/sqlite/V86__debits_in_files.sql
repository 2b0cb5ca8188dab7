-- Debits in files for a bank: the direction of a file and of its entries, the sum of a day's files that collect, and what
-- came back of a file for reasons that the rules limit.

ALTER TABLE bank_files ADD COLUMN direction TEXT NOT NULL DEFAULT 'credit';
ALTER TABLE bank_entries ADD COLUMN direction TEXT NOT NULL DEFAULT 'credit';
ALTER TABLE bank_sequences ADD COLUMN debit INTEGER NOT NULL DEFAULT 0;
ALTER TABLE bank_files ADD COLUMN unauthorized INTEGER NOT NULL DEFAULT 0;
ALTER TABLE bank_files ADD COLUMN administrative INTEGER NOT NULL DEFAULT 0;
