-- A payee is notified of changes to where their money goes, and can freeze automatic payouts.

CREATE TABLE change_notices (
    org        uuid NOT NULL,
    id         uuid NOT NULL,
    app        uuid NOT NULL,
    user_id    uuid NOT NULL,
    channel    text COLLATE "C" NOT NULL,
    recipient  text COLLATE "C" NOT NULL,
    changes    text COLLATE "C" NOT NULL,
    method     text COLLATE "C",
    created_at bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX change_notices_of_user ON change_notices (org, user_id);

ALTER TABLE users ADD COLUMN payouts_frozen_at bigint;
