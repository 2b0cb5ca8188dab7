-- The two entries of a transaction are columns of its row: the amount, and the balance of each account after it.

ALTER TABLE transactions ADD COLUMN source_balance INTEGER NOT NULL DEFAULT 0;
ALTER TABLE transactions ADD COLUMN destination_balance INTEGER NOT NULL DEFAULT 0;

-- A missing entry leaves 0, which `bursar verify` finds.
UPDATE transactions SET
    source_balance = coalesce((
        SELECT balance_after FROM ledger_entries AS entry
        WHERE entry.org = transactions.org AND entry.account = source AND entry.number = transactions.number
    ), 0),
    destination_balance = coalesce((
        SELECT balance_after FROM ledger_entries AS entry
        WHERE entry.org = transactions.org AND entry.account = destination AND entry.number = transactions.number
    ), 0);

CREATE INDEX transactions_by_source ON transactions (org, source, number);
CREATE INDEX transactions_by_destination ON transactions (org, destination, number);
