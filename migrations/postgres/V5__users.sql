-- People who may be paid, and the apps that may pay them. What is secret is sealed.

CREATE TABLE users (
    org                         uuid NOT NULL,
    id                          uuid NOT NULL,
    phone_country_code          text COLLATE "C",
    phone_national              text COLLATE "C",
    phone_e164                  text COLLATE "C",
    phone_verified_at           bigint,
    email_verified_at           bigint,
    first_name                  text COLLATE "C",
    last_name                   text COLLATE "C",
    email                       text COLLATE "C",
    status                      text COLLATE "C" NOT NULL,
    country                     text COLLATE "C",
    auto_payout_enabled         boolean NOT NULL,
    default_payout_method       uuid,
    metadata                    text COLLATE "C",
    payout_options_exclude_list text COLLATE "C" NOT NULL,
    sealed_date_of_birth        bytea,
    adjustment_1099             text COLLATE "C",
    sealed_address              bytea,
    sealed_tax_form             bytea,
    tax_id_hash                 bytea,
    compliance                  text COLLATE "C" NOT NULL,
    version                     bigint NOT NULL,
    created_at                  bigint NOT NULL,
    deleted_at                  bigint,
    PRIMARY KEY (org, id)
);
-- The phone is the identity; the erased have none and may be many.
CREATE UNIQUE INDEX users_by_phone ON users (org, phone_e164);
CREATE INDEX users_by_email ON users (org, email, id);

CREATE TABLE app_users (
    org          uuid NOT NULL,
    app          uuid NOT NULL,
    user_id      uuid NOT NULL,
    connected_at bigint NOT NULL,
    PRIMARY KEY (org, app, user_id)
);
CREATE INDEX app_users_of_user ON app_users (org, user_id);

-- The newest code of each phone and address, and how many codes each app had sent on a day.
CREATE TABLE verifications (
    org            uuid NOT NULL,
    recipient      text COLLATE "C" NOT NULL,
    id             uuid NOT NULL,
    app            uuid NOT NULL,
    code_hash      bytea NOT NULL,
    tries          bigint NOT NULL,
    sent_at_micros text COLLATE "C" NOT NULL,
    expires_at     bigint NOT NULL,
    used_at        bigint,
    version        bigint NOT NULL,
    created_at     bigint NOT NULL,
    PRIMARY KEY (org, recipient)
);

CREATE TABLE verification_days (
    org    uuid NOT NULL,
    app    uuid NOT NULL,
    day_on text COLLATE "C" NOT NULL,
    sends  bigint NOT NULL,
    PRIMARY KEY (org, app)
);
