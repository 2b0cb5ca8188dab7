-- Why a file or its payments wait for members: what its account lacked, what its bank says, and what a member proposed.
-- Files that members look at have their connection once more.

ALTER TABLE bank_files ADD COLUMN uncovered INTEGER;
ALTER TABLE bank_files ADD COLUMN contested TEXT;
ALTER TABLE bank_files ADD COLUMN decision TEXT;
ALTER TABLE bank_files ADD COLUMN open_at BLOB;
CREATE INDEX bank_files_open ON bank_files (org, open_at, id) WHERE open_at IS NOT NULL;
