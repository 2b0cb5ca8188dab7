-- What people ask to be paid.

CREATE TABLE payout_requests (
    org          BLOB NOT NULL,
    id           BLOB NOT NULL,
    app          BLOB NOT NULL,
    amount       INTEGER NOT NULL CHECK (amount > 0),
    status       TEXT NOT NULL,
    payee        TEXT NOT NULL,
    payee_phone  TEXT,
    payee_email  TEXT,
    for_user     BLOB,
    user_id      BLOB,
    payout_link  BLOB,
    memo         TEXT,
    metadata     TEXT,
    comment      TEXT,
    version      INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    PRIMARY KEY (org, id),
    CHECK ((status = 'approved') = (payout_link IS NOT NULL))
);
-- One request makes one link, and a link is of one request.
CREATE UNIQUE INDEX payout_requests_by_link ON payout_requests (org, payout_link) WHERE payout_link IS NOT NULL;
CREATE INDEX payout_requests_by_app ON payout_requests (org, app, id);
CREATE INDEX payout_requests_by_phone ON payout_requests (org, payee_phone, id) WHERE payee_phone IS NOT NULL;
CREATE INDEX payout_requests_by_email ON payout_requests (org, payee_email, id) WHERE payee_email IS NOT NULL;
CREATE INDEX payout_requests_by_user ON payout_requests (org, user_id, id) WHERE user_id IS NOT NULL;
