-- What an app's payouts of one day in UTC amount to, for its limits.

CREATE TABLE payout_days (
    org   uuid NOT NULL,
    app   uuid NOT NULL,
    day   text COLLATE "C" NOT NULL,
    total bigint NOT NULL CHECK (total >= 0),
    PRIMARY KEY (org, app, day)
);
