//! Why a payout did not arrive, as its payee reads it on the claim page and in messages.

use crate::language::Text;
use crate::rails::failures::FailureCode;

/// Returns why a payout did not arrive, in words for its payee.
pub const fn failure_text(code: FailureCode) -> Text {
    match code {
        FailureCode::AccountClosed => Text::FailureClosed,
        FailureCode::NoAccount => Text::FailureNoAccount,
        FailureCode::InvalidAccountNumber => Text::FailureNumber,
        FailureCode::HolderDeceased
        | FailureCode::FileDataInvalid
        | FailureCode::Duplicate
        | FailureCode::Sanctions => Text::FailureNotProcessed,
        FailureCode::AccountFrozen => Text::FailureFrozen,
        FailureCode::AccountNotEligible => Text::FailureNotEligible,
        FailureCode::NameMismatch => Text::FailureName,
        FailureCode::RecipientNotFound => Text::FailureNotFound,
        FailureCode::LimitExceeded => Text::FailureLimit,
        // Reasons of a debit, which say nothing to a person who is paid.
        FailureCode::InsufficientFunds
        | FailureCode::Unauthorized
        | FailureCode::NotAsAuthorized
        | FailureCode::PaymentStopped
        | FailureCode::RefusedByReceiver
        | FailureCode::ReturnedOnRequest
        | FailureCode::RejectedByRail => Text::FailureOther,
    }
}
