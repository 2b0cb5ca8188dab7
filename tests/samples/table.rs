//! The table: a working request for each operation.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::bank_files::bank_files;
use super::bank_intake::bank_intake;
use super::bank_statements::bank_statements;
use super::banking::banking;
use super::bills::bills;
use super::funding::funding;
use super::{Claim, Sample, Stage};
use crate::harness::PUBLIC_URL;
use crate::harness::Reported;

/// Returns a request for this operation that succeeds for its owner. Each call creates new objects, so that one request
/// does not make the next fail. `None` if the table has no row yet.
pub async fn sample(stage: &Stage, operation: &str) -> Option<Sample> {
    for part in [
        people(stage, operation).await,
        reviews(stage, operation).await,
        money(stage, operation).await,
        requests(stage, operation).await,
        batches(stage, operation).await,
        around(stage, operation).await,
        replies(stage, operation).await,
        bills(stage, operation).await,
        banking(stage, operation).await,
        bank_files(stage, operation).await,
        bank_intake(stage, operation).await,
        bank_statements(stage, operation).await,
        super::sign_in::sign_ins(stage, operation).await,
    ] {
        if part.is_some() {
            return part;
        }
    }
    if let Some(sample) = brand(stage, operation) {
        return Some(sample);
    }
    if let Some(sample) = super::webhooks::sample(stage, operation).await {
        return Some(sample);
    }
    match funding(stage, operation).await {
        Some(sample) => Some(sample),
        None => claims(stage, operation).await,
    }
}

/// The brands of apps.
fn brand(stage: &Stage, operation: &str) -> Option<Sample> {
    let own = Sample::at([stage.app.id.as_str()]);
    Some(match operation {
        "get_app_brand" | "delete_app_logo" => own,
        "update_app_brand" => own.json(crate::brands::everything()),
        "set_app_logo" => own.json(json!({"image": STANDARD.encode(crate::brands::png(64, 64))})),
        _ => return None,
    })
}

/// Apps, members, users.
async fn people(stage: &Stage, operation: &str) -> Option<Sample> {
    let app = stage.app.id.as_str();
    Some(match operation {
        "create_app" => Sample::bare().json(json!({"name": "Corner Shop"})),
        "list_apps" | "list_organizations" => Sample::bare().shows(match operation {
            "list_apps" => app,
            _ => &stage.organization.id,
        }),
        "get_app" => Sample::at([app]).shows(app),
        "get_app_settings" => Sample::at([app]),
        "list_app_fee_tables" => {
            // Below the amounts of the samples.
            let fees = json!({"fees": {"ach": {"fixed": stage.draw() % 500}}});
            stage.server.put(&format!("/v2/apps/{app}/settings")).as_org().json(fees).send().await.expect(200);
            Sample::at([app])
        }
        "update_app" => Sample::at([&stage.spare_app().await]).json(json!({"name": "Another"})),
        "delete_app" => Sample::at([&stage.spare_app().await]),
        "update_app_settings" => Sample::at([app]).json(json!({"payout_fee_party": "user"})),
        "create_app_key" => Sample::at([&stage.spare_app().await]).empty(),
        "create_first_organization" => {
            let token = bursar::apps::acts::open_setup(stage.server.bursar()).token;
            Sample::bare().json(json!({"token": token, "name": "Example Pay", "admin_email": "ada@example.com"}))
        }
        "list_app_keys" => Sample::at([app]).shows(&stage.app.client_id),
        "delete_app_key" => {
            let path = format!("/v2/apps/{}", stage.spare_app().await);
            let key = stage.server.post(&format!("{path}/keys")).as_org().send().await.expect(201).body;
            let app = path.rsplit('/').next()?;
            Sample::at([app, key["client_id"].as_str()?])
        }
        "create_member" => Sample::bare().json(stage.member_input("viewer")),
        "list_members" => Sample::bare().query("limit=100").shows(&stage.member("viewer").await),
        "update_member" => Sample::at([&stage.member("viewer").await]).json(json!({"role": "payer"})),
        "delete_member" => Sample::at([&stage.member("viewer").await]),

        "create_user" => Sample::bare().json(stage.person()),
        "list_users" => Sample::bare().shows(&stage.user().await),
        "connect_user" => {
            Sample::bare().json(json!({"user_id": stage.user().await, "app_id": stage.spare_app().await}))
        }
        "get_user" | "export_user" => user(stage).await,
        "update_user" => user(stage).await.json(json!({"metadata": "gold"})),
        "delete_user" => user(stage).await,
        "send_verification_token" => Sample { shows: Vec::new(), ..user(stage).await.empty() },
        "verify_user" => {
            let (user, code) = stage.user_with_code().await;
            Sample::at([&user]).json(json!({"token": code})).shows(&user)
        }
        "unlock_verification" => {
            let phone = stage.share(&stage.phone_with_code().await);
            Sample::bare().json(json!({"country_code": "1", "phone_number": phone}))
        }
        "set_user_address" => Sample::at([&stage.user().await]).json(json!({
            "postcode": "10001", "city": "New York", "state": "NY", "country": "US", "line_1": "1 Main St",
        })),
        "set_user_compliance" => user(stage).await.json(Claim::tax_form()),
        "list_payout_methods" | "list_payout_methods_unversioned" => {
            let (user, method) = stage.banked().await;
            Sample::at([&user]).shows(&method)
        }
        "set_payout_method" => Sample::at([&stage.verified().await]).json(stage.bank_account()),
        "remove_payout_method" => {
            let (user, method) = stage.banked().await;
            Sample::at([&user, &method])
        }
        "list_payout_options" => Sample::at([&stage.user().await]),
        _ => return None,
    })
}

/// Findings and reviews of users.
async fn reviews(stage: &Stage, operation: &str) -> Option<Sample> {
    Some(match operation {
        "get_screening_list" => Sample::bare(),
        "get_user_screening" => user(stage).await,
        "clear_user_screening" | "confirm_user_screening" => {
            let id = stage.listed().await;
            let body = json!({"acting_user_id": stage.member("admin").await, "comment": "Passport seen."});
            Sample::at([&id]).json(body).shows(&id)
        }
        "update_user_compliance" => {
            let admin = stage.member("admin").await;
            user(stage).await.json(json!({"acting_user_id": admin, "comment": "Passport seen.", "id_verified": true}))
        }
        "list_compliance_decisions" => Sample::at([&stage.user().await]),
        _ => return None,
    })
}

/// A new user in the path, who is in the response.
async fn user(stage: &Stage) -> Sample {
    let user = stage.user().await;
    Sample::at([&user]).shows(&user)
}

/// Payouts, links, transfers, the ledger.
async fn money(stage: &Stage, operation: &str) -> Option<Sample> {
    Some(match operation {
        "send_payout" | "create_payout_link" => Sample::bare().json(json!({"amount": 100, "payee": stage.payee()})),
        "create_payout" => {
            let (user, _) = stage.banked().await;
            Sample::bare().json(json!({"user_id": user, "amount": 100, "platform": "ach", "fund": true})).shows(&user)
        }
        "estimate_payout_fees" => {
            let (user, method) = stage.banked().await;
            let query = format!("user_id={user}&amount=100&platform=ach&account_id={method}&explain=true");
            Sample::bare().query(query).shows(&user)
        }
        "approve_transfer" => {
            let transfer = stage.flagged().await;
            Sample::at([&transfer]).json(json!({"acting_user_id": stage.member("payer").await})).shows(&transfer)
        }
        "cancel_transfer" => {
            let transfer = stage.flagged().await;
            Sample::at([&transfer]).empty().shows(&transfer)
        }
        "list_payout_links" => Sample::bare().shows(&stage.link().await),
        "get_payout_link" | "redeliver_payout_link" | "cancel_payout_link" => {
            let link = stage.link().await;
            Sample::at([&link]).shows(&link)
        }
        "create_transfer" => {
            let user = stage.user().await;
            Sample::bare().json(json!({"user_id": user, "amount": -100})).shows(&user)
        }
        "list_transfers" | "list_transactions" => Sample::bare().shows(&stage.transfer().await.0),
        "get_transfer" => {
            let (transfer, user) = stage.transfer().await;
            Sample::at([&transfer]).shows(&transfer).shows(&user)
        }
        "show_trial_balance" => Sample::bare().shows(&stage.ledger_account().await),
        "list_ledger_accounts" => Sample::bare().query("limit=100").shows(&stage.ledger_account().await),
        "show_ledger_account" => {
            let account = stage.ledger_account().await;
            Sample::at([&account]).shows(&account)
        }
        "list_ledger_entries" => {
            let account = stage.ledger_account().await;
            Sample::at([&account]).shows(&account)
        }
        "get_event" => {
            stage.link().await;
            let newest = stage.read("/v2/events?limit=100").await["data"].as_array()?.last()?["id"].clone();
            let newest = stage.own(newest.as_str()?);
            Sample::at([&newest]).shows(&newest)
        }
        "list_administrative_acts" => {
            let member = stage.member("viewer").await;
            Sample::bare().query("limit=100").shows(&member)
        }
        "list_events" => {
            let newest = stage.read("/v2/events?limit=100").await["data"].as_array()?.last()?["sequence"].clone();
            Sample::bare().query(format!("after={newest}")).shows(&stage.link().await)
        }
        _ => return None,
    })
}

/// Batches of links.
async fn batches(stage: &Stage, operation: &str) -> Option<Sample> {
    let links = || json!({"links": [{"amount_cents": 100, "memo": stage.phone()}]});
    let batch = async || stage.make("/v2/payout-link-batches", links(), 201).await;
    Some(match operation {
        "submit_payout_link_batch" => Sample::bare().json(links()),
        "list_payout_link_batches" => Sample::bare().shows(&batch().await),
        "get_payout_link_batch" => {
            let batch = batch().await;
            Sample::at([&batch]).shows(&batch)
        }
        "list_payout_link_batch_rows" | "get_payout_link_batch_results" | "get_payout_link_batch_results_csv" => {
            Sample::at([&batch().await])
        }
        _ => return None,
    })
}

/// Payout requests.
async fn requests(stage: &Stage, operation: &str) -> Option<Sample> {
    let request = async || stage.make("/v2/payout-requests", json!({"amount": 100, "payee": stage.payee()}), 201).await;
    Some(match operation {
        "submit_payout_request" => Sample::bare().json(json!({"amount": 100, "payee": stage.payee()})),
        "list_payout_requests" => Sample::bare().shows(&request().await),
        "get_payout_request" | "approve_payout_request" | "reject_payout_request" => {
            let request = request().await;
            Sample::at([&request]).shows(&request)
        }
        _ => return None,
    })
}

/// Returns a phone that has a text message of the app.
async fn replying_phone(stage: &Stage) -> String {
    let payee = stage.payee();
    stage.make("/v2/payout-links", json!({"amount": 100, "payee": payee}), 201).await;
    stage.server.work_off().await;
    stage.share(&["country_code", "phone_number"].map(|part| payee[part].as_str().unwrap_or_default()).concat())
}

/// Replies to text messages.
async fn replies(stage: &Stage, operation: &str) -> Option<Sample> {
    Some(match operation {
        "receive_text_reply" => {
            stage.gateway.as_ref()?;
            let fields = [("MessageSid", "SMsample"), ("From", "+12127361234"), ("Body", "HELP")];
            let fields = fields.into_iter().map(|(name, value)| (name, value.to_owned())).collect();
            let reply = Reported::signed(format!("{PUBLIC_URL}/carriers/sms/replies"), fields);
            let signature = [("x-twilio-signature", reply.signature.clone())];
            Sample { form: reply.fields.clone(), headers: signature.into(), ..Sample::bare() }
        }
        "send_sandbox_reply" => {
            let phone = format!("+{}", replying_phone(stage).await);
            Sample::bare().json(json!({"from": phone, "text": "HELP"}))
        }
        "send_inbox_reply" => {
            stage.server.serve_own_machine();
            let phone = format!("+{}", replying_phone(stage).await);
            Sample { form: vec![("from", phone), ("text", "HELP".to_owned())], ..Sample::bare() }
        }
        _ => return None,
    })
}

/// The sandbox, the pages, the reference.
async fn around(stage: &Stage, operation: &str) -> Option<Sample> {
    Some(match operation {
        "list_sandbox_messages" => {
            stage.link().await;
            stage.server.work_off().await;
            Sample::bare()
        }
        "report_message_status" => {
            stage.link().await;
            stage.server.work_off().await;
            let report = stage.gateway.as_ref()?.report("delivered");
            let mut places = report.path().rsplit('/');
            let (message, org) = (places.next()?, places.next()?);
            let sample = Sample { form: report.fields.clone(), ..Sample::at([org, message]) };
            Sample { headers: [("x-twilio-signature", report.signature.clone())].into(), ..sample }
        }
        "show_sandbox_keys" => {
            stage.server.serve_own_machine();
            Sample::bare()
        }
        "get_sandbox_clock" | "list_magic_values" | "list_sandbox_requests" | "show_requests" => Sample::bare(),
        "advance_sandbox_clock" => Sample::bare().json(json!({"seconds": 1})),
        "show_landing"
        | "get_icon"
        | "show_inbox"
        | "get_openapi_document"
        | "get_openapi_3_0_document"
        | "get_llms_text"
        | "show_reference" => Sample::bare(),
        "show_guide" => Sample::bare(),
        "show_guide_chapter" => Sample::at(["quickstart"]),
        "show_guide_reference" => Sample::at(["errors"]),
        "show_reference_group" => Sample::at(["payouts"]),
        "send_test_payout" => {
            stage.server.serve_own_machine();
            Sample::bare()
        }
        "show_test_payout" => {
            stage.server.serve_own_machine();
            Sample::at([&stage.link().await])
        }
        "move_sandbox_clock" => {
            stage.server.serve_own_machine();
            Sample { form: vec![("until", "hour".to_owned())], ..Sample::bare() }
        }
        "show_sender" => Sample::at([stage.organization.id.as_str(), &stage.app.id]),
        "get_sender_logo" => {
            let image = json!({"image": STANDARD.encode(crate::brands::png(64, 64))});
            let path = format!("/v2/apps/{}/logo", stage.app.id);
            stage.server.put(&path).as_org().json(image).send().await.expect(200);
            Sample::at([stage.organization.id.as_str(), &stage.app.id])
        }
        "get_asset" => Sample::at(["bursar.css"]),
        "show_claim_page" => Sample::at([Claim::open(stage).await.token()]),
        "show_claim_step" => Sample::at([Claim::open(stage).await.token(), "contact"]),
        "take_claim_step" => {
            let claim = Claim::open(stage).await;
            let phone = claim.contact()["phone_number"].as_str()?.to_owned();
            let form = vec![("country_code", "1".to_owned()), ("phone_number", phone)];
            Sample { form, ..Sample::at([claim.token(), "contact"]) }
        }
        _ => return None,
    })
}

/// The steps of a claim, whose credential is its token.
async fn claims(stage: &Stage, operation: &str) -> Option<Sample> {
    let claim = async || Claim::open(stage).await;
    Some(match operation {
        "get_claim" => Sample::at([claim().await.token()]),
        "give_claim_contact" => {
            let claim = claim().await;
            claim.step(claim.contact())
        }
        "prove_claim_contact" => {
            let mut claim = claim().await;
            let code = claim.code(stage).await;
            claim.step(json!({"token": code}))
        }
        "fill_claim_profile" => claim().await.open_session(stage).await.step(Claim::profile()),
        "give_claim_tax_form" => Claim::taxed(stage).await.named(stage).await.step(Claim::tax_form()),
        "choose_claim_method" => claim().await.named(stage).await.step(stage.bank_account()),
        "get_notice" | "show_notice_page" => Sample::at([&stage.notice().await]),
        "freeze_automatic_payouts" => Sample::at([&stage.notice().await]).json(json!({})),
        "send_unfreeze_code" => Sample::at([&stage.frozen().await]).json(json!({})),
        "unfreeze_automatic_payouts" => {
            let (token, code) = stage.frozen_with_code().await;
            Sample::at([&token]).json(json!({"token": code}))
        }
        "show_setup_page" => Sample::at([&bursar::apps::acts::open_setup(stage.server.bursar()).token]),
        "take_setup" => {
            let fields = [
                ("organization_name", "Example Pay"),
                ("name", "Ada Lovelace"),
                ("email", "ada@example.com"),
                ("password", "correct horse battery"),
            ];
            let form = fields.map(|(name, value)| (name, value.to_owned())).into();
            Sample { form, ..Sample::at([&bursar::apps::acts::open_setup(stage.server.bursar()).token]) }
        }
        "take_notice_step" => {
            Sample { form: vec![("token", String::new())], ..Sample::at([stage.notice().await.as_str(), "freeze"]) }
        }
        "change_claim_contact" => {
            claim().await.open_session(stage).await.step(json!({"email": format!("ada{}@example.com", stage.draw())}))
        }
        "confirm_claim_contact" => claim().await.changing(stage).await,
        "request_new_link" => Sample::at([Claim::expired(stage).await.token()]).json(json!({})),
        "end_claim_session" => claim().await.open_session(stage).await.step(json!({})),
        "pay_claim_out" => claim().await.ready(stage).await.step(json!({})),
        _ => return None,
    })
}
