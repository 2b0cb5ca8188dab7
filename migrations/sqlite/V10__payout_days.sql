-- What an app's payouts of one day in UTC amount to, for its limits.

CREATE TABLE payout_days (
    org   BLOB NOT NULL,
    app   BLOB NOT NULL,
    day   TEXT NOT NULL,
    total INTEGER NOT NULL CHECK (total >= 0),
    PRIMARY KEY (org, app, day)
);

-- What was paid before days were counted.
INSERT INTO payout_days (org, app, day, total)
SELECT org, app, date(created_at / 1000000, 'unixepoch'), sum(amount)
FROM transfers
WHERE kind = 'payout' AND status NOT IN ('failed', 'canceled')
GROUP BY 1, 2, 3;
