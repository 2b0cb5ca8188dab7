-- Why the last delivery of a link failed.

ALTER TABLE payout_links ADD COLUMN delivery_error text COLLATE "C";
