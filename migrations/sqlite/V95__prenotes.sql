-- Prenotes: which originators send them, which transfers wait for them, and what validated an account.

ALTER TABLE originators ADD COLUMN prenotes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE transfers ADD COLUMN held_for BLOB;
ALTER TABLE transfers ADD COLUMN held_until INTEGER;
ALTER TABLE payout_methods ADD COLUMN validated_at INTEGER;
ALTER TABLE payout_methods ADD COLUMN validation TEXT;
ALTER TABLE bank_accounts ADD COLUMN validated_at INTEGER;
ALTER TABLE bank_accounts ADD COLUMN validation TEXT;
CREATE INDEX transfers_held ON transfers (org, held_for) WHERE held_for IS NOT NULL;
