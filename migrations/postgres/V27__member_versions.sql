-- Members are told of: each change has a version. Those who are there already were never told of.

ALTER TABLE members ADD COLUMN version bigint NOT NULL DEFAULT 0;
