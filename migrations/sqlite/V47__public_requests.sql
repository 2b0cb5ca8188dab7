-- What a client id alone submits is bounded while it is undecided.

ALTER TABLE payout_requests ADD COLUMN by_client INTEGER NOT NULL DEFAULT 0;
CREATE TABLE public_payout_requests (
    org       BLOB NOT NULL,
    app       BLOB NOT NULL,
    undecided INTEGER NOT NULL CHECK (undecided >= 0),
    PRIMARY KEY (org, app)
);
