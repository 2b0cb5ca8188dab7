-- Bank accounts that are no user's payout method: of apps, payment customers and vendors; and which way a rail moves money.

CREATE TABLE bank_accounts (
    org             uuid NOT NULL,
    id              uuid NOT NULL,
    app             uuid NOT NULL,
    holder          uuid NOT NULL,
    name            text COLLATE "C" NOT NULL,
    account_type    text COLLATE "C" NOT NULL,
    routing_number  text COLLATE "C" NOT NULL,
    bank_name       text COLLATE "C",
    last4           text COLLATE "C" NOT NULL,
    sealed_number   bytea NOT NULL,
    fingerprint     bytea NOT NULL,
    rtp_enabled     boolean NOT NULL,
    in_use          boolean NOT NULL,
    created_at      bigint NOT NULL,
    disabled_at     bigint,
    disabled_reason text COLLATE "C",
    version         bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX bank_accounts_of_holder ON bank_accounts (org, holder, id);

ALTER TABLE transfers ADD COLUMN bank_account uuid;
ALTER TABLE rail_items ADD COLUMN direction text COLLATE "C" NOT NULL DEFAULT 'credit';
