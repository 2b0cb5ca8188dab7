-- Payments at providers behind HTTP.

CREATE TABLE rail_payments (
    org                uuid NOT NULL,
    transfer           uuid NOT NULL,
    app                uuid NOT NULL,
    route              uuid NOT NULL,
    provider           uuid NOT NULL,
    platform           text COLLATE "C" NOT NULL,
    amount             bigint NOT NULL,
    status             text COLLATE "C" NOT NULL,
    attempts           bigint NOT NULL,
    first_attempted_at bigint,
    attempted_at       bigint,
    sealed_order       bytea,
    reference          text COLLATE "C",
    fee                bigint,
    failure            text COLLATE "C",
    doubt              text COLLATE "C",
    look_up            uuid,
    version            bigint NOT NULL,
    created_at         bigint NOT NULL,
    updated_at         bigint NOT NULL,
    PRIMARY KEY (org, transfer)
);
CREATE INDEX rail_payments_by_status ON rail_payments (org, status, transfer);
