-- Phones that replied STOP to a text message of an organization.

CREATE TABLE text_stops (
    org                BLOB NOT NULL,
    phone              TEXT NOT NULL,
    stopped_at         INTEGER,
    replies            TEXT NOT NULL,
    answered_at_micros TEXT NOT NULL,
    created_at         INTEGER NOT NULL,
    PRIMARY KEY (org, phone)
);
