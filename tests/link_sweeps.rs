//! One sweep of an organization gives unclaimed links their jobs, three days after their creation.

use bursar::clock::DAY_SECONDS as DAY;
use bursar::jobs::{Job, LEASE_SECONDS, Work};
use bursar::ledger::verify::Finding;
use bursar::store::memory::Fault;
use bursar::worker;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::Server;

async fn create(server: &Server, fields: Value) -> String {
    let mut body = json!({"amount": 100, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).id()
}

/// Returns the kinds of the jobs about links, sorted.
fn jobs(server: &Server) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    let kind = |job: &Job| {
        let work = &job.work.0;
        kinds.extend(matches!(work, Work::SweepLinks { .. }).then_some("sweep"));
        kinds.extend(matches!(work, Work::ExpireLink { .. }).then_some("expire"));
        kinds.extend(matches!(work, Work::RemindLink { .. }).then_some("remind"));
        Ok(())
    };
    server.bursar().reads.snapshot(|snapshot| snapshot.each::<Job>(kind)).unwrap();
    kinds.sort_unstable();
    kinds
}

/// Returns the sweep.
fn sweep(server: &Server) -> Job {
    let mut found = Vec::new();
    let fetch = |job: &Job| {
        found.extend(matches!(job.work.0, Work::SweepLinks { .. }).then(|| job.clone()));
        Ok(())
    };
    server.bursar().reads.snapshot(|snapshot| snapshot.each::<Job>(fetch)).unwrap();
    found.pop().expect("an unvisited link is left")
}

/// Returns the deliveries and the state of a link.
async fn link(server: &Server, id: &str) -> (i64, String) {
    let link = server.get(&format!("/v2/payout-links/{id}")).app_key().send().await.expect(200).body;
    (link["deliveries"].as_i64().unwrap(), link["status"].as_str().unwrap().to_owned())
}

async fn links(server: &Server, ids: &[String]) -> Vec<(i64, String)> {
    let mut found = Vec::new();
    for id in ids {
        found.push(link(server, id).await);
    }
    found
}

fn delivered(deliveries: i64) -> (i64, String) {
    (deliveries, "delivered".to_owned())
}

fn ended(deliveries: i64, status: &str) -> (i64, String) {
    (deliveries, status.to_owned())
}

#[tokio::test]
async fn links_of_one_organization_share_a_job_until_they_are_three_days_old() {
    let server = Server::memory().await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(create(&server, json!({})).await);
        server.advance(10);
    }
    assert_eq!(jobs(&server), ["sweep"]);
    server.delete(&format!("/v2/payout-links/{}", ids[0])).app_key().send().await.expect(200);

    // Each is visited at its own time: the canceled one for nothing.
    server.pass(3 * DAY - 31).await;
    assert_eq!(jobs(&server), ["sweep"]);
    server.pass(12).await;
    assert_eq!(links(&server, &ids).await, [ended(1, "canceled"), delivered(2), delivered(1)]);
    assert_eq!(jobs(&server), ["expire", "sweep"]);
    server.pass(10).await;
    assert_eq!(links(&server, &ids).await, [ended(1, "canceled"), delivered(2), delivered(2)]);
    assert_eq!(jobs(&server), ["expire", "expire"], "no link is left to be visited");

    // The next link begins another sweep.
    let last = create(&server, json!({})).await;
    assert_eq!(jobs(&server), ["expire", "expire", "sweep"]);
    server.pass(27 * DAY - 5).await;
    assert_eq!(links(&server, &ids).await, [ended(1, "canceled"), ended(2, "expired"), delivered(3)]);
    server.pass(10).await;
    assert_eq!(link(&server, &ids[2]).await, ended(3, "expired"));
    server.pass(3 * DAY).await;
    assert_eq!((link(&server, &last).await, jobs(&server)), (ended(2, "expired"), vec![]));
    server.verify();
}

#[tokio::test]
async fn a_link_that_needs_its_job_early_has_it_from_its_creation() {
    let server = Server::memory().await;
    let at = |days: i64| server.now().plus_seconds(days * DAY + 3_600).to_string();
    let short = create(&server, json!({"expires_at": at(2)})).await;
    assert_eq!(jobs(&server), ["expire"]);
    let reminded = create(&server, json!({"remind_at": at(10)})).await;
    assert_eq!(jobs(&server), ["expire", "expire", "remind"]);
    let by_hand = create(&server, json!({"delivery": {"method": "link"}})).await;
    let long = create(&server, json!({"expires_at": at(100)})).await;
    assert_eq!(jobs(&server), ["expire", "expire", "remind", "sweep"]);

    server.pass(DAY + 3_600).await;
    assert_eq!(link(&server, &short).await, delivered(2));
    server.pass(DAY).await;
    assert_eq!(link(&server, &short).await, ended(2, "expired"));
    server.pass(2 * DAY).await;
    let all = [reminded, by_hand, long];
    assert_eq!(links(&server, &all).await, [delivered(1), delivered(1), delivered(2)]);
    server.pass(7 * DAY).await;
    assert_eq!(link(&server, &all[0]).await, delivered(2), "at the sender's time only");
    server.pass(20 * DAY).await;
    assert_eq!(links(&server, &all).await, [ended(2, "expired"), ended(1, "expired"), delivered(2)]);
    server.pass(70 * DAY).await;
    assert_eq!((link(&server, &all[2]).await, jobs(&server)), (ended(2, "expired"), vec![]));
    server.verify();
}

#[tokio::test]
async fn more_links_than_one_visit_takes_are_all_visited() {
    let server = Server::memory().await;
    let body = json!({"amount": 1, "delivery": {"method": "link"}});
    for _ in 0..150 {
        server.post("/v2/payout-links").app_key().json(body.clone()).send().await.expect(201);
    }
    server.pass(3 * DAY).await;
    assert_eq!(jobs(&server), vec!["expire"; 150]);
    server.pass(27 * DAY).await;
    assert_eq!(jobs(&server), [""; 0]);
    assert_eq!(server.balance("app_wallet").await, 100_000_000);
    server.verify();
}

/// Ids sort by time. A link that is older than the sweep's position, or due earlier than the sweep, is not visited.
#[tokio::test]
async fn a_link_of_a_clock_that_was_set_back_has_a_job_of_its_own() {
    let mut server = Server::sqlite().await;
    create(&server, json!({})).await;
    server.pass(2 * DAY).await;
    create(&server, json!({})).await;
    server.pass(DAY).await;
    assert_eq!(jobs(&server), ["expire", "sweep"], "the sweep is behind the first link, and due in two days");

    server.advance(-10 * DAY);
    server.restart().await;
    let before = create(&server, json!({})).await;
    server.advance(8 * DAY);
    let between = create(&server, json!({})).await;
    assert_eq!(jobs(&server), ["expire", "expire", "expire", "sweep"]);
    server.verify();
    server.pass(31 * DAY).await;
    assert_eq!(links(&server, &[before, between]).await, [ended(1, "expired"), ended(1, "expired")]);
    server.pass(10 * DAY).await;
    assert_eq!(jobs(&server), [""; 0]);
}

#[tokio::test]
async fn a_sweep_that_is_refused_visits_its_links_later() {
    let server = Server::failing().await;
    let id = create(&server, json!({})).await;
    server.advance(3 * DAY);
    let sweep = sweep(&server);
    server.store().fail_next(Fault::Full);
    assert!(!worker::do_job(server.bursar(), sweep.unleased()).await);
    assert_eq!(link(&server, &id).await, delivered(1));
    // Two workers with the same job: the second changes nothing.
    assert!(worker::do_job(server.bursar(), sweep.unleased()).await);
    assert!(worker::do_job(server.bursar(), sweep.unleased()).await);
    assert_eq!((link(&server, &id).await, jobs(&server)), (delivered(2), vec!["expire", "sweep"]));
    server.pass(LEASE_SECONDS + 1).await;
    assert_eq!((link(&server, &id).await, jobs(&server)), (delivered(2), vec!["expire"]));
    server.verify();
}

/// A link that is created between the last read of a sweep and its end is visited too.
#[tokio::test]
async fn a_link_that_comes_while_its_sweep_ends_is_visited() {
    let server = Server::failing().await;
    create(&server, json!({})).await;
    server.advance(3 * DAY);
    assert!(worker::do_job(server.bursar(), sweep(&server).unleased()).await);
    let idle = sweep(&server);
    assert!(matches!(idle.work.0, Work::SweepLinks { idle: true, .. }));
    let late = create(&server, json!({})).await;
    assert!(worker::do_job(server.bursar(), idle.unleased()).await, "its lease is stale");
    server.pass(0).await;
    assert_eq!(jobs(&server), ["expire", "sweep"]);
    server.pass(3 * DAY).await;
    assert_eq!(link(&server, &late).await, delivered(2));
}

#[tokio::test]
async fn verify_finds_a_link_that_no_job_expires() {
    let server = Server::memory().await;
    create(&server, json!({})).await;
    let is_sweep = |job: &Job| matches!(job.work.0, Work::SweepLinks { .. });
    let skip = |job: &mut Job| job.work.0 = Work::SweepLinks { after: Uuid::max(), idle: false };
    let broken = |findings: Vec<Finding>| findings.iter().map(|finding| finding.invariant).collect::<Vec<_>>();
    assert_eq!(broken(server.tampered(is_sweep, skip)), [36]);
    server.pass(3 * DAY).await;
    let is_job = |job: &Job| matches!(job.work.0, Work::ExpireLink { .. });
    let other = |job: &mut Job| job.work.0 = Work::TopUpWallet { app: Uuid::nil() };
    assert_eq!(broken(server.tampered(is_job, other)), [36]);
}
