-- Tables and columns take the field's standard names: what keeps an app's wallet filled, and who reads its events.

CREATE TABLE wallet_funding (
    org        uuid NOT NULL,
    app        uuid NOT NULL,
    floor      bigint,
    refill     uuid,
    refill_after bigint,
    owed       bigint NOT NULL CHECK (owed >= 0),
    pulls      bigint NOT NULL CHECK (pulls >= 0),
    scheduled  boolean NOT NULL,
    PRIMARY KEY (org, app)
);
ALTER TABLE event_streams ADD COLUMN subscription text COLLATE "C" NOT NULL DEFAULT 'none';
ALTER TABLE event_streams ADD COLUMN notified_sequence bigint NOT NULL DEFAULT 0;
