-- What belongs to the profiles is no longer the payee's.

ALTER TABLE users DROP COLUMN auto_payout_enabled;
ALTER TABLE users DROP COLUMN default_payout_method;
ALTER TABLE users DROP COLUMN metadata;
ALTER TABLE users DROP COLUMN payout_options_exclude_list;
