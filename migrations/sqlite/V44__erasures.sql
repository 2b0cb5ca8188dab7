-- Payees whose data are being erased, and how far their erasure is. The row goes with the last of their data.

CREATE TABLE erasures (
    org      BLOB NOT NULL,
    user_id  BLOB NOT NULL,
    phone    TEXT,
    national TEXT,
    email    TEXT,
    name     TEXT,
    step     TEXT NOT NULL,
    after    TEXT,
    began_at INTEGER NOT NULL,
    PRIMARY KEY (org, user_id)
);

-- What an unkeyed hash of a phone number counted.
DELETE FROM verifications WHERE recipient LIKE 'forgotten:%';
