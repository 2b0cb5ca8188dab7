-- When the payee of an expired link asked for a new one.

ALTER TABLE payout_links ADD COLUMN new_link_requested_at INTEGER;
