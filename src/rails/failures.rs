//! The catalogue of failures: why money did not arrive or came back, with the bank's code, who must act, whether a
//! retry helps, and the effect on the payout method (docs/decisions.md 8).

use crate::language::Text;
use crate::world::record::words;

words! {
    /// Why a transfer failed or was returned: the `error` of a transfer.
    pub enum FailureCode {
        /// R01
        InsufficientFunds = "insufficient_funds",
        /// R02
        AccountClosed = "account_closed",
        /// R03
        NoAccount = "no_account",
        /// R04, R12, R13, R28
        InvalidAccountNumber = "invalid_account_number",
        /// R05, R07, R10, R29, R51
        Unauthorized = "unauthorized",
        /// R11
        NotAsAuthorized = "not_as_authorized",
        /// R08, R38, R52
        PaymentStopped = "payment_stopped",
        /// R14, R15
        HolderDeceased = "holder_deceased",
        /// R16
        AccountFrozen = "account_frozen",
        /// R17, R18, R19, R21, R22, R25, R26, R27, R30, R32, R33: the file or the set-up is wrong.
        FileDataInvalid = "file_data_invalid",
        /// R24
        Duplicate = "duplicate",
        /// R20, R34, R35, R36
        AccountNotEligible = "account_not_eligible",
        /// R23, R31
        RefusedByReceiver = "refused_by_receiver",
        /// R06; our own reversal
        ReturnedOnRequest = "returned_on_request",
        /// The name on the account differs.
        NameMismatch = "name_mismatch",
        /// The wallet or handle does not exist.
        RecipientNotFound = "recipient_not_found",
        /// The rail's own limit.
        LimitExceeded = "limit_exceeded",
        /// R90; R16 whose text names OFAC
        Sanctions = "sanctions",
        /// Any other reason of the rail.
        RejectedByRail = "rejected_by_rail",
    }
}

/// Who must act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionBy {
    /// The payee chooses or corrects the method.
    Payee,
    /// A member of the app.
    App,
    /// The failure is temporary.
    NoOne,
}

/// The effect of a failure on the payout method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodOutcome {
    Kept,
    /// The next payout needs another method.
    Disabled,
}

use ActionBy::{App, NoOne, Payee};
use MethodOutcome::{Disabled, Kept};

/// Returns an entry. The parts are in the order of [`Failure`].
const fn entry(
    return_codes: &'static [u8],
    iso_reason: Option<&'static str>,
    message: &'static str,
    action_by: ActionBy,
    retry_helps: bool,
    method: MethodOutcome,
) -> Failure {
    Failure { return_codes, iso_reason, message, action_by, retry_helps, method }
}

/// Returns the entry of a failure that shows that the account cannot be used.
const fn of_account(return_codes: &'static [u8], iso_reason: Option<&'static str>, message: &'static str) -> Failure {
    entry(return_codes, iso_reason, message, Payee, false, Disabled)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The bank return codes of this failure, as the numbers after the R.
    pub return_codes: &'static [u8],
    /// The ISO 20022 reason, if there is one.
    pub iso_reason: Option<&'static str>,
    /// The text for payees: `error_message` and the claim page.
    pub message: &'static str,
    pub action_by: ActionBy,
    /// Whether a retry of the same payout may succeed.
    pub retry_helps: bool,
    pub method: MethodOutcome,
}

impl FailureCode {
    pub const fn failure(self) -> Failure {
        match self {
            Self::InsufficientFunds => {
                entry(&[1, 9], Some("AM04"), "The debited account did not have enough money.", Payee, true, Kept)
            }
            Self::AccountClosed => of_account(&[2], Some("AC04"), "The bank account is closed."),
            Self::NoAccount => of_account(&[3], Some("AC01"), "The bank found no account with this number and name."),
            Self::InvalidAccountNumber => {
                of_account(&[4, 12, 13, 28], Some("AC01"), "The account or routing number is not valid at this bank.")
            }
            Self::Unauthorized => {
                of_account(&[5, 7, 10, 29, 51], Some("MD01"), "The account holder has not authorized it.")
            }
            // The authorization is valid: a corrected debit may follow.
            Self::NotAsAuthorized => {
                entry(&[11], Some("MD06"), "The debit was not as the account holder authorized it.", App, false, Kept)
            }
            Self::PaymentStopped => {
                entry(&[8, 38, 52], Some("MS02"), "The account holder stopped the payment.", Payee, false, Kept)
            }
            Self::HolderDeceased => entry(
                &[14, 15],
                Some("MD07"),
                "The bank reports that the account holder has died.",
                App,
                false,
                Disabled,
            ),
            Self::AccountFrozen => of_account(&[16], Some("AC06"), "The bank account is frozen."),
            Self::FileDataInvalid => {
                let codes = &[17, 18, 19, 21, 22, 25, 26, 27, 30, 32, 33];
                entry(codes, Some("FF05"), "The bank could not process the payment.", App, false, Kept)
            }
            // Payees get no more of these two: one is our own error, and the other must not warn the person.
            Self::Duplicate => entry(&[24], Some("AM05"), "The bank could not process the payment.", App, false, Kept),
            Self::Sanctions => entry(&[90], Some("RR04"), "The bank could not process the payment.", App, false, Kept),
            Self::AccountNotEligible => {
                of_account(&[20, 34, 35, 36], Some("AG01"), "The bank account does not accept this kind of payment.")
            }
            Self::RefusedByReceiver => {
                entry(&[23, 31], Some("MS02"), "The receiver refused the payment.", Payee, false, Kept)
            }
            Self::ReturnedOnRequest => entry(&[6], Some("FOCR"), "The sender took the payment back.", App, false, Kept),
            Self::NameMismatch => {
                of_account(&[], Some("BE01"), "The name on the account differs from the payee's name.")
            }
            Self::RecipientNotFound => of_account(&[], Some("BE23"), "The provider does not know this recipient."),
            Self::LimitExceeded => entry(&[], Some("AM02"), "The payment exceeds a provider limit.", Payee, true, Kept),
            Self::RejectedByRail => entry(&[], Some("MS03"), "The provider rejected the payment.", NoOne, true, Kept),
        }
    }

    /// Returns the failure of a debit in words for its payer, in each language; in English it is the failure's message.
    pub const fn said(self) -> Text {
        match self {
            Self::InsufficientFunds => Text::ReasonFunds,
            Self::AccountClosed => Text::ReasonClosed,
            Self::NoAccount => Text::ReasonNoAccount,
            Self::InvalidAccountNumber => Text::ReasonNumber,
            Self::Unauthorized => Text::ReasonUnauthorized,
            Self::NotAsAuthorized => Text::ReasonNotAsAuthorized,
            Self::PaymentStopped => Text::ReasonStopped,
            Self::HolderDeceased => Text::ReasonDeceased,
            Self::AccountFrozen => Text::ReasonFrozen,
            Self::FileDataInvalid | Self::Duplicate | Self::Sanctions => Text::ReasonNotProcessed,
            Self::AccountNotEligible => Text::ReasonNotEligible,
            Self::RefusedByReceiver => Text::ReasonReceiver,
            Self::ReturnedOnRequest => Text::ReasonReversed,
            Self::NameMismatch => Text::ReasonName,
            Self::RecipientNotFound => Text::ReasonNotFound,
            Self::LimitExceeded => Text::ReasonLimit,
            Self::RejectedByRail => Text::ReasonRejected,
        }
    }

    /// Returns the failure for a bank's return code, the number after the R.
    pub fn of_return_code(number: u8) -> Self {
        let known = Self::ALL.iter().copied().find(|code| code.failure().return_codes.contains(&number));
        known.unwrap_or(Self::RejectedByRail)
    }

    /// Returns the failure for a reason code of ISO 20022, in a status report or a return of a payment to a payee.
    #[must_use]
    pub fn of_iso_reason(reason: &str) -> Self {
        match reason {
            "AM04" => Self::InsufficientFunds,
            "AC04" | "AC07" => Self::AccountClosed,
            "AC01" | "AC03" => Self::NoAccount,
            "RC01" | "AGNT" => Self::InvalidAccountNumber,
            "MD01" => Self::Unauthorized,
            "MD06" => Self::NotAsAuthorized,
            "MD07" => Self::HolderDeceased,
            "AC06" => Self::AccountFrozen,
            "FF01" | "FF05" | "CH03" | "DT01" | "AM12" | "RR01" | "RR02" | "RR03" => Self::FileDataInvalid,
            "AM05" | "DUPL" => Self::Duplicate,
            "RR04" => Self::Sanctions,
            "AG01" | "AC14" => Self::AccountNotEligible,
            "CUST" | "MS02" => Self::RefusedByReceiver,
            "FOCR" => Self::ReturnedOnRequest,
            "BE01" => Self::NameMismatch,
            "BE23" => Self::RecipientNotFound,
            "AM02" | "AM14" => Self::LimitExceeded,
            _ => Self::RejectedByRail,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    #[test]
    fn bank_codes_map_as_decided() {
        for (number, code) in [
            (1, "insufficient_funds"),
            (2, "account_closed"),
            (3, "no_account"),
            (4, "invalid_account_number"),
            (5, "unauthorized"),
            (7, "unauthorized"),
            (6, "returned_on_request"),
            (8, "payment_stopped"),
            (10, "unauthorized"),
            (11, "not_as_authorized"),
            (12, "invalid_account_number"),
            (13, "invalid_account_number"),
            (14, "holder_deceased"),
            (15, "holder_deceased"),
            (16, "account_frozen"),
            (17, "file_data_invalid"),
            (18, "file_data_invalid"),
            (20, "account_not_eligible"),
            (23, "refused_by_receiver"),
            (24, "duplicate"),
            (27, "file_data_invalid"),
            (28, "invalid_account_number"),
            (29, "unauthorized"),
            (31, "refused_by_receiver"),
            (33, "file_data_invalid"),
            (35, "account_not_eligible"),
            (38, "payment_stopped"),
            (51, "unauthorized"),
            (80, "rejected_by_rail"),
            (90, "sanctions"),
            (99, "rejected_by_rail"),
        ] {
            assert_eq!(FailureCode::of_return_code(number).as_str(), code, "R{number:02}");
        }
    }

    #[test]
    fn iso_reasons_map_as_decided() {
        for code in FailureCode::ALL {
            let Some(reason) = code.failure().iso_reason else { continue };
            // A payee refuses a credit; only a debit is stopped. A number that is not valid is that of no account.
            let others = [
                (FailureCode::PaymentStopped, FailureCode::RefusedByReceiver),
                (FailureCode::InvalidAccountNumber, FailureCode::NoAccount),
            ];
            let other = others.iter().find(|(of, _)| of == code).map(|(_, other)| *other);
            assert_eq!(FailureCode::of_iso_reason(reason), other.unwrap_or(*code), "{reason}");
        }
        assert_eq!(FailureCode::of_iso_reason("AC07"), FailureCode::AccountClosed);
        assert_eq!(FailureCode::of_iso_reason("DUPL"), FailureCode::Duplicate);
        assert_eq!(FailureCode::of_iso_reason("NARR"), FailureCode::RejectedByRail);
    }

    #[test]
    fn the_message_of_a_failure_is_its_english_text() {
        for code in FailureCode::ALL {
            assert_eq!(Language::En.text(code.said()), code.failure().message);
        }
    }

    #[test]
    fn no_bank_code_means_two_things() {
        let mut numbers: Vec<u8> =
            FailureCode::ALL.iter().flat_map(|code| code.failure().return_codes).copied().collect();
        let all = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), all);
    }
}
