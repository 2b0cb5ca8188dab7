//! Workers that panic.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use bursar::engine::Command;
use bursar::ids::{OrgId, PayoutLinkId, TransferId};
use bursar::jobs::{Job, LEASE_SECONDS, Work};
use bursar::payout_links::PayoutLink;
use bursar::rails::sandbox::RailItem;
use bursar::worker;
use bursar::world::record::Cell as _;
use bursar::world::{Halt, World};
use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::json;
use tokio::sync::watch;
use uuid::Uuid;

use crate::harness::Server;

/// Panics when the first failure of a job is counted, which is in the middle of its run.
#[derive(Debug)]
struct Bug {
    met: Arc<AtomicU32>,
}

impl Recorder for Bug {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        let counts_failures = key.name() == "bursar_jobs_failed_total";
        assert!(!counts_failures || self.met.fetch_add(1, Ordering::SeqCst) > 0, "a bug");
        Counter::noop()
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

/// Replaces a link's sealed token; returns the original. A message about a link whose token does not open cannot be
/// composed.
struct Reseal {
    org: OrgId,
    link: PayoutLinkId,
    sealed: Vec<u8>,
}

impl Command for Reseal {
    type Reply = Vec<u8>;

    fn decide(&self, world: &mut World) -> Result<Vec<u8>, Halt> {
        let link = world.get::<PayoutLink>(vec![self.org.to_value(), self.link.to_value()])?.expect("it is there");
        world.change(&link, |link| link.sealed_token.clone_from(&self.sealed));
        Ok(link.sealed_token.clone())
    }
}

/// Returns the job that sends a message, if there is one.
fn sending(server: &Server) -> Option<Job> {
    let mut found = None;
    let fetch = |job: &Job| {
        if matches!(job.work.0, Work::SendMessage { .. }) {
            found = Some(job.clone());
        }
        Ok(())
    };
    server.bursar().reads.snapshot(|snapshot| snapshot.each::<Job>(fetch)).unwrap();
    found
}

async fn until(what: &str, mut so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !so() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it never is: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Messages to the inbox are sent without a lease, so the job remains due.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_whose_worker_dies_of_a_bug_is_begun_again_when_a_lease_would_have_ended() {
    let server = Server::memory().await;
    let met = Arc::new(AtomicU32::new(0));
    metrics::set_global_recorder(Bug { met: met.clone() }).expect("nobody else counts in this process");
    let body = json!({"amount": 100, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    assert!(sending(&server).is_none(), "its batch has sent it");
    let id = |text: &str| text.parse::<Uuid>().unwrap();
    let org = OrgId(id(server.credentials()["organization"]["id"].as_str().unwrap()));
    let reseal = |sealed| Reseal { org, link: id(&link.id()).into(), sealed };
    let sealed = server.bursar().engine.run(org, reseal(vec![7])).await.unwrap();
    server.post(&format!("/v2/payout-links/{}/redeliver", link.id())).app_key().send().await.expect(200);
    let job = sending(&server).expect("it cannot be sent again in its batch, so its job is left");
    assert_eq!((job.attempts, job.fence, job.leased_until), (0, 0, None));
    let (stop, reported) = watch::channel(false);
    let worker = worker::start(server.bursar().clone(), reported);
    until("the job is put off", || sending(&server).is_none_or(|job| job.leased_until.is_some())).await;
    let put_off = sending(&server).expect("nobody has done it");
    assert_eq!((put_off.attempts, put_off.due_at), (1, server.now().plus_seconds(LEASE_SECONDS)));
    assert_eq!(met.load(Ordering::SeqCst), 1, "it was begun once");

    server.bursar().engine.run(job.org, reseal(sealed)).await.unwrap();
    server.advance(LEASE_SECONDS);
    until("it is done", || sending(&server).is_none()).await;
    let shown = server.get(&format!("/v2/payout-links/{}", link.id())).app_key().send().await.expect(200);
    assert_eq!(shown.body["status"], "delivered");
    assert_eq!(met.load(Ordering::SeqCst), 1, "and did not fail again");
    stop.send_replace(true);
    worker.await.unwrap();
}

/// A simulated bug: a rail forgets an item that it accepted.
struct ForgetItem {
    org: OrgId,
    transfer: TransferId,
}

impl Command for ForgetItem {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let item = world.get::<RailItem>(vec![self.org.to_value(), self.transfer.to_value()])?.expect("it is there");
        world.remove(&item);
        Ok(())
    }
}

#[tokio::test]
async fn a_transfer_unknown_to_its_rail_is_reported_each_time() {
    let reported = PrometheusBuilder::new().install_recorder().unwrap();
    let server = Server::memory().await;
    let deposit = format!("/v2/apps/{}/deposit", server.app_id());
    let made = server.post(&deposit).app_key().json(json!({"amount": 5_000})).send().await.expect(200).id();
    server.work_off().await;
    let id = |text: &str| Uuid::parse_str(text).unwrap();
    let org = OrgId(id(server.credentials()["organization"]["id"].as_str().unwrap()));
    server.bursar().engine.run(org, ForgetItem { org, transfer: TransferId(id(&made)) }).await.unwrap();
    assert!(!reported.render().contains("bursar_transfers_odd_total"), "{}", reported.render());
    server.pass(86_400).await;
    let count = |times: u32| format!("bursar_transfers_odd_total{{kind=\"unknown\"}} {times}\n");
    assert!(reported.render().contains(&count(1)), "{}", reported.render());
    server.pass(3_600).await;
    assert!(reported.render().contains(&count(2)), "{}", reported.render());
    let transfer = server.get(&format!("/v2/transfers/{made}")).app_key().send().await.expect(200).body;
    assert_eq!(transfer["status"], "pending", "nobody guesses what became of it");
}
