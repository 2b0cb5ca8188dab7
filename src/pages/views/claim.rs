//! The claim of a payout link at `/claim/<token>`: one page per step, then the outcome (docs/decisions.md 9 and 16).
//! Every form posts to `/claim/<token>/<step>`; choosing a rail, showing another amount and going back are plain GETs.

use askama::Template;

use super::{Choice, Form};

/// The head of every page of a claim: the sender, the amount and the progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The secret part of the link.
    pub token: String,
    pub app_name: String,
    /// The whole amount of the link in dollars: "$125.00".
    pub amount: String,
    pub memo: Option<String>,
    pub message: Option<String>,
    /// The last day of the link: "December 21, 2026".
    pub expires_on: Option<String>,
    /// The steps of this claim in order, without those that it does not need.
    pub steps: Vec<Step>,
    /// In the sandbox the page says that no money moves and where messages are shown.
    pub sandbox: bool,
    /// Whether this browser has a claim session, which it can end.
    pub signed_in: bool,
    /// Whether the session may change the payee's e-mail address or phone number.
    pub may_change_contact: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// One or two words: "Contact", "Code", "Name", "Tax form", "Method", "Amount".
    pub label: String,
    pub state: StepState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    Done,
    Current,
    Ahead,
}

impl Claim {
    /// Returns the number of the current step, counted from one; `None` once all are done.
    #[must_use]
    pub fn position(&self) -> Option<usize> {
        let current = self.steps.iter().position(|step| step.state == StepState::Current);
        current.map(|index| index + 1)
    }

    /// Returns the first letter of the app's name, for its badge.
    #[must_use]
    pub fn initial(&self) -> String {
        let first = self.app_name.chars().find(|letter| letter.is_alphanumeric());
        first.map_or_else(String::new, |letter| letter.to_uppercase().collect())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactWay {
    Phone,
    Email,
}

/// Step `contact`: posts `country_code` and `phone_number`, or `email`.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/contact.html")]
pub struct ContactPage {
    pub claim: Claim,
    /// The contact offered first, or the one posted with errors; the other is collapsed.
    pub way: ContactWay,
    /// Whether the link also allows the other kind of contact.
    pub other_way: bool,
    /// The contact that the sender named, masked: "+1 ••• ••• 1234".
    pub addressed_to: Option<String>,
    /// Calling codes: value "1", label "United States +1".
    pub country_codes: Vec<Choice>,
    pub form: Form,
}

/// Step `code`: posts `token` (six digits), or `resend=1` for a new code.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/code.html")]
pub struct CodePage {
    pub claim: Claim,
    /// The recipient of the code, masked: "+1 ••• ••• 1234".
    pub sent_to: String,
    /// A new code was just sent; the page says so.
    pub resent: bool,
    /// Five wrong tries have invalidated the code (docs/decisions.md 16). The field is hidden, because only a new code
    /// helps.
    pub dead: bool,
    /// Whether the link allows another phone or address.
    pub other_contact: bool,
    pub form: Form,
}

/// `change-contact`: posts `email`, or `country_code` and `phone_number`.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/contact_change.html")]
pub struct ContactChangePage {
    pub claim: Claim,
    /// A change was just made; the page says so.
    pub changed: bool,
    /// Calling codes: value "1", label "United States +1".
    pub country_codes: Vec<Choice>,
    pub form: Form,
}

/// `confirm-contact`: posts `present_token` and `new_token` (six digits each).
#[derive(Debug, Clone, Template)]
#[template(path = "claim/contact_codes.html")]
pub struct ContactCodesPage {
    pub claim: Claim,
    /// The current contact, masked: "***1234".
    pub present_sent_to: String,
    /// The new contact, masked.
    pub new_sent_to: String,
    /// Errors only; codes are never shown again.
    pub form: Form,
}

/// Step `profile`: posts `first_name`, `last_name`, `email`.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/profile.html")]
pub struct ProfilePage {
    pub claim: Claim,
    /// The typed values, or the data that the sender gave.
    pub form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaxForm {
    W9,
    W8Ben,
}

/// Step `compliance`: posts `form=w9` or `form=w8ben` and the fields of that form. A tax number is never shown again.
///
/// W-9: `entity_type`, `name`, `business_name`, `tax_id_type` (ssn, ein), `tax_id`, `line_1`, `line_2`, `city`,
/// `state`, `postcode`, `certified=true`. W-8BEN: `name`, `citizenship`, `date_of_birth`, `foreign_tax_id`, `line_1`,
/// `city`, `postcode`, `country`, `certified=true`.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/compliance.html")]
pub struct CompliancePage {
    pub claim: Claim,
    /// The tax form of `form`; W-9 when the page is shown first.
    pub tax_form: TaxForm,
    /// States of the United States: value "NY", label "New York".
    pub states: Vec<Choice>,
    /// Countries: value "DE", label "Germany".
    pub countries: Vec<Choice>,
    pub form: Form,
}

impl CompliancePage {
    /// Returns the values typed into that form. The other form is empty, because its fields have the same names.
    fn typed(&self, tax_form: TaxForm) -> Form {
        if self.tax_form == tax_form { self.form.clone() } else { Form::default() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RailChoice {
    pub platform: String,
    /// The name for payees: "Bank account".
    pub name: String,
    /// "25¢ fee", "No fee".
    pub fee: String,
    /// "Arrives in 1 business day".
    pub arrives: String,
}

/// A payout method that the payee saved earlier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedMethod {
    pub id: String,
    /// The rail and its last digits: "Bank account ••6789".
    pub name: String,
    /// "25¢ fee", "No fee".
    pub fee: String,
    /// "Arrives in 1 business day".
    pub arrives: String,
}

/// Step `method`, first half: a GET with `platform` leads to the details; a saved method posts `payout_method_id`.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/method.html")]
pub struct MethodPage {
    pub claim: Claim,
    /// Saved methods; most payees have none.
    pub saved: Vec<SavedMethod>,
    /// The open rails, the recommended one first.
    pub rails: Vec<RailChoice>,
    /// Holds `platform` if it was chosen before, and the error if none was.
    pub form: Form,
}

/// A field that a rail asks for; each name is the field's, unless noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodField {
    AccountNumber,
    RoutingNumber,
    /// `account_type`: checking or savings
    AccountType,
    Email,
    PhoneNumber,
    Handle,
    CashTag,
    Iban,
    Bic,
    Country,
    BankCode,
    AccountHolderName,
    /// `name`: the person who collects a transfer
    RecipientName,
    /// `address`: of the account holder
    HolderAddress,
    /// `card_token`: never a card number
    CardToken,
    /// `address`: the destination on a network
    Address,
    Network,
}

/// Step `method`, second half (`?platform=ach`): posts `platform`, the fields, `is_default=true`,
/// `auto_payout_enabled=true`.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/method_details.html")]
pub struct MethodDetailsPage {
    pub claim: Claim,
    pub rail: RailChoice,
    /// A note for rails that need only one of several fields.
    pub note: Option<&'static str>,
    /// The fields of the rail, in order.
    pub fields: Vec<MethodField>,
    /// Networks for [`MethodField::Network`].
    pub networks: Vec<Choice>,
    /// Countries for [`MethodField::Country`].
    pub countries: Vec<Choice>,
    /// Whether the method can become the default, and automatic payouts can be enabled.
    pub may_prefer: bool,
    pub form: Form,
}

/// Step `payout`: posts `amount` in dollars and `shown_amount`, the amount whose fee is on the page. If the two differ,
/// the handler shows the page again with the new fee: a payee sees the fee before withdrawing. "Show fee" is a GET of
/// this step with `amount`.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/payout.html")]
pub struct PayoutPage {
    pub claim: Claim,
    /// The amount that can be withdrawn: "$125.00".
    pub available: String,
    /// The same amount as it is posted back, so that a form that is sent twice pays once: "125.00".
    pub available_amount: String,
    /// The amount of the figures below, as the field shows it: "125.00".
    pub shown_amount: String,
    /// The amount that leaves the balance: "$125.00".
    pub amount: String,
    /// "$0.25", "No fee".
    pub fee: String,
    /// The amount that arrives: "$124.75".
    pub payout_amount: String,
    /// "Bank account ••6789".
    pub destination: String,
    /// "on Monday, March 2", "in minutes".
    pub arrives: String,
    pub form: Form,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PayoutOutcome {
    /// The payer reviews it before it is sent.
    InReview,
    Pending,
    Completed,
    /// It failed or was returned; the money is in the payee's wallet.
    Failed {
        /// The failure code's message: "The account is closed."
        message: String,
    },
}

/// The page after the last step: the payout and its outcome.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/done.html")]
pub struct DonePage {
    pub claim: Claim,
    pub outcome: PayoutOutcome,
    /// The amount that arrives: "$124.75".
    pub payout_amount: String,
    /// "$0.25", "No fee".
    pub fee: String,
    /// "Bank account ••6789".
    pub destination: String,
    /// The day on which it arrives or arrived: "Monday, March 2".
    pub arrives: String,
    pub reference: String,
    /// The amount left to withdraw, if any: "$25.00".
    pub remaining: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closed {
    /// 410 `link-expired`.
    Expired,
    /// 410 `link-canceled`.
    Canceled,
    /// 404: no link has this token.
    Unknown,
    /// 409: another browser claimed the link.
    ClaimedElsewhere,
    /// 429: too many tries from this address or to this phone.
    TooManyTries,
    /// All steps are complete, and an admin must review the payee before the payout.
    OnHold { message: String },
    Problem {
        /// A sentence: "The service cannot answer now."
        message: String,
    },
}

/// The page of a claim that cannot continue: the reason, and the sender to ask.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/closed.html")]
pub struct ClosedPage {
    pub why: Closed,
    /// The app that sent the link, if known.
    pub app_name: Option<String>,
    /// The target of "Try again", if that can help: "/claim/<token>".
    pub again: Option<String>,
    /// The request's id, to quote in a support request.
    pub request_id: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(app_name: &str, states: &[StepState]) -> Claim {
        let steps = states.iter().map(|state| Step { label: "Step".into(), state: *state });
        Claim {
            token: "t".into(),
            app_name: app_name.into(),
            amount: "$1.00".into(),
            memo: None,
            message: None,
            expires_on: None,
            steps: steps.collect(),
            sandbox: true,
            signed_in: false,
            may_change_contact: false,
        }
    }

    #[test]
    fn the_position_is_the_current_step_counted_from_one() {
        let under_way = claim("Acme", &[StepState::Done, StepState::Current, StepState::Ahead]);
        assert_eq!(under_way.position(), Some(2));
        assert_eq!(claim("Acme", &[StepState::Done]).position(), None);
    }

    #[test]
    fn the_initial_is_the_first_letter_or_digit_of_the_name() {
        assert_eq!(claim("élan", &[]).initial(), "É");
        assert_eq!(claim("(3 Oaks)", &[]).initial(), "3");
        assert_eq!(claim("—", &[]).initial(), "");
    }
}
