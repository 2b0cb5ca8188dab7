//! The sample data. All pages share one payee, sender and amount, so that the gallery reads like one claim.

use askama::Template;

use crate::pages::views::*;

pub(super) struct Shown {
    pub(super) name: &'static str,
    pub(super) html: String,
}

pub(super) fn show(name: &'static str, page: &impl Template) -> Shown {
    Shown { name, html: page.render().unwrap() }
}

fn claim_at(position: usize) -> Claim {
    let labels = ["Contact", "Code", "Name", "Tax form", "Method", "Amount"];
    let steps = labels.iter().enumerate().map(|(index, label)| Step {
        label: (*label).to_string(),
        state: match index.cmp(&position) {
            std::cmp::Ordering::Less => StepState::Done,
            std::cmp::Ordering::Equal => StepState::Current,
            std::cmp::Ordering::Greater => StepState::Ahead,
        },
    });
    Claim {
        token: "q7Zt-sample".into(),
        app_name: "Harbor & Pine Studio".into(),
        amount: "$1,250.00".into(),
        memo: Some("Illustrations for the spring <catalogue>. Thank you!".into()),
        message: Some("See you in <May>!".into()),
        expires_on: Some("December 21, 2026".into()),
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
    }
}

pub(super) fn contact(way: ContactWay, form: Form) -> ContactPage {
    ContactPage {
        claim: claim_at(0),
        way,
        other_way: way == ContactWay::Email,
        addressed_to: Some("+1 ••• ••• 1234".into()),
        country_codes: choices(&[("1", "United States +1"), ("49", "Germany +49")]),
        form,
    }
}

fn code(resent: bool, dead: bool, form: Form) -> CodePage {
    CodePage {
        claim: claim_at(1), sent_to: "+1 ••• ••• 1234".into(), resent, dead, other_contact: false, form
    }
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
        form,
    }
}

fn rail(platform: &str, name: &str, fee: &str, arrives: &str) -> RailChoice {
    RailChoice { platform: platform.into(), name: name.into(), fee: fee.into(), arrives: arrives.into() }
}

fn method(saved: Vec<SavedMethod>, form: Form) -> MethodPage {
    let rails = vec![
        rail("ach", "Bank account", "25¢ fee", "Arrives in 1 business day"),
        rail("push_to_card", "Debit card", "1% fee, at least 50¢", "Arrives in minutes"),
        rail("wallet_a", "Wallet A", "2% fee, at most $20.00", "Arrives in minutes"),
        rail("gift_card_a", "Gift card A", "No fee", "Arrives in minutes"),
    ];
    MethodPage { claim: claim_at(4), saved, rails, form }
}

fn details(fields: Vec<MethodField>, form: Form) -> MethodDetailsPage {
    MethodDetailsPage {
        claim: claim_at(4),
        rail: rail("ach", "Bank account", "25¢ fee", "Arrives in 1 business day"),
        note: None,
        fields,
        countries: choices(&[("DE", "Germany"), ("FR", "France")]),
        networks: choices(&[("base", "Base"), ("solana", "Solana")]),
        may_prefer: true,
        form,
    }
}

fn payout(form: Form) -> PayoutPage {
    PayoutPage {
        claim: claim_at(5),
        available: "$1,250.00".into(),
        available_amount: "1250.00".into(),
        shown_amount: "1250.00".into(),
        amount: "$1,250.00".into(),
        fee: "$0.25".into(),
        payout_amount: "$1,249.75".into(),
        destination: "Bank account ••6789".into(),
        arrives: "on Monday, November 23".into(),
        form,
    }
}

fn done(outcome: PayoutOutcome, remaining: Option<&str>) -> DonePage {
    DonePage {
        claim: claim_at(6),
        outcome,
        payout_amount: "$1,249.75".into(),
        fee: "$0.25".into(),
        destination: "Bank account ••6789".into(),
        arrives: "on Monday, November 23".into(),
        reference: "019aa5c2-7f3e-7c11-9b52-5d1f0a6b7c8d".into(),
        remaining: remaining.map(String::from),
    }
}

fn closed(why: Closed) -> ClosedPage {
    ClosedPage { why, app_name: Some("Harbor & Pine Studio".into()), again: None, request_id: None }
}

fn message(channel: MessageChannel, subject: Option<&str>, text: &str, code: Option<&str>) -> InboxMessage {
    InboxMessage {
        id: format!("m-{channel:?}"),
        channel,
        to: if channel == MessageChannel::Email { "ada@example.com".into() } else { "+12127361234".into() },
        created: "November 21, 10:30:05 UTC".into(),
        created_at: "2026-11-21T10:30:05.000000Z".into(),
        subject: subject.map(String::from),
        text: text.into(),
        link: Some("http://127.0.0.1:8080/claim/q7Zt-sample".into()),
        code: code.map(String::from),
    }
}

fn inbox(to: &str, messages: Vec<InboxMessage>) -> InboxPage {
    InboxPage { to: to.into(), messages, has_more: false, is_sandbox: true }
}

fn row(name: &str, kind: &str, required: bool, description: &str) -> ReferenceRow {
    ReferenceRow { name: name.into(), kind: kind.into(), required, description: description.into() }
}

fn operation(id: &str, method: &str, path: &str, summary: &str) -> Operation {
    let success = ResponseDoc {
        status: "201".into(),
        description: "The payout link.".into(),
        error_codes: vec![],
        fields: vec![
            row("id", "uuid", false, "The payout link."),
            row("amount", "integer, cents", false, "The amount of the link."),
        ],
        example: Some("{\n  \"id\": \"019aa5c2-7f3e-7c11-9b52-5d1f0a6b7c8d\",\n  \"amount\": 2500\n}".into()),
    };
    let refusal = ResponseDoc {
        status: "402".into(),
        description: "The app's wallet does not cover the amount.".into(),
        error_codes: vec!["transaction-insufficient-funds".into()],
        fields: vec![],
        example: None,
    };
    Operation {
        id: id.into(),
        method: method.into(),
        path: path.into(),
        summary: summary.into(),
        description: vec![
            "A payee without an account receives a link; no money moves until the link is claimed.".into(),
        ],
        callers: "App key, or an organization key with Api-App-Id".into(),
        parameters: vec![row("Idempotency-Key", "header, string", false, "A request is executed once per key.")],
        request_fields: vec![
            row("amount", "integer, cents", true, "1 to 9,999,999,999."),
            row("payee.phone_number", "string", false, "Required unless user_id is sent."),
        ],
        request_example: Some("{\n  \"amount\": 2500\n}".into()),
        responses: vec![success, refusal],
    }
}

fn reference() -> ReferencePage {
    let group = |id: &str, name: &str, operations: Vec<Operation>| OperationGroup {
        id: id.into(),
        name: name.into(),
        description: "Money on its way to a person.".into(),
        operations,
    };
    ReferencePage {
        is_sandbox: true,
        version: "0.1.0".into(),
        base_url: "http://127.0.0.1:8080".into(),
        introduction: vec!["Amounts are in cents. Every POST takes an Idempotency-Key.".into()],
        groups: vec![
            group(
                "payouts",
                "Payouts",
                vec![
                    operation("send-payout", "POST", "/v2/payouts/send-payout", "Send a payout"),
                    operation("fee-estimate", "GET", "/v2/payouts/fee-estimate", "Estimate the fees of a payout"),
                ],
            ),
            group(
                "users",
                "Users",
                vec![
                    operation("update-user", "PATCH", "/v2/users/{user_id}", "Update a user"),
                    operation("delete-user", "DELETE", "/v2/users/{user_id}", "Delete a user"),
                    operation("put-address", "PUT", "/v2/users/{user_id}/addresses", "Add an address"),
                ],
            ),
        ],
    }
}

fn identity_pages() -> Vec<Shown> {
    let wrong_phone = form(
        &[("country_code", "49"), ("phone_number", "12")],
        &[("phone_number", "Enter a complete phone number, like 212 736 1234.")],
    );
    let wrong_email = form(&[("email", "ada@")], &[("email", "Enter a complete email address, like ada@example.com.")]);
    let wrong_code = form(&[("token", "111111")], &[("token", "That is not the code we sent. You have 4 tries left.")]);
    let wrong_name = form(
        &[("email", "ada@")],
        &[
            ("first_name", "Enter your first name."),
            ("last_name", "Enter your last name."),
            ("email", "Enter a complete email address, like ada@example.com."),
        ],
    );
    vec![
        show("contact", &contact(ContactWay::Phone, Form::default())),
        show("contact-wrong", &contact(ContactWay::Phone, wrong_phone)),
        show("contact-email", &contact(ContactWay::Email, wrong_email)),
        show("code", &code(false, false, Form::default())),
        show("code-resent", &code(true, false, Form::default())),
        show("code-wrong", &code(false, false, wrong_code)),
        show("code-dead", &code(false, true, Form::default())),
        show("profile", &ProfilePage { claim: claim_at(2), form: Form::default() }),
        show("profile-wrong", &ProfilePage { claim: claim_at(2), form: wrong_name }),
    ]
}

fn contact_change_pages() -> Vec<Shown> {
    let wrong_email = form(&[("email", "ada@")], &[("email", "Enter a complete email address, like ada@example.com.")]);
    let wrong_code = form(&[], &[("new_token", "The code is wrong. You have 4 attempts left.")]);
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
            ("entity_type", "Choose who is being paid."),
            ("tax_id_type", "Choose the kind of number."),
            ("tax_id", "Enter nine digits."),
            ("state", "Choose a state."),
            ("certified", "Certify the form to continue."),
        ],
    );
    let wrong_w8 = form(
        &[("name", "Ada"), ("citizenship", "DE")],
        &[("date_of_birth", "Enter your date of birth."), ("certified", "Certify the form to continue.")],
    );
    vec![
        show("compliance", &compliance(TaxForm::W9, started)),
        show("compliance-wrong", &compliance(TaxForm::W9, wrong)),
        show("compliance-w8ben-wrong", &compliance(TaxForm::W8Ben, wrong_w8)),
    ]
}

fn method_pages() -> Vec<Shown> {
    use MethodField::*;
    let saved = SavedMethod {
        id: "m1".into(),
        name: "Bank account ••6789".into(),
        fee: "25¢ fee".into(),
        arrives: "Arrives in 1 business day".into(),
    };
    let none_chosen = form(&[], &[("platform", "Choose how to get paid.")]);
    let wrong = form(
        &[("routing_number", "110000001"), ("account_number", "000123456789")],
        &[
            ("routing_number", "That routing number does not exist. Check the nine digits."),
            ("account_type", "Choose checking or savings."),
        ],
    );
    let all = vec![
        Email,
        PhoneNumber,
        Handle,
        CashTag,
        Iban,
        Bic,
        Country,
        BankCode,
        AccountHolderName,
        RecipientName,
        CardToken,
        Network,
        Address,
    ];
    let no_rails = MethodPage { rails: vec![], ..method(vec![], Form::default()) };
    vec![
        show("method", &method(vec![], form(&[("platform", "ach")], &[]))),
        show("method-saved", &method(vec![saved], Form::default())),
        show("method-wrong", &method(vec![], none_chosen)),
        show("method-none", &no_rails),
        show(
            "method-ach",
            &details(vec![RoutingNumber, AccountNumber, AccountType], form(&[("account_type", "checking")], &[])),
        ),
        show("method-ach-wrong", &details(vec![RoutingNumber, AccountNumber, AccountType], wrong)),
        show("method-all-fields", &details(all, Form::default())),
    ]
}

fn payout_pages() -> Vec<Shown> {
    let wrong = form(&[("amount", "2000")], &[("amount", "Enter at most $1,250.00.")]);
    let failed = PayoutOutcome::Failed { message: "The account is closed.".into() };
    vec![
        show("payout", &payout(form(&[("amount", "1250.00")], &[]))),
        show("payout-wrong", &payout(wrong)),
        show("done-in-review", &done(PayoutOutcome::InReview, None)),
        show("done-pending", &done(PayoutOutcome::Pending, Some("$250.00"))),
        show("done-completed", &done(PayoutOutcome::Completed, None)),
        show("done-failed", &done(failed, None)),
    ]
}

fn closed_pages() -> Vec<Shown> {
    let problem = ClosedPage {
        why: Closed::Problem { message: "The service is not available right now. Your money is safe.".into() },
        app_name: None,
        again: Some("/claim/q7Zt-sample".into()),
        request_id: Some("019aa5c2-7f3e-7c11-9b52-5d1f0a6b7c8d".into()),
    };
    vec![
        show("closed-expired", &closed(Closed::Expired)),
        show("closed-canceled", &closed(Closed::Canceled)),
        show("closed-unknown", &ClosedPage { app_name: None, ..closed(Closed::Unknown) }),
        show(
            "closed-on-hold",
            &closed(Closed::OnHold { message: "We are checking your details. Your money is safe.".into() }),
        ),
        show("closed-elsewhere", &closed(Closed::ClaimedElsewhere)),
        show("closed-too-many", &closed(Closed::TooManyTries)),
        show("closed-problem", &problem),
    ]
}

fn developer_pages() -> Vec<Shown> {
    let link = "Harbor & Pine Studio sent you $1,250.00. Claim it: http://127.0.0.1:8080/claim/q7Zt-sample (until December 21)";
    let messages = vec![
        message(
            MessageChannel::Sms,
            None,
            "482913 is your code for Harbor & Pine Studio. Enter it only on the payment page. We will never call you for it.",
            Some("482913"),
        ),
        message(MessageChannel::Email, Some("You have $1,250.00 from Harbor & Pine Studio"), link, None),
        message(MessageChannel::Voice, None, "Your code is 4 8 2 9 1 3.", Some("482913")),
    ];
    let landing = LandingPage { base_url: "http://127.0.0.1:8080".into(), version: "0.1.0".into(), is_sandbox: true };
    let guide = |name, address, is_sandbox| show(name, &crate::pages::guide::view(address, is_sandbox).unwrap());
    vec![
        guide("guide", "/guide", true),
        guide("guide-chapter", "/guide/pay-one-person", true),
        guide("guide-webhooks", "/guide/webhooks", false),
        guide("guide-reference", "/guide/reference/operating", true),
        show("inbox", &inbox("", messages)),
        show("inbox-empty", &inbox("", vec![])),
        show("inbox-nothing-found", &inbox("+12127361234", vec![])),
        show("landing", &landing),
        show("reference", &reference()),
    ]
}

fn notice_pages() -> Vec<Shown> {
    let notice = |state, form| NoticePage {
        token: "q7Zt-sample".into(),
        app_name: "Harbor & Pine Studio".into(),
        changes: vec![
            "A new way to get paid was added (Bank account ••6789)".into(),
            "Your usual way to get paid was changed (Bank account ••6789)".into(),
            "Automatic payouts were switched on".into(),
        ],
        changed_on: "Monday, November 23".into(),
        sent_to: "***1234".into(),
        state,
        form,
    };
    let wrong = form(&[], &[("token", "The code is wrong. You have 4 attempts left.")]);
    vec![
        show("notice", &notice(NoticeState::Running, Form::default())),
        show("notice-stopped", &notice(NoticeState::Stopped, Form::default())),
        show("notice-code", &notice(NoticeState::CodeSent, Form::default())),
        show("notice-wrong", &notice(NoticeState::CodeSent, wrong)),
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

pub(super) fn all_pages() -> Vec<Shown> {
    let mut pages = identity_pages();
    pages.extend(notice_pages());
    pages.extend(contact_change_pages());
    pages.extend(setup_pages());
    pages.extend(tax_pages());
    pages.extend(method_pages());
    pages.extend(payout_pages());
    pages.extend(closed_pages());
    pages.extend(developer_pages());
    pages
}
