-- A claim session's pending change of the payee's phone number or e-mail address: to where the code of the present contact
-- went, and the new contact.

ALTER TABLE claim_sessions ADD COLUMN change_from TEXT;
ALTER TABLE claim_sessions ADD COLUMN change_to TEXT;
