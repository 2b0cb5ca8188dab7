-- What members decide about files of banks in quarantine, and about unmatched reports.

ALTER TABLE inbound_files ADD COLUMN closed_by uuid;
ALTER TABLE inbound_files ADD COLUMN evidence text COLLATE "C";
ALTER TABLE bank_items ADD COLUMN matched_by uuid;
ALTER TABLE bank_items ADD COLUMN closed_by uuid;
ALTER TABLE bank_items ADD COLUMN closed_at bigint;
ALTER TABLE bank_items ADD COLUMN evidence text COLLATE "C";
