-- Payout links, and the claims of them in progress.

CREATE TABLE payout_links (
    org                uuid NOT NULL,
    id                 uuid NOT NULL,
    app                uuid NOT NULL,
    token_hash         bytea NOT NULL,
    sealed_token       bytea NOT NULL,
    amount             bigint NOT NULL CHECK (amount > 0),
    status             text COLLATE "C" NOT NULL,
    payee              text COLLATE "C" NOT NULL,
    payee_phone        text COLLATE "C",
    payee_email        text COLLATE "C",
    for_user           uuid,
    delivery_method    text COLLATE "C" NOT NULL,
    message            text COLLATE "C",
    deliveries         bigint NOT NULL CHECK (deliveries BETWEEN 0 AND 5),
    tax_exempt         boolean NOT NULL,
    collect_compliance boolean NOT NULL,
    claimed_user       uuid,
    flow               uuid,
    transfer           uuid NOT NULL,
    memo               text COLLATE "C",
    metadata           text COLLATE "C",
    description        text COLLATE "C",
    accounting_data    text COLLATE "C" NOT NULL,
    created_by_email   text COLLATE "C",
    funding_source     text COLLATE "C" NOT NULL,
    fee_party          text COLLATE "C",
    expires_at         bigint NOT NULL,
    version            bigint NOT NULL,
    created_at         bigint NOT NULL,
    updated_at         bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE UNIQUE INDEX payout_links_by_token ON payout_links (org, token_hash);
CREATE INDEX payout_links_by_app ON payout_links (org, app, id);
CREATE INDEX payout_links_by_phone ON payout_links (org, payee_phone, id) WHERE payee_phone IS NOT NULL;
CREATE INDEX payout_links_by_email ON payout_links (org, payee_email, id) WHERE payee_email IS NOT NULL;
CREATE INDEX payout_links_by_user ON payout_links (org, claimed_user, id) WHERE claimed_user IS NOT NULL;

CREATE TABLE claim_contacts (
    org        uuid NOT NULL,
    link       uuid NOT NULL,
    channel    text COLLATE "C" NOT NULL,
    recipient  text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (org, link)
);

CREATE TABLE claim_sessions (
    org             uuid NOT NULL,
    id              uuid NOT NULL,
    app             uuid NOT NULL,
    link            uuid NOT NULL,
    secret_hash     bytea NOT NULL,
    user_id         uuid NOT NULL,
    asks_profile    boolean NOT NULL,
    asks_compliance boolean NOT NULL,
    payout_method   uuid,
    created_at      bigint NOT NULL,
    expires_at      bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE UNIQUE INDEX claim_sessions_by_secret ON claim_sessions (org, secret_hash);
