-- Providers of rails behind HTTP, and routes to them.

CREATE TABLE rail_providers (
    org                 uuid NOT NULL,
    id                  uuid NOT NULL,
    name                text COLLATE "C" NOT NULL,
    kind                text COLLATE "C" NOT NULL,
    url                 text COLLATE "C" NOT NULL,
    client_id           text COLLATE "C",
    sealed_secret       bytea NOT NULL,
    sealed_nudge_secret bytea,
    short_since         bigint,
    status              text COLLATE "C" NOT NULL,
    made_by             uuid NOT NULL,
    approved_by         uuid,
    approved_at         bigint,
    ended_by            uuid,
    ended_at            bigint,
    version             bigint NOT NULL,
    created_at          bigint NOT NULL,
    PRIMARY KEY (org, id)
);

ALTER TABLE rail_routes ALTER COLUMN connection DROP NOT NULL;
ALTER TABLE rail_routes ALTER COLUMN originator DROP NOT NULL;
ALTER TABLE rail_routes ALTER COLUMN settlement_account DROP NOT NULL;
ALTER TABLE rail_routes ADD COLUMN provider uuid;
