-- How apps are filled and emptied: what their wallets wait for, what they owe, and what passed between them and their organization.

CREATE TABLE wallet_watches (
    org        uuid NOT NULL,
    app        uuid NOT NULL,
    floor      bigint,
    refill     uuid,
    rests_until bigint,
    owed       bigint NOT NULL CHECK (owed >= 0),
    pulls      bigint NOT NULL CHECK (pulls >= 0),
    called     boolean NOT NULL,
    PRIMARY KEY (org, app)
);

CREATE TABLE debts (
    org        uuid NOT NULL,
    id         uuid NOT NULL,
    app        uuid NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    platform   text COLLATE "C" NOT NULL,
    amount     bigint NOT NULL CHECK (amount > 0),
    left_open  bigint NOT NULL CHECK (left_open BETWEEN 0 AND amount),
    open       boolean NOT NULL,
    created_at bigint NOT NULL,
    covered_at bigint,
    PRIMARY KEY (org, id)
);
CREATE INDEX debts_by_app ON debts (org, app, open);

CREATE TABLE organization_transfers (
    org        uuid NOT NULL,
    id         uuid NOT NULL,
    app        uuid NOT NULL,
    amount     bigint NOT NULL CHECK (amount <> 0),
    metadata   text COLLATE "C",
    created_at bigint NOT NULL,
    PRIMARY KEY (org, id)
);
