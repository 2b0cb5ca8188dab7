-- How members sign in: their sessions, their second factors, and tokens by which they set a password.

CREATE TABLE member_sessions (
    org           BLOB NOT NULL,
    id            BLOB NOT NULL,
    member        BLOB NOT NULL,
    secret_hash   BLOB NOT NULL,
    address       TEXT,
    second_factor INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    last_used_at  INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL,
    ended_at      INTEGER,
    PRIMARY KEY (org, id)
);
CREATE UNIQUE INDEX member_sessions_by_secret ON member_sessions (org, secret_hash);
CREATE INDEX member_sessions_of_member ON member_sessions (org, member, id);

CREATE TABLE member_factors (
    org            BLOB NOT NULL,
    member         BLOB NOT NULL,
    sealed_totp    BLOB,
    totp_step      INTEGER NOT NULL,
    sealed_pending BLOB,
    recovery       TEXT NOT NULL,
    updated_at     INTEGER NOT NULL,
    PRIMARY KEY (org, member)
);

CREATE TABLE member_set_ups (
    org         BLOB NOT NULL,
    member      BLOB NOT NULL,
    secret_hash BLOB NOT NULL,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    PRIMARY KEY (org, member)
);
CREATE UNIQUE INDEX member_set_ups_by_secret ON member_set_ups (org, secret_hash);
