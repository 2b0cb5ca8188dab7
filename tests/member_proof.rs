//! The proof of members: the acts of an app's key, of a member's own session, and of neither.

use serde_json::{Value, json};

use crate::harness::{Desk, Reply, Server};

const AP: &str = "/v2/accounts-payable";

async fn require_proof(server: &Server) {
    server.set(json!({"member_proof": "required"})).await;
}

/// Runs `verb` on a payable with a session and no key.
async fn act(server: &Server, session: &str, payable: &str, verb: &str, body: Value) -> Reply {
    let path = format!("{AP}/payables/{payable}/{verb}");
    server.post(&path).by(session).for_app(&server.app_id()).json(body).send().await
}

/// Creates the vendor and the bill of a thief who has only the app's key; returns the response of each further step.
async fn theft(server: &Server) -> (String, [(u16, Value); 3]) {
    let desk = Desk::of(server);
    // An app may list the ids of all members, because it names the acting member.
    let members = server.get("/v2/members").app_key().send().await.expect(200).body;
    let id = |role: &str| {
        let found = members["data"].as_array().unwrap().iter().find(|member| member["role"] == role).unwrap();
        found["id"].as_str().unwrap().to_owned()
    };
    let (vendor, method) = desk.vendor("666000111").await;
    let fields = json!({"number": "X1", "amount": 90_000_000, "ap_vendor_id": vendor, "ap_payment_method_id": method});
    let bill = desk.bill(fields).await.expect(201).id();
    let mut answers = Vec::new();
    for (verb, role) in [("submit-for-approval", "ap_creator"), ("approve", "ap_approver"), ("pay", "payer")] {
        let reply = desk.act(&bill, verb, &id(role)).await;
        answers.push((reply.status, reply.body["error_code"].clone()));
    }
    (bill, answers.try_into().unwrap())
}

#[tokio::test]
async fn an_apps_key_alone_pays_no_bill_where_the_members_must_prove_themselves() {
    let server = Server::memory().await;
    require_proof(&server).await;
    let before = server.balance("app_wallet").await;
    let (bill, answers) = theft(&server).await;
    for answer in answers {
        assert_eq!(answer, (403, json!("member-proof-required")));
    }
    let payable = Desk::of(&server).payable(&bill).await;
    assert_eq!((&payable["status"], payable["action_history"].as_array().unwrap().len()), (&json!("created"), 1));
    assert_eq!(server.balance("app_wallet").await, before);
    server.verify();
}

/// The organization's key names no member who approves a payout, or decides about a payee, without that member's session.
#[tokio::test]
async fn an_organizations_key_names_no_member_where_the_members_must_prove_themselves() {
    let server = Server::memory().await;
    server.set(json!({"member_proof": "required", "payout_approval_limit": 1_000})).await;
    let desk = Desk::of(&server);
    let (payer, admin) = (desk.member("payer"), desk.member("admin"));
    let user = server.banked_user(1234).await;
    let order = json!({"user_id": user, "amount": 1_500, "platform": "ach", "fund": true});
    let flagged = server.post("/v2/payouts").app_key().json(order).send().await.expect(201).body;
    assert_eq!(flagged["status"], "flagged");
    let path = format!("/v2/transfers/{}/approve", flagged["id"].as_str().unwrap());
    let approve = || server.post(&path).as_org().for_app(&server.app_id()).json(json!({"acting_user_id": payer}));
    approve().send().await.refused(403, "member-proof-required");
    let finding = json!({"acting_user_id": admin, "comment": "Passport seen.", "id_verified": true});
    let compliance = format!("/v2/users/{user}/compliance");
    let decide = || server.patch(&compliance).as_org().for_app(&server.app_id()).json(finding.clone());
    decide().send().await.refused(403, "member-proof-required");
    let transfer = server.get(&format!("/v2/transfers/{}", flagged["id"].as_str().unwrap())).app_key().send().await;
    assert_eq!(transfer.expect(200).body["status"], "flagged");
    // With their sessions they do.
    approve().by(&server.sign_in("payer").await).send().await.expect(200);
    decide().by(&server.sign_in("admin").await).send().await.expect(200);
    server.verify();
}

/// The counterpart: if the app asserts the acting member, its key acts for its members, as documented.
#[tokio::test]
async fn an_apps_key_alone_acts_for_the_members_where_it_asserts_who_acts() {
    let server = Server::memory().await;
    let (bill, answers) = theft(&server).await;
    assert_eq!(answers.map(|(status, _)| status), [200; 3]);
    assert_eq!(Desk::of(&server).payable(&bill).await["status"], "payment_initiated");
}

#[tokio::test]
async fn members_prove_themselves_with_their_sessions() {
    let server = Server::memory().await;
    require_proof(&server).await;
    let desk = Desk::of(&server);
    let bill = desk.good_bill(1_000).await;
    let (creator, approver, payer) =
        (server.sign_in("ap_creator").await, server.sign_in("ap_approver").await, server.sign_in("payer").await);
    // acting_user_id is omitted, or is the member of the session.
    act(&server, &creator, &bill, "submit-for-approval", json!({})).await.expect(200);
    let named = json!({"acting_user_id": desk.member("ap_approver")});
    act(&server, &approver, &bill, "approve", named).await.expect(200);
    // The app's key with the member's session proves as much.
    let path = format!("{AP}/payables/{bill}/pay");
    let paid = server.post(&path).app_key().by(&payer).json(json!({})).send().await.expect(200).body;
    assert_eq!(paid["status"], "payment_initiated");
    let actors: Vec<&str> =
        paid["action_history"].as_array().unwrap().iter().map(|action| action["user_name"].as_str().unwrap()).collect();
    assert_eq!(actors, ["Clara Creator", "Clara Creator", "Alan Approver", "Paula Payer"]);
    server.verify();
}

#[tokio::test]
async fn a_session_proves_its_own_member_and_no_other() {
    let server = Server::memory().await;
    require_proof(&server).await;
    let desk = Desk::of(&server);
    let bill = desk.good_bill(1_000).await;
    let (creator, admin) = (server.sign_in("ap_creator").await, server.sign_in("admin").await);
    act(&server, &creator, &bill, "submit-for-approval", json!({})).await.expect(200);
    // By the session alone, with the app's key, and with the organization's.
    let body = json!({"acting_user_id": desk.member("ap_approver")});
    let refused = act(&server, &admin, &bill, "approve", body.clone()).await;
    assert_eq!(refused.refused(403, "member-proof-required").fields(), ["/acting_user_id"]);
    let path = format!("{AP}/payables/{bill}/approve");
    server.post(&path).app_key().by(&admin).json(body.clone()).send().await.refused(403, "member-proof-required");
    let by_organization = || server.post(&path).as_org().for_app(&server.app_id());
    by_organization().by(&admin).json(body.clone()).send().await.refused(403, "member-proof-required");
    by_organization().json(body).send().await.refused(403, "member-proof-required");
    // Another role than the act requires, and the submitter.
    act(&server, &creator, &bill, "approve", json!({})).await.refused(403, "not-permitted");
    let other = desk.good_bill(1_000).await;
    act(&server, &admin, &other, "submit-for-approval", json!({})).await.expect(200);
    act(&server, &admin, &other, "approve", json!({})).await.refused(403, "self-approval");
    assert_eq!(desk.payable(&bill).await["status"], "submitted_for_approval");
}

#[tokio::test]
async fn an_ended_session_and_a_removed_member_approve_nothing() {
    let server = Server::memory().await;
    require_proof(&server).await;
    let desk = Desk::of(&server);
    let bill = desk.good_bill(1_000).await;
    let creator = server.sign_in("ap_creator").await;
    act(&server, &creator, &bill, "submit-for-approval", json!({})).await.expect(200);
    let opened = server.signing_in("ap_approver").await.expect(201);
    let approver = opened.body["token"].as_str().unwrap().to_owned();
    server.delete(&format!("/v2/member-sessions/{}", opened.id())).by(&approver).send().await.expect(200);
    act(&server, &approver, &bill, "approve", json!({})).await.refused(401, "unauthorized");
    let approver = server.sign_in("ap_approver").await;
    desk.dismiss("ap_approver").await;
    act(&server, &approver, &bill, "approve", json!({})).await.refused(401, "unauthorized");
    assert_eq!(desk.payable(&bill).await["status"], "submitted_for_approval");
}

#[tokio::test]
async fn two_members_under_one_idempotency_key_are_two_acts() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let other = desk.hire("Olga", "ap_approver").await;
    let steps =
        json!([{"approvers": [desk.member("ap_approver"), desk.member("admin"), other], "num_approvals_required": 2}]);
    desk.post("approval-policies", json!({"steps": steps})).send().await.expect(201);
    let bill = desk.good_bill(1_000).await;
    desk.act(&bill, "submit-for-approval", "ap_creator").await.expect(200);
    let (first, second) = (server.sign_in("ap_approver").await, server.sign_in("admin").await);
    let path = format!("{AP}/payables/{bill}/approve");
    let approve = |session: &str| {
        server.post(&path).by(session).for_app(&server.app_id()).idempotency_key("one").json(json!({})).send()
    };
    assert_eq!(approve(&first).await.expect(200).body["status"], "submitted_for_approval");
    assert_eq!(approve(&first).await.header("idempotent-replayed"), Some("true"));
    assert_eq!(approve(&second).await.expect(200).body["status"], "approved");
}

#[tokio::test]
async fn approval_policies_are_changed_by_the_organization_and_by_admins() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let new = json!({"steps": [{"approvers": [desk.member("ap_approver")]}]});
    let path = format!("{AP}/approval-policies");
    let by_app = server.post(&path).app_key().json(new.clone()).send().await;
    by_app.refused(403, "organization-key-required");
    let admin = server.sign_in("admin").await;
    let made = server.post(&path).by(&admin).for_app(&server.app_id()).json(new.clone()).send().await.expect(201);
    let policy = format!("{path}/{}", made.id());
    // A thief tries to remove the policy.
    server.delete(&policy).app_key().send().await.refused(403, "organization-key-required");
    let named = json!({"acting_user_id": desk.member("admin")});
    server.delete(&policy).app_key().json(named).send().await.refused(403, "organization-key-required");
    let off = || json!({"active": false});
    server.patch(&policy).app_key().json(off()).send().await.refused(403, "organization-key-required");
    let payer = server.sign_in("payer").await;
    let by = |session: &str| server.patch(&policy).by(session).for_app(&server.app_id()).json(off()).send();
    by(&payer).await.refused(403, "not-permitted");
    assert_eq!(server.get(&policy).app_key().send().await.expect(200).body["active"], true);
    let changed = by(&admin).await.expect(200).body;
    assert_eq!(changed["active"], false);
    server.delete(&policy).as_org().for_app(&server.app_id()).send().await.expect(200);
}

#[tokio::test]
async fn an_account_is_confirmed_by_a_session_or_the_organizations_key_and_by_no_apps_key() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let (vendor, _) = desk.vendor("000123456789").await;
    let later = async |number: &str| {
        let id = desk.account(&vendor, number).await.expect(201).id();
        format!("{AP}/vendors/{vendor}/payment-methods/{id}/confirm")
    };
    let path = later("666000111").await;
    let named = json!({"acting_user_id": desk.member("ap_approver")});
    let confirm = || server.post(&path);
    confirm().app_key().json(named.clone()).send().await.refused(403, "organization-key-required");
    let (creator, approver) = (server.sign_in("ap_creator").await, server.sign_in("ap_approver").await);
    let by = |session: &str| confirm().by(session).for_app(&server.app_id()).json(json!({})).send();
    by(&creator).await.refused(403, "self-approval");
    by(&approver).await.expect(200);
    let path = later("666000112").await;
    let by_organization = || server.post(&path).as_org().for_app(&server.app_id()).json(named.clone());
    require_proof(&server).await;
    by_organization().send().await.refused(403, "member-proof-required");
    server.set(json!({"member_proof": "asserted"})).await;
    by_organization().send().await.expect(200);
}

#[tokio::test]
async fn member_proof_is_set_by_the_organization_and_by_admins() {
    let server = Server::memory().await;
    let path = format!("/v2/apps/{}/settings", server.app_id());
    require_proof(&server).await;
    let off = || server.put(&path).json(json!({"member_proof": "asserted"}));
    off().app_key().send().await.refused(403, "organization-key-required");
    let payer = server.sign_in("payer").await;
    off().by(&payer).send().await.refused(403, "not-permitted");
    off().app_key().by(&payer).send().await.refused(403, "not-permitted");
    assert_eq!(server.get(&path).app_key().send().await.expect(200).body["member_proof"], "required");
    let admin = server.sign_in("admin").await;
    assert_eq!(off().by(&admin).send().await.expect(200).body["member_proof"], "asserted");
    let wrong = server.put(&path).as_org().json(json!({"member_proof": "trusted"})).send().await;
    assert_eq!(wrong.refused(400, "invalid-input").fields(), ["/member_proof"]);
}

#[tokio::test]
async fn list_members_and_list_approvers_show_an_app_what_it_needs_to_name_who_acts() {
    let server = Server::memory().await;
    let list = server.get("/v2/members").app_key().send().await.expect(200).body;
    let members = list["data"].as_array().unwrap();
    assert_eq!(members.len(), 5);
    for member in members {
        assert!(member["id"].is_string() && member["number"].is_i64() && member["name"].is_string(), "{member}");
        for field in ["email", "created", "removed"] {
            assert_eq!(member[field], Value::Null, "{field}");
        }
    }
    let removed = server.get("/v2/members?status=removed").app_key().send().await;
    removed.refused(403, "organization-key-required");
    let approvers = server.get(&format!("{AP}/approvers")).app_key().send().await.expect(200).body;
    assert!(!approvers.to_string().contains('@'), "{approvers}");
    let events = server.get("/v2/events?limit=100").app_key().send().await.expect(200).body;
    assert!(!events.to_string().contains("@example.com"), "an app learns no address from its events: {events}");

    let viewer = server.sign_in("viewer").await;
    let seen = server.get("/v2/members").by(&viewer).send().await.expect(200).body;
    assert!(seen["data"][0]["email"].as_str().unwrap().contains('@'));
    let approvers = server.get(&format!("{AP}/approvers")).by(&viewer).for_app(&server.app_id()).send().await;
    assert!(approvers.expect(200).body["data"][0]["email"].is_string());
}

#[tokio::test]
async fn a_session_opens_what_its_organization_owns_and_nothing_else() {
    let server = Server::memory().await;
    let admin = server.sign_in("admin").await;
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Another"})).send().await.expect(201);
    let (id, key) = (other.id(), |half: &str| other.body["keys"][half].as_str().unwrap().to_owned());
    let payables = format!("{AP}/payables");
    server.get(&payables).by(&admin).send().await.refused(400, "app-id-required");
    server.get(&payables).by(&admin).for_app(&id).send().await.expect(200);
    let theirs = "0198c0de-0000-7000-8000-000000000001";
    server.get(&payables).by(&admin).for_app(theirs).send().await.refused(404, "not-found");
    // Money leaves only with keys.
    server.get("/v2/transfers").by(&admin).for_app(&id).send().await.refused(403, "not-permitted");
    let twice = server.get(&payables).by(&admin).by(&admin).for_app(&id).send().await;
    assert_eq!(twice.refused(400, "invalid-input").fields(), ["Member-Session"]);
    let settings = format!("/v2/apps/{}/settings", server.app_id());
    let own = server.put(&settings).basic(&key("client_id"), &key("api_key")).by(&admin).json(json!({})).send().await;
    own.refused(404, "not-found");
}

#[tokio::test]
async fn a_new_vendors_first_account_rests_above_the_approval_limit() {
    let server = Server::memory().await;
    server.set(json!({"payable_approval_limit": 1_000})).await;
    let desk = Desk::of(&server);
    let (vendor, method) = desk.vendor("666000111").await;
    let bill = async |amount: i64| {
        let fields = json!({"amount": amount, "ap_vendor_id": vendor, "ap_payment_method_id": method});
        let bill = desk.bill(fields).await.expect(201).id();
        desk.approve(&bill).await;
        bill
    };
    let (large, small, split) = (bill(1_001).await, bill(600).await, bill(401).await);
    let payer = server.sign_in("payer").await;
    let early = act(&server, &payer, &large, "pay", json!({})).await;
    assert!(
        early.refused(409, "invalid-state").body["message"].as_str().unwrap().contains("is the first of a new vendor")
    );
    act(&server, &payer, &small, "pay", json!({})).await.expect(200);
    // Many small bills count as a large one.
    act(&server, &payer, &split, "pay", json!({})).await.refused(409, "invalid-state");
    server.advance(24 * 3_600);
    let payer = server.sign_in("payer").await;
    act(&server, &payer, &large, "pay", json!({})).await.expect(200);
    act(&server, &payer, &split, "pay", json!({})).await.expect(200);
    server.verify();
}
