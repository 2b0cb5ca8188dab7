-- A text about a payout link is composed when it is read. The row has what the link has not.

ALTER TABLE inbox_messages ADD COLUMN of_link TEXT;
