-- The set-up of an organization's banks: connections, originators, settlement accounts, and the routes of rails.

CREATE TABLE bank_connections (
    org              uuid NOT NULL,
    id               uuid NOT NULL,
    name             text COLLATE "C" NOT NULL,
    transport        text COLLATE "C" NOT NULL,
    format           text COLLATE "C" NOT NULL,
    settings         text COLLATE "C" NOT NULL,
    settings_version bigint NOT NULL,
    status           text COLLATE "C" NOT NULL,
    made_by          uuid NOT NULL,
    tested_by        uuid,
    tested_at        bigint,
    evidence         text COLLATE "C",
    approved_by      uuid,
    approved_at      bigint,
    paused_by        uuid,
    paused_at        bigint,
    pause_reason     text COLLATE "C",
    version          bigint NOT NULL,
    created_at       bigint NOT NULL,
    updated_at       bigint NOT NULL,
    PRIMARY KEY (org, id)
);

CREATE TABLE originators (
    org           uuid NOT NULL,
    id            uuid NOT NULL,
    connection    uuid NOT NULL,
    app           uuid,
    company_name  text COLLATE "C" NOT NULL,
    company_id    text COLLATE "C" NOT NULL,
    description   text COLLATE "C" NOT NULL,
    discretionary text COLLATE "C",
    entry_classes text COLLATE "C" NOT NULL,
    status        text COLLATE "C" NOT NULL,
    made_by       uuid NOT NULL,
    approved_by   uuid,
    approved_at   bigint,
    ended_by      uuid,
    ended_at      bigint,
    version       bigint NOT NULL,
    created_at    bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX originators_of_connection ON originators (org, connection, id);

CREATE TABLE settlement_accounts (
    org            uuid NOT NULL,
    id             uuid NOT NULL,
    connection     uuid NOT NULL,
    name           text COLLATE "C" NOT NULL,
    currency       text COLLATE "C" NOT NULL,
    account_type   text COLLATE "C" NOT NULL,
    routing_number text COLLATE "C" NOT NULL,
    last4          text COLLATE "C" NOT NULL,
    sealed_number  bytea NOT NULL,
    fingerprint    bytea NOT NULL,
    statement_kind text COLLATE "C" NOT NULL,
    booking_grain  text COLLATE "C" NOT NULL,
    status         text COLLATE "C" NOT NULL,
    made_by        uuid NOT NULL,
    approved_by    uuid,
    approved_at    bigint,
    ended_by       uuid,
    ended_at       bigint,
    version        bigint NOT NULL,
    created_at     bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX settlement_accounts_of_connection ON settlement_accounts (org, connection, id);

CREATE TABLE rail_routes (
    org                uuid NOT NULL,
    id                 uuid NOT NULL,
    platform           text COLLATE "C" NOT NULL,
    currency           text COLLATE "C" NOT NULL,
    from_on            text COLLATE "C" NOT NULL,
    connection         uuid NOT NULL,
    originator         uuid NOT NULL,
    settlement_account uuid NOT NULL,
    status             text COLLATE "C" NOT NULL,
    made_by            uuid NOT NULL,
    approved_by        uuid,
    approved_at        bigint,
    ended_by           uuid,
    ended_at           bigint,
    version            bigint NOT NULL,
    created_at         bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX rail_routes_of_rail ON rail_routes (org, platform, currency, id);
