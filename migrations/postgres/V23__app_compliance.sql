-- What apps tell of their companies, sealed as a whole.
CREATE TABLE app_compliance (
    org        uuid NOT NULL,
    app        uuid NOT NULL,
    sealed     bytea NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (org, app)
);
