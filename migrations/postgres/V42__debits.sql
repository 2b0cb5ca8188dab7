-- The authorization of each payment, and until when its money is held. Payments of before have none.

CREATE TABLE debits (
    org           uuid NOT NULL,
    id            uuid NOT NULL,
    app           uuid NOT NULL,
    mandate       text COLLATE "C" NOT NULL,
    hold_days     bigint NOT NULL,
    held          boolean NOT NULL,
    available_at  bigint,
    PRIMARY KEY (org, id)
);
