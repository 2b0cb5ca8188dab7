-- A claim token contains its link's id, so no index finds it. Tokens of earlier versions are found by their hash.

-- Links that exist have tokens of layout 1.
ALTER TABLE payout_links ADD COLUMN token_layout bigint DEFAULT 1;
DROP INDEX payout_links_by_token;
CREATE UNIQUE INDEX payout_links_by_token ON payout_links (org, token_layout, token_hash) WHERE token_layout IS NOT NULL;
