-- What each app paid each user in each tax year, as far as the tax office must be told.

CREATE TABLE tax_years (
    org         BLOB NOT NULL,
    app         BLOB NOT NULL,
    user_id     BLOB NOT NULL,
    year        INTEGER NOT NULL,
    reportable  INTEGER NOT NULL,
    form_awaited INTEGER NOT NULL,
    PRIMARY KEY (org, app, user_id, year)
);
