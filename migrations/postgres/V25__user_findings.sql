-- Whose account a payout method is, where its details say so; and what members found out about users.

ALTER TABLE payout_methods ADD COLUMN holder_name text COLLATE "C";

CREATE TABLE compliance_decisions (
    org        uuid NOT NULL,
    id         uuid NOT NULL,
    user_id    uuid NOT NULL,
    decided_by uuid NOT NULL,
    comment    text COLLATE "C" NOT NULL,
    changes    text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX compliance_decisions_of_user ON compliance_decisions (org, user_id, id);
