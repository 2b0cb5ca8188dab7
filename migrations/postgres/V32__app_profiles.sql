-- What an app keeps about a payee belongs to its profile of that payee, and a payout method belongs to the app that added it or
-- in whose claim the payee chose it. The program divides data from before (src/store/postgres/filling.rs) between this migration
-- and the next.

ALTER TABLE app_users ADD COLUMN disconnected_at bigint;
ALTER TABLE app_users ADD COLUMN auto_payout_enabled boolean NOT NULL DEFAULT false;
ALTER TABLE app_users ADD COLUMN default_payout_method uuid;
ALTER TABLE app_users ADD COLUMN metadata text COLLATE "C";
ALTER TABLE app_users ADD COLUMN payout_options_exclude_list text COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE app_users ADD COLUMN version bigint NOT NULL DEFAULT 1;

ALTER TABLE payout_methods ADD COLUMN app uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';
ALTER TABLE payout_methods ADD COLUMN origin text COLLATE "C" NOT NULL DEFAULT 'app';

ALTER TABLE users ADD COLUMN phone_app uuid;
ALTER TABLE users ADD COLUMN phone_set_at bigint;
ALTER TABLE users ADD COLUMN email_app uuid;
ALTER TABLE users ADD COLUMN email_set_at bigint;
