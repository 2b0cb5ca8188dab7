-- A link is looked up by the user that it was made for, or whom it was claimed by, which is the same person. How many payouts
-- it has is bounded.

ALTER TABLE payout_links ADD COLUMN payee_user BLOB;
ALTER TABLE payout_links ADD COLUMN payouts INTEGER NOT NULL DEFAULT 0;
UPDATE payout_links SET payee_user = coalesce(claimed_user, for_user) WHERE claimed_user IS NOT NULL OR for_user IS NOT NULL;
DROP INDEX payout_links_by_user;
CREATE INDEX payout_links_by_user ON payout_links (org, payee_user, id) WHERE payee_user IS NOT NULL;
