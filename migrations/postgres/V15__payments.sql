-- Who pays an app without being its user, and the payments that were collected.

CREATE TABLE payment_customers (
    org                uuid NOT NULL,
    id                 uuid NOT NULL,
    app                uuid NOT NULL,
    name               text COLLATE "C",
    email              text COLLATE "C",
    phone_country_code text COLLATE "C",
    phone_national     text COLLATE "C",
    metadata           text COLLATE "C",
    version            bigint NOT NULL,
    created_at         bigint NOT NULL,
    updated_at         bigint NOT NULL,
    deleted_at         bigint,
    in_use             boolean NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX payment_customers_by_app ON payment_customers (org, app, id);

ALTER TABLE transfers ADD COLUMN customer uuid;
CREATE INDEX transfers_by_customer ON transfers (org, customer) WHERE customer IS NOT NULL;
