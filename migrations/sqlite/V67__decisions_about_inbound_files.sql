-- What members decide about files of banks in quarantine, and about unmatched reports.

ALTER TABLE inbound_files ADD COLUMN closed_by BLOB;
ALTER TABLE inbound_files ADD COLUMN evidence TEXT;
ALTER TABLE bank_items ADD COLUMN matched_by BLOB;
ALTER TABLE bank_items ADD COLUMN closed_by BLOB;
ALTER TABLE bank_items ADD COLUMN closed_at INTEGER;
ALTER TABLE bank_items ADD COLUMN evidence TEXT;
