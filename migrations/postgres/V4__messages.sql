-- Messages to people, and what arrived of them in the sandbox.

CREATE TABLE messages (
    org        uuid NOT NULL,
    id         uuid NOT NULL,
    app        uuid NOT NULL,
    channel    text COLLATE "C" NOT NULL,
    recipient  text COLLATE "C" NOT NULL,
    template   text COLLATE "C" NOT NULL,
    status     text COLLATE "C" NOT NULL,
    error      text COLLATE "C",
    created_at bigint NOT NULL,
    sent_at    bigint,
    PRIMARY KEY (org, id)
);
-- A person who is erased is taken out of all that was sent to them.
CREATE INDEX messages_by_recipient ON messages (org, recipient);

CREATE TABLE inbox_messages (
    org        uuid NOT NULL,
    id         uuid NOT NULL,
    app        uuid NOT NULL,
    channel    text COLLATE "C" NOT NULL,
    recipient  text COLLATE "C" NOT NULL,
    subject    text COLLATE "C" NOT NULL,
    text       text COLLATE "C" NOT NULL,
    link       text COLLATE "C",
    code       text COLLATE "C",
    created_at bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX inbox_messages_by_app ON inbox_messages (org, app, id);
CREATE INDEX inbox_messages_by_recipient ON inbox_messages (org, recipient, id);
