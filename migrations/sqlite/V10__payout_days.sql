-- What an app's payouts of one day in UTC amount to, for its limits.

CREATE TABLE payout_days (
    org   BLOB NOT NULL,
    app   BLOB NOT NULL,
    day   TEXT NOT NULL,
    total INTEGER NOT NULL CHECK (total >= 0),
    PRIMARY KEY (org, app, day)
);
