-- Providers of rails behind HTTP, and routes to them.

CREATE TABLE rail_providers (
    org                 BLOB NOT NULL,
    id                  BLOB NOT NULL,
    name                TEXT NOT NULL,
    kind                TEXT NOT NULL,
    url                 TEXT NOT NULL,
    client_id           TEXT,
    sealed_secret       BLOB NOT NULL,
    sealed_nudge_secret BLOB,
    short_since         INTEGER,
    status              TEXT NOT NULL,
    made_by             BLOB NOT NULL,
    approved_by         BLOB,
    approved_at         INTEGER,
    ended_by            BLOB,
    ended_at            INTEGER,
    version             INTEGER NOT NULL,
    created_at          INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);

ALTER TABLE rail_routes RENAME TO rail_routes_to_banks;
DROP INDEX rail_routes_of_rail;
CREATE TABLE rail_routes (
    org                BLOB NOT NULL,
    id                 BLOB NOT NULL,
    platform           TEXT NOT NULL,
    currency           TEXT NOT NULL,
    from_on            TEXT NOT NULL,
    connection         BLOB,
    originator         BLOB,
    settlement_account BLOB,
    provider           BLOB,
    status             TEXT NOT NULL,
    made_by            BLOB NOT NULL,
    approved_by        BLOB,
    approved_at        INTEGER,
    ended_by           BLOB,
    ended_at           INTEGER,
    version            INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX rail_routes_of_rail ON rail_routes (org, platform, currency, id);
INSERT INTO rail_routes (
    org, id, platform, currency, from_on, connection, originator, settlement_account, status, made_by, approved_by,
    approved_at, ended_by, ended_at, version, created_at
)
SELECT
    org, id, platform, currency, from_on, connection, originator, settlement_account, status, made_by, approved_by,
    approved_at, ended_by, ended_at, version, created_at
FROM rail_routes_to_banks;
DROP TABLE rail_routes_to_banks;
