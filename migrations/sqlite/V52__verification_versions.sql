-- Each app's log numbers the events about the codes of a phone or an address on its own.

ALTER TABLE verification_recipients ADD COLUMN versions TEXT NOT NULL DEFAULT '{}';
