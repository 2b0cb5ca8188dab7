-- Where users' money goes. What is needed to pay is sealed; the rest is what people may see.

CREATE TABLE payout_methods (
    org             uuid NOT NULL,
    id              uuid NOT NULL,
    user_id         uuid NOT NULL,
    platform        text COLLATE "C" NOT NULL,
    description     text COLLATE "C" NOT NULL,
    mask            text COLLATE "C",
    sealed_details  bytea NOT NULL,
    fingerprint     bytea NOT NULL,
    bank_name       text COLLATE "C",
    routing_number  text COLLATE "C",
    email           text COLLATE "C",
    phone_number    text COLLATE "C",
    cash_tag        text COLLATE "C",
    handle          text COLLATE "C",
    country         text COLLATE "C",
    currency        text COLLATE "C" NOT NULL,
    rtp_enabled     boolean NOT NULL,
    metadata        text COLLATE "C",
    in_use          boolean NOT NULL,
    created_at      bigint NOT NULL,
    disabled_at     bigint,
    disabled_reason text COLLATE "C",
    version         bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX payout_methods_of_user ON payout_methods (org, user_id);
-- The same account at two users is worth a look.
CREATE INDEX payout_methods_by_fingerprint ON payout_methods (org, fingerprint);
