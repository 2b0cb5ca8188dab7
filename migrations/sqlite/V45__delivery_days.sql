-- How many links were delivered to a recipient, or by an app, on one day in UTC. Days before this one are not limited.

CREATE TABLE delivery_days (
    org        BLOB NOT NULL,
    counted    TEXT NOT NULL,
    day_on     TEXT NOT NULL,
    deliveries INTEGER NOT NULL CHECK (deliveries > 0),
    PRIMARY KEY (org, counted)
);
