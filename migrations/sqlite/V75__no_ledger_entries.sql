-- Transactions contain their entries.

DROP TABLE ledger_entries;
