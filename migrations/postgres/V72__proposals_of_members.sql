-- What a member says that lines are, until another member approves it; the day of a line; the queue by state and by
-- account; and who uploaded a file.

ALTER TABLE bank_items ADD COLUMN proposal text COLLATE "C";
ALTER TABLE bank_items ADD COLUMN booked_on text COLLATE "C";
ALTER TABLE bank_items ADD COLUMN version bigint NOT NULL DEFAULT 1;
CREATE INDEX bank_items_by_status ON bank_items (org, status, id);
CREATE INDEX bank_items_of_account ON bank_items (org, settlement_account, id) WHERE settlement_account IS NOT NULL;
ALTER TABLE inbound_files ADD COLUMN uploaded_by uuid;
