-- What apps tell of their companies, sealed as a whole.
CREATE TABLE app_compliance (
    org        BLOB NOT NULL,
    app        BLOB NOT NULL,
    sealed     BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (org, app)
);
