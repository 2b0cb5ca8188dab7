-- The bytes of an app's logo. Its kind and dimensions are in the app's settings.

CREATE TABLE app_logos (
    org        BLOB NOT NULL,
    app        BLOB NOT NULL,
    bytes      BLOB NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (org, app)
);
