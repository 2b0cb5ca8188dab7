-- People who may be paid, and the apps that may pay them. What is secret is sealed.

CREATE TABLE users (
    org                         BLOB NOT NULL,
    id                          BLOB NOT NULL,
    phone_country_code          TEXT,
    phone_national              TEXT,
    phone_e164                  TEXT,
    phone_verified_at           INTEGER,
    email_verified_at           INTEGER,
    first_name                  TEXT,
    last_name                   TEXT,
    email                       TEXT,
    status                      TEXT NOT NULL,
    country                     TEXT,
    auto_payout_enabled         INTEGER NOT NULL,
    default_payout_method       BLOB,
    metadata                    TEXT,
    payout_options_exclude_list TEXT NOT NULL,
    sealed_date_of_birth        BLOB,
    adjustment_1099             TEXT,
    sealed_address              BLOB,
    sealed_tax_form             BLOB,
    tax_id_hash                 BLOB,
    compliance                  TEXT NOT NULL,
    version                     INTEGER NOT NULL,
    created_at                  INTEGER NOT NULL,
    deleted_at                  INTEGER,
    PRIMARY KEY (org, id)
);
-- The phone is the identity; the erased have none and may be many.
CREATE UNIQUE INDEX users_by_phone ON users (org, phone_e164);
CREATE INDEX users_by_email ON users (org, email, id);

CREATE TABLE app_users (
    org          BLOB NOT NULL,
    app          BLOB NOT NULL,
    user_id      BLOB NOT NULL,
    connected_at INTEGER NOT NULL,
    PRIMARY KEY (org, app, user_id)
);
CREATE INDEX app_users_of_user ON app_users (org, user_id);

-- The newest code of each phone and address, and how many codes each app had sent on a day.
CREATE TABLE verifications (
    org            BLOB NOT NULL,
    recipient      TEXT NOT NULL,
    id             BLOB NOT NULL,
    app            BLOB NOT NULL,
    code_hash      BLOB NOT NULL,
    tries          INTEGER NOT NULL,
    sent_at_micros TEXT NOT NULL,
    expires_at     INTEGER NOT NULL,
    used_at        INTEGER,
    version        INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    PRIMARY KEY (org, recipient)
);

CREATE TABLE verification_days (
    org    BLOB NOT NULL,
    app    BLOB NOT NULL,
    day_on TEXT NOT NULL,
    sends  INTEGER NOT NULL,
    PRIMARY KEY (org, app)
);
