//! The account numbers that select an answer (docs/sandbox.md). Pure.

/// The answer to a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Selected {
    /// It arrives.
    Nothing,
    /// It comes back before it settles.
    Returned(u8),
    /// It comes back two days later.
    ReturnedLate(u8),
    /// It arrives, and the account has other numbers.
    Changed(u8),
    /// It comes back twice, in two files.
    ReturnedTwice,
    /// It comes back with another amount.
    ReturnedWithAnotherAmount,
    /// It comes back with a trace number that the bank made up.
    ReturnedWithAnotherTrace,
    /// The operator refuses the whole batch.
    Rejected,
}

/// Returns what an account number selects. `10000002` is R02, `30000001` is C01.
pub(super) fn selected(account: &str) -> Selected {
    let number = |prefix: &str| -> Option<u8> {
        let digits = account.strip_prefix(prefix).filter(|digits| digits.len() == 2)?;
        digits.parse().ok()
    };
    if let Some(code) = number("100000") {
        return Selected::Returned(code);
    }
    if let Some(code) = number("200000") {
        return Selected::ReturnedLate(code);
    }
    if let Some(code) = number("300000") {
        return Selected::Changed(code);
    }
    match account {
        "40000001" => Selected::ReturnedTwice,
        "40000002" => Selected::ReturnedWithAnotherAmount,
        "40000003" => Selected::ReturnedWithAnotherTrace,
        "50000000" => Selected::Rejected,
        _ => Selected::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_number_selects_an_answer() {
        for (account, expected) in [
            ("10000002", Selected::Returned(2)),
            ("20000001", Selected::ReturnedLate(1)),
            ("30000001", Selected::Changed(1)),
            ("40000001", Selected::ReturnedTwice),
            ("50000000", Selected::Rejected),
            ("100000021", Selected::Nothing),
            ("55501234", Selected::Nothing),
        ] {
            assert_eq!(selected(account), expected, "{account}");
        }
    }
}
