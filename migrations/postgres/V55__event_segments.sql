-- The events that one commit adds to a log are one row, compressed. Events of earlier versions stay in `events`.

CREATE TABLE event_segments (
    org         uuid NOT NULL,
    app         uuid NOT NULL,
    first       bigint NOT NULL,
    last        bigint NOT NULL,
    names       bigint NOT NULL,
    previous_hash bytea NOT NULL,
    hash        bytea NOT NULL,
    created_at  bigint NOT NULL,
    body        bytea NOT NULL,
    PRIMARY KEY (org, app, first)
);
-- The body is compressed already.
ALTER TABLE event_segments ALTER COLUMN body SET STORAGE EXTERNAL;

-- The segments with events about an object.
CREATE TABLE event_objects (
    org         uuid NOT NULL,
    object_id   uuid NOT NULL,
    app         uuid NOT NULL,
    first       bigint NOT NULL,
    PRIMARY KEY (org, object_id, app, first)
);

-- Below zero until the first segment: then all events of the log are rows of `events`.
ALTER TABLE event_streams ADD COLUMN rows_to bigint NOT NULL DEFAULT -1;
-- The newest segment's first event; 0 if none.
ALTER TABLE event_streams ADD COLUMN segment bigint NOT NULL DEFAULT 0;
