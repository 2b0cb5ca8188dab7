-- Payments in messages to a bank (pain.001): the rail of a file, its identities, what the bank's status reports say,
-- payments that it refused, the bank's reason of a report, and methods that have what a bank needs.

ALTER TABLE bank_files ADD COLUMN platform TEXT NOT NULL DEFAULT 'ach';
ALTER TABLE bank_files ADD COLUMN cuts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE bank_files ADD COLUMN answer TEXT;
ALTER TABLE bank_files ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;
ALTER TABLE bank_files ADD COLUMN refused_credit INTEGER NOT NULL DEFAULT 0;
ALTER TABLE bank_entries ADD COLUMN answer TEXT;
ALTER TABLE bank_items ADD COLUMN bank_reason TEXT;
ALTER TABLE payout_methods ADD COLUMN addressed INTEGER NOT NULL DEFAULT 0;
