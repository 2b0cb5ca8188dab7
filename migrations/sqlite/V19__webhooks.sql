-- Webhook endpoints, and what was sent to them.

-- Whether anybody is to be told of an app's events, and up to which one they were.
ALTER TABLE event_streams ADD COLUMN listening TEXT NOT NULL DEFAULT 'nobody';
ALTER TABLE event_streams ADD COLUMN told_sequence INTEGER NOT NULL DEFAULT 0;

-- Calls to other people's servers have workers of their own: they may hang, and must not keep the others waiting.
ALTER TABLE jobs ADD COLUMN lane TEXT NOT NULL DEFAULT 'house';
CREATE INDEX jobs_due_in_lane ON jobs (lane, due_at);

CREATE TABLE webhook_endpoints (
    org                   BLOB NOT NULL,
    id                    BLOB NOT NULL,
    app                   BLOB NOT NULL,
    url                   TEXT NOT NULL,
    description           TEXT,
    events                TEXT,
    status                TEXT NOT NULL,
    disabled_reason       TEXT,
    secret                BLOB NOT NULL,
    previous_secret       BLOB,
    previous_secret_until INTEGER,
    since_sequence        INTEGER NOT NULL,
    courier               BLOB,
    calls                 INTEGER NOT NULL,
    created_at            INTEGER NOT NULL,
    updated_at            INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX webhook_endpoints_of_app ON webhook_endpoints (org, app, id);

CREATE TABLE webhook_deliveries (
    org             BLOB NOT NULL,
    id              BLOB NOT NULL,
    app             BLOB NOT NULL,
    endpoint        BLOB NOT NULL,
    sequence        INTEGER NOT NULL,
    event           BLOB NOT NULL,
    name            TEXT NOT NULL,
    status          TEXT NOT NULL,
    attempts        INTEGER NOT NULL,
    tries           INTEGER NOT NULL,
    response_status INTEGER,
    error           TEXT,
    due_at          INTEGER,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
-- An event goes to an endpoint once, whatever runs twice.
CREATE UNIQUE INDEX webhook_deliveries_of_event ON webhook_deliveries (org, endpoint, sequence);
CREATE INDEX webhook_deliveries_of_endpoint ON webhook_deliveries (org, endpoint, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (org, endpoint, due_at) WHERE due_at IS NOT NULL;
-- What is over is kept for 30 days; whoever clears it away looks for the oldest.
CREATE INDEX webhook_deliveries_kept ON webhook_deliveries (updated_at);
