-- Vendors' bills, and their files.

CREATE TABLE payables (
    org                 uuid NOT NULL,
    id                  uuid NOT NULL,
    app                 uuid NOT NULL,
    number              text COLLATE "C" NOT NULL,
    amount              bigint NOT NULL CHECK (amount >= 0),
    currency            text COLLATE "C" NOT NULL,
    description         text COLLATE "C",
    external_id         text COLLATE "C",
    status              text COLLATE "C" NOT NULL,
    funding_source      text COLLATE "C" NOT NULL,
    vendor              uuid,
    vendor_name         text COLLATE "C",
    payment_method      uuid,
    payment_method_name text COLLATE "C",
    open_vendor         uuid,
    items               text COLLATE "C" NOT NULL,
    file_url            text COLLATE "C",
    transfer            uuid,
    terms               text COLLATE "C",
    submitted_by        uuid,
    policy              uuid,
    approval_steps      text COLLATE "C" NOT NULL,
    action_history      text COLLATE "C" NOT NULL,
    status_history      text COLLATE "C" NOT NULL,
    transfer_history    text COLLATE "C" NOT NULL,
    version             bigint NOT NULL,
    created_at          bigint NOT NULL,
    updated_at          bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX payables_of_app ON payables (org, app, id);
CREATE INDEX payables_by_transfer ON payables (org, transfer, id) WHERE transfer IS NOT NULL;
CREATE INDEX payables_open_of_vendor ON payables (org, open_vendor, id) WHERE open_vendor IS NOT NULL;
CREATE INDEX payables_by_vendor ON payables (org, vendor, id) WHERE vendor IS NOT NULL;
CREATE INDEX payables_by_external_id ON payables (org, external_id, id) WHERE external_id IS NOT NULL;
CREATE INDEX payables_by_number ON payables (org, number, id);

CREATE TABLE payable_files (
    org        uuid NOT NULL,
    payable    uuid NOT NULL,
    app        uuid NOT NULL,
    bytes      bytea NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (org, payable)
);
