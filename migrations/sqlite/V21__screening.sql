-- What the screening of names found, who decided it, and with which list an organization's users were screened last.

CREATE TABLE screening_hits (
    org           BLOB NOT NULL,
    id            BLOB NOT NULL,
    user_id       BLOB NOT NULL,
    list_hash     TEXT NOT NULL,
    entry         INTEGER NOT NULL,
    listed_name   TEXT NOT NULL,
    name_kind     TEXT NOT NULL,
    details       TEXT NOT NULL,
    score         INTEGER NOT NULL,
    screened_name TEXT,
    comparison    TEXT,
    status        TEXT NOT NULL,
    decided_by    BLOB,
    comment       TEXT,
    decided_at    INTEGER,
    created_at    INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX screening_hits_of_user ON screening_hits (org, user_id);

CREATE TABLE screening_runs (
    org           BLOB NOT NULL,
    id            BLOB NOT NULL,
    list_hash     TEXT NOT NULL,
    score_min     INTEGER NOT NULL,
    screened_to   BLOB,
    users_screened INTEGER NOT NULL,
    users_flagged INTEGER NOT NULL,
    started_at    INTEGER NOT NULL,
    finished_at   INTEGER,
    PRIMARY KEY (org)
);
