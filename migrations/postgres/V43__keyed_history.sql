-- The history is chained under a key. One row says that all of it is; the first start of this version carries older
-- chains over (src/history).

CREATE TABLE history_begins (
    org         uuid NOT NULL,
    proof       bytea NOT NULL,
    created_at  bigint NOT NULL,
    PRIMARY KEY (org)
);

ALTER TABLE ledger_books ADD COLUMN hash bytea NOT NULL DEFAULT '';
-- Below zero until the log is carried over.
ALTER TABLE event_streams ADD COLUMN unkeyed_to bigint NOT NULL DEFAULT -1;
ALTER TABLE event_streams ADD COLUMN unkeyed_proof bytea;
-- What proves an event whose payee was erased from it.
ALTER TABLE events ADD COLUMN erased bytea;
