-- What the screening of names found, who decided it, and with which list an organization's users were screened last.

CREATE TABLE screening_hits (
    org           uuid NOT NULL,
    id            uuid NOT NULL,
    user_id       uuid NOT NULL,
    list_hash     text COLLATE "C" NOT NULL,
    entry         bigint NOT NULL,
    listed_name   text COLLATE "C" NOT NULL,
    name_kind     text COLLATE "C" NOT NULL,
    details       text COLLATE "C" NOT NULL,
    score         bigint NOT NULL,
    screened_name text COLLATE "C",
    comparison    text COLLATE "C",
    status        text COLLATE "C" NOT NULL,
    decided_by    uuid,
    comment       text COLLATE "C",
    decided_at    bigint,
    created_at    bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX screening_hits_of_user ON screening_hits (org, user_id);

CREATE TABLE screening_runs (
    org           uuid NOT NULL,
    id            uuid NOT NULL,
    list_hash     text COLLATE "C" NOT NULL,
    score_min     bigint NOT NULL,
    screened_to   uuid,
    users_screened bigint NOT NULL,
    users_flagged bigint NOT NULL,
    started_at    bigint NOT NULL,
    finished_at   bigint,
    PRIMARY KEY (org)
);
