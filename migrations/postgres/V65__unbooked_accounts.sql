-- The bank account behind a ledger account of money that the bank has not booked.

ALTER TABLE ledger_accounts ADD COLUMN settlement_account uuid;
