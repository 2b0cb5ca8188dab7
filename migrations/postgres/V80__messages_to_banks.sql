-- Payments in messages to a bank (pain.001): the rail of a file, its identities, what the bank's status reports say,
-- payments that it refused, the bank's reason of a report, and methods that have what a bank needs.

ALTER TABLE bank_files ADD COLUMN platform text COLLATE "C" NOT NULL DEFAULT 'ach';
ALTER TABLE bank_files ADD COLUMN cuts bigint NOT NULL DEFAULT 0;
ALTER TABLE bank_files ADD COLUMN answer text COLLATE "C";
ALTER TABLE bank_files ADD COLUMN refused bigint NOT NULL DEFAULT 0;
ALTER TABLE bank_files ADD COLUMN refused_credit bigint NOT NULL DEFAULT 0;
ALTER TABLE bank_entries ADD COLUMN answer text COLLATE "C";
ALTER TABLE bank_items ADD COLUMN bank_reason text COLLATE "C";
ALTER TABLE payout_methods ADD COLUMN addressed boolean NOT NULL DEFAULT false;
