//! What a provider may say. Pure.

use secrecy::SecretString;

use crate::clock::Time;
use crate::money::Cents;
use crate::rails::failures::FailureCode;
use crate::world::record::words;

words! {
    /// How a provider is spoken to.
    pub enum ProviderKind {
        /// The adapter protocol of bursar.
        Adapter = "adapter",
        /// PayPal Payouts, for PayPal and Venmo.
        Paypal = "paypal",
    }
}

/// A provider's address and credentials, in clear only in memory.
#[derive(Clone, Debug)]
pub struct Access {
    pub kind: ProviderKind,
    /// Without a slash at its end.
    pub url: String,
    /// Only of PayPal.
    pub client_id: Option<String>,
    pub secret: SecretString,
}

/// An answer of a provider about one payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It has the payment.
    Has(Report),
    /// It definitely does not have the payment, and never will.
    Refused(FailureCode),
    /// Our balance there is too low. It does not have the payment yet.
    ShortOfFunds,
    /// It has another payment under this id.
    Different,
    /// It has never received the payment.
    HasNot,
    /// Any other answer, or none.
    Unclear(String),
}

impl Reply {
    /// Returns the outcome in one word, for metrics.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Has(_) => "known",
            Self::Refused(_) => "refused",
            Self::ShortOfFunds => "short_of_funds",
            Self::Different => "different",
            Self::HasNot => "unknown",
            Self::Unclear(_) => "unclear",
        }
    }
}

/// The state of a payment, as its provider reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub state: ReportedState,
    /// When the outcome is due, if the provider says so.
    pub settles_at: Option<Time>,
    pub reference: Option<String>,
    /// What the provider charges us, in cents.
    pub fee: Option<Cents>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportedState {
    /// Also every status that we do not know.
    Accepted,
    Completed,
    Failed(FailureCode),
    /// The money had arrived and came back.
    Returned(FailureCode),
    /// The money came back: a failure if it had never arrived, else a return.
    CameBack(FailureCode),
}

/// Returns the failure for a provider's code: one of our own, or a bank's return code such as R03.
pub(super) fn failure(code: &str) -> FailureCode {
    let known = FailureCode::from_word(code);
    let returned = || code.strip_prefix('R').and_then(|digits| digits.parse().ok()).map(FailureCode::of_return_code);
    known.or_else(returned).unwrap_or(FailureCode::RejectedByRail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_ours_or_a_banks() {
        for (code, expected) in [
            ("account_closed", FailureCode::AccountClosed),
            ("R03", FailureCode::NoAccount),
            ("R99", FailureCode::RejectedByRail),
            ("", FailureCode::RejectedByRail),
            ("Rx", FailureCode::RejectedByRail),
            ("out_of_paper", FailureCode::RejectedByRail),
        ] {
            assert_eq!(failure(code), expected, "{code}");
        }
    }
}
