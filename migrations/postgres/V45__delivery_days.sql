-- How many links were delivered to a recipient, or by an app, on one day in UTC. Days before this one are not limited.

CREATE TABLE delivery_days (
    org        uuid NOT NULL,
    counted    text COLLATE "C" NOT NULL,
    day_on     text COLLATE "C" NOT NULL,
    deliveries bigint NOT NULL CHECK (deliveries > 0),
    PRIMARY KEY (org, counted)
);
