-- Keys may expire and show when they were last used. `seal_states` says under which layout and master key an organization's
-- seals are; the program rewrites older ones while it serves (src/seals).

ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;

CREATE TABLE seal_states (
    org         BLOB NOT NULL,
    layout      INTEGER NOT NULL,
    key_id      INTEGER NOT NULL,
    proof       BLOB NOT NULL,
    updated_at  INTEGER NOT NULL,
    PRIMARY KEY (org)
);
