-- The sums of an app's movements of one kind on one day in UTC, for its limits.

CREATE TABLE limit_days (
    org     BLOB NOT NULL,
    app     BLOB NOT NULL,
    measure TEXT NOT NULL,
    payer   BLOB NOT NULL,
    day     TEXT NOT NULL,
    total   INTEGER NOT NULL CHECK (total >= 0),
    PRIMARY KEY (org, app, measure, payer, day)
);

INSERT INTO limit_days (org, app, measure, payer, day, total)
SELECT org, app, 'payout', x'00000000000000000000000000000000', day, total FROM payout_days;

-- What was moved before it was counted.
INSERT INTO limit_days (org, app, measure, payer, day, total)
SELECT org, app, CASE kind WHEN 'balance' THEN 'transfer' ELSE kind END, x'00000000000000000000000000000000',
       date(created_at / 1000000, 'unixepoch'), sum(abs(amount))
FROM transfers
WHERE status NOT IN ('failed', 'canceled')
  AND (kind IN ('payable', 'payment') OR (kind = 'balance' AND amount < 0 AND payout_link IS NULL))
GROUP BY 1, 2, 3, 5;

INSERT INTO limit_days (org, app, measure, payer, day, total)
SELECT org, app, 'payer_payment', coalesce(user_id, customer), date(created_at / 1000000, 'unixepoch'), sum(amount)
FROM transfers
WHERE kind = 'payment' AND status NOT IN ('failed', 'canceled') AND coalesce(user_id, customer) IS NOT NULL
GROUP BY 1, 2, 4, 5;
