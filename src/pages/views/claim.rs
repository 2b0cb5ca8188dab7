//! The claim of a payout link at `/claim/<token>`: one page per step, then the outcome (docs/decisions.md 9 and 16).
//!
//! Every form posts to `/claim/<token>/<step>`; choosing a rail, showing another amount and going back are plain GETs.

use askama::Template;

use super::{Choice, Form};

/// What stands above every step: who pays, how much, and how far the person has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The secret part of the link.
    pub token: String,
    /// The name of the app that sends the money.
    pub app_name: String,
    /// The whole amount of the link in dollars: "$125.00".
    pub amount: String,
    /// The sender's words, where there are any.
    pub memo: Option<String>,
    /// What the sender says to the payee.
    pub message: Option<String>,
    /// The last day of the link in words: "December 21, 2026".
    pub expires_on: Option<String>,
    /// The steps of this claim in order; steps that are not needed are absent.
    pub steps: Vec<Step>,
    /// In the sandbox the page says that no money moves and where messages land.
    pub sandbox: bool,
    /// Whether this browser holds a claim session, which it can end.
    pub signed_in: bool,
    /// Whether the session may change the payee's e-mail address or phone number.
    pub may_change_contact: bool,
}

/// One step in the progress indicator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// One or two words: "Contact", "Code", "Name", "Tax form", "Method", "Amount".
    pub label: String,
    /// How far the person has come with it.
    pub state: StepState,
}

/// How far the person has come with a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    /// Behind the person.
    Done,
    /// The one on the page.
    Current,
    /// Still to come.
    Ahead,
}

impl Claim {
    /// The step on the page, counted from one; nothing once all are done.
    #[must_use]
    pub fn position(&self) -> Option<usize> {
        let current = self.steps.iter().position(|step| step.state == StepState::Current);
        current.map(|index| index + 1)
    }

    /// The first letter of the app's name, for its badge.
    #[must_use]
    pub fn initial(&self) -> String {
        let first = self.app_name.chars().find(|letter| letter.is_alphanumeric());
        first.map_or_else(String::new, |letter| letter.to_uppercase().collect())
    }
}

/// How the person proves who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactWay {
    /// By a code sent to a phone.
    Phone,
    /// By a code sent to an e-mail address.
    Email,
}

/// Step `contact`: posts `country_code` and `phone_number`, or `email`.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/contact.html")]
pub struct ContactPage {
    /// The head of the page.
    pub claim: Claim,
    /// The way offered first (or the one posted with errors); the other is folded away.
    pub way: ContactWay,
    /// Whether the link allows the other way too.
    pub other_way: bool,
    /// Whom the sender named, masked: "+1 ••• ••• 1234".
    pub addressed_to: Option<String>,
    /// Calling codes: value "1", label "United States +1".
    pub country_codes: Vec<Choice>,
    /// What was typed.
    pub form: Form,
}

/// Step `code`: posts `token` (six digits), or `resend=1` for a new code.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/code.html")]
pub struct CodePage {
    /// The head of the page.
    pub claim: Claim,
    /// Where the code went, masked: "+1 ••• ••• 1234".
    pub sent_to: String,
    /// A new code was just sent; the page says so.
    pub resent: bool,
    /// Five wrong tries have killed the code (docs/decisions.md 16): only a new one helps, so the field is not shown.
    pub dead: bool,
    /// Whether the link allows another phone or address.
    pub other_contact: bool,
    /// What was typed.
    pub form: Form,
}

/// `change-contact`: posts `email`, or `country_code` and `phone_number`.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/contact_change.html")]
pub struct ContactChangePage {
    /// The head of the page.
    pub claim: Claim,
    /// A change was just made; the page says so.
    pub changed: bool,
    /// Calling codes: value "1", label "United States +1".
    pub country_codes: Vec<Choice>,
    /// What was typed.
    pub form: Form,
}

/// `confirm-contact`: posts `present_token` and `new_token` (six digits each).
#[derive(Debug, Clone, Template)]
#[template(path = "claim/contact_codes.html")]
pub struct ContactCodesPage {
    /// The head of the page.
    pub claim: Claim,
    /// The present contact to which a code went, masked: "***1234".
    pub present_sent_to: String,
    /// The new one, masked.
    pub new_sent_to: String,
    /// What is wrong; codes are never shown again.
    pub form: Form,
}

/// Step `profile`: posts `first_name`, `last_name`, `email`.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/profile.html")]
pub struct ProfilePage {
    /// The head of the page.
    pub claim: Claim,
    /// What was typed, or what the sender already knows.
    pub form: Form,
}

/// Which tax form was posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaxForm {
    /// For people and businesses of the United States.
    W9,
    /// For people of other countries.
    W8Ben,
}

/// Step `compliance`: posts `form=w9` or `form=w8ben` and that form's fields.
///
/// W-9: `entity_type`, `name`, `business_name`, `tax_id_type` (ssn, ein), `tax_id`, `line_1`, `line_2`, `city`, `state`,
/// `postcode`, `certified=true`. W-8BEN: `name`, `citizenship`, `date_of_birth`, `foreign_tax_id`, `line_1`, `city`, `postcode`,
/// `country`, `certified=true`. A tax number is never shown again.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/compliance.html")]
pub struct CompliancePage {
    /// The head of the page.
    pub claim: Claim,
    /// The form that `form` belongs to; W-9 when the page is shown first.
    pub tax_form: TaxForm,
    /// States of the United States: value "NY", label "New York".
    pub states: Vec<Choice>,
    /// Countries: value "DE", label "Germany".
    pub countries: Vec<Choice>,
    /// What was typed into the form named by `tax_form`.
    pub form: Form,
}

impl CompliancePage {
    /// What was typed into that form; empty for the other one, whose fields have the same names.
    fn typed(&self, tax_form: TaxForm) -> Form {
        if self.tax_form == tax_form { self.form.clone() } else { Form::default() }
    }
}

/// A rail that is open to the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RailChoice {
    /// The rail identifier: "ach".
    pub platform: String,
    /// What people call it: "Bank account".
    pub name: String,
    /// "25¢ fee", "No fee".
    pub fee: String,
    /// "Arrives in 1 business day".
    pub arrives: String,
}

/// A payout method that the person set up earlier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedMethod {
    /// The id of the payout method.
    pub id: String,
    /// The rail and what it ends in: "Bank account ••6789".
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
    /// The head of the page.
    pub claim: Claim,
    /// Methods to use again, none for most people.
    pub saved: Vec<SavedMethod>,
    /// The open rails, the one to recommend first.
    pub rails: Vec<RailChoice>,
    /// Holds `platform` when it was chosen before, and the error when none was.
    pub form: Form,
}

/// A field that a rail asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodField {
    /// `account_number`
    AccountNumber,
    /// `routing_number`
    RoutingNumber,
    /// `account_type`: checking or savings
    AccountType,
    /// `email`
    Email,
    /// `phone_number`
    PhoneNumber,
    /// `handle`
    Handle,
    /// `cash_tag`
    CashTag,
    /// `iban`
    Iban,
    /// `bic`
    Bic,
    /// `country`
    Country,
    /// `bank_code`
    BankCode,
    /// `account_holder_name`
    AccountHolderName,
    /// `name`: of who collects a transfer
    RecipientName,
    /// `address`: of the account's holder
    HolderAddress,
    /// `card_token`: never a card number
    CardToken,
    /// `address`: where a network delivers to
    Address,
    /// `network`
    Network,
}

/// Step `method`, second half (`?platform=ach`): posts `platform`, the fields, `is_default=true`, `auto_payout_enabled=true`.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/method_details.html")]
pub struct MethodDetailsPage {
    /// The head of the page.
    pub claim: Claim,
    /// The rail that was chosen.
    pub rail: RailChoice,
    /// Where one of several fields is enough, which.
    pub note: Option<&'static str>,
    /// What the rail asks for, in order.
    pub fields: Vec<MethodField>,
    /// Networks for [`MethodField::Network`].
    pub networks: Vec<Choice>,
    /// Countries for [`MethodField::Country`].
    pub countries: Vec<Choice>,
    /// Whether the method can become the default, and automatic payouts be switched on.
    pub may_prefer: bool,
    /// What was typed.
    pub form: Form,
}

/// Step `payout`: posts `amount` in dollars and `shown_amount`, the amount whose fee is on the page.
///
/// When the two differ the handler shows the page again with the new fee: nobody withdraws at a fee they have not seen.
/// "Show fee" is a GET to the same step with `amount`.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/payout.html")]
pub struct PayoutPage {
    /// The head of the page.
    pub claim: Claim,
    /// What can be withdrawn: "$125.00".
    pub available: String,
    /// The same as it is posted back, so that a form that is sent twice pays once: "125.00".
    pub available_amount: String,
    /// The amount that the figures below belong to, as it stands in the field: "125.00".
    pub shown_amount: String,
    /// What leaves the balance: "$125.00".
    pub amount: String,
    /// "$0.25", "No fee".
    pub fee: String,
    /// What arrives: "$124.75".
    pub payout_amount: String,
    /// Where to: "Bank account ••6789".
    pub destination: String,
    /// When: "on Monday, March 2", "in minutes".
    pub arrives: String,
    /// What was typed into `amount`.
    pub form: Form,
}

/// What became of a payout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PayoutOutcome {
    /// The payer looks at it before it leaves.
    InReview,
    /// On its way.
    Pending,
    /// Arrived.
    Completed,
    /// Came back; the money is in the person's wallet.
    Failed {
        /// The sentence of the catalogue of failures: "The account is closed."
        message: String,
    },
}

/// After the last step: where the money is.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/done.html")]
pub struct DonePage {
    /// The head of the page.
    pub claim: Claim,
    /// What became of the payout.
    pub outcome: PayoutOutcome,
    /// What arrives: "$124.75".
    pub payout_amount: String,
    /// "$0.25", "No fee".
    pub fee: String,
    /// Where to: "Bank account ••6789".
    pub destination: String,
    /// When it arrives or arrived: "Monday, March 2".
    pub arrives: String,
    /// The id of the transfer.
    pub reference: String,
    /// What is left to withdraw: "$25.00"; nothing when nothing is.
    pub remaining: Option<String>,
}

/// Why there is no claim to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closed {
    /// 410 `link-expired`.
    Expired,
    /// 410 `link-canceled`.
    Canceled,
    /// 404: no link has this token.
    Unknown,
    /// 409: claimed, and this browser is not the one that claimed it.
    ClaimedElsewhere,
    /// 429: too many tries from this address or to this phone.
    TooManyTries,
    /// All is told, and somebody must look before the money goes on.
    OnHold {
        /// What the payee is told.
        message: String,
    },
    /// Anything else.
    Problem {
        /// A sentence: "The service cannot answer now."
        message: String,
    },
}

/// The claim cannot go on; says why, and whom to ask.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/closed.html")]
pub struct ClosedPage {
    /// Why.
    pub why: Closed,
    /// Who sent the link, where that is known.
    pub app_name: Option<String>,
    /// Where "Try again" leads, where trying again helps: "/claim/<token>".
    pub again: Option<String>,
    /// The request's id, to quote when asking for help.
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
