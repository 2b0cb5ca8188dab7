-- Bills and withdrawals in files for a bank: entries to bank accounts, the class of a file's entries, and who holds an
-- account.

ALTER TABLE bank_files ADD COLUMN entry_class text COLLATE "C";
ALTER TABLE bank_accounts ADD COLUMN holder_type text COLLATE "C";
ALTER TABLE bank_entries ALTER COLUMN user_id DROP NOT NULL;
ALTER TABLE bank_entries ALTER COLUMN payout_method DROP NOT NULL;
ALTER TABLE bank_entries ADD COLUMN bank_account uuid;
CREATE INDEX bank_entries_of_account ON bank_entries (org, bank_account, transfer) WHERE bank_account IS NOT NULL;
