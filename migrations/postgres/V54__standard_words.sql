-- The rows are filled in: what they were read from goes.

DROP TABLE wallet_watches;
ALTER TABLE event_streams DROP COLUMN listening;
ALTER TABLE event_streams DROP COLUMN told_sequence;
ALTER TABLE jobs ALTER COLUMN lane SET DEFAULT 'system';
