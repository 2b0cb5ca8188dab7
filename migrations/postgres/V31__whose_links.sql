-- A link is looked up by the user that it was made for, or whom it was claimed by, which is the same person. How many payouts
-- it has is bounded. Whoever migrates fills in those from before (src/store/postgres/schema.rs).

ALTER TABLE payout_links ADD COLUMN payee_user uuid;
ALTER TABLE payout_links ADD COLUMN payouts bigint NOT NULL DEFAULT 0;
DROP INDEX payout_links_by_user;
CREATE INDEX payout_links_by_user ON payout_links (org, payee_user, id) WHERE payee_user IS NOT NULL;
