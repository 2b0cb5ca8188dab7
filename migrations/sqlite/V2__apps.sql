-- Who uses the service: organizations, their apps, keys and members; and the sandbox's clock.
-- The organization leads every key, so that each commit stays with one tenant.

CREATE TABLE organizations (
    org        BLOB NOT NULL,
    name       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (org)
);

CREATE TABLE apps (
    org        BLOB NOT NULL,
    id         BLOB NOT NULL,
    name       TEXT NOT NULL,
    status     TEXT NOT NULL,
    metadata   TEXT,
    settings   TEXT NOT NULL,
    version    INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    deleted_at INTEGER,
    PRIMARY KEY (org, id)
);

CREATE TABLE app_metrics (
    org             BLOB NOT NULL,
    app             BLOB NOT NULL,
    money_out       INTEGER NOT NULL,
    connected_users INTEGER NOT NULL,
    PRIMARY KEY (org, app)
);

-- The organization stands inside each client id, so (org, client_id) is unique among all of them.
CREATE TABLE api_keys (
    org         BLOB NOT NULL,
    client_id   TEXT NOT NULL,
    app         BLOB,
    secret_hash BLOB NOT NULL,
    last4       TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    revoked_at  INTEGER,
    PRIMARY KEY (org, client_id)
);
CREATE INDEX api_keys_of_app ON api_keys (org, app);

CREATE TABLE members (
    org           BLOB NOT NULL,
    id            BLOB NOT NULL,
    number        INTEGER NOT NULL,
    name          TEXT NOT NULL,
    email         TEXT NOT NULL,
    role          TEXT NOT NULL,
    status        TEXT NOT NULL,
    password_hash TEXT,
    created_at    INTEGER NOT NULL,
    removed_at    INTEGER,
    PRIMARY KEY (org, id)
);
CREATE UNIQUE INDEX members_by_number ON members (org, number);

-- One row, under the organization of all zeroes: an environment belongs to no tenant.
CREATE TABLE environment_clock (
    org           BLOB NOT NULL,
    ahead_seconds INTEGER NOT NULL,
    PRIMARY KEY (org)
);
