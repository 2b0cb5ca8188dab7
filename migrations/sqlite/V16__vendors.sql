-- Vendors, and the bank accounts by which they are paid.

CREATE TABLE vendors (
    org           BLOB NOT NULL,
    id            BLOB NOT NULL,
    app           BLOB NOT NULL,
    name          TEXT NOT NULL,
    address       TEXT NOT NULL,
    contact_email TEXT,
    external_id   TEXT,
    status        TEXT NOT NULL,
    created_by    BLOB,
    version       INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    deleted_at    INTEGER,
    PRIMARY KEY (org, id)
);
CREATE INDEX vendors_of_app ON vendors (org, app, id);
CREATE INDEX vendors_by_external_id ON vendors (org, app, external_id, id) WHERE external_id IS NOT NULL;

CREATE TABLE vendor_payment_methods (
    org          BLOB NOT NULL,
    id           BLOB NOT NULL,
    app          BLOB NOT NULL,
    vendor       BLOB NOT NULL,
    bank_account BLOB NOT NULL,
    name         TEXT NOT NULL,
    status       TEXT NOT NULL,
    added_by     BLOB,
    confirmed_by BLOB,
    confirmed_at INTEGER,
    usable_at    INTEGER,
    version      INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX vendor_payment_methods_of_vendor ON vendor_payment_methods (org, vendor, id);
