-- The bytes of an app's logo. Its kind and dimensions are in the app's settings.

CREATE TABLE app_logos (
    org        uuid NOT NULL,
    app        uuid NOT NULL,
    bytes      bytea NOT NULL,
    changed_at bigint NOT NULL,
    PRIMARY KEY (org, app)
);
