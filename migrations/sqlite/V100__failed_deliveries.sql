-- Why the last delivery of a file failed.

ALTER TABLE bank_files ADD COLUMN failure TEXT;
