-- Fee tables become versions, and a payout keeps what its fees were made by.

CREATE TABLE fee_tables (
    org          BLOB NOT NULL,
    app          BLOB NOT NULL,
    version      INTEGER NOT NULL,
    fees         TEXT NOT NULL,
    effective_at INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (org, app, version)
);

-- A table that was set before is the first version. When it was set is not known; it holds since the app was made.
INSERT INTO fee_tables (org, app, version, fees, effective_at, created_at)
SELECT org, id, 1, json_extract(settings, '$.fees'), created_at, created_at
FROM apps
WHERE coalesce(json_extract(settings, '$.fees'), '{}') <> '{}';

UPDATE apps
SET settings = json_set(
    settings,
    '$.fees',
    json_object(
        'made', iif(json_extract(settings, '$.fees') = '{}', 0, 1),
        'version', iif(json_extract(settings, '$.fees') = '{}', 0, 1),
        'table', json(json_extract(settings, '$.fees')),
        'scheduled', json('[]')
    )
)
WHERE json_extract(settings, '$.fees') IS NOT NULL;

-- Whether the app filled the user's wallet for it, what its fees were made by, and who let it go.
ALTER TABLE transfers ADD COLUMN funded INTEGER NOT NULL DEFAULT 0;
ALTER TABLE transfers ADD COLUMN fee_basis TEXT;
ALTER TABLE transfers ADD COLUMN approved_by BLOB;
