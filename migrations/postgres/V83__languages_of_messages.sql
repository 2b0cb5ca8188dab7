-- Empty for a message in the language of its app.
ALTER TABLE messages ADD COLUMN language text COLLATE "C";
