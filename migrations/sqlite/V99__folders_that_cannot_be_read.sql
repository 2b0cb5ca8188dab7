-- Since when the folder with a bank's files cannot be read, and why.

ALTER TABLE bank_connections ADD COLUMN unreachable_since INTEGER;
ALTER TABLE bank_connections ADD COLUMN unreachable TEXT;
