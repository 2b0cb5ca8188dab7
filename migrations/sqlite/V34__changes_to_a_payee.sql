-- Codes are bound to what they are for; wrong ones are counted per recipient; a claim session ends.

-- A code is good for ten minutes: those that wait now are void, and people ask for another.
DROP TABLE verifications;
CREATE TABLE verifications (
    org            BLOB NOT NULL,
    recipient      TEXT NOT NULL,
    purpose        TEXT NOT NULL,
    about          BLOB NOT NULL,
    code_hash      BLOB NOT NULL,
    tries          INTEGER NOT NULL,
    sent_at_micros TEXT NOT NULL,
    expires_at     INTEGER NOT NULL,
    used_at        INTEGER,
    created_at     INTEGER NOT NULL,
    PRIMARY KEY (org, recipient, purpose, about)
);
CREATE INDEX verifications_of_recipient ON verifications (org, recipient);

CREATE TABLE verification_recipients (
    org                    BLOB NOT NULL,
    recipient              TEXT NOT NULL,
    id                     BLOB NOT NULL,
    app                    BLOB NOT NULL,
    named_wrong            INTEGER NOT NULL,
    named_wrong_at         INTEGER,
    unnamed_wrong          INTEGER NOT NULL,
    unnamed_wrong_at       INTEGER,
    locked_at              INTEGER,
    unnamed_sent_at_micros TEXT NOT NULL,
    version                INTEGER NOT NULL,
    created_at             INTEGER NOT NULL,
    PRIMARY KEY (org, recipient)
);

ALTER TABLE verification_days ADD COLUMN claim_sends INTEGER NOT NULL DEFAULT 0;

-- A session from before may change nothing more: its payee proves a code again.
ALTER TABLE claim_sessions ADD COLUMN changes_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE claim_sessions ADD COLUMN paid_at INTEGER;
ALTER TABLE claim_sessions ADD COLUMN ended_at INTEGER;
ALTER TABLE claim_sessions ADD COLUMN is_guest INTEGER NOT NULL DEFAULT 0;
CREATE INDEX claim_sessions_of_link ON claim_sessions (org, link);
