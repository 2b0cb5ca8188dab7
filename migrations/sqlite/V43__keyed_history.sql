-- The history is chained under a key. One row says that all of it is; the first start of this version carries older
-- chains over (src/history).

CREATE TABLE history_begins (
    org         BLOB NOT NULL,
    proof       BLOB NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (org)
);

ALTER TABLE ledger_books ADD COLUMN hash BLOB NOT NULL DEFAULT x'';
-- Below zero until the log is carried over.
ALTER TABLE event_streams ADD COLUMN unkeyed_to INTEGER NOT NULL DEFAULT -1;
ALTER TABLE event_streams ADD COLUMN unkeyed_proof BLOB;
-- What proves an event whose payee was erased from it.
ALTER TABLE events ADD COLUMN erased BLOB;
