-- Since when the folder with a bank's files cannot be read, and why.

ALTER TABLE bank_connections ADD COLUMN unreachable_since bigint;
ALTER TABLE bank_connections ADD COLUMN unreachable text COLLATE "C";
