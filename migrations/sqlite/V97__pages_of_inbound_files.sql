-- The reports of a bank's file are applied in pages; the next page begins after those that were read.

ALTER TABLE inbound_files ADD COLUMN reports_read INTEGER NOT NULL DEFAULT 0;
