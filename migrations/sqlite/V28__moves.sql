-- Where this store moves to, or has moved to: one row, from a move's begin on, and none where there is no move.
-- Nobody serves a store that has left. It belongs to no tenant.

CREATE TABLE moves (
    id       BLOB NOT NULL,
    target   TEXT NOT NULL,
    began_at INTEGER NOT NULL,
    left_at  INTEGER,
    PRIMARY KEY (id)
);
