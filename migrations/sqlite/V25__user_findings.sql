-- Whose account a payout method is, where its details say so; and what members found out about users.

ALTER TABLE payout_methods ADD COLUMN holder_name TEXT;

CREATE TABLE compliance_decisions (
    org        BLOB NOT NULL,
    id         BLOB NOT NULL,
    user_id    BLOB NOT NULL,
    decided_by BLOB NOT NULL,
    comment    TEXT NOT NULL,
    changes    TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX compliance_decisions_of_user ON compliance_decisions (org, user_id, id);
