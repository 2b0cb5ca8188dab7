//! The page of each step, filled from the claim document.

use super::visit::Visit;
use super::wording;
use crate::claims::{ClaimDocument, ClaimQuote, Ended, PendingContactChange, StepName};
use crate::country;
use crate::embargo;
use crate::http::Outcome;
use crate::language::Language;
use crate::pages::draw::{moment, page};
use crate::pages::views::{
    self, Choice, Claim, Closed, ClosedPage, CodePage, CompliancePage, ContactChangePage, ContactCodesPage,
    ContactPage, ContactWay, FieldError, Form, NamedContact, NamedContactPage, NewLink, PayoutPage, Step, StepState,
    TaxForm,
};
use crate::payout_links::LinkStatus;
use crate::payouts::Arrival;
use crate::phone::{self, CallingCode};

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
pub(super) fn head(visit: &Visit, claim: &ClaimDocument, at: Option<StepName>) -> Claim {
    let state = |step: StepName| {
        if at == Some(step) {
            StepState::Current
        } else if claim.completed_steps.contains(&step) {
            StepState::Done
        } else {
            StepState::Ahead
        }
    };
    let language = visit.language;
    let steps = claim.steps.iter().map(|step| Step { label: language.text(wording::step(*step)), state: state(*step) });
    // A claimed link does not expire: the payee may withdraw the rest at any time.
    let is_claimed = [LinkStatus::Claimed, LinkStatus::Reversed].map(LinkStatus::as_str).contains(&claim.status);
    let can_expire = !is_claimed;
    Claim {
        language,
        token: visit.token.clone(),
        sender: visit.sender(&claim.app.sender),
        amount: language.money(claim.amount),
        memo: claim.memo.clone(),
        message: claim.message.clone(),
        expires: can_expire.then(|| moment(language, claim.expires_at)),
        steps: steps.collect(),
        sandbox: visit.is_sandbox(),
        signed_in: is_proven(claim),
        may_change_contact: claim.may_change_contact,
    }
}

/// Draws the page that sends a code: to the contacts that the link names, or to one that the payee enters.
pub(super) fn contact(visit: &Visit, claim: &ClaimDocument, status: u16, mut form: Form) -> Outcome {
    let payee = &claim.payee;
    let named = |way, masked: &Option<String>| {
        masked.as_deref().map(|masked| NamedContact { way, mask: wording::mask(masked) })
    };
    let phone = named(ContactWay::Phone, &payee.phone_number);
    let contacts: Vec<_> = phone.into_iter().chain(named(ContactWay::Email, &payee.email)).collect();
    let head = head(visit, claim, Some(StepName::Contact));
    if !contacts.is_empty() {
        let errors = form.errors.into_iter().map(|error| FieldError { field: String::new(), ..error }).collect();
        let form = Form { errors, ..Form::default() };
        let (first_name, ended) = (payee.first_name.clone(), ended(claim));
        return page(status, &NamedContactPage { claim: head, first_name, contacts, ended, form });
    }
    let country_codes = country_codes(visit.language, &claim.app.texts_to);
    let by_email = country_codes.is_empty() || form.has_errors() && form.has_field("email");
    choose_country(&mut form, &country_codes);
    let way = if by_email { ContactWay::Email } else { ContactWay::Phone };
    page(status, &ContactPage { claim: head, way, country_codes, ended: ended(claim), form })
}

fn ended(claim: &ClaimDocument) -> Option<views::Ended> {
    claim.ended.map(|ended| match ended {
        Ended::Replaced => views::Ended::Replaced,
        Ended::Idle => views::Ended::Idle,
    })
}

/// Chooses the first country of the list, if none is chosen.
fn choose_country(form: &mut Form, country_codes: &[Choice]) {
    if let Some(first) = country_codes.first().filter(|_| form.value("country_code").is_empty()) {
        form.values.retain(|(name, _)| name != "country_code");
        form.values.push(("country_code".to_owned(), first.value.clone()));
    }
}

/// Returns whether the link names its payee.
fn is_named(claim: &ClaimDocument) -> bool {
    claim.payee.phone_number.is_some() || claim.payee.email.is_some()
}

/// Returns whether both a phone and an address are allowed: the link names both, or neither.
fn names_either_or_none(claim: &ClaimDocument) -> bool {
    claim.payee.phone_number.is_some() == claim.payee.email.is_some()
}

/// Returns the countries to which the sender texts with their calling codes, by name, the United States first. A country
/// that shares the code of another has its letters in the value, so that each value is in the list once.
fn country_codes(language: Language, texts_to: &[String]) -> Vec<Choice> {
    let names = language.countries();
    let is_open = |country: &String| texts_to.contains(country) && !embargo::is_country(country);
    let named = phone::calling_codes().into_iter().filter(|known| is_open(&known.country));
    let choice = |CallingCode { code, country, is_main }: CallingCode| {
        // The list is in the order of the language's alphabet.
        let position = names.iter().position(|(code, _)| *code == country)?;
        let label = format!("{} \u{2066}+{code}\u{2069}", names[position].1);
        let label = if language.is_right_to_left() { label } else { label.replace(['\u{2066}', '\u{2069}'], "") };
        let value = if is_main { code } else { format!("{code}-{country}") };
        Some((position, Choice { value, label }))
    };
    let mut choices: Vec<(usize, Choice)> = named.filter_map(choice).collect();
    choices.sort_by_key(|(position, choice)| (choice.value != "1", *position));
    choices.into_iter().map(|(_, choice)| choice).collect()
}

pub(super) fn contact_change(visit: &Visit, claim: &ClaimDocument, status: u16, mut form: Form) -> Outcome {
    let country_codes = country_codes(visit.language, &claim.app.texts_to);
    choose_country(&mut form, &country_codes);
    let changed = visit.call.query.iter().any(|(name, value)| name == "changed" && value == "1");
    let claim = Claim { may_change_contact: false, ..head(visit, claim, None) };
    page(status, &ContactChangePage { claim, changed, country_codes, form })
}

pub(super) fn contact_codes(
    visit: &Visit,
    claim: &ClaimDocument,
    status: u16,
    pending: &PendingContactChange,
    form: Form,
) -> Outcome {
    let present_sent_to = wording::mask(&pending.present_sent_to);
    let new_sent_to = wording::mask(&pending.new_sent_to);
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
    let (other_contact, is_named) = (names_either_or_none(claim), is_named(claim));
    let (claim, sent_to) = (head(visit, claim, Some(StepName::Code)), wording::mask(&sent_to));
    page(status, &CodePage { claim, sent_to, resent, dead, other_contact, is_named, form })
}

pub(super) fn compliance(visit: &Visit, claim: &ClaimDocument, status: u16, form: Form) -> Outcome {
    let tax_form = if form.chose("form", "w8ben") { TaxForm::W8Ben } else { TaxForm::W9 };
    let mut states = country::US_STATES;
    states.sort_unstable_by_key(|(_, name)| *name);
    let choice = |(value, label): (&str, &str)| Choice { value: value.to_owned(), label: label.to_owned() };
    let countries = visit.language.countries();
    let residences = countries.iter().copied().filter(|(code, _)| !embargo::is_country(code));
    let view = CompliancePage {
        claim: head(visit, claim, Some(StepName::Compliance)),
        tax_form,
        states: states.into_iter().map(choice).collect(),
        residences: residences.map(choice).collect(),
        countries: countries.iter().copied().map(choice).collect(),
        form,
    };
    page(status, &view)
}

/// Draws the amount with its fee. `form` holds the typed text.
pub(super) fn payout(visit: &Visit, claim: &ClaimDocument, status: u16, quote: &ClaimQuote, mut form: Form) -> Outcome {
    let asks = |wanted: &str| visit.call.query.iter().any(|(name, _)| name == wanted);
    let asks_part = form.error("amount").is_some() || quote.amount != quote.available || asks("part") || asks("amount");
    if form.value("amount").is_empty() {
        form.values.push(("amount".to_owned(), visit.language.plain_amount(quote.amount)));
    }
    let (now, language) = (visit.call.bursar.clock.now(), visit.language);
    let view = PayoutPage {
        claim: head(visit, claim, Some(StepName::Payout)),
        available: language.money(quote.available),
        available_amount: quote.available.plain(),
        shown_amount: quote.amount.plain(),
        amount: language.money(quote.amount),
        fee: wording::fee(language, quote.fee_amount),
        payout_amount: language.money(quote.payout_amount),
        destination: quote.destination.clone(),
        bank: quote.bank.clone(),
        arrives: Arrival::of(quote.platform, now, quote.arrives_at).after_a_label(language),
        asks_part,
        form,
    };
    page(status, &view)
}

/// Draws the page of a payee who has finished every step and waits for a review.
pub(super) fn on_hold(visit: &Visit, claim: &ClaimDocument, message: &str) -> Outcome {
    let why = Closed::OnHold { message: message.to_owned() };
    // Only the review ends the hold.
    let again = None;
    let (language, languages) = (visit.language, Some(visit.language_menu()));
    let sender = Some(visit.sender(&claim.app.sender));
    let amount = Some(language.money(claim.remaining_amount));
    let (sandbox, new_link, request_id) = (visit.is_sandbox(), NewLink::Impossible, None);
    page(200, &ClosedPage { language, languages, why, sender, amount, sandbox, new_link, again, request_id })
}
