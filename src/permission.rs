//! What a member's role may allow.

/// What a signed-in member's role must allow for a route (`members::may`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permission {
    /// Manage their own sessions, password and second factor.
    Own,
    /// Read.
    View,
    /// Create, update, cancel and submit bills; add vendors and their accounts.
    Prepare,
    /// Approve and reject bills.
    Approve,
    /// Pay approved bills; release payouts above the limit.
    Pay,
    /// Confirm the account that another member added.
    Confirm,
    /// Change members, approval policies and settings.
    Govern,
}

impl Permission {
    /// All, for the tests.
    pub const ALL: [Self; 7] =
        [Self::Own, Self::View, Self::Prepare, Self::Approve, Self::Pay, Self::Confirm, Self::Govern];
}
