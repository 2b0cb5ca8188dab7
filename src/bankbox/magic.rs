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
    /// The first debits of this number come back with R01, each before it settles; later ones arrive.
    ShortOfFunds(u8),
    /// It arrives, and a reversal of it comes back before that settles.
    ReversalReturned(u8),
    /// It arrives, and a reversal of it comes back after that settled.
    ReversalReturnedLate(u8),
    /// It comes back twice, in two files.
    ReturnedTwice,
    /// It comes back with another amount.
    ReturnedWithAnotherAmount,
    /// It comes back with a trace number that the bank made up.
    ReturnedWithAnotherTrace,
    /// The operator refuses the whole batch, or the bank the whole message.
    Rejected,
    /// The bank says that it has the message already.
    Duplicate,
    /// The bank says that the money has moved, and then that it refused the payment.
    Contradicted,
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
    if let Some(code) = number("800000") {
        return Selected::ReversalReturned(code);
    }
    if let Some(code) = number("810000") {
        return Selected::ReversalReturnedLate(code);
    }
    if let Some(times) = number("900000") {
        return Selected::ShortOfFunds(times);
    }
    match account {
        "40000001" => Selected::ReturnedTwice,
        "40000002" => Selected::ReturnedWithAnotherAmount,
        "40000003" => Selected::ReturnedWithAnotherTrace,
        "50000000" => Selected::Rejected,
        "60000000" => Selected::Duplicate,
        "70000000" => Selected::Contradicted,
        _ => Selected::Nothing,
    }
}

/// The digits of an IBAN that select an answer.
const IBAN_DIGITS: usize = 8;

/// Returns what the last digits of an IBAN select.
pub(super) fn selected_by_iban(iban: &str) -> Selected {
    selected(iban.get(iban.len().saturating_sub(IBAN_DIGITS)..).unwrap_or_default())
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
            ("80000002", Selected::ReversalReturned(2)),
            ("81000010", Selected::ReversalReturnedLate(10)),
            ("90000001", Selected::ShortOfFunds(1)),
            ("40000001", Selected::ReturnedTwice),
            ("50000000", Selected::Rejected),
            ("100000021", Selected::Nothing),
            ("55501234", Selected::Nothing),
        ] {
            assert_eq!(selected(account), expected, "{account}");
        }
        assert_eq!(selected_by_iban("DE96370400440010000002"), Selected::Returned(2));
        assert_eq!(selected_by_iban("DE89370400440532013000"), Selected::Nothing);
    }
}
