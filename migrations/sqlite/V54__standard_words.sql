-- Stored words take the field's standard words. PostgreSQL does this between V53 and V54 (src/store/postgres/filling.rs).

UPDATE event_streams SET subscription = CASE subscription
    WHEN 'nobody' THEN 'none' WHEN 'quiet' THEN 'idle' WHEN 'called' THEN 'scheduled' ELSE subscription END;
UPDATE jobs SET lane = 'system' WHERE lane = 'house';
UPDATE jobs SET work = replace(work, '"kind":"tend_wallet"', '"kind":"top_up_wallet"') WHERE work LIKE '%"kind":"tend_wallet"%';
