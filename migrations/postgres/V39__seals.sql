-- Keys may expire and show when they were last used. `seal_states` says under which layout and master key an organization's
-- seals are; the program rewrites older ones while it serves (src/seals).

ALTER TABLE api_keys ADD COLUMN expires_at bigint;
ALTER TABLE api_keys ADD COLUMN last_used_at bigint;

CREATE TABLE seal_states (
    org         uuid NOT NULL,
    layout      bigint NOT NULL,
    key_id      bigint NOT NULL,
    proof       bytea NOT NULL,
    updated_at  bigint NOT NULL,
    PRIMARY KEY (org)
);
