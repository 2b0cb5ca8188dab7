-- A stored response whose bytes an event has names the event and has no body.

ALTER TABLE stored_answers ADD COLUMN event BLOB;
-- The claim address in the response, without its token; the event has null there.
ALTER TABLE stored_answers ADD COLUMN address_start TEXT;
