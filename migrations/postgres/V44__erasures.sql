-- Payees whose data are being erased, and how far their erasure is. The row goes with the last of their data.

CREATE TABLE erasures (
    org      uuid NOT NULL,
    user_id  uuid NOT NULL,
    phone    text COLLATE "C",
    national text COLLATE "C",
    email    text COLLATE "C",
    name     text COLLATE "C",
    step     text COLLATE "C" NOT NULL,
    after    text COLLATE "C",
    began_at bigint NOT NULL,
    PRIMARY KEY (org, user_id)
);
