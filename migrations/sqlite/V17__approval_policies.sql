-- The rules that say whose approval a bill needs.

CREATE TABLE approval_policies (
    org        BLOB NOT NULL,
    id         BLOB NOT NULL,
    app        BLOB NOT NULL,
    name       TEXT,
    conditions TEXT NOT NULL,
    steps      TEXT NOT NULL,
    priority   INTEGER NOT NULL,
    active     INTEGER NOT NULL,
    updated_by BLOB,
    version    INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    PRIMARY KEY (org, id)
);
CREATE INDEX approval_policies_of_app ON approval_policies (org, app, id);
