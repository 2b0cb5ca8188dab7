//! Approval policies: their rules, their selection, and their enforcement.

use serde_json::{Value, json};

use crate::harness::{Desk, Reply, Server};

/// Creates a policy for bills of at least this amount; each step has a count and its approvers.
async fn policy(desk: &Desk<'_>, at_least: i64, steps: &[(u32, &[&str])]) -> Reply {
    let step = |(required, approvers): &(u32, &[&str])| {
        let approvers: Vec<String> = approvers.iter().map(|member| desk.member(member)).collect();
        json!({"num_approvals_required": required, "approvers": approvers})
    };
    let steps: Vec<Value> = steps.iter().map(step).collect();
    let conditions = json!([{"field": "amount", "operator": ">=", "value": at_least}]);
    desk.post("approval-policies", json!({"name": "Large", "conditions": conditions, "steps": steps})).send().await
}

#[tokio::test]
async fn create_approval_policy_get_approval_policy_list_approval_policies_update_approval_policy_delete_approval_policy()
 {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let (vendor, _) = desk.vendor("000123456789").await;
    let conditions = json!([
        {"field": "amount", "operator": "<=", "value": 50_000},
        {"field": "vendor", "operator": "==", "value": vendor},
    ]);
    let steps = json!([{"num_approvals_required": 1, "approvers": [desk.member("admin"), desk.member("ap_approver")]}]);
    let admin = desk.member("admin");
    let body =
        json!({"acting_user_id": admin, "name": "Shop", "conditions": conditions, "steps": steps, "priority": 5});
    let made = desk.post("approval-policies", body).send().await.expect(201);
    let expected = [
        ("name", json!("Shop")),
        ("conditions", conditions),
        ("steps", steps),
        ("priority", json!(5)),
        ("active", json!(true)),
        ("updated_by", json!(admin)),
        ("deleted", Value::Null),
    ];
    for (field, value) in expected {
        assert_eq!(made.body[field], value, "{field}");
    }
    let path = format!("approval-policies/{}", made.id());
    assert_eq!(desk.get(&path).send().await.expect(200).body, made.body);

    let changed = desk.patch(&path, json!({"active": false, "name": null})).send().await.expect(200).body;
    assert_eq!((&changed["active"], &changed["name"], &changed["priority"]), (&json!(false), &Value::Null, &json!(5)));
    let listed = |query: &str| desk.get(&format!("approval-policies{query}")).send();
    assert_eq!(listed("?active=true").await.expect(200).body["data"], json!([]));
    assert_eq!(listed("").await.expect(200).body["data"][0]["id"], json!(made.id()));

    let deleted = desk.delete(&path).send().await.expect(200);
    assert!(deleted.body["deleted"].is_string());
    assert_eq!(desk.delete(&path).send().await.expect(200).body, deleted.body, "once more changes nothing");
    assert_eq!(listed("").await.expect(200).body["data"], json!([]));
    desk.patch(&path, json!({"active": true})).send().await.refused(409, "invalid-state");
    let events = server.get("/v2/events").app_key().send().await.expect(200).body;
    let reported = events["data"].as_array().unwrap().iter().filter(|event| event["name"] == "approval_policy.updated");
    assert_eq!(reported.map(|event| event["version"].as_i64().unwrap()).collect::<Vec<_>>(), [1, 2, 3]);
}

#[tokio::test]
async fn a_policy_names_members_who_may_approve() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let reply = policy(&desk, 1, &[(1, &["ap_approver", "payer"])]).await;
    assert_eq!(reply.refused(400, "invalid-input").body["errors"][0]["field"], "/steps/0/approvers/1");
    policy(&desk, 1, &[(1, &[&server.app_id()])]).await.refused(404, "not-found");
    desk.dismiss("ap_approver").await;
    policy(&desk, 1, &[(1, &["ap_approver"])]).await.refused(404, "not-found");
    policy(&desk, 1, &[(2, &["admin"])]).await.refused(400, "invalid-input");
    policy(&desk, 1, &[]).await.refused(400, "invalid-input");
    policy(&desk, 0, &[(1, &["admin"])]).await.refused(400, "invalid-input");
    let steps = json!([{"approvers": [desk.member("admin")]}]);
    let creator = json!({"acting_user_id": desk.member("ap_creator"), "steps": steps});
    desk.post("approval-policies", creator).send().await.refused(403, "not-permitted");
    let vendor =
        json!({"steps": steps, "conditions": [{"field": "vendor", "operator": "==", "value": server.app_id()}]});
    desk.post("approval-policies", vendor).send().await.refused(404, "not-found");
}

#[tokio::test]
async fn list_approvers_shows_who_may_approve_now() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let ann = desk.hire("Ann", "ap_approver").await;
    let ids = |reply: Reply| -> Vec<String> {
        let data = reply.expect(200).body["data"].as_array().unwrap().clone();
        data.iter().map(|approver| approver["id"].as_str().unwrap().to_owned()).collect()
    };
    let all = ids(desk.get("approvers").send().await);
    assert_eq!(all, [ann.clone(), desk.member("ap_approver"), desk.member("admin")]);
    let shown = desk.get("approvers?limit=1").send().await.expect(200).body;
    let expected = json!({"id": ann, "user_id": 6, "name": "Ann", "email": null, "role": "ap_approver"});
    assert_eq!((&shown["data"][0], &shown["has_more"]), (&expected, &json!(true)));
    desk.dismiss(&ann).await;
    assert_eq!(ids(desk.get("approvers").send().await).len(), 2);
}

#[tokio::test]
async fn steps_are_taken_in_order_and_each_member_counts_once_a_step() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let (ann, bob) = (desk.hire("Ann", "ap_approver").await, desk.hire("Bob", "ap_approver").await);
    policy(&desk, 1_000, &[(2, &["ap_approver", &ann, &bob]), (1, &["admin"])]).await.expect(201);
    let bill = desk.good_bill(1_000).await;
    let submitted = desk.act(&bill, "submit-for-approval", "ap_creator").await.expect(200).body;
    let steps = submitted["approval_steps"].as_array().unwrap();
    assert_eq!(steps.len(), 2);
    let first = json!({
        "approval_comment": null, "approval_given": false, "approval_timestamp": null, "name": "Alan Approver",
        "user_id": 4,
    });
    assert_eq!(steps[0]["user_approvals"][0], first);

    desk.act(&bill, "approve", "admin").await.refused(409, "invalid-state");
    let one = desk.act(&bill, "approve", &ann).await.expect(200).body;
    assert_eq!(
        (&one["status"], &one["approval_steps"][0]["completed"]),
        (&json!("submitted_for_approval"), &json!(false))
    );
    desk.act(&bill, "approve", &ann).await.refused(409, "invalid-state");
    let carl = desk.hire("Carl", "ap_approver").await;
    desk.act(&bill, "approve", &carl).await.refused(403, "not-permitted");
    let two = desk.act(&bill, "approve", "ap_approver").await.expect(200).body;
    assert_eq!(
        (&two["status"], &two["approval_steps"][0]["completed"]),
        (&json!("submitted_for_approval"), &json!(true))
    );
    desk.act(&bill, "approve", &bob).await.refused(409, "invalid-state");
    assert_eq!(desk.act(&bill, "approve", "admin").await.expect(200).body["status"], "approved");
}

#[tokio::test]
async fn a_policy_that_can_never_be_fulfilled_is_refused_when_a_payable_is_submitted() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    policy(&desk, 1, &[(2, &["admin", "ap_approver"])]).await.expect(201);
    let bill = desk.good_bill(1_000).await;
    let refused = desk.act(&bill, "submit-for-approval", "admin").await;
    let message = refused.refused(409, "invalid-state").body["message"].as_str().unwrap();
    assert!(message.contains("step 1 needs 2 approvals, but only 1"), "{message}");
    assert_eq!(desk.payable(&bill).await["status"], "created");
    desk.act(&bill, "submit-for-approval", "ap_creator").await.expect(200);

    // A member who left after the policy was made does not count either.
    let other = desk.good_bill(1_000).await;
    desk.dismiss("ap_approver").await;
    desk.act(&other, "submit-for-approval", "ap_creator").await.refused(409, "invalid-state");
}

#[tokio::test]
async fn without_anybody_but_the_submitter_nothing_is_submitted() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let bill = desk.good_bill(1_000).await;
    desk.dismiss("ap_approver").await;
    desk.act(&bill, "submit-for-approval", "admin").await.refused(409, "invalid-state");
    desk.hire("Ann", "ap_approver").await;
    desk.act(&bill, "submit-for-approval", "admin").await.expect(200);
}

#[tokio::test]
async fn a_submitted_payable_keeps_its_steps_when_the_policy_changes() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let made = policy(&desk, 1, &[(1, &["admin"])]).await.expect(201);
    let bill = desk.good_bill(1_000).await;
    desk.act(&bill, "submit-for-approval", "ap_creator").await.expect(200);
    let path = format!("approval-policies/{}", made.id());
    let steps = json!([{"approvers": [desk.member("ap_approver")]}]);
    desk.patch(&path, json!({"steps": steps})).send().await.expect(200);
    desk.act(&bill, "approve", "ap_approver").await.refused(403, "not-permitted");
    desk.delete(&path).send().await.expect(200);
    desk.act(&bill, "approve", "ap_approver").await.refused(403, "not-permitted");
    assert_eq!(desk.act(&bill, "approve", "admin").await.expect(200).body["status"], "approved");
}

#[tokio::test]
async fn who_may_no_longer_approve_does_not_approve() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let (ann, bob) = (desk.hire("Ann", "ap_approver").await, desk.hire("Bob", "ap_approver").await);
    policy(&desk, 1, &[(1, &[&ann, &bob])]).await.expect(201);
    let bill = desk.good_bill(1_000).await;
    desk.act(&bill, "submit-for-approval", "ap_creator").await.expect(200);
    let path = format!("/v2/members/{ann}");
    server.patch(&path).as_org().json(json!({"role": "payer"})).send().await.expect(200);
    desk.dismiss(&bob).await;
    desk.act(&bill, "approve", &ann).await.refused(403, "not-permitted");
    desk.act(&bill, "approve", &bob).await.refused(404, "not-found");
    desk.act(&bill, "approve", "admin").await.refused(403, "not-permitted");

    // No approver is left, but any member who approves may reject, so the bill is not stuck.
    desk.act(&bill, "reject", "admin").await.expect(200);
    desk.update(&bill, json!({})).await.expect(200);
    desk.act(&bill, "cancel", "ap_creator").await.expect(200);
}
