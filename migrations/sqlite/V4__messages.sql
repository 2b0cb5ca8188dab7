-- Messages to people, and what arrived of them in the sandbox.

CREATE TABLE messages (
    org        BLOB NOT NULL,
    id         BLOB NOT NULL,
    app        BLOB NOT NULL,
    channel    TEXT NOT NULL,
    recipient  TEXT NOT NULL,
    template   TEXT NOT NULL,
    status     TEXT NOT NULL,
    error      TEXT,
    created_at INTEGER NOT NULL,
    sent_at    INTEGER,
    PRIMARY KEY (org, id)
);
-- A person who is erased is taken out of all that was sent to them.
CREATE INDEX messages_by_recipient ON messages (org, recipient);

CREATE TABLE inbox_messages (
    org        BLOB NOT NULL,
    id         BLOB NOT NULL,
    app        BLOB NOT NULL,
    channel    TEXT NOT NULL,
    recipient  TEXT NOT NULL,
    subject    TEXT NOT NULL,
    text       TEXT NOT NULL,
    link       TEXT,
    code       TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX inbox_messages_by_app ON inbox_messages (org, app, id);
CREATE INDEX inbox_messages_by_recipient ON inbox_messages (org, recipient, id);
