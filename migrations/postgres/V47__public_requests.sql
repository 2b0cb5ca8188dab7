-- What a client id alone submits is bounded while it is undecided.

ALTER TABLE payout_requests ADD COLUMN by_client boolean NOT NULL DEFAULT false;
CREATE TABLE public_payout_requests (
    org       uuid NOT NULL,
    app       uuid NOT NULL,
    undecided bigint NOT NULL CHECK (undecided >= 0),
    PRIMARY KEY (org, app)
);
