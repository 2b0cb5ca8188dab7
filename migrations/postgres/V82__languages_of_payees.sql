-- The language of a payee's last visit.
ALTER TABLE users ADD COLUMN language text COLLATE "C";
