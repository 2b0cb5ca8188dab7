-- What a carrier calls a message, and since when nobody knows whether it took one.

ALTER TABLE messages ADD COLUMN reference text COLLATE "C";
ALTER TABLE messages ADD COLUMN in_doubt_since bigint;
