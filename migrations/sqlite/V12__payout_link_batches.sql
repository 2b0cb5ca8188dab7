-- Many payout links that were submitted together, and their rows.

CREATE TABLE payout_link_batches (
    org          BLOB NOT NULL,
    id           BLOB NOT NULL,
    app          BLOB NOT NULL,
    fingerprint  BLOB NOT NULL,
    status       TEXT NOT NULL,
    total        INTEGER NOT NULL CHECK (total BETWEEN 1 AND 500),
    succeeded    INTEGER NOT NULL,
    failed       INTEGER NOT NULL,
    amount       INTEGER NOT NULL,
    succeeded_amount INTEGER NOT NULL,
    version      INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    completed_at INTEGER,
    PRIMARY KEY (org, id),
    CHECK (succeeded >= 0 AND failed >= 0 AND succeeded + failed <= total)
);
-- The same rows make one batch.
CREATE UNIQUE INDEX payout_link_batches_by_fingerprint ON payout_link_batches (org, app, fingerprint);
CREATE INDEX payout_link_batches_by_app ON payout_link_batches (org, app, id);

CREATE TABLE payout_link_batch_rows (
    org           BLOB NOT NULL,
    batch         BLOB NOT NULL,
    number        INTEGER NOT NULL,
    asked         TEXT NOT NULL,
    status        TEXT NOT NULL,
    payout_link   BLOB,
    error_code    TEXT,
    error_message TEXT,
    PRIMARY KEY (org, batch, number),
    CHECK ((status = 'succeeded') = (payout_link IS NOT NULL))
);
