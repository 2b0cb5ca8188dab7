-- What people ask to be paid.

CREATE TABLE payout_requests (
    org          uuid NOT NULL,
    id           uuid NOT NULL,
    app          uuid NOT NULL,
    amount       bigint NOT NULL CHECK (amount > 0),
    status       text COLLATE "C" NOT NULL,
    payee        text COLLATE "C" NOT NULL,
    payee_phone  text COLLATE "C",
    payee_email  text COLLATE "C",
    for_user     uuid,
    user_id      uuid,
    payout_link  uuid,
    memo         text COLLATE "C",
    metadata     text COLLATE "C",
    comment      text COLLATE "C",
    version      bigint NOT NULL,
    created_at   bigint NOT NULL,
    updated_at   bigint NOT NULL,
    PRIMARY KEY (org, id),
    CHECK ((status = 'approved') = (payout_link IS NOT NULL))
);
-- One request makes one link, and a link is of one request.
CREATE UNIQUE INDEX payout_requests_by_link ON payout_requests (org, payout_link) WHERE payout_link IS NOT NULL;
CREATE INDEX payout_requests_by_app ON payout_requests (org, app, id);
CREATE INDEX payout_requests_by_phone ON payout_requests (org, payee_phone, id) WHERE payee_phone IS NOT NULL;
CREATE INDEX payout_requests_by_email ON payout_requests (org, payee_email, id) WHERE payee_email IS NOT NULL;
CREATE INDEX payout_requests_by_user ON payout_requests (org, user_id, id) WHERE user_id IS NOT NULL;
