-- How many codes an hour were sent for one link is bounded, whatever phones its holder gives.

ALTER TABLE claim_contacts ADD COLUMN sent_at_micros text COLLATE "C" NOT NULL DEFAULT '[]';
