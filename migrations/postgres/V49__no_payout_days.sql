-- limit_days has its sums.

DROP TABLE payout_days;
