//! Workers that panic.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use bursar::engine::Command;
use bursar::ids::{AppId, MessageId, OrgId, TransferId};
use bursar::jobs::{Job, LEASE_SECONDS, Work};
use bursar::messages::{self, Channel, CodePurpose, Template};
use bursar::money::Cents;
use bursar::rails::sandbox::RailItem;
use bursar::scope::Scope;
use bursar::worker;
use bursar::world::record::key;
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

/// Queues a text message whose code does not open, so that it cannot be composed.
struct QueueUnreadable(Scope);

impl Command for QueueUnreadable {
    type Reply = MessageId;

    fn decide(&self, world: &mut World) -> Result<MessageId, Halt> {
        let code = Template::Code { sealed_code: vec![7], purpose: CodePurpose::Claim };
        Ok(messages::queue(world, self.0, (Channel::Sms, "+12127361234"), None, code))
    }
}

/// Replaces the template of a message.
struct Retemplate(OrgId, MessageId, Template);

impl Command for Retemplate {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let message = messages::find(world, self.0, self.1)?;
        world.change(&message, |message| message.template.0 = self.2.clone());
        Ok(())
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
    metrics::set_global_recorder(Bug { met: met.clone() }).expect("this is the only recorder of this process");
    let id = |text: &str| text.parse::<Uuid>().unwrap();
    let org = OrgId(id(server.credentials()["organization"]["id"].as_str().unwrap()));
    let scope = Scope { org, app: AppId(id(&server.app_id())) };
    let message = server.bursar().engine.run(org, QueueUnreadable(scope)).await.unwrap();
    let job = sending(&server).expect("it cannot be sent in its batch, so its job is left");
    assert_eq!((job.attempts, job.fence, job.leased_until), (0, 0, None));
    let (stop, reported) = watch::channel(false);
    let worker = worker::start(server.bursar().clone(), reported);
    until("the job is put off", || sending(&server).is_none_or(|job| job.leased_until.is_some())).await;
    let put_off = sending(&server).expect("it is not done");
    assert_eq!((put_off.attempts, put_off.due_at), (1, server.now().plus_seconds(LEASE_SECONDS)));
    assert_eq!(met.load(Ordering::SeqCst), 1, "it was begun once");

    let readable = Template::PaymentCollected {
        transfer: TransferId(id(&message.to_string())),
        amount_cents: Cents::new(100),
        account: "1234".into(),
    };
    server.bursar().engine.run(org, Retemplate(org, message, readable)).await.unwrap();
    server.advance(LEASE_SECONDS);
    until("it is done", || sending(&server).is_none()).await;
    let received = server.get("/v2/sandbox/messages").app_key().send().await.expect(200).body;
    assert_eq!(received["data"][0]["id"], message.to_string());
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
        let item = world.get::<RailItem>(key![self.org, self.transfer])?.expect("it is there");
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
