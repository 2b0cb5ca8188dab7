-- What the machinery keeps: used idempotency keys, work to do, the log of events.
-- The organization leads every key, so that each commit stays with one tenant.
-- Times are microseconds since 1970 in UTC; documents are JSON text that is kept as it was written.

-- One row for each organization: whoever writes in it locks this row first. It carries the last moment that any
-- process gave to a command, in microseconds. The embedded store has one writer and needs no such table.
CREATE TABLE tenants (
    org    uuid NOT NULL,
    moment bigint NOT NULL,
    PRIMARY KEY (org)
) WITH (fillfactor = 50);

CREATE TABLE stored_answers (
    org             uuid NOT NULL,
    scope           uuid NOT NULL,
    idempotency_key text COLLATE "C" NOT NULL,
    target          text COLLATE "C" NOT NULL,
    fields          text COLLATE "C" NOT NULL,
    status          bigint NOT NULL,
    body            text COLLATE "C",
    object_id       text COLLATE "C",
    created_at      bigint NOT NULL,
    PRIMARY KEY (org, scope, idempotency_key)
);

-- Answers are kept for 30 days; whoever clears them away looks for the oldest that is still there.
CREATE INDEX stored_answers_kept ON stored_answers (created_at) WHERE body IS NOT NULL;

CREATE TABLE jobs (
    org         uuid NOT NULL,
    id          uuid NOT NULL,
    work        text COLLATE "C" NOT NULL,
    due_at      bigint NOT NULL,
    attempts    bigint NOT NULL,
    fence       bigint NOT NULL,
    leased_until bigint,
    last_error  text COLLATE "C",
    created_at  bigint NOT NULL,
    PRIMARY KEY (org, id)
);
-- Workers look over all organizations for what is due.
CREATE INDEX jobs_due ON jobs (due_at);

CREATE TABLE event_streams (
    org      uuid NOT NULL,
    app      uuid NOT NULL,
    sequence bigint NOT NULL,
    hash     bytea NOT NULL,
    PRIMARY KEY (org, app)
) WITH (fillfactor = 60);

CREATE TABLE events (
    org        uuid NOT NULL,
    app        uuid NOT NULL,
    sequence   bigint NOT NULL,
    id         uuid NOT NULL,
    name       text COLLATE "C" NOT NULL,
    object_id  uuid NOT NULL,
    version    bigint NOT NULL,
    object     text COLLATE "C" NOT NULL,
    hash       bytea NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (org, app, sequence)
);
