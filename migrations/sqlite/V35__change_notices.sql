-- A payee is notified of changes to where their money goes, and can freeze automatic payouts.

CREATE TABLE change_notices (
    org        BLOB NOT NULL,
    id         BLOB NOT NULL,
    app        BLOB NOT NULL,
    user_id    BLOB NOT NULL,
    channel    TEXT NOT NULL,
    recipient  TEXT NOT NULL,
    changes    TEXT NOT NULL,
    method     TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX change_notices_of_user ON change_notices (org, user_id);

ALTER TABLE users ADD COLUMN payouts_frozen_at INTEGER;
