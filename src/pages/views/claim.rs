//! The claim of a payout link at `/claim/<token>`: one page per step, then the outcome (docs/decisions.md 9 and 16).
//! Every form posts to `/claim/<token>/<step>`; choosing a rail, showing another amount and going back are plain GETs.

use askama::Template;

use super::{Choice, Form, Moment, Sender, Spoken, spoken};
use crate::language::{Language, Said, Text};

spoken! {
    ContactPage claim.language;
    NamedContactPage claim.language;
    CodePage claim.language;
    ContactChangePage claim.language;
    ContactCodesPage claim.language;
    ProfilePage claim.language;
    CompliancePage claim.language;
    MethodPage claim.language;
    MethodDetailsPage claim.language;
    PayoutPage claim.language;
    DonePage claim.language;
    ReceiptPage claim.language;
}

/// The head of every page of a claim: the sender, the amount and the progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Of the page.
    pub language: Language,
    /// The secret part of the link.
    pub token: String,
    pub sender: Sender,
    /// The whole amount of the link in dollars: "$125.00".
    pub amount: String,
    pub memo: Option<String>,
    pub message: Option<String>,
    /// The end of the link; `None` for a link that is claimed.
    pub expires: Option<Moment>,
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
    pub label: &'static str,
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
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactWay {
    Phone,
    Email,
}

/// Step `contact` of a link that names its payee: posts `send`, the kind of contact. The payee types nothing.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/named_contact.html")]
pub struct NamedContactPage {
    pub claim: Claim,
    /// The payee's first name, if the sender gave it.
    pub first_name: Option<String>,
    /// The contacts that the link names, masked, the usual one first.
    pub contacts: Vec<NamedContact>,
    /// Why the session of this browser has ended.
    pub ended: Option<Ended>,
    /// Errors only.
    pub form: Form,
}

/// A contact that a link names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedContact {
    pub way: ContactWay,
    /// "••• 1234", "j•••@example.com".
    pub mask: String,
}

/// Step `contact` of a link that names no payee: posts `country_code` and `phone_number`, or `email`.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/contact.html")]
pub struct ContactPage {
    pub claim: Claim,
    /// The contact offered first, or the one posted with errors; the other is collapsed.
    pub way: ContactWay,
    /// Calling codes: value "1", label "United States +1". Empty if the sender texts to no phone.
    pub country_codes: Vec<Choice>,
    /// Why the session of this browser has ended.
    pub ended: Option<Ended>,
    pub form: Form,
}

/// Why a session has ended without the payee's press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// A newer one was opened, on another device or in another browser.
    Replaced,
    /// An hour passed without a change.
    Idle,
}

impl Ended {
    /// Returns the reason in words.
    fn says(self, claim: &Claim) -> Said {
        match self {
            Self::Replaced => claim.language.say(Text::SessionReplaced).with("sender", &claim.sender.name),
            Self::Idle => claim.language.say(Text::SessionIdle),
        }
    }
}

/// Step `code`: posts `token` (six digits), or `resend=1` for a new code.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/code.html")]
pub struct CodePage {
    pub claim: Claim,
    /// The recipient of the code, masked: "••• 1234".
    pub sent_to: String,
    /// A new code was just sent; the page says so.
    pub resent: bool,
    /// Five wrong tries have invalidated the code (docs/decisions.md 16). The field is hidden, because only a new code
    /// helps.
    pub dead: bool,
    /// Whether the link allows another phone or address.
    pub other_contact: bool,
    /// Whether the code went to a contact that the sender named, and only the sender can correct it.
    pub is_named: bool,
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

/// Step `profile`: posts `first_name`, `last_name`, `email`; with `account`, also the fields of the bank form.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/profile.html")]
pub struct ProfilePage {
    pub claim: Claim,
    /// The bank form, if the page asks for the account too.
    pub account: Option<BankForm>,
    /// The typed values, or the data that the sender gave.
    pub form: Form,
}

impl ProfilePage {
    fn title(&self) -> Text {
        if self.account.is_some() { Text::WhereTitle } else { Text::NameTitle }
    }
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
    /// The countries of an address, without those under embargo.
    pub residences: Vec<Choice>,
    pub form: Form,
}

impl CompliancePage {
    /// Returns the values typed into that form. The other form is empty, because its fields have the same names.
    fn typed(&self, tax_form: TaxForm) -> Form {
        if self.tax_form == tax_form { self.form.clone() } else { Form::default() }
    }
}

/// A way to get paid: a link to its details.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WayChoice {
    /// The address of its details.
    pub href: String,
    /// The name for payees: "Gift card".
    pub name: String,
    /// What the payee needs for it: "Paid to your email address".
    pub about: &'static str,
    /// "$0.25 fee", "No fee".
    pub fee: String,
    /// "Arrives in minutes".
    pub arrives: String,
    /// Whether no other way on the page is faster.
    pub is_fastest: bool,
    /// Whether it is free and another way is not.
    pub is_free: bool,
}

/// A group of ways: "To a wallet or card".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WayGroup {
    /// The id of its heading.
    pub id: &'static str,
    pub title: &'static str,
    pub ways: Vec<WayChoice>,
}

/// How fast money goes to a bank account in the United States, and for which fee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankSpeed {
    /// The posted value.
    pub platform: String,
    pub fee: String,
    pub arrives: String,
    pub is_fastest: bool,
    pub is_free: bool,
}

/// The form of a bank account in the United States.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankForm {
    /// The cheapest first; each faster one costs more. Never empty.
    pub speeds: Vec<BankSpeed>,
    /// Banks known by routing number, for the page's script: "110000000=Sandbox Bank;…".
    pub known_banks: String,
    /// Whether the payee's accounts are usually there; else the form is behind a link.
    pub is_usual: bool,
    /// Whether automatic payouts can be enabled.
    pub may_prefer: bool,
}

/// A payout method that the payee saved earlier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedMethod {
    pub id: String,
    /// What it is, and its last digits: "Checking account ••6789".
    pub name: String,
    /// "$0.25 fee", "No fee".
    pub fee: String,
    /// "Arrives on Tuesday, March 3".
    pub arrives: String,
}

/// Step `method`: a bank account posts `platform`, `routing_number`, `account_number`, `confirm_account_number`,
/// `account_type`; a saved method posts `payout_method_id`; every other way is a link to its details.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/method.html")]
pub struct MethodPage {
    pub claim: Claim,
    /// Saved methods; most payees have none.
    pub saved: Vec<SavedMethod>,
    pub bank: Option<BankForm>,
    pub groups: Vec<WayGroup>,
    /// Ways that payees of this country rarely use.
    pub more: Vec<WayChoice>,
    /// The money that is left: "$0.10", if the fee of every way is higher.
    pub under_fees: Option<String>,
    pub form: Form,
}

impl MethodPage {
    fn title(&self) -> Text {
        if self.is_closed() { Text::WhereNoneTitle } else { Text::WhereTitle }
    }

    /// Returns whether no way is open.
    fn is_closed(&self) -> bool {
        self.saved.is_empty() && self.bank.is_none() && self.groups.is_empty() && self.more.is_empty()
    }

    /// Returns whether the bank form is open: it is the first choice, or was posted with errors.
    fn opens_bank(&self) -> bool {
        self.saved.is_empty() || self.form.has_errors()
    }
}

/// A field that a rail asks for; each name is the field's, unless noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodField {
    AccountNumber,
    Email,
    PhoneNumber,
    Handle,
    CashTag,
    Iban,
    Bic,
    Country,
    BankCode,
    AccountHolderName,
    Town,
    AddressCountry,
    /// `name`: the person who collects a transfer
    RecipientName,
    /// `address`: the destination on a network
    Address,
    Network,
}

/// Another form of the same way: an account without an IBAN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherForm {
    pub href: String,
    pub label: &'static str,
}

/// Step `method`, the details of a way (`?platform=wallet_a`): posts `platform`, the fields, `is_default=true`,
/// `auto_payout_enabled=true`.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/method_details.html")]
pub struct MethodDetailsPage {
    pub claim: Claim,
    /// The posted value.
    pub platform: String,
    /// The name for payees: "Gift card".
    pub name: String,
    /// "$0.25 fee", "No fee".
    pub fee: String,
    /// "Arrives in minutes".
    pub arrives: String,
    /// A note for ways that need only one of several fields.
    pub note: Option<&'static str>,
    /// Another form of the same way.
    pub other_form: Option<OtherForm>,
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
/// the handler shows the page again with the new fee: a payee sees the fee before it is paid. "Update" is a GET of this
/// step with `amount`.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/payout.html")]
pub struct PayoutPage {
    pub claim: Claim,
    /// The amount that can be paid out: "$125.00".
    pub available: String,
    /// The same amount as it is posted back, so that a form that is sent twice pays once: "125.00".
    pub available_amount: String,
    /// The amount of the figures below, as the field shows it: "125.00".
    pub shown_amount: String,
    /// The amount before the fee: "$125.00".
    pub amount: String,
    /// "$0.25", "No fee".
    pub fee: String,
    /// The amount that arrives: "$124.75".
    pub payout_amount: String,
    /// "Checking account ••6789".
    pub destination: String,
    /// The bank of the destination, if known: "Sandbox Bank".
    pub bank: Option<String>,
    /// "on Monday, March 2", "in minutes".
    pub arrives: String,
    /// Whether the page asks for a part of the amount.
    pub asks_part: bool,
    pub form: Form,
}

impl PayoutPage {
    /// Returns whether the figures are those of the amount in the field. If that amount was refused, they are not.
    fn may_confirm(&self) -> bool {
        self.form.error("amount").is_none()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PayoutOutcome {
    /// The payer reviews it before it is sent.
    InReview,
    Pending,
    Completed,
    /// It did not arrive; the money is in the payee's wallet.
    Failed {
        /// The reason for payees: "The bank account is closed."
        message: &'static str,
    },
    /// It arrived and was sent back.
    Returned {
        /// The heading: "Your bank sent the money back".
        by: &'static str,
        message: &'static str,
    },
    /// It was canceled before it was sent.
    Canceled,
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
    /// The fee of a returned payout, if there was one: "$0.25".
    pub kept_fee: Option<String>,
    /// "Checking account ••6789".
    pub destination: String,
    /// "$124.75 arrives on Monday, March 2."
    pub arrives: Said,
    pub reference: String,
    /// The amount left to pay out, if any: "$25.00".
    pub remaining: Option<String>,
    /// After how many seconds the page's script loads the page again, while money is under way.
    pub refresh_seconds: Option<i64>,
}

impl DonePage {
    fn is_under_way(&self) -> bool {
        matches!(self.outcome, PayoutOutcome::InReview | PayoutOutcome::Pending)
    }

    fn went_wrong(&self) -> bool {
        !self.is_under_way() && self.outcome != PayoutOutcome::Completed
    }

    /// Returns how much of a returned payout is back. Its fee was earned when the payout was sent.
    fn back(&self) -> Said {
        match &self.kept_fee {
            Some(fee) => {
                self.say(Text::MoneyBackLessFee).strong("amount", &self.payout_amount).strong_nowrap("fee", fee)
            }
            None => self.say(Text::MoneyIsBack),
        }
    }

    /// The fee of a payout that was never sent is given back.
    fn has_fee(&self) -> bool {
        !matches!(self.outcome, PayoutOutcome::Failed { .. } | PayoutOutcome::Canceled)
    }
}

/// The receipt of a payout that has arrived, to print or to keep.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/receipt.html")]
pub struct ReceiptPage {
    pub claim: Claim,
    /// The amount before the fee: "$125.00".
    pub amount: String,
    /// "$0.25", "No fee".
    pub fee: String,
    /// The amount that arrived: "$124.75".
    pub payout_amount: String,
    /// "Checking account ••6789".
    pub destination: String,
    /// "November 23, 2026".
    pub arrived_on: String,
    pub reference: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(states: &[StepState]) -> Claim {
        let steps = states.iter().map(|state| Step { label: "Step", state: *state });
        Claim {
            language: Language::En,
            token: "t".into(),
            sender: Sender::default(),
            amount: "$1.00".into(),
            memo: None,
            message: None,
            expires: None,
            steps: steps.collect(),
            sandbox: true,
            signed_in: false,
            may_change_contact: false,
        }
    }

    #[test]
    fn the_position_is_the_current_step_counted_from_one() {
        let under_way = claim(&[StepState::Done, StepState::Current, StepState::Ahead]);
        assert_eq!(under_way.position(), Some(2));
        assert_eq!(claim(&[StepState::Done]).position(), None);
    }
}
