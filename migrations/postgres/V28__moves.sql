-- Which store moves into this database, or has moved into it: one row, from a move's begin on, and none where there
-- was no move. Until it has ended nobody serves the database. It belongs to no tenant.
-- The digest is of everything that the store holds; so many of its rows are here, table after table, in the order of keys.

CREATE TABLE moves (
    id       uuid NOT NULL,
    source   text COLLATE "C" NOT NULL,
    digest   bytea NOT NULL,
    copied   bigint NOT NULL,
    began_at bigint NOT NULL,
    ended_at bigint,
    PRIMARY KEY (id)
);
