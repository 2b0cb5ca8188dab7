//! The page of each step, filled from the claim document.

use super::form;
use super::visit::Visit;
use super::wording;
use crate::claims::{
    ClaimDocument, ClaimQuote, ClaimTransfer, MethodOption, PendingContactChange, StepField, StepName,
};
use crate::clock::Time;
use crate::country;
use crate::http::Outcome;
use crate::money::Cents;
use crate::pages::draw::page;
use crate::pages::views::{
    Choice, Claim, Closed, ClosedPage, CodePage, CompliancePage, ContactChangePage, ContactCodesPage, ContactPage,
    ContactWay, DonePage, Form, MethodDetailsPage, MethodField, MethodPage, PayoutOutcome, PayoutPage, ProfilePage,
    RailChoice, SavedMethod, Step, StepState, TaxForm,
};
use crate::payout_links::LinkStatus;
use crate::phone;
use crate::platform::Platform;

/// Returns whether the session has proved the payee's identity with a code.
pub(super) fn is_proven(claim: &ClaimDocument) -> bool {
    claim.completed_steps.contains(&StepName::Code)
}

/// Returns whether a step can be shown: all earlier steps are complete and it is not complete itself. Methods and
/// amounts can be chosen again as long as money is left.
pub(super) fn is_open(claim: &ClaimDocument, step: StepName) -> bool {
    let before = claim.steps.iter().take_while(|other| **other != step);
    let reached = claim.steps.contains(&step) && before.clone().all(|other| claim.completed_steps.contains(other));
    let left = !claim.remaining_amount.is_zero();
    match step {
        StepName::Contact => true,
        StepName::Code => claim.code_sent_to.is_some() && !is_proven(claim),
        StepName::Profile | StepName::Compliance => reached && !claim.completed_steps.contains(&step),
        StepName::Method => reached && is_proven(claim) && left,
        StepName::Payout => reached && is_proven(claim) && left && claim.on_hold.is_none(),
    }
}

/// Returns the head of every page of a claim. `at` is the step on the page.
fn head(visit: &Visit, claim: &ClaimDocument, at: Option<StepName>) -> Claim {
    let state = |step: StepName| {
        if at == Some(step) {
            StepState::Current
        } else if claim.completed_steps.contains(&step) {
            StepState::Done
        } else {
            StepState::Ahead
        }
    };
    let steps = claim.steps.iter().map(|step| Step { label: wording::step(*step).to_owned(), state: state(*step) });
    // A claimed link does not expire: the payee may withdraw the rest at any time.
    let is_claimed = [LinkStatus::Claimed, LinkStatus::Reversed].map(LinkStatus::as_str).contains(&claim.status);
    let can_expire = !is_claimed;
    Claim {
        token: visit.token.clone(),
        app_name: claim.app.name.clone(),
        amount: claim.amount.dollars(),
        memo: claim.memo.clone(),
        message: claim.message.clone(),
        expires_on: can_expire.then(|| wording::day_of_year(claim.expires_at.date())),
        steps: steps.collect(),
        sandbox: visit.is_sandbox(),
        signed_in: is_proven(claim),
        may_change_contact: claim.may_change_contact,
    }
}

/// Draws the page that asks for a phone number or an e-mail address.
pub(super) fn contact(visit: &Visit, claim: &ClaimDocument, status: u16, mut form: Form) -> Outcome {
    let payee = &claim.payee;
    let by_email = if form.has_errors() && !form.values.is_empty() {
        form.values.iter().any(|(name, _)| name == "email")
    } else {
        payee.phone_number.is_none() && payee.email.is_some()
    };
    if form.value("country_code").is_empty() {
        let code = payee.country_code.as_deref().unwrap_or("1");
        form.values.push(("country_code".to_owned(), code.to_owned()));
    }
    let view = ContactPage {
        claim: head(visit, claim, Some(StepName::Contact)),
        way: if by_email { ContactWay::Email } else { ContactWay::Phone },
        other_way: names_either_or_none(claim),
        addressed_to: payee.phone_number.clone().or_else(|| payee.email.clone()),
        country_codes: country_codes(),
        form,
    };
    page(status, &view)
}

/// Returns whether both a phone and an address are allowed: the link names both, or neither.
fn names_either_or_none(claim: &ClaimDocument) -> bool {
    claim.payee.phone_number.is_some() == claim.payee.email.is_some()
}

/// Returns the countries by name, those of +1 first, each calling code once.
fn country_codes() -> Vec<Choice> {
    let named = phone::calling_codes().into_iter().filter_map(|(code, country)| {
        let name = if code == "1" { "United States, Canada" } else { country::country_name(&country)? };
        Some(Choice { label: format!("{name} +{code}"), value: code })
    });
    let mut choices: Vec<Choice> = named.collect();
    choices.sort_by(|left, right| (left.value != "1", &left.label).cmp(&(right.value != "1", &right.label)));
    choices
}

pub(super) fn contact_change(visit: &Visit, claim: &ClaimDocument, status: u16, mut form: Form) -> Outcome {
    if form.value("country_code").is_empty() {
        form.values.push(("country_code".to_owned(), "1".to_owned()));
    }
    let changed = visit.call.query.iter().any(|(name, value)| name == "changed" && value == "1");
    let claim = Claim { may_change_contact: false, ..head(visit, claim, None) };
    page(status, &ContactChangePage { claim, changed, country_codes: country_codes(), form })
}

pub(super) fn contact_codes(
    visit: &Visit,
    claim: &ClaimDocument,
    status: u16,
    pending: &PendingContactChange,
    form: Form,
) -> Outcome {
    let PendingContactChange { present_sent_to, new_sent_to } = pending.clone();
    let claim = Claim { may_change_contact: false, ..head(visit, claim, None) };
    page(status, &ContactCodesPage { claim, present_sent_to, new_sent_to, form })
}

/// Draws the page that asks for the code. `sent_to` is masked.
pub(super) fn code(
    visit: &Visit,
    claim: &ClaimDocument,
    status: u16,
    (sent_to, dead): (String, bool),
    form: Form,
) -> Outcome {
    let resent = visit.call.query.iter().any(|(name, value)| name == "resent" && value == "1");
    let other_contact = names_either_or_none(claim);
    let claim = head(visit, claim, Some(StepName::Code));
    page(status, &CodePage { claim, sent_to, resent, dead, other_contact, form })
}

pub(super) fn profile(visit: &Visit, claim: &ClaimDocument, status: u16, mut form: Form) -> Outcome {
    if !form.has_errors() {
        let first_name = claim.payee.first_name.clone().unwrap_or_default();
        form.values.push(("first_name".to_owned(), first_name));
    }
    page(status, &ProfilePage { claim: head(visit, claim, Some(StepName::Profile)), form })
}

pub(super) fn compliance(visit: &Visit, claim: &ClaimDocument, status: u16, form: Form) -> Outcome {
    let tax_form = if form.chose("form", "w8ben") { TaxForm::W8Ben } else { TaxForm::W9 };
    let choice = |(value, label): (&str, &str)| Choice { value: value.to_owned(), label: label.to_owned() };
    let view = CompliancePage {
        claim: head(visit, claim, Some(StepName::Compliance)),
        tax_form,
        states: country::US_STATES.into_iter().map(choice).collect(),
        countries: country::countries().into_iter().map(choice).collect(),
        form,
    };
    page(status, &view)
}

pub(super) async fn method(visit: &Visit, claim: &ClaimDocument, status: u16, form: Form) -> Outcome {
    let ways = visit.payee.ways().await?;
    let (saved, rails): (Vec<_>, Vec<_>) = ways.into_iter().partition(|way| way.payout_method_id.is_some());
    let view = MethodPage {
        claim: head(visit, claim, Some(StepName::Method)),
        saved: saved.iter().filter_map(saved_method).collect(),
        rails: rails.iter().map(rail).collect(),
        form,
    };
    page(status, &view)
}

fn saved_method(way: &MethodOption) -> Option<SavedMethod> {
    Some(SavedMethod {
        id: way.payout_method_id?.to_string(),
        name: way.description.clone().unwrap_or_else(|| way.name.to_owned()),
        fee: wording::fee_of_choice(way.fee_amount),
        arrives: arrival(way),
    })
}

fn rail(way: &MethodOption) -> RailChoice {
    RailChoice {
        platform: way.platform.to_owned(),
        name: way.name.to_owned(),
        fee: wording::fee_of_choice(way.fee_amount),
        arrives: arrival(way),
    }
}

fn arrival(way: &MethodOption) -> String {
    if way.arrival == "same day" { "Arrives the same day".to_owned() } else { format!("Arrives in {}", way.arrival) }
}

/// Draws the fields of a new method. If the rail is not open, draws the open ones instead.
pub(super) async fn details(
    visit: &Visit,
    claim: &ClaimDocument,
    status: u16,
    platform: &str,
    mut form: Form,
) -> Outcome {
    let ways = visit.payee.ways().await?;
    let chosen = ways.iter().find(|way| way.payout_method_id.is_none() && way.platform == platform);
    let Some(way) = chosen else {
        return method(visit, claim, 400, form::says("Choose one of the options below.")).await;
    };
    if !form.has_errors() {
        form.values.push(("account_type".to_owned(), "checking".to_owned()));
    }
    let view = MethodDetailsPage {
        claim: head(visit, claim, Some(StepName::Method)),
        rail: rail(way),
        note: note(way),
        fields: way.fields.iter().filter_map(|field| method_field(way, field)).collect(),
        networks: networks(way),
        may_prefer: !claim.only_this_payout,
        countries: country::countries()
            .into_iter()
            .map(|(code, name)| Choice { value: code.to_owned(), label: name.to_owned() })
            .collect(),
        form,
    };
    page(status, &view)
}

/// Returns a note for rails that need only one of several fields.
fn note(way: &MethodOption) -> Option<&'static str> {
    let platform: Platform = way.platform.parse().ok()?;
    match platform {
        Platform::WalletB => Some("Enter your phone number or your handle."),
        Platform::WalletC => Some("Enter your cash tag or a bank account."),
        Platform::WalletD | Platform::WalletE => Some("Enter your email address or your handle."),
        Platform::PrepaidCardA | Platform::GiftCardA => Some("We send the card to your email address."),
        Platform::IntlBank => Some("Enter an IBAN, or a country, bank code and account number."),
        Platform::Ach
        | Platform::Rtp
        | Platform::BankTransfer
        | Platform::Wire
        | Platform::WalletA
        | Platform::IntlTransfer
        | Platform::Crypto
        | Platform::PushToCard => None,
    }
}

/// Returns the page's field for a field of the rail. A phone number is entered whole, so its country code has no field.
fn method_field(way: &MethodOption, field: &StepField) -> Option<MethodField> {
    let is_wire = way.platform == Platform::Wire.as_str();
    match field.name.as_str() {
        "account_number" => Some(MethodField::AccountNumber),
        "routing_number" => Some(MethodField::RoutingNumber),
        "account_type" => Some(MethodField::AccountType),
        "email" => Some(MethodField::Email),
        "phone_number" => Some(MethodField::PhoneNumber),
        "handle" => Some(MethodField::Handle),
        "cash_tag" => Some(MethodField::CashTag),
        "iban" => Some(MethodField::Iban),
        "bic" => Some(MethodField::Bic),
        "country" => Some(MethodField::Country),
        "bank_code" => Some(MethodField::BankCode),
        "account_holder_name" => Some(MethodField::AccountHolderName),
        "name" => Some(MethodField::RecipientName),
        "card_token" => Some(MethodField::CardToken),
        "network" => Some(MethodField::Network),
        "address" if is_wire => Some(MethodField::HolderAddress),
        "address" => Some(MethodField::Address),
        _ => None,
    }
}

fn networks(way: &MethodOption) -> Vec<Choice> {
    let words = way.fields.iter().filter(|field| field.name == "network").flat_map(|field| &field.choices);
    words
        .map(|word| {
            let (first, rest) = word.split_at(word.len().min(1));
            Choice { value: word.clone(), label: format!("{}{rest}", first.to_uppercase()) }
        })
        .collect()
}

/// Draws the amount with its fee. `form` holds the typed text.
pub(super) fn payout(visit: &Visit, claim: &ClaimDocument, status: u16, quote: &ClaimQuote, mut form: Form) -> Outcome {
    if form.value("amount").is_empty() {
        form.values.push(("amount".to_owned(), quote.amount.plain()));
    }
    let today = visit.call.bursar.clock.now().date();
    let view = PayoutPage {
        claim: head(visit, claim, Some(StepName::Payout)),
        available: quote.available.dollars(),
        available_amount: quote.available.plain(),
        shown_amount: quote.amount.plain(),
        amount: quote.amount.dollars(),
        fee: wording::fee(quote.fee_amount),
        payout_amount: quote.payout_amount.dollars(),
        destination: quote.destination.clone(),
        arrives: wording::arrives(quote.platform, today, Some(quote.arrives_at)),
        form,
    };
    page(status, &view)
}

pub(super) fn done(visit: &Visit, claim: &ClaimDocument, transfer: &ClaimTransfer) -> Outcome {
    let left = Some(claim.remaining_amount).filter(|left| !left.is_zero());
    let view = DonePage {
        claim: head(visit, claim, None),
        outcome: outcome(transfer),
        payout_amount: transfer.payout_amount.dollars(),
        fee: wording::fee(transfer.fee_amount),
        destination: transfer.destination.clone().unwrap_or_default(),
        arrives: arrives(transfer, visit.call.bursar.clock.now()),
        reference: transfer.id.to_string(),
        remaining: left.map(Cents::dollars),
    };
    page(200, &view)
}

fn outcome(transfer: &ClaimTransfer) -> PayoutOutcome {
    let message = transfer.error_message.unwrap_or("It was canceled before it was sent.");
    match transfer.status {
        "completed" => PayoutOutcome::Completed,
        "flagged" => PayoutOutcome::InReview,
        "failed" | "reversed" | "canceled" => PayoutOutcome::Failed { message: message.to_owned() },
        // A state that is added later counts as pending until the money arrives or comes back.
        _ => PayoutOutcome::Pending,
    }
}

fn arrives(transfer: &ClaimTransfer, now: Time) -> String {
    if let Some(completed_at) = transfer.completed_at {
        return format!("on {}", wording::day(completed_at.date()));
    }
    let platform = transfer.platform.and_then(|word| word.parse().ok()).unwrap_or(Platform::Ach);
    wording::arrives(platform, now.date(), transfer.arrives_at)
}

/// Draws the page of a payee who has finished every step and waits for a review.
pub(super) fn on_hold(visit: &Visit, claim: &ClaimDocument, message: &str) -> Outcome {
    let why = Closed::OnHold { message: message.to_owned() };
    let again = Some(format!("/claim/{}", visit.token));
    page(200, &ClosedPage { why, app_name: Some(claim.app.name.clone()), again, request_id: None })
}
