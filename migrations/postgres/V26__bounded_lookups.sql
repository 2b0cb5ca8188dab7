-- What is asked often is kept where it is asked, so that no answer takes longer the more there was before: whose
-- transfers are under way, what a link's payouts took, which accounts are in use.

ALTER TABLE transfers ADD COLUMN under_way_of uuid;
CREATE INDEX transfers_under_way ON transfers (org, under_way_of) WHERE under_way_of IS NOT NULL;
DROP INDEX transfers_by_customer;

ALTER TABLE payout_links ADD COLUMN paid_out bigint NOT NULL DEFAULT 0;
ALTER TABLE payout_links ADD COLUMN newest_payout uuid;
DROP INDEX transfers_by_link;

DROP INDEX bank_accounts_of_holder;
CREATE INDEX bank_accounts_of_holder ON bank_accounts (org, holder, in_use, id);
