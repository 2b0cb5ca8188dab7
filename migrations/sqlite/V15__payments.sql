-- Who pays an app without being its user, and the payments that were collected.

CREATE TABLE payment_customers (
    org                BLOB NOT NULL,
    id                 BLOB NOT NULL,
    app                BLOB NOT NULL,
    name               TEXT,
    email              TEXT,
    phone_country_code TEXT,
    phone_national     TEXT,
    metadata           TEXT,
    version            INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL,
    deleted_at         INTEGER,
    in_use             INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX payment_customers_by_app ON payment_customers (org, app, id);

ALTER TABLE transfers ADD COLUMN customer BLOB;
CREATE INDEX transfers_by_customer ON transfers (org, customer) WHERE customer IS NOT NULL;
