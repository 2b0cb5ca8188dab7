-- A payment in a file that was written before its account was corrected: it moves to the corrected account when the file is
-- written again.

ALTER TABLE bank_entries ADD COLUMN corrected_in uuid;
ALTER TABLE bank_entries ADD COLUMN corrected_method uuid;
ALTER TABLE bank_entries ADD COLUMN corrected_account uuid;
CREATE INDEX bank_entries_corrected ON bank_entries (org, corrected_in) WHERE corrected_in IS NOT NULL;
