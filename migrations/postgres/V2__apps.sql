-- Who uses the service: organizations, their apps, keys and members; and the sandbox's clock.
-- The organization leads every key, so that each commit stays with one tenant.

CREATE TABLE organizations (
    org        uuid NOT NULL,
    name       text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (org)
);

CREATE TABLE apps (
    org        uuid NOT NULL,
    id         uuid NOT NULL,
    name       text COLLATE "C" NOT NULL,
    status     text COLLATE "C" NOT NULL,
    metadata   text COLLATE "C",
    settings   text COLLATE "C" NOT NULL,
    version    bigint NOT NULL,
    created_at bigint NOT NULL,
    deleted_at bigint,
    PRIMARY KEY (org, id)
);

CREATE TABLE app_metrics (
    org             uuid NOT NULL,
    app             uuid NOT NULL,
    money_out       bigint NOT NULL,
    connected_users bigint NOT NULL,
    PRIMARY KEY (org, app)
);

-- The organization stands inside each client id, so (org, client_id) is unique among all of them.
CREATE TABLE api_keys (
    org         uuid NOT NULL,
    client_id   text COLLATE "C" NOT NULL,
    app         uuid,
    secret_hash bytea NOT NULL,
    last4       text COLLATE "C" NOT NULL,
    created_at  bigint NOT NULL,
    revoked_at  bigint,
    PRIMARY KEY (org, client_id)
);
CREATE INDEX api_keys_of_app ON api_keys (org, app);

CREATE TABLE members (
    org           uuid NOT NULL,
    id            uuid NOT NULL,
    number        bigint NOT NULL,
    name          text COLLATE "C" NOT NULL,
    email         text COLLATE "C" NOT NULL,
    role          text COLLATE "C" NOT NULL,
    status        text COLLATE "C" NOT NULL,
    password_hash text COLLATE "C",
    created_at    bigint NOT NULL,
    removed_at    bigint,
    PRIMARY KEY (org, id)
);
CREATE UNIQUE INDEX members_by_number ON members (org, number);

-- One row, under the organization of all zeroes: an environment belongs to no tenant.
CREATE TABLE environment_clock (
    org           uuid NOT NULL,
    ahead_seconds bigint NOT NULL,
    PRIMARY KEY (org)
);
