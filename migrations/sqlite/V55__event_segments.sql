-- The events that one commit adds to a log are one row, compressed. Events of earlier versions stay in `events`.

CREATE TABLE event_segments (
    org         BLOB NOT NULL,
    app         BLOB NOT NULL,
    first       INTEGER NOT NULL,
    last        INTEGER NOT NULL,
    names       INTEGER NOT NULL,
    previous_hash BLOB NOT NULL,
    hash        BLOB NOT NULL,
    created_at  INTEGER NOT NULL,
    body        BLOB NOT NULL,
    PRIMARY KEY (org, app, first)
);

-- The segments with events about an object.
CREATE TABLE event_objects (
    org         BLOB NOT NULL,
    object_id   BLOB NOT NULL,
    app         BLOB NOT NULL,
    first       INTEGER NOT NULL,
    PRIMARY KEY (org, object_id, app, first)
) WITHOUT ROWID;

-- Below zero until the first segment: then all events of the log are rows of `events`.
ALTER TABLE event_streams ADD COLUMN rows_to INTEGER NOT NULL DEFAULT -1;
-- The newest segment's first event; 0 if none.
ALTER TABLE event_streams ADD COLUMN segment INTEGER NOT NULL DEFAULT 0;
