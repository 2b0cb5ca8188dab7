-- Webhook endpoints, and what was sent to them.

-- Whether anybody is to be told of an app's events, and up to which one they were.
ALTER TABLE event_streams ADD COLUMN listening text COLLATE "C" NOT NULL DEFAULT 'nobody';
ALTER TABLE event_streams ADD COLUMN told_sequence bigint NOT NULL DEFAULT 0;

-- Calls to other people's servers have workers of their own: they may hang, and must not keep the others waiting.
ALTER TABLE jobs ADD COLUMN lane text COLLATE "C" NOT NULL DEFAULT 'house';
CREATE INDEX jobs_due_in_lane ON jobs (lane, due_at);

CREATE TABLE webhook_endpoints (
    org                   uuid NOT NULL,
    id                    uuid NOT NULL,
    app                   uuid NOT NULL,
    url                   text COLLATE "C" NOT NULL,
    description           text COLLATE "C",
    events                text COLLATE "C",
    status                text COLLATE "C" NOT NULL,
    disabled_reason       text COLLATE "C",
    secret                bytea NOT NULL,
    previous_secret       bytea,
    previous_secret_until bigint,
    since_sequence        bigint NOT NULL,
    courier               uuid,
    calls                 bigint NOT NULL,
    created_at            bigint NOT NULL,
    updated_at            bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX webhook_endpoints_of_app ON webhook_endpoints (org, app, id);

CREATE TABLE webhook_deliveries (
    org             uuid NOT NULL,
    id              uuid NOT NULL,
    app             uuid NOT NULL,
    endpoint        uuid NOT NULL,
    sequence        bigint NOT NULL,
    event           uuid NOT NULL,
    name            text COLLATE "C" NOT NULL,
    status          text COLLATE "C" NOT NULL,
    attempts        bigint NOT NULL,
    tries           bigint NOT NULL,
    response_status bigint,
    error           text COLLATE "C",
    due_at          bigint,
    created_at      bigint NOT NULL,
    updated_at      bigint NOT NULL,
    PRIMARY KEY (org, id)
);
-- An event goes to an endpoint once, whatever runs twice.
CREATE UNIQUE INDEX webhook_deliveries_of_event ON webhook_deliveries (org, endpoint, sequence);
CREATE INDEX webhook_deliveries_of_endpoint ON webhook_deliveries (org, endpoint, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (org, endpoint, due_at) WHERE due_at IS NOT NULL;
-- What is over is kept for 30 days; whoever clears it away looks for the oldest.
CREATE INDEX webhook_deliveries_kept ON webhook_deliveries (updated_at);
