-- Transfers, and the book of the sandbox's rails, which only they write.

CREATE TABLE transfers (
    org           uuid NOT NULL,
    id            uuid NOT NULL,
    app           uuid NOT NULL,
    user_id       uuid,
    kind          text COLLATE "C" NOT NULL,
    status        text COLLATE "C" NOT NULL,
    amount        bigint NOT NULL,
    platform      text COLLATE "C",
    payout_method uuid,
    payout_link   uuid,
    fee           bigint NOT NULL,
    platform_fee  bigint NOT NULL,
    fx_fee        bigint NOT NULL,
    arrives       bigint NOT NULL,
    fee_party     text COLLATE "C",
    error         text COLLATE "C",
    tax_exempt    boolean NOT NULL,
    metadata      text COLLATE "C",
    settles_at    bigint,
    completed_at  bigint,
    version       bigint NOT NULL,
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX transfers_by_app ON transfers (org, app, id);
CREATE INDEX transfers_by_user ON transfers (org, app, user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX transfers_by_link ON transfers (org, payout_link) WHERE payout_link IS NOT NULL;

CREATE TABLE rail_items (
    org           uuid NOT NULL,
    transfer      uuid NOT NULL,
    app           uuid NOT NULL,
    platform      text COLLATE "C" NOT NULL,
    amount        bigint NOT NULL CHECK (amount > 0),
    accepted_at   bigint NOT NULL,
    settles_at    bigint NOT NULL,
    fails_with    text COLLATE "C",
    returns_at    bigint,
    returned_with text COLLATE "C",
    PRIMARY KEY (org, transfer)
);
