-- The authorization of each payment, and until when its money is held. Payments of before have none.

CREATE TABLE debits (
    org           BLOB NOT NULL,
    id            BLOB NOT NULL,
    app           BLOB NOT NULL,
    mandate       TEXT NOT NULL,
    hold_days     INTEGER NOT NULL,
    held          INTEGER NOT NULL,
    available_at  INTEGER,
    PRIMARY KEY (org, id)
);
