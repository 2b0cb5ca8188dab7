-- Many payout links that were submitted together, and their rows.

CREATE TABLE payout_link_batches (
    org          uuid NOT NULL,
    id           uuid NOT NULL,
    app          uuid NOT NULL,
    fingerprint  bytea NOT NULL,
    status       text COLLATE "C" NOT NULL,
    total        bigint NOT NULL CHECK (total BETWEEN 1 AND 500),
    succeeded    bigint NOT NULL,
    failed       bigint NOT NULL,
    amount       bigint NOT NULL,
    succeeded_amount bigint NOT NULL,
    version      bigint NOT NULL,
    created_at   bigint NOT NULL,
    completed_at bigint,
    PRIMARY KEY (org, id),
    CHECK (succeeded >= 0 AND failed >= 0 AND succeeded + failed <= total)
);
-- The same rows make one batch.
CREATE UNIQUE INDEX payout_link_batches_by_fingerprint ON payout_link_batches (org, app, fingerprint);
CREATE INDEX payout_link_batches_by_app ON payout_link_batches (org, app, id);

CREATE TABLE payout_link_batch_rows (
    org           uuid NOT NULL,
    batch         uuid NOT NULL,
    number        bigint NOT NULL,
    asked         text COLLATE "C" NOT NULL,
    status        text COLLATE "C" NOT NULL,
    payout_link   uuid,
    error_code    text COLLATE "C",
    error_message text COLLATE "C",
    PRIMARY KEY (org, batch, number),
    CHECK ((status = 'succeeded') = (payout_link IS NOT NULL))
);
