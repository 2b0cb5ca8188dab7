//! The step that chooses where the money goes: one bank form, links to the other ways, and their details.

use super::draw::head;
use super::visit::Visit;
use super::ways::{self, Place, Way, Ways};
use super::{form, wording};
use crate::bank::has_ibans;
use crate::claims::acts::OpenWays;
use crate::claims::{ClaimDocument, MethodOption, NewMethodStep, SavedMethodStep, StepField, StepName};
use crate::clock::Time;
use crate::embargo;
use crate::fees;
use crate::http::Outcome;
use crate::input::{Input as _, Problems, wrong};
use crate::language::{Language, Text};
use crate::pages::draw::page;
use crate::pages::views::{
    BankForm, BankSpeed, Choice, Form, MethodDetailsPage, MethodField, MethodPage, OtherForm, SavedMethod, WayChoice,
    WayGroup,
};
use crate::payout_methods::known_banks;
use crate::payouts::Arrival;
use crate::platform::Platform;
use crate::refusal::Refusal;
use crate::strict_json::Json;

/// The page's own field: the account number a second time, against typing mistakes.
const AGAIN: &str = "confirm_account_number";

/// Draws all ways, or the details of the one in the query or in the refused form.
pub(super) async fn show(visit: &Visit, claim: &ClaimDocument, status: u16, refused: Option<Form>) -> Outcome {
    let asked = visit.call.query.iter().find(|(name, _)| name == "platform").map(|(_, platform)| platform.clone());
    let posted = refused.as_ref().map(|form| form.value("platform").to_owned()).filter(|platform| !platform.is_empty());
    let form = refused.unwrap_or_default();
    match posted.or(asked) {
        Some(platform) => details(visit, claim, status, &platform, form).await,
        None => all(visit, claim, status, form).await,
    }
}

/// Draws the page on which a payee chooses where the money goes.
pub(super) async fn all(visit: &Visit, claim: &ClaimDocument, status: u16, mut form: Form) -> Outcome {
    let OpenWays { options, country, under_fees } = visit.payee.ways().await?;
    if under_fees.is_some() {
        // The page says why; no other choice is left.
        form = Form::default();
    }
    let now = visit.call.bursar.clock.now();
    let seconds = |platform| fees::schedule(platform, now.date()).arrival.seconds;
    let ways = ways::sorted(&options, country.as_deref(), seconds);
    choose_checking(&mut form);
    let link = |way: &Way| choice(visit, way, now);
    let group = |id, title, ways: &[Way]| WayGroup {
        id,
        title: visit.language.text(title),
        ways: ways.iter().map(link).collect(),
    };
    let usual_abroad = if ways.is_domestic { &[][..] } else { &ways.abroad };
    let groups = [
        group("to-bank-abroad", Text::WhereBank, usual_abroad),
        group("to-wallet", Text::WhereWallet, &ways.wallets),
        group("gift-card", Text::WhereGift, &ways.gifts),
    ];
    let view = MethodPage {
        claim: head(visit, claim, Some(StepName::Method)),
        saved: options.iter().filter_map(|way| saved_method(visit.language, way, now)).collect(),
        bank: bank_form(visit, claim, &ways, now),
        groups: groups.into_iter().filter(|group| !group.ways.is_empty()).collect(),
        more: if ways.is_domestic { ways.abroad.iter().map(link).collect() } else { Vec::new() },
        under_fees: under_fees.map(|left| visit.language.money(left)),
        form,
    };
    page(status, &view)
}

/// Most accounts are checking accounts.
pub(super) fn choose_checking(form: &mut Form) {
    if form.value("account_type").is_empty() {
        form.values.push(("account_type".to_owned(), "checking".to_owned()));
    }
}

/// Returns the bank form for a payee who has no saved method, if their accounts are usually in the United States.
pub(super) async fn first_account(visit: &Visit, claim: &ClaimDocument) -> Result<Option<BankForm>, Refusal> {
    let OpenWays { options, country, .. } = visit.payee.ways().await?;
    let now = visit.call.bursar.clock.now();
    let seconds = |platform| fees::schedule(platform, now.date()).arrival.seconds;
    let ways = ways::sorted(&options, country.as_deref(), seconds);
    let has_saved = options.iter().any(|way| way.payout_method_id.is_some());
    Ok(bank_form(visit, claim, &ways, now).filter(|form| form.is_usual && !has_saved))
}

fn bank_form(visit: &Visit, claim: &ClaimDocument, ways: &Ways<'_>, now: Time) -> Option<BankForm> {
    if ways.speeds.is_empty() {
        return None;
    }
    let speed = |way: &Way| BankSpeed {
        platform: way.platform.as_str().to_owned(),
        fee: wording::fee_of_choice(visit.language, way.option.fee_amount),
        arrives: arrival(visit.language, way.option, now),
        is_fastest: way.is_fastest,
        is_free: way.is_free,
    };
    // No list of all banks may be bundled, so only the sandbox's own banks have names.
    let known = known_banks().filter(|_| visit.is_sandbox()).map(|(routing, name)| format!("{routing}={name}"));
    Some(BankForm {
        speeds: ways.speeds.iter().map(speed).collect(),
        known_banks: known.collect::<Vec<_>>().join(";"),
        is_usual: ways.is_domestic,
        may_prefer: !claim.only_this_payout,
    })
}

fn choice(visit: &Visit, way: &Way, now: Time) -> WayChoice {
    WayChoice {
        href: format!("/claim/{}/method?platform={}", visit.token, way.platform),
        name: visit.language.text(ways::name(way.platform)).to_owned(),
        about: visit.language.text(ways::about(way.platform)),
        fee: wording::fee_of_choice(visit.language, way.option.fee_amount),
        arrives: arrival(visit.language, way.option, now),
        is_fastest: way.is_fastest,
        is_free: way.is_free,
    }
}

fn saved_method(language: Language, way: &MethodOption, now: Time) -> Option<SavedMethod> {
    Some(SavedMethod {
        id: way.payout_method_id?.to_string(),
        name: way.description.clone().unwrap_or_else(|| way.name.to_owned()),
        fee: wording::fee_of_choice(language, way.fee_amount),
        arrives: arrival(language, way, now),
    })
}

fn arrival(language: Language, way: &MethodOption, now: Time) -> String {
    let platform: Platform = way.platform.parse().unwrap_or(Platform::Ach);
    Arrival::of(platform, now, way.arrives_at).of_a_way(language)
}

/// Draws the fields of a way. If it is not open, draws the open ones instead.
async fn details(visit: &Visit, claim: &ClaimDocument, status: u16, platform: &str, form: Form) -> Outcome {
    let OpenWays { options, country, .. } = visit.payee.ways().await?;
    let chosen = options.iter().find(|way| way.payout_method_id.is_none() && way.platform == platform);
    let open = chosen.zip(platform.parse::<Platform>().ok());
    let Some((way, rail)) = open.filter(|(_, rail)| ways::place(*rail) != Place::Nowhere) else {
        return all(visit, claim, 400, form::says(visit.language.text(Text::ChooseBelow))).await;
    };
    if ways::place(rail) == Place::BankForm {
        return all(visit, claim, status, form).await;
    }
    let asks_iban = asks_iban(visit, &form, country.as_deref());
    let language = visit.language;
    let view = MethodDetailsPage {
        claim: head(visit, claim, Some(StepName::Method)),
        platform: platform.to_owned(),
        name: language.text(ways::name(rail)).to_owned(),
        fee: wording::fee_of_choice(language, way.fee_amount),
        arrives: arrival(language, way, visit.call.bursar.clock.now()),
        note: note(rail).map(|note| language.text(note)),
        other_form: (rail == Platform::IntlBank).then(|| other_form(visit, asks_iban)),
        fields: fields(rail, way, asks_iban),
        networks: networks(way),
        may_prefer: !claim.only_this_payout,
        countries: language
            .countries()
            .into_iter()
            .filter(|(code, _)| !embargo::is_country(code))
            .map(|(code, name)| Choice { value: code.to_owned(), label: name.to_owned() })
            .collect(),
        form,
    };
    page(status, &view)
}

/// Returns whether a bank account outside the United States is asked for by IBAN: as the payee chose, else as usual in
/// their country.
fn asks_iban(visit: &Visit, form: &Form, country: Option<&str>) -> bool {
    if form.has_errors() {
        return form.has_field("iban");
    }
    match visit.call.query.iter().find(|(name, _)| name == "form") {
        Some((_, asked)) => asked == "iban",
        None => country.is_none_or(|country| ways::is_domestic(Some(country)) || has_ibans(country)),
    }
}

fn other_form(visit: &Visit, asks_iban: bool) -> OtherForm {
    let (word, label) = if asks_iban { ("local", Text::WithoutIban) } else { ("iban", Text::WithIban) };
    let label = visit.language.text(label);
    OtherForm { href: format!("/claim/{}/method?platform=intl_bank&form={word}", visit.token), label }
}

/// Returns a note for ways that need only one of several fields.
const fn note(platform: Platform) -> Option<Text> {
    match platform {
        Platform::WalletB => Some(Text::NotePhoneOrHandle),
        Platform::WalletD | Platform::WalletE => Some(Text::NoteEmailOrHandle),
        Platform::PrepaidCardA | Platform::GiftCardA => Some(Text::NoteCardEmail),
        Platform::WalletA => Some(Text::NoteWalletEmail),
        Platform::Ach
        | Platform::Rtp
        | Platform::BankTransfer
        | Platform::Wire
        | Platform::WalletC
        | Platform::IntlBank
        | Platform::IntlTransfer
        | Platform::Crypto
        | Platform::PushToCard => None,
    }
}

fn fields(rail: Platform, way: &MethodOption, asks_iban: bool) -> Vec<MethodField> {
    use MethodField::{AccountHolderName, AccountNumber, AddressCountry, BankCode, Bic, CashTag, Country, Iban, Town};
    if rail == Platform::IntlBank {
        let asked = if asks_iban {
            [Iban, Bic, AccountHolderName].as_slice()
        } else {
            [Country, BankCode, AccountNumber, AccountHolderName].as_slice()
        };
        let mut asked = asked.to_vec();
        if way.fields.iter().any(|field| field.name == "town") {
            // A bank that is paid with messages needs the payee's address, and the BIC of most banks.
            let more = [Bic, Town, AddressCountry];
            asked.extend(more.into_iter().filter(|field| !asked.contains(field)).collect::<Vec<_>>());
        }
        return asked;
    }
    if rail == Platform::WalletC {
        // A bank account has its own form.
        return vec![CashTag];
    }
    way.fields.iter().filter_map(field).collect()
}

/// Returns the page's field for a field of the rail. A phone number is entered whole, so its country code has no field.
fn field(field: &StepField) -> Option<MethodField> {
    match field.name.as_str() {
        "email" => Some(MethodField::Email),
        "phone_number" => Some(MethodField::PhoneNumber),
        "handle" => Some(MethodField::Handle),
        "country" => Some(MethodField::Country),
        "name" => Some(MethodField::RecipientName),
        "network" => Some(MethodField::Network),
        "address" => Some(MethodField::Address),
        _ => None,
    }
}

fn networks(way: &MethodOption) -> Vec<Choice> {
    let words = way.fields.iter().filter(|field| field.name == "network").flat_map(|field| &field.choices);
    words.map(|word| Choice { value: word.clone(), label: wording::capitalized(word) }).collect()
}

pub(super) async fn take(visit: &Visit) -> Outcome {
    let body = form::body(&visit.call, &[]);
    if body.get("payout_method_id").is_some() {
        visit.payee.saved_method(form::read::<SavedMethodStep>(&body)?).await?;
    } else {
        visit.payee.new_method(read_new(visit, &body).map_err(Refusal::fields)?).await?;
    }
    // Not to the link's own page: after a failed payout that page shows the failure.
    Ok(visit.to_step(StepName::Payout, ""))
}

/// Reads a new method. A form with the account number twice must have the same one twice.
pub(super) fn read_new(visit: &Visit, body: &Json) -> Result<NewMethodStep, Problems> {
    let has_again = visit.call.body.get(AGAIN).is_some();
    let is_same = digits(form::typed(&visit.call, AGAIN)) == digits(form::typed(&visit.call, "account_number"));
    let read = NewMethodStep::read(&as_banks_write(body), "");
    if !has_again || is_same {
        return read;
    }
    let is_missing = form::typed(&visit.call, AGAIN).is_empty();
    let message = if is_missing { "is required" } else { "must be the same as account_number" };
    let mut problems = read.err().unwrap_or_default();
    problems.extend(wrong(&format!("/{AGAIN}"), message));
    Err(problems)
}

fn digits(typed: &str) -> String {
    typed.chars().filter(|letter| !matches!(letter, ' ' | '-')).collect()
}

/// Returns the body without the page's own field, and with the numbers of a bank account as banks write them: people
/// type spaces and dashes.
fn as_banks_write(body: &Json) -> Json {
    let Json::Object(fields) = body else { return body.clone() };
    let cleaned = fields.iter().filter(|(name, _)| name != AGAIN).map(|(name, value)| match value {
        Json::Text(text) if matches!(name.as_str(), "routing_number" | "account_number") => {
            (name.clone(), Json::Text(digits(text)))
        }
        Json::Text(_)
        | Json::Null
        | Json::Bool(_)
        | Json::Int(_)
        | Json::Decimal(_)
        | Json::List(_)
        | Json::Object(_) => (name.clone(), value.clone()),
    });
    Json::Object(cleaned.collect())
}
