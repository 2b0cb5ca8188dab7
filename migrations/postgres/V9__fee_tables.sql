-- Fee tables become versions, and a payout keeps what its fees were made by.

CREATE TABLE fee_tables (
    org          uuid NOT NULL,
    app          uuid NOT NULL,
    version      bigint NOT NULL,
    fees         text COLLATE "C" NOT NULL,
    effective_at bigint NOT NULL,
    created_at   bigint NOT NULL,
    PRIMARY KEY (org, app, version)
);

-- Whether the app filled the user's wallet for it, what its fees were made by, and who let it go.
ALTER TABLE transfers ADD COLUMN funded boolean NOT NULL DEFAULT false;
ALTER TABLE transfers ADD COLUMN fee_basis text COLLATE "C";
ALTER TABLE transfers ADD COLUMN approved_by uuid;
