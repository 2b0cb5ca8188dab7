//! The sample data. All pages share one payee, sender and amount, so that the gallery reads like one claim.

use std::cell::Cell;

use jiff::civil::date;

use super::developer::developer_pages;
use super::shown::{Shown, show};
use crate::clock::Time;
use crate::language::{Language, Said, Text};
use crate::money::Cents;
use crate::pages::views::*;

thread_local! {
    static LANGUAGE: Cell<Language> = const { Cell::new(Language::En) };
}

/// The language of the pages that are drawn.
fn language() -> Language {
    LANGUAGE.get()
}

fn t(text: Text) -> &'static str {
    language().text(text)
}

fn money(cents: i64) -> String {
    language().money(Cents::new(cents))
}

/// A text with a day of arrival.
fn on(text: Text) -> Said {
    language().say(text).with("day", language().weekday_day(date(2026, 11, 24)))
}

fn moment(datetime: &str) -> Moment {
    let at = Time::parse(datetime).unwrap();
    Moment { shown: language().moment(at), datetime: datetime.to_owned() }
}

fn fee_of(cents: i64) -> String {
    language().say(Text::FeeOf).with("amount", money(cents)).plain()
}

/// The payee's bank account, as pages name it.
fn account() -> String {
    language().say(Text::MethodAndEnd).exact("method", t(Text::MethodChecking)).with("end", "••6789").plain()
}

fn sender() -> Sender {
    let why = "/claim/q7Zt-sample/why".into();
    Sender { name: "Harbor & Pine Studio".into(), why, ..Sender::default() }
}

/// A sender with everything that can be set.
fn branded() -> Sender {
    let website = Website { href: "https://harborpine.example/studio".into(), host: "harborpine.example".into() };
    Sender {
        logo: Some("/assets/bursar.svg".into()),
        stylesheet: Some("/assets/color-8a3ffc.css".into()),
        website: Some(website),
        support_email: Some("help@harborpine.example".into()),
        support_phone: Some("+12127361234".into()),
        terms: Some("https://harborpine.example/terms".into()),
        privacy: Some("https://harborpine.example/privacy".into()),
        greeting: Some("Thank you for your <work>!".into()),
        note: Some("For the invoices of October, after the agreed discount.".into()),
        footer: Some("Harbor & Pine Studio, 1 Wharf Street, Portland, ME 04101".into()),
        ..sender()
    }
}

fn claim_at(position: usize) -> Claim {
    let labels =
        [Text::StepContact, Text::StepCode, Text::StepName, Text::StepTaxForm, Text::StepWhere, Text::StepConfirm];
    let steps = labels.iter().enumerate().map(|(index, label)| Step {
        label: t(*label),
        state: match index.cmp(&position) {
            std::cmp::Ordering::Less => StepState::Done,
            std::cmp::Ordering::Equal => StepState::Current,
            std::cmp::Ordering::Greater => StepState::Ahead,
        },
    });
    Claim {
        language: language(),
        token: "q7Zt-sample".into(),
        sender: sender(),
        amount: money(125_000),
        memo: Some("Illustrations for the spring <catalogue>. Thank you!".into()),
        message: Some("See you in <May>!".into()),
        expires: Some(moment("2026-12-21T09:30:00Z")),
        steps: steps.collect(),
        sandbox: true,
        signed_in: position > 1,
        may_change_contact: position > 3,
    }
}

fn choices(pairs: &[(&str, &str)]) -> Vec<Choice> {
    let choice = |(value, label): &(&str, &str)| Choice { value: (*value).into(), label: (*label).into() };
    pairs.iter().map(choice).collect()
}

pub(super) fn form(values: &[(&str, &str)], errors: &[(&str, &str)]) -> Form {
    let error = |(field, message): &(&str, &str)| FieldError { field: (*field).into(), message: (*message).into() };
    Form {
        values: values.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
        errors: errors.iter().map(error).collect(),
        withheld: Vec::new(),
    }
}

pub(super) fn contact(way: ContactWay, form: Form) -> ContactPage {
    let country_codes = choices(&[("1", "United States +1"), ("49", "Germany +49")]);
    ContactPage { claim: claim_at(0), way, country_codes, ended: None, form }
}

fn named_contact(first_name: Option<&str>, contacts: &[(ContactWay, &str)], form: Form) -> NamedContactPage {
    let contact = |(way, mask): &(ContactWay, &str)| NamedContact { way: *way, mask: (*mask).to_owned() };
    NamedContactPage {
        claim: claim_at(0),
        first_name: first_name.map(String::from),
        contacts: contacts.iter().map(contact).collect(),
        ended: None,
        form,
    }
}

fn code(resent: bool, dead: bool, form: Form) -> CodePage {
    let sent_to = "••• 1234".into();
    CodePage { claim: claim_at(1), sent_to, resent, dead, other_contact: false, is_named: true, form }
}

fn contact_claim() -> Claim {
    Claim { may_change_contact: false, ..claim_at(6) }
}

fn contact_change(changed: bool, form: Form) -> ContactChangePage {
    let country_codes = choices(&[("1", "United States +1"), ("49", "Germany +49")]);
    ContactChangePage { claim: contact_claim(), changed, country_codes, form }
}

fn contact_codes(form: Form) -> ContactCodesPage {
    let (present_sent_to, new_sent_to) = ("+1 ••• ••• 1234".into(), "a••@example.com".into());
    ContactCodesPage { claim: contact_claim(), present_sent_to, new_sent_to, form }
}

pub(super) fn compliance(tax_form: TaxForm, form: Form) -> CompliancePage {
    CompliancePage {
        claim: claim_at(3),
        tax_form,
        states: choices(&[("CA", "California"), ("NY", "New York")]),
        countries: choices(&[("DE", "Germany"), ("FR", "France")]),
        residences: choices(&[("DE", "Germany"), ("FR", "France")]),
        form,
    }
}

fn profile(account: Option<BankForm>, form: Form) -> ProfilePage {
    ProfilePage { claim: claim_at(2), account, form }
}

fn way(platform: &str, name: Text, about: Text, cents: i64, arrives: String) -> WayChoice {
    WayChoice {
        href: format!("/claim/q7Zt-sample/method?platform={platform}"),
        name: t(name).into(),
        about: t(about),
        fee: if cents == 0 { t(Text::NoFee).to_owned() } else { fee_of(cents) },
        arrives,
        is_fastest: platform == "prepaid_card_a",
        is_free: cents == 0,
    }
}

fn bank(is_usual: bool, speeds: usize) -> BankForm {
    let speed = |(platform, fee, arrives): (&str, i64, String)| BankSpeed {
        platform: platform.into(),
        fee: fee_of(fee),
        arrives,
        is_fastest: false,
        is_free: false,
    };
    let all = [("ach", 25, on(Text::WayOn).plain()), ("wire", 1_500, t(Text::WaySameDay).to_owned())];
    BankForm {
        speeds: all.into_iter().take(speeds).map(speed).collect(),
        known_banks: "110000000=Sandbox Bank".into(),
        is_usual,
        may_prefer: true,
    }
}

fn method(saved: Vec<SavedMethod>, form: Form) -> MethodPage {
    let minutes = || t(Text::WayMinutes).to_owned();
    let wallets = vec![
        way("prepaid_card_a", Text::MethodPrepaid, Text::AboutPrepaid, 0, minutes()),
        way("wallet_a", Text::MethodWalletA, Text::AboutEmail, 2_000, minutes()),
        way("crypto", Text::MethodCrypto, Text::AboutWalletAddress, 100, minutes()),
    ];
    let gifts = vec![way("gift_card_a", Text::MethodGift, Text::AboutGift, 0, minutes())];
    let by = on(Text::WayBy).plain();
    let intl = way("intl_bank", Text::WayBankAbroad, Text::AboutBankAbroad, 1_450, by);
    MethodPage {
        claim: claim_at(4),
        saved,
        bank: Some(bank(true, 2)),
        groups: vec![
            WayGroup { id: "to-wallet", title: t(Text::WhereWallet), ways: wallets },
            WayGroup { id: "gift-card", title: t(Text::WhereGift), ways: gifts },
        ],
        more: vec![intl],
        under_fees: None,
        form,
    }
}

/// The ways of a payee outside the United States.
fn method_abroad() -> MethodPage {
    let page = method(vec![], form(&[("account_type", "checking")], &[]));
    let ways = page.more.clone();
    let to_bank = WayGroup { id: "to-bank-abroad", title: t(Text::WhereBank), ways };
    let groups = [vec![to_bank], page.groups.clone()].concat();
    MethodPage { bank: Some(bank(false, 1)), groups, more: vec![], ..page }
}

fn details(name: &str, fields: Vec<MethodField>, form: Form) -> MethodDetailsPage {
    let other = OtherForm { href: "/claim/q7Zt-sample/method?platform=intl_bank".into(), label: t(Text::WithoutIban) };
    MethodDetailsPage {
        claim: claim_at(4),
        platform: "intl_bank".into(),
        name: name.into(),
        fee: fee_of(1_450),
        arrives: on(Text::WayBy).plain(),
        note: None,
        other_form: fields.contains(&MethodField::Iban).then_some(other),
        fields,
        countries: choices(&[("DE", "Germany"), ("FR", "France")]),
        networks: choices(&[("base", "Base"), ("solana", "Solana")]),
        may_prefer: true,
        form,
    }
}

fn payout(asks_part: bool, form: Form) -> PayoutPage {
    PayoutPage {
        claim: claim_at(5),
        available: money(125_000),
        available_amount: "1250.00".into(),
        shown_amount: "1250.00".into(),
        amount: money(125_000),
        fee: money(25),
        payout_amount: money(124_975),
        destination: account(),
        bank: Some("Sandbox Bank".into()),
        arrives: on(Text::ArrivalOn).plain(),
        asks_part,
        form,
    }
}

fn done(outcome: PayoutOutcome, remaining: Option<i64>) -> DonePage {
    let under_way = matches!(outcome, PayoutOutcome::InReview | PayoutOutcome::Pending);
    let arrives = if outcome == PayoutOutcome::Completed { Text::DoneCompleted } else { Text::DoneOn };
    DonePage {
        claim: claim_at(6),
        outcome,
        payout_amount: money(124_975),
        fee: money(25),
        kept_fee: Some(money(25)),
        destination: account(),
        arrives: on(arrives).strong("amount", money(124_975)),
        reference: "019aa5c2-7f3e-7c11-9b52-5d1f0a6b7c8d".into(),
        remaining: remaining.map(money),
        refresh_seconds: under_way.then_some(300),
    }
}

fn receipt() -> ReceiptPage {
    ReceiptPage {
        claim: claim_at(6),
        amount: money(125_000),
        fee: money(25),
        payout_amount: money(124_975),
        destination: account(),
        arrived_on: language().day_of_year(date(2026, 11, 24)),
        reference: "019aa5c2-7f3e-7c11-9b52-5d1f0a6b7c8d".into(),
    }
}

fn closed(why: Closed) -> ClosedPage {
    let languages = Some("/claim/q7Zt-sample/language".into());
    let (sender, amount, new_link) = (Some(sender()), Some("$1,250.00".into()), NewLink::Impossible);
    ClosedPage {
        language: language(),
        languages,
        why,
        sender,
        amount,
        sandbox: true,
        new_link,
        again: None,
        request_id: None,
    }
}

fn identity_pages() -> Vec<Shown> {
    let wrong_phone = form(&[("country_code", "49"), ("phone_number", "12")], &[("phone_number", t(Text::FieldPhone))]);
    let wrong_email = form(&[("email", "ada@")], &[("email", t(Text::FieldEmail))]);
    let tries_left = language().say(Text::CodeWrong).count(4).plain();
    let wrong_code = form(&[("token", "111111")], &[("token", &tries_left)]);
    let wrong_name = form(
        &[("email", "ada@")],
        &[
            ("first_name", t(Text::FieldFirstNameMissing)),
            ("last_name", t(Text::FieldLastNameMissing)),
            ("email", t(Text::FieldEmail)),
        ],
    );
    let phone = (ContactWay::Phone, "••• 1234");
    let both = [phone, (ContactWay::Email, "a•••@example.com")];
    let locked = form(&[], &[("", t(Text::RefusedLocked))]);
    let replaced = NamedContactPage { ended: Some(Ended::Replaced), ..named_contact(None, &[phone], Form::default()) };
    let idle = ContactPage { ended: Some(Ended::Idle), ..contact(ContactWay::Phone, Form::default()) };
    vec![
        show("named-contact", &named_contact(Some("Ada"), &[phone], Form::default())),
        show("named-contact-both", &named_contact(None, &both, Form::default())),
        show("named-contact-refused", &named_contact(None, &both, locked)),
        show("named-contact-replaced", &replaced),
        show("contact", &contact(ContactWay::Phone, Form::default())),
        show("contact-idle", &idle),
        show("contact-wrong", &contact(ContactWay::Phone, wrong_phone)),
        show("contact-email", &contact(ContactWay::Email, wrong_email)),
        show("code", &code(false, false, Form::default())),
        show("code-resent", &code(true, false, Form::default())),
        show("code-wrong", &code(false, false, wrong_code)),
        show("code-dead", &code(false, true, Form::default())),
        show("profile", &profile(None, Form::default())),
        show("profile-wrong", &profile(None, wrong_name)),
        show("profile-account", &profile(Some(bank(true, 2)), form(&[("account_type", "checking")], &[]))),
    ]
}

fn contact_change_pages() -> Vec<Shown> {
    let wrong_email = form(&[("email", "ada@")], &[("email", t(Text::FieldEmail))]);
    let attempts_left = language().say(Text::AttemptWrong).count(4).plain();
    let wrong_code = form(&[], &[("new_token", &attempts_left)]);
    vec![
        show("contact-change", &contact_change(false, Form::default())),
        show("contact-changed", &contact_change(true, Form::default())),
        show("contact-change-wrong", &contact_change(false, wrong_email)),
        show("contact-codes", &contact_codes(Form::default())),
        show("contact-codes-wrong", &contact_codes(wrong_code)),
    ]
}

fn tax_pages() -> Vec<Shown> {
    let started = form(&[("entity_type", "individual"), ("tax_id_type", "ssn"), ("state", "NY")], &[]);
    let wrong = form(
        &[("tax_id", "123-45-6789"), ("name", "Ada")],
        &[
            ("entity_type", t(Text::FieldEntity)),
            ("tax_id_type", t(Text::FieldNumberKind)),
            ("tax_id", t(Text::FieldTaxNumber)),
            ("state", t(Text::FieldState)),
            ("certified", t(Text::FieldCertified)),
        ],
    );
    let wrong_w8 = form(
        &[("name", "Ada"), ("citizenship", "DE")],
        &[("date_of_birth", t(Text::FieldBirthMissing)), ("certified", t(Text::FieldCertified))],
    );
    vec![
        show("compliance", &compliance(TaxForm::W9, started)),
        show("compliance-wrong", &compliance(TaxForm::W9, wrong)),
        show("compliance-w8ben-wrong", &compliance(TaxForm::W8Ben, wrong_w8)),
    ]
}

fn method_pages() -> Vec<Shown> {
    use MethodField::*;
    let saved = SavedMethod { id: "m1".into(), name: account(), fee: fee_of(25), arrives: on(Text::WayOn).plain() };
    let first = || form(&[("account_type", "checking")], &[]);
    let wrong = form(
        &[("routing_number", "110000001")],
        &[
            ("routing_number", t(Text::FieldRouting)),
            ("confirm_account_number", t(Text::FieldAccountAgain)),
            ("account_type", t(Text::FieldAccountType)),
        ],
    );
    let no_ways = MethodPage { bank: None, groups: vec![], more: vec![], ..method(vec![], Form::default()) };
    let wrong = Form { withheld: vec!["account_number".into(), "confirm_account_number".into()], ..wrong };
    let under_fees = MethodPage { under_fees: Some(money(10)), ..no_ways.clone() };
    let one_speed = MethodPage { bank: Some(bank(true, 1)), ..method(vec![], first()) };
    let wallets =
        vec![Email, PhoneNumber, Handle, CashTag, RecipientName, Country, BankCode, AccountNumber, Network, Address];
    vec![
        show("method", &method(vec![], first())),
        show("method-one-speed", &one_speed),
        show("method-saved", &method(vec![saved], first())),
        show("method-abroad", &method_abroad()),
        show("method-wrong", &method(vec![], wrong)),
        show("method-none", &no_ways),
        show("method-under-fees", &under_fees),
        show("method-iban", &details(t(Text::WayBankAbroad), vec![Iban, Bic, AccountHolderName], Form::default())),
        show("method-all-fields", &details(t(Text::WayPickup), wallets, Form::default())),
    ]
}

fn payout_pages() -> Vec<Shown> {
    let most = language().say(Text::AmountMost).with("amount", money(125_000)).plain();
    let wrong = form(&[("amount", "2000")], &[("amount", &most)]);
    let failed = PayoutOutcome::Failed { message: t(Text::FailureClosed) };
    let returned = PayoutOutcome::Returned { by: t(Text::ReturnedBankTitle), message: t(Text::FailureOther) };
    vec![
        show("payout", &payout(false, form(&[("amount", "1250.00")], &[]))),
        show("payout-part", &payout(true, form(&[("amount", "1250.00")], &[]))),
        show("payout-wrong", &payout(true, wrong)),
        show("done-in-review", &done(PayoutOutcome::InReview, None)),
        show("done-pending", &done(PayoutOutcome::Pending, Some(25_000))),
        show("done-completed", &done(PayoutOutcome::Completed, None)),
        show("done-failed", &done(failed, None)),
        show("done-returned", &done(returned, None)),
        show("done-canceled", &done(PayoutOutcome::Canceled, None)),
        show("receipt", &receipt()),
    ]
}

fn closed_pages() -> Vec<Shown> {
    let offered = NewLink::Offered { action: "/claim/q7Zt-sample/new-link".into() };
    let problem = ClosedPage {
        why: Closed::Problem { message: t(Text::RefusedUnavailable).into() },
        language: language(),
        languages: None,
        sender: None,
        amount: None,
        sandbox: false,
        new_link: NewLink::Impossible,
        again: Some("/claim/q7Zt-sample".into()),
        request_id: Some("019aa5c2-7f3e-7c11-9b52-5d1f0a6b7c8d".into()),
    };
    vec![
        show("closed-expired", &ClosedPage { new_link: offered, ..closed(Closed::Expired) }),
        show("closed-expired-requested", &ClosedPage { new_link: NewLink::Requested, ..closed(Closed::Expired) }),
        show("closed-canceled", &closed(Closed::Canceled)),
        show("closed-unknown", &ClosedPage { sender: None, ..closed(Closed::Unknown) }),
        show("closed-on-hold", &closed(Closed::OnHold { message: t(Text::HoldReview).into() })),
        show("closed-elsewhere", &closed(Closed::ClaimedElsewhere)),
        show("closed-too-many", &closed(Closed::TooManyTries { minutes: Some(12) })),
        show("closed-problem", &problem),
    ]
}

fn notice_pages() -> Vec<Shown> {
    let change = |text| language().say(text).with("method", account()).plain();
    let notice = |state, form| NoticePage {
        language: language(),
        token: "q7Zt-sample".into(),
        sender: sender(),
        changes: vec![
            change(Text::ChangeMethodNamed),
            change(Text::ChangeDefaultNamed),
            t(Text::ChangeAuto).to_owned(),
        ],
        changed: moment("2026-11-23T09:30:00Z"),
        sent_to: "••• 1234".into(),
        state,
        form,
    };
    let attempts_left = language().say(Text::AttemptWrong).count(4).plain();
    let wrong = form(&[], &[("token", &attempts_left)]);
    vec![
        show("notice", &notice(NoticeState::Running, Form::default())),
        show("notice-stopped", &notice(NoticeState::Stopped, Form::default())),
        show("notice-code", &notice(NoticeState::CodeSent, Form::default())),
        show("notice-wrong", &notice(NoticeState::CodeSent, wrong)),
    ]
}

fn sender_pages() -> Vec<Shown> {
    let why = |sender, payment, back| WhyPage {
        language: language(),
        languages: Some("/claim/q7Zt-sample/language".into()),
        sender,
        payment,
        address: "https://pay.example.com".into(),
        back,
        sandbox: true,
    };
    let payment = WhyPayment {
        amount: money(125_000),
        memo: Some("Illustrations for the spring <catalogue>. Thank you!".into()),
        sent_to: Some("••• 1234".into()),
    };
    let claim = || Claim { sender: branded(), ..claim_at(0) };
    let back = Some("/claim/q7Zt-sample".into());
    let named = named_contact(Some("Ada"), &[(ContactWay::Phone, "••• 1234")], Form::default());
    vec![
        show("why", &why(sender(), None, None)),
        show("why-branded", &why(branded(), Some(payment), back)),
        show("branded-contact", &NamedContactPage { claim: claim(), ..named }),
        show("branded-receipt", &ReceiptPage { claim: claim(), ..receipt() }),
        show("branded-closed", &ClosedPage { sender: Some(branded()), ..closed(Closed::Expired) }),
    ]
}

fn setup_pages() -> Vec<Shown> {
    let setup = |state, form| SetupPage { token: "q7Zt-sample".into(), state, form };
    let (id, email) = ("0198c0de-0000-7000-8000-000000000001".to_owned(), "ada@example.com".to_owned());
    let made = SetupState::Made {
        name: "Harbor & Pine Studio".into(),
        id: id.clone(),
        key: "org_pk_production_sample:org_sk_production_sample".into(),
        email: email.clone(),
    };
    let wrong = form(
        &[("organization_name", "Harbor & Pine Studio"), ("email", "ada@")],
        &[("name", "Enter your name."), ("password", "The password must have at least 12 characters.")],
    );
    let member = SetupState::Member { name: "Ada <Lovelace>".into() };
    vec![
        show("setup", &setup(SetupState::Organization, Form::default())),
        show("setup-wrong", &setup(SetupState::Organization, wrong)),
        show("setup-made", &setup(made, Form::default())),
        show("setup-member", &setup(member, Form::default())),
        show("setup-password-set", &setup(SetupState::PasswordSet { id, email }, Form::default())),
        show("setup-closed", &setup(SetupState::Closed, Form::default())),
        show("setup-problem", &setup(SetupState::Problem { message: "Too many tries.".into() }, Form::default())),
    ]
}

/// Returns every page for payees in a language.
pub(super) fn pages_in(language: Language) -> Vec<Shown> {
    LANGUAGE.set(language);
    let pages = [
        identity_pages(),
        notice_pages(),
        sender_pages(),
        contact_change_pages(),
        tax_pages(),
        method_pages(),
        payout_pages(),
        closed_pages(),
    ];
    LANGUAGE.set(Language::En);
    pages.concat()
}

pub(super) fn all_pages() -> Vec<Shown> {
    let mut pages = identity_pages();
    pages.extend(notice_pages());
    pages.extend(sender_pages());
    pages.extend(contact_change_pages());
    pages.extend(setup_pages());
    pages.extend(tax_pages());
    pages.extend(method_pages());
    pages.extend(payout_pages());
    pages.extend(closed_pages());
    pages.extend(developer_pages());
    pages
}
