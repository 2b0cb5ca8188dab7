//! Limits on an app's payouts, single and daily, and payouts that need an approval.

use bursar::apps::limit_days::LimitDay;
use bursar::money::Cents;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::harness::{Reply, Server};
use crate::story_payout::Payee;

const DAY: i64 = 86_400;
const PHONE: &str = "+12127361234";

async fn pay(server: &Server, user: &str, amount: i64) -> Reply {
    let order = json!({"user_id": user, "amount": amount, "platform": "ach", "fund": true});
    server.post("/v2/payouts").app_key().json(order).send().await
}

async fn transfer(server: &Server, id: &str) -> Value {
    server.get(&format!("/v2/transfers/{id}")).app_key().send().await.expect(200).body
}

async fn cancel(server: &Server, id: &str) -> Reply {
    server.post(&format!("/v2/transfers/{id}/cancel")).app_key().send().await
}

/// Returns the id of the demonstration's member with a role.
fn member(server: &Server, role: &str) -> String {
    let credentials = server.credentials();
    let members = credentials["members"].as_array().unwrap();
    members.iter().find(|member| member["role"] == role).unwrap()["id"].as_str().unwrap().to_owned()
}

async fn approve(server: &Server, id: &str, role: &str) -> Reply {
    let body = json!({"acting_user_id": member(server, role)});
    let asked = server.post(&format!("/v2/transfers/{id}/approve")).as_org().for_app(&server.app_id());
    asked.json(body).send().await
}

#[tokio::test]
async fn one_payout_is_limited_and_so_is_a_link() {
    let server = Server::memory().await;
    let user = server.banked_user(1234).await;
    server.set(json!({"payout_limits": {"per_payout": 5_000}})).await;
    pay(&server, &user, 5_000).await.expect(201);
    let refused = pay(&server, &user, 5_001).await;
    assert!(refused.refused(409, "limit-exceeded").text.contains("$50.00"), "{}", refused.text);
    for path in ["/v2/payout-links", "/v2/payouts/send-payout"] {
        let link = |amount: i64| {
            let body = json!({"amount": amount, "payee": {"country_code": "1", "phone_number": "2127361299"}});
            server.post(path).app_key().json(body).send()
        };
        link(5_000).await.expect(201);
        link(5_001).await.refused(409, "limit-exceeded");
    }
    assert_eq!(server.balance("app_held").await, 10_000, "what was refused sets nothing aside");
}

#[tokio::test]
async fn a_days_payouts_are_limited_until_midnight_utc() {
    let server = Server::start().await;
    let user = server.banked_user(1234).await;
    // Payouts before the limit was set count.
    pay(&server, &user, 3_000).await.expect(201);
    server.set(json!({"payout_limits": {"per_day": 10_000}})).await;
    pay(&server, &user, 6_000).await.expect(201);
    let refused = pay(&server, &user, 1_001).await;
    for part in ["$100.00", "$90.00 are used", "$10.00 are left"] {
        assert!(refused.refused(409, "limit-exceeded").text.contains(part), "{part}: {}", refused.text);
    }
    pay(&server, &user, 1_000).await.expect(201);
    pay(&server, &user, 100).await.refused(409, "limit-exceeded");
    // It is 15:00; nine hours later it is another day.
    server.advance(9 * 3_600 - 60);
    pay(&server, &user, 100).await.refused(409, "limit-exceeded");
    server.advance(60);
    pay(&server, &user, 10_000).await.expect(201);
    // Null removes the limit.
    server.set(json!({"payout_limits": {"per_day": null}})).await;
    pay(&server, &user, 50_000).await.expect(201);
}

#[tokio::test]
async fn what_failed_or_was_canceled_is_given_back_to_its_day() {
    let mut server = Server::start().await;
    let user = server.verified_user(1234).await;
    let closed = json!({"platform": "wallet_a", "email": "fail+payment_stopped@example.com"});
    server.payout_method(&user, closed).await;
    server.set(json!({"payout_limits": {"per_day": 10_000}})).await;
    let order = |amount: i64| json!({"user_id": user, "amount": amount, "platform": "wallet_a", "fund": true});
    let wallet =
        async |server: &Server, amount: i64| server.post("/v2/payouts").app_key().json(order(amount)).send().await;
    wallet(&server, 10_000).await.expect(201);
    wallet(&server, 1_000).await.refused(409, "limit-exceeded");
    server.work_off().await;
    server.pass(300).await;
    let second = wallet(&server, 10_000).await.expect(201).id();
    wallet(&server, 1_000).await.refused(409, "limit-exceeded");
    server.restart().await;
    wallet(&server, 1_000).await.refused(409, "limit-exceeded");
    cancel(&server, &second).await.expect(200);
    wallet(&server, 10_000).await.expect(201);
    server.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_payouts_at_once_never_pass_the_days_limit() {
    let server = Server::start().await;
    let user = server.banked_user(1234).await;
    server.set(json!({"payout_limits": {"per_day": 7_500}})).await;
    let replies = join_all((0..50).map(|_| pay(&server, &user, 1_000))).await;
    let paid = replies.iter().filter(|reply| reply.status == 201).count();
    assert_eq!(paid, 7, "seven thousands fit into 7,500, and no eighth");
    for reply in replies.iter().filter(|reply| reply.status != 201) {
        reply.refused(409, "limit-exceeded");
    }
    pay(&server, &user, 500).await.expect(201);
    server.verify();
}

#[tokio::test]
async fn approve_transfer_lets_a_large_payout_go() {
    let server = Server::start().await;
    let user = server.banked_user(1234).await;
    let before = server.balance("app_wallet").await;
    server.set(json!({"payout_approval_limit": 10_000})).await;
    assert_eq!(pay(&server, &user, 10_000).await.expect(201).body["status"], "created", "at the limit it goes");
    let large = pay(&server, &user, 10_001).await.expect(201);
    assert_eq!(large.body["status"], "flagged");
    let id = large.id();
    assert_eq!(server.balance("app_wallet").await, before - 20_001, "the money is taken aside");
    server.work_off().await;
    server.pass(3 * DAY).await;
    assert_eq!(transfer(&server, &id).await["status"], "flagged", "the rail was not told");

    for role in ["viewer", "ap_approver", "ap_creator"] {
        let refused = approve(&server, &id, role).await;
        assert_eq!(refused.refused(403, "not-permitted").fields(), ["/acting_user_id"], "{role}");
    }
    let asked = || server.post(&format!("/v2/transfers/{id}/approve"));
    let body = json!({"acting_user_id": member(&server, "admin")});
    asked().app_key().json(body.clone()).send().await.refused(403, "organization-key-required");
    asked().as_org().json(body).send().await.refused(400, "app-id-required");
    let unknown = json!({"acting_user_id": "019a0000-0000-7000-8000-000000000000"});
    asked().as_org().for_app(&server.app_id()).json(unknown).send().await.refused(404, "not-found");
    asked().as_org().for_app(&server.app_id()).json(json!({})).send().await.refused(400, "invalid-input");

    let approved = approve(&server, &id, "payer").await.expect(200).body;
    assert_eq!([&approved["status"], &approved["approved_by"]], [&json!("pending"), &json!(member(&server, "payer"))]);
    approve(&server, &id, "admin").await.refused(409, "invalid-state");
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(transfer(&server, &id).await["status"], "completed");
    let events = server.get("/v2/events?limit=100").app_key().send().await.expect(200).body;
    let reported: Vec<&str> = events["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["object"]["id"] == id.as_str())
        .map(|event| event["name"].as_str().unwrap())
        .collect();
    assert_eq!(reported, ["transfer.updated", "transfer.flagged", "transfer.updated", "transfer.completed"]);
    assert_eq!(server.balance("clearing").await, 0);
    server.verify();
}

#[tokio::test]
async fn an_approved_payout_survives_a_restart_and_reaches_its_rail_once() {
    let mut server = Server::start().await;
    let user = server.banked_user(1234).await;
    server.set(json!({"payout_approval_limit": 1})).await;
    let id = pay(&server, &user, 10_001).await.expect(201).id();
    server.restart().await;
    approve(&server, &id, "admin").await.expect(200);
    server.restart().await;
    server.work_off().await;
    assert_eq!(transfer(&server, &id).await["status"], "pending");
    cancel(&server, &id).await.refused(409, "invalid-state");
    server.pass(DAY).await;
    assert_eq!(transfer(&server, &id).await["status"], "completed");
    server.verify();
}

#[tokio::test]
async fn who_is_not_to_be_paid_any_more_is_not_approved() {
    let server = Server::memory().await;
    let user = server.verified_user(1234).await;
    let method = server.payout_method(&user, json!({"platform": "wallet_a", "email": "jane@example.com"})).await;
    server.set(json!({"payout_approval_limit": 1})).await;
    let order = json!({"user_id": user, "amount": 5_000, "platform": "wallet_a", "fund": true});
    let id = server.post("/v2/payouts").app_key().json(order).send().await.expect(201).id();
    server.delete(&format!("/v2/users/{user}/payout-methods/{method}")).app_key().send().await.expect(200);
    approve(&server, &id, "admin").await.refused(409, "user-info-missing");
    assert_eq!(cancel(&server, &id).await.expect(200).body["status"], "canceled");
}

#[tokio::test]
async fn what_may_not_go_by_its_rail_any_more_is_not_approved() {
    let server = Server::memory().await;
    let user = server.banked_user(1234).await;
    server.set(json!({"payout_approval_limit": 1})).await;
    let id = pay(&server, &user, 5_000).await.expect(201).id();
    server.set(json!({"payout_options_exclude_list": ["ach"]})).await;
    approve(&server, &id, "admin").await.refused(409, "invalid-state");
    server.set(json!({"payout_options_exclude_list": null})).await;

    let own = |list: Value| {
        let patch = json!({"payout_options_exclude_list": list});
        server.patch(&format!("/v2/users/{user}")).app_key().json(patch).send()
    };
    own(json!(["ach"])).await.expect(200);
    approve(&server, &id, "admin").await.refused(409, "invalid-state");
    own(json!([])).await.expect(200);
    assert_eq!(approve(&server, &id, "admin").await.expect(200).body["status"], "pending");
}

#[tokio::test]
async fn cancel_transfer_gives_everything_back() {
    let server = Server::start().await;
    let user = server.banked_user(1234).await;
    let before = server.balance("app_wallet").await;
    server.set(json!({"payout_approval_limit": 10_000, "payout_fee_party": "platform"})).await;
    // One that waits for approval, and one that no worker has begun to hand over.
    for (amount, status) in [(10_001, "flagged"), (5_000, "created")] {
        let made = pay(&server, &user, amount).await.expect(201);
        assert_eq!(made.body["status"], status);
        for _ in 0..2 {
            let canceled = cancel(&server, &made.id()).await.expect(200).body;
            assert_eq!([&canceled["status"], &canceled["error"]], [&json!("canceled"), &Value::Null]);
        }
        assert_eq!(server.balance("app_wallet").await, before, "fees and all");
        approve(&server, &made.id(), "admin").await.refused(409, "invalid-state");
    }
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!((server.balance("clearing").await, server.balance("external").await), (0, -before));

    // Once the rail has it, only the rail decides the outcome.
    let sent = pay(&server, &user, 5_000).await.expect(201).id();
    server.work_off().await;
    cancel(&server, &sent).await.refused(409, "invalid-state");
    server.pass(DAY).await;
    cancel(&server, &sent).await.refused(409, "invalid-state");
    let balance = json!({"user_id": user, "amount": -5});
    let moved = server.post("/v2/transfers").app_key().json(balance).send().await.expect(200).id();
    cancel(&server, &moved).await.refused(409, "invalid-state");
    cancel(&server, "019a0000-0000-7000-8000-000000000000").await.refused(404, "not-found");
    let with_field = server.post(&format!("/v2/transfers/{moved}/cancel")).app_key().json(json!({"why": "x"}));
    with_field.send().await.refused(400, "invalid-input");
    server.verify();
}

#[tokio::test]
async fn cancel_transfer_notifies_the_payee_who_has_the_money() {
    let server = Server::memory().await;
    let user = server.banked_user(1234).await;
    let filled = pay(&server, &user, 500).await.expect(201).id();
    cancel(&server, &filled).await.expect(200);
    let reported = server.newest_message(PHONE).await;
    let text = reported["text"].as_str().unwrap();
    assert_eq!(
        text,
        "$4.75 from Demonstration was canceled before it was sent. The money is back with the sender. If you expected it, ask Demonstration."
    );
    cancel(&server, &filled).await.expect(200);
    assert_eq!(server.newest_message(PHONE).await["id"], reported["id"], "once");

    // The money of a link is the payee's already: they choose a method again.
    let path = format!("/v2/users/{user}");
    server.patch(&path).app_key().json(json!({"auto_payout_enabled": true})).send().await.expect(200);
    let body = json!({"amount": 500, "user_id": user});
    let link = server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201).body;
    let transfers = server.get("/v2/transfers?type=payout&limit=1").app_key().send().await.expect(200).body;
    cancel(&server, transfers["data"][0]["id"].as_str().unwrap()).await.expect(200);
    let reported = server.newest_message(PHONE).await;
    assert_eq!(reported["link"], link["link"]);
    assert!(
        reported["text"].as_str().unwrap().contains("The money is safe and still yours. Choose how to get paid: "),
        "{reported}"
    );
}

#[tokio::test]
async fn what_a_worker_has_begun_cannot_be_canceled() {
    use bursar::jobs::{self, Lease};
    let server = Server::start().await;
    let user = server.banked_user(1234).await;
    server.work_off().await;
    let id = pay(&server, &user, 5_000).await.expect(201).id();
    let bursar = server.bursar();
    let now = bursar.clock.now();
    let due = bursar.read(move |world| jobs::due(world, now, 10)).await.unwrap();
    assert_eq!(due.len(), 1, "only the payout waits to be handed over");
    let leased = bursar.engine.run(due[0].org, Lease { org: due[0].org, id: due[0].id }).await.unwrap();
    assert!(leased.is_some());
    // It is unknown whether that worker instructed the rail.
    cancel(&server, &id).await.refused(409, "invalid-state");
    server.pass(61).await;
    assert_eq!(transfer(&server, &id).await["status"], "pending", "another worker took over when the lease ended");
    server.pass(DAY).await;
    server.verify();
}

/// Creates a payee of a link of this amount who has completed all steps before the payout.
async fn before_the_last_step(server: &Server, amount: i64) -> Payee<'_> {
    let payee = json!({"country_code": "1", "phone_number": "2127361234"});
    let link = json!({"amount": amount, "payee": payee});
    server.post("/v2/payouts/send-payout").app_key().json(link).send().await.expect(201);
    let jane = Payee::arrive(server, PHONE).await;
    jane.name().await;
    jane.bank("000123456789").await;
    jane
}

#[tokio::test]
async fn a_payee_is_notified_of_the_senders_review() {
    let server = Server::start().await;
    server.set(json!({"payout_approval_limit": 1_000})).await;
    let jane = before_the_last_step(&server, 5_000).await;
    let claim = jane.step("payout", json!({})).await;
    assert_eq!([&claim["status"], &claim["transfer"]["status"]], ["claimed", "flagged"]);
    assert_eq!((&claim["remaining_amount"], &claim["next_step"]), (&json!(0), &Value::Null));
    let id = claim["transfer"]["id"].as_str().unwrap().to_owned();

    // After the cancellation the money is still the payee's, and they can try again.
    cancel(&server, &id).await.expect(200);
    let claim = jane.fetch().await;
    assert_eq!([&claim["transfer"]["status"], &claim["remaining_amount"]], [&json!("canceled"), &json!(5_000)]);
    let claim = jane.step("payout", json!({})).await;
    approve(&server, claim["transfer"]["id"].as_str().unwrap(), "admin").await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(jane.fetch().await["transfer"]["status"], "completed");
    server.verify();
}

#[tokio::test]
async fn a_link_above_the_approval_limit_waits_in_each_of_its_parts() {
    let server = Server::start().await;
    server.set(json!({"payout_approval_limit": 1_000})).await;
    let jane = before_the_last_step(&server, 1_001).await;
    let claim = jane.step("payout", json!({"amount": 500})).await;
    assert_eq!(claim["transfer"]["status"], "flagged", "half of it is below the limit, and the link is not");
    let claim = jane.step("payout", json!({"amount": 501})).await;
    assert_eq!(claim["transfer"]["status"], "flagged");
    // A link at the limit needs no approval, as a whole or in parts.
    server.set(json!({"payout_approval_limit": 1_001})).await;
    cancel(&server, claim["transfer"]["id"].as_str().unwrap()).await.expect(200);
    let claim = jane.step("payout", json!({"amount": 501})).await;
    assert_eq!(claim["transfer"]["status"], "created");
    server.verify();
}

#[tokio::test]
async fn a_payee_learns_what_to_do_and_not_what_the_sender_may_pay() {
    let server = Server::start().await;
    let jane = before_the_last_step(&server, 5_000).await;
    server.set(json!({"payout_limits": {"per_day": 2_000}})).await;
    let refused = jane.try_step("payout", json!({})).await;
    assert_eq!(refused.refused(409, "limit-exceeded").fields(), ["/amount"]);
    assert!(refused.text.contains("come back tomorrow") && !refused.text.contains("20.00"), "{}", refused.text);
    // A part fits, and the rest does tomorrow.
    let claim = jane.step("payout", json!({"amount": 2_000})).await;
    assert_eq!(claim["remaining_amount"], 3_000);
    server.set(json!({"payout_limits": {"per_day": 3_000}})).await;
    server.work_off().await;
    server.pass(DAY).await;
    let jane = jane.comes_back(PHONE).await;
    assert_eq!(jane.step("payout", json!({})).await["remaining_amount"], 0);
}

#[tokio::test]
async fn a_user_with_auto_payout_gets_a_link_when_the_day_is_full() {
    let server = Server::start().await;
    let user = server.verified_user(1234).await;
    let auto = json!({"platform": "wallet_a", "email": "jane@example.com", "auto_payout_enabled": true});
    server.payout_method(&user, auto).await;
    let send = |amount: i64| {
        server.post("/v2/payouts/send-payout").app_key().json(json!({"amount": amount, "user_id": user})).send()
    };
    server.set(json!({"payout_limits": {"per_day": 5_000}, "payout_approval_limit": 4_000})).await;
    assert_eq!(send(4_001).await.expect(201).body["status"], "claimed");
    let reported = server.newest_message(PHONE).await["text"].as_str().unwrap().to_owned();
    assert!(reported.contains("arrives after Demonstration has approved it"), "{reported}");
    assert_eq!(send(1_000).await.expect(201).body["status"], "delivery_pending", "it waits for its payee");
    assert_eq!(send(999).await.expect(201).body["status"], "claimed");
    server.verify();
}

#[tokio::test]
async fn a_rail_that_was_excluded_since_is_no_way_any_more() {
    let server = Server::start().await;
    let jane = before_the_last_step(&server, 5_000).await;
    server.set(json!({"payout_options_exclude_list": ["ach"]})).await;
    let claim = jane.fetch().await;
    assert_eq!(claim["next_step"]["name"], "method");
    let ways = claim["next_step"]["options"].as_array().unwrap();
    assert!(!ways.is_empty() && ways.iter().all(|way| way["platform"] != "ach"), "{claim}");
    jane.try_step("payout", json!({})).await.refused(409, "user-info-missing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_approvals_and_cancels_at_once_one_kind_wins() {
    let server = Server::start().await;
    let user = server.banked_user(1234).await;
    let before = server.balance("app_wallet").await;
    server.set(json!({"payout_approval_limit": 1})).await;
    let id = pay(&server, &user, 10_000).await.expect(201).id();
    let approvals = join_all((0..20).map(|_| approve(&server, &id, "admin")));
    let cancels = join_all((0..20).map(|_| cancel(&server, &id)));
    let (approvals, cancels) = tokio::join!(approvals, cancels);
    let done = |replies: &[Reply]| replies.iter().filter(|reply| reply.status == 200).count();
    assert!(done(&approvals) <= 1, "it is approved once at most");
    for reply in approvals.iter().chain(&cancels).filter(|reply| reply.status != 200) {
        reply.refused(409, "invalid-state");
    }
    server.work_off().await;
    server.pass(DAY).await;
    // An approved one can be canceled until a worker begins; a canceled one is never approved.
    if done(&cancels) > 0 {
        assert_eq!(transfer(&server, &id).await["status"], "canceled");
        assert_eq!((server.balance("app_wallet").await, server.balance("clearing").await), (before, 0));
    } else {
        assert_eq!(transfer(&server, &id).await["status"], "completed");
    }
    server.verify();
}

#[tokio::test]
async fn a_day_that_was_tampered_with_is_found_out() {
    let server = Server::memory().await;
    let user = server.banked_user(1234).await;
    pay(&server, &user, 5_000).await.expect(201);
    server.verify();
    let findings = server.tampered::<LimitDay>(|_| true, |day| day.total = Cents::ZERO);
    let found: Vec<_> = findings.into_iter().map(|finding| (finding.invariant, finding.what)).collect();
    assert_eq!(found, [(3, "misses 5000 cents of its payouts".to_owned())]);
}
