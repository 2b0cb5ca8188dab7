-- The sums of an app's movements of one kind on one day in UTC, for its limits. The program fills it
-- (src/store/postgres/filling.rs) before payout_days is dropped.

CREATE TABLE limit_days (
    org     uuid NOT NULL,
    app     uuid NOT NULL,
    measure text COLLATE "C" NOT NULL,
    payer   uuid NOT NULL,
    day     text COLLATE "C" NOT NULL,
    total   bigint NOT NULL CHECK (total >= 0),
    PRIMARY KEY (org, app, measure, payer, day)
);
