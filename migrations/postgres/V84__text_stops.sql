-- Phones that replied STOP to a text message of an organization.

CREATE TABLE text_stops (
    org                uuid NOT NULL,
    phone              text COLLATE "C" NOT NULL,
    stopped_at         bigint,
    replies            text COLLATE "C" NOT NULL,
    answered_at_micros text COLLATE "C" NOT NULL,
    created_at         bigint NOT NULL,
    PRIMARY KEY (org, phone)
);
