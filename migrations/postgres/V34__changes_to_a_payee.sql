-- Codes are bound to what they are for; wrong ones are counted per recipient; a claim session ends.

-- A code is good for ten minutes: those that wait now are void, and people ask for another.
DROP TABLE verifications;
CREATE TABLE verifications (
    org            uuid NOT NULL,
    recipient      text COLLATE "C" NOT NULL,
    purpose        text COLLATE "C" NOT NULL,
    about          uuid NOT NULL,
    code_hash      bytea NOT NULL,
    tries          bigint NOT NULL,
    sent_at_micros text COLLATE "C" NOT NULL,
    expires_at     bigint NOT NULL,
    used_at        bigint,
    created_at     bigint NOT NULL,
    PRIMARY KEY (org, recipient, purpose, about)
);
CREATE INDEX verifications_of_recipient ON verifications (org, recipient);

CREATE TABLE verification_recipients (
    org                    uuid NOT NULL,
    recipient              text COLLATE "C" NOT NULL,
    id                     uuid NOT NULL,
    app                    uuid NOT NULL,
    named_wrong            bigint NOT NULL,
    named_wrong_at         bigint,
    unnamed_wrong          bigint NOT NULL,
    unnamed_wrong_at       bigint,
    locked_at              bigint,
    unnamed_sent_at_micros text COLLATE "C" NOT NULL,
    version                bigint NOT NULL,
    created_at             bigint NOT NULL,
    PRIMARY KEY (org, recipient)
);

ALTER TABLE verification_days ADD COLUMN claim_sends bigint NOT NULL DEFAULT 0;

-- A session from before may change nothing more: its payee proves a code again.
ALTER TABLE claim_sessions ADD COLUMN changes_until bigint NOT NULL DEFAULT 0;
ALTER TABLE claim_sessions ADD COLUMN paid_at bigint;
ALTER TABLE claim_sessions ADD COLUMN ended_at bigint;
ALTER TABLE claim_sessions ADD COLUMN is_guest boolean NOT NULL DEFAULT false;
CREATE INDEX claim_sessions_of_link ON claim_sessions (org, link);
