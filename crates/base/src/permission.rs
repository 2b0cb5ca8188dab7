/// A permission that a route requires from a signed-in member's role (`members::may`).
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
    /// Confirm an account that another member added.
    Confirm,
    /// Change members, approval policies and settings.
    Govern,
}

impl Permission {
    pub const ALL: [Self; 7] =
        [Self::Own, Self::View, Self::Prepare, Self::Approve, Self::Pay, Self::Confirm, Self::Govern];
}
