-- Why a file or its payments wait for members: what its account lacked, what its bank says, and what a member proposed.
-- Files that members look at have their connection once more.

ALTER TABLE bank_files ADD COLUMN uncovered bigint;
ALTER TABLE bank_files ADD COLUMN contested text COLLATE "C";
ALTER TABLE bank_files ADD COLUMN decision text COLLATE "C";
ALTER TABLE bank_files ADD COLUMN open_at uuid;
CREATE INDEX bank_files_open ON bank_files (org, open_at, id) WHERE open_at IS NOT NULL;
