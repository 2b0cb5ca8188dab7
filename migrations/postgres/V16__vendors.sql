-- Vendors, and the bank accounts by which they are paid.

CREATE TABLE vendors (
    org           uuid NOT NULL,
    id            uuid NOT NULL,
    app           uuid NOT NULL,
    name          text COLLATE "C" NOT NULL,
    address       text COLLATE "C" NOT NULL,
    contact_email text COLLATE "C",
    external_id   text COLLATE "C",
    status        text COLLATE "C" NOT NULL,
    created_by    uuid,
    version       bigint NOT NULL,
    created_at    bigint NOT NULL,
    deleted_at    bigint,
    PRIMARY KEY (org, id)
);
CREATE INDEX vendors_of_app ON vendors (org, app, id);
CREATE INDEX vendors_by_external_id ON vendors (org, app, external_id, id) WHERE external_id IS NOT NULL;

CREATE TABLE vendor_payment_methods (
    org          uuid NOT NULL,
    id           uuid NOT NULL,
    app          uuid NOT NULL,
    vendor       uuid NOT NULL,
    bank_account uuid NOT NULL,
    name         text COLLATE "C" NOT NULL,
    status       text COLLATE "C" NOT NULL,
    added_by     uuid,
    confirmed_by uuid,
    confirmed_at bigint,
    usable_at    bigint,
    version      bigint NOT NULL,
    created_at   bigint NOT NULL,
    updated_at   bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX vendor_payment_methods_of_vendor ON vendor_payment_methods (org, vendor, id);
