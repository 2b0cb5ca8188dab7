-- Vendors' bills, and their files.

CREATE TABLE payables (
    org                 BLOB NOT NULL,
    id                  BLOB NOT NULL,
    app                 BLOB NOT NULL,
    number              TEXT NOT NULL,
    amount              INTEGER NOT NULL CHECK (amount >= 0),
    currency            TEXT NOT NULL,
    description         TEXT,
    external_id         TEXT,
    status              TEXT NOT NULL,
    funding_source      TEXT NOT NULL,
    vendor              BLOB,
    vendor_name         TEXT,
    payment_method      BLOB,
    payment_method_name TEXT,
    open_vendor         BLOB,
    items               TEXT NOT NULL,
    file_url            TEXT,
    transfer            BLOB,
    terms               TEXT,
    submitted_by        BLOB,
    policy              BLOB,
    approval_steps      TEXT NOT NULL,
    action_history      TEXT NOT NULL,
    status_history      TEXT NOT NULL,
    transfer_history    TEXT NOT NULL,
    version             INTEGER NOT NULL,
    created_at          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX payables_of_app ON payables (org, app, id);
CREATE INDEX payables_by_transfer ON payables (org, transfer, id) WHERE transfer IS NOT NULL;
CREATE INDEX payables_open_of_vendor ON payables (org, open_vendor, id) WHERE open_vendor IS NOT NULL;
CREATE INDEX payables_by_vendor ON payables (org, vendor, id) WHERE vendor IS NOT NULL;
CREATE INDEX payables_by_external_id ON payables (org, external_id, id) WHERE external_id IS NOT NULL;
CREATE INDEX payables_by_number ON payables (org, number, id);

CREATE TABLE payable_files (
    org        BLOB NOT NULL,
    payable    BLOB NOT NULL,
    app        BLOB NOT NULL,
    bytes      BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (org, payable)
);
