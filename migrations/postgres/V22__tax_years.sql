-- What each app paid each user in each tax year, as far as the tax office must be told.

CREATE TABLE tax_years (
    org         uuid NOT NULL,
    app         uuid NOT NULL,
    user_id     uuid NOT NULL,
    year        bigint NOT NULL,
    reportable  bigint NOT NULL,
    form_awaited boolean NOT NULL,
    PRIMARY KEY (org, app, user_id, year)
);
