-- What the machinery keeps: used idempotency keys, work to do, the log of events.
-- The organization leads every key, so that each commit stays with one tenant.
-- Times are microseconds since 1970 in UTC; ids are 16 bytes; documents are JSON text.

CREATE TABLE stored_answers (
    org             BLOB NOT NULL,
    scope           BLOB NOT NULL,
    idempotency_key TEXT NOT NULL,
    target          TEXT NOT NULL,
    fields          TEXT NOT NULL,
    status          INTEGER NOT NULL,
    body            TEXT,
    object_id       TEXT,
    created_at      INTEGER NOT NULL,
    PRIMARY KEY (org, scope, idempotency_key)
);

-- Answers are kept for 30 days; whoever clears them away looks for the oldest that is still there.
CREATE INDEX stored_answers_kept ON stored_answers (created_at) WHERE body IS NOT NULL;

CREATE TABLE jobs (
    org         BLOB NOT NULL,
    id          BLOB NOT NULL,
    work        TEXT NOT NULL,
    due_at      INTEGER NOT NULL,
    attempts    INTEGER NOT NULL,
    fence       INTEGER NOT NULL,
    leased_until INTEGER,
    last_error  TEXT,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
-- Workers look over all organizations for what is due.
CREATE INDEX jobs_due ON jobs (due_at);

CREATE TABLE event_streams (
    org      BLOB NOT NULL,
    app      BLOB NOT NULL,
    sequence INTEGER NOT NULL,
    hash     BLOB NOT NULL,
    PRIMARY KEY (org, app)
);

CREATE TABLE events (
    org        BLOB NOT NULL,
    app        BLOB NOT NULL,
    sequence   INTEGER NOT NULL,
    id         BLOB NOT NULL,
    name       TEXT NOT NULL,
    object_id  BLOB NOT NULL,
    version    INTEGER NOT NULL,
    object     TEXT NOT NULL,
    hash       BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (org, app, sequence)
);
