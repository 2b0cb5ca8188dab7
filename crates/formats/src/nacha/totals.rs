//! Counts and sums of a batch or a file.

use super::codes::Side;

/// The entry hash keeps its last ten digits.
const HASH_MODULUS: u64 = 10_000_000_000;

/// Counts and sums, in cents. They saturate: a file that is large enough to reach the limit of `u64` is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub batches: u64,
    pub entries: u64,
    pub addenda: u64,
    /// Sum of the first eight digits of the routing numbers, not yet cut to ten digits.
    pub hash: u64,
    pub debits: u64,
    pub credits: u64,
}

impl Totals {
    /// Adds an entry; an amount without a known side is counted and not added.
    pub const fn entry(&mut self, rdfi: u64, amount: u64, side: Option<Side>) {
        self.entries = self.entries.saturating_add(1);
        self.hash = self.hash.saturating_add(rdfi);
        match side {
            Some(Side::Credit) => self.credits = self.credits.saturating_add(amount),
            Some(Side::Debit) => self.debits = self.debits.saturating_add(amount),
            None => {}
        }
    }

    pub const fn add(&mut self, other: &Self) {
        self.batches = self.batches.saturating_add(other.batches);
        self.entries = self.entries.saturating_add(other.entries);
        self.addenda = self.addenda.saturating_add(other.addenda);
        self.hash = self.hash.saturating_add(other.hash);
        self.debits = self.debits.saturating_add(other.debits);
        self.credits = self.credits.saturating_add(other.credits);
    }

    /// Entries and addenda together, as the control records count them.
    #[must_use]
    pub const fn records(&self) -> u64 {
        self.entries.saturating_add(self.addenda)
    }

    /// The entry hash as the control records state it.
    #[must_use]
    pub const fn entry_hash(&self) -> u64 {
        self.hash % HASH_MODULUS
    }
}
