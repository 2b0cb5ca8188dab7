-- What members decided about payments in doubt at providers.

ALTER TABLE rail_payments ADD COLUMN decision TEXT;
