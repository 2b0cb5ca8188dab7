-- How members sign in: their sessions, their second factors, and tokens by which they set a password.

CREATE TABLE member_sessions (
    org           uuid NOT NULL,
    id            uuid NOT NULL,
    member        uuid NOT NULL,
    secret_hash   bytea NOT NULL,
    address       text COLLATE "C",
    second_factor boolean NOT NULL,
    created_at    bigint NOT NULL,
    last_used_at  bigint NOT NULL,
    expires_at    bigint NOT NULL,
    ended_at      bigint,
    PRIMARY KEY (org, id)
);
CREATE UNIQUE INDEX member_sessions_by_secret ON member_sessions (org, secret_hash);
CREATE INDEX member_sessions_of_member ON member_sessions (org, member, id);

CREATE TABLE member_factors (
    org            uuid NOT NULL,
    member         uuid NOT NULL,
    sealed_totp    bytea,
    totp_step      bigint NOT NULL,
    sealed_pending bytea,
    recovery       text COLLATE "C" NOT NULL,
    updated_at     bigint NOT NULL,
    PRIMARY KEY (org, member)
);

CREATE TABLE member_set_ups (
    org         uuid NOT NULL,
    member      uuid NOT NULL,
    secret_hash bytea NOT NULL,
    created_at  bigint NOT NULL,
    expires_at  bigint NOT NULL,
    PRIMARY KEY (org, member)
);
CREATE UNIQUE INDEX member_set_ups_by_secret ON member_set_ups (org, secret_hash);
