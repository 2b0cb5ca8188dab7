-- The rules that say whose approval a bill needs.

CREATE TABLE approval_policies (
    org        uuid NOT NULL,
    id         uuid NOT NULL,
    app        uuid NOT NULL,
    name       text COLLATE "C",
    conditions text COLLATE "C" NOT NULL,
    steps      text COLLATE "C" NOT NULL,
    priority   bigint NOT NULL,
    active     boolean NOT NULL,
    updated_by uuid,
    version    bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    deleted_at bigint,
    PRIMARY KEY (org, id)
);
CREATE INDEX approval_policies_of_app ON approval_policies (org, app, id);
