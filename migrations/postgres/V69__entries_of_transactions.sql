-- The two entries of a transaction are columns of its row: the amount, and the balance of each account after it. The
-- program fills them (crates/engine/src/store/postgres/filling.rs) before ledger_entries is dropped.

ALTER TABLE transactions ADD COLUMN source_balance bigint NOT NULL DEFAULT 0;
ALTER TABLE transactions ADD COLUMN destination_balance bigint NOT NULL DEFAULT 0;

CREATE INDEX transactions_by_source ON transactions (org, source, number);
CREATE INDEX transactions_by_destination ON transactions (org, destination, number);
