-- Prenotes: which originators send them, which transfers wait for them, and what validated an account.

ALTER TABLE originators ADD COLUMN prenotes boolean NOT NULL DEFAULT false;
ALTER TABLE transfers ADD COLUMN held_for uuid;
ALTER TABLE transfers ADD COLUMN held_until bigint;
ALTER TABLE payout_methods ADD COLUMN validated_at bigint;
ALTER TABLE payout_methods ADD COLUMN validation text COLLATE "C";
ALTER TABLE bank_accounts ADD COLUMN validated_at bigint;
ALTER TABLE bank_accounts ADD COLUMN validation text COLLATE "C";
CREATE INDEX transfers_held ON transfers (org, held_for) WHERE held_for IS NOT NULL;
