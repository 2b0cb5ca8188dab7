-- Tables and columns take the field's standard names: what keeps an app's wallet filled, and who reads its events.

ALTER TABLE wallet_watches RENAME TO wallet_funding;
ALTER TABLE wallet_funding RENAME COLUMN rests_until TO refill_after;
ALTER TABLE wallet_funding RENAME COLUMN called TO scheduled;
ALTER TABLE event_streams RENAME COLUMN listening TO subscription;
ALTER TABLE event_streams RENAME COLUMN told_sequence TO notified_sequence;
