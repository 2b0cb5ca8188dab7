//! The worker: takes due jobs, does what talks to the network, and comes back with a command.
//!
//! Each kind of job is one arm of [`perform`]. A job is leased before it is begun, and
//! the command that ends it carries the lease: whoever lost it commits nothing. A crash
//! at any point leaves a job that another worker takes over when the lease ends.

mod batches;
mod letters;
mod webhooks;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::users::screening::{ScreenUsers, next_users};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;

use crate::funding::TendWallet;
use crate::http::idempotency::{Bury, StoredAnswer, outlived};
use crate::http::{Bursar, Scope};
use crate::ids::{AppId, MessageId, PayoutLinkBatchId, PayoutLinkId, ScreeningRunId, TransferId, WebhookEndpointId};
use crate::jobs::{self, Abandon, Job, Lane, Lease, Leased, Work};
use crate::payout_links::{Expire, Remind};
use crate::rails::Standing;
use crate::rails::sandbox::{self, Accept};
use crate::refusal::{Code, Refusal};
use crate::settlements::{self, Followed, Submitted};
use crate::webhooks::{Feed, Forget, WebhookDelivery, outlived as outlived_deliveries};

/// Jobs of a lane in hand at once. Webhooks have more, because most of them only wait for others to answer.
const fn hands_of(lane: Lane) -> u32 {
    match lane {
        Lane::House | Lane::Messages => 64,
        Lane::Webhooks => 256,
    }
}
/// How often to clear away what was kept long enough.
const TIDY_EVERY: Duration = Duration::from_secs(60);
/// How often to look for due jobs when nobody says that there are some.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Where many processes look at one store, the wait doubles up to this while there is nothing to do.
const LOOK_SELDOM: Duration = Duration::from_millis(400);

/// Starts a worker. It takes jobs until `stop` turns true, and ends when those in hand are done.
pub fn start(bursar: Arc<Bursar>, mut stop: watch::Receiver<bool>) -> JoinHandle<()> {
    tokio::spawn(async move {
        let lanes = Lane::ALL.iter().map(|lane| (*lane, hands_of(*lane)));
        let lanes: Vec<(Lane, u32, Arc<Semaphore>)> =
            lanes.map(|(lane, hands)| (lane, hands, Arc::new(Semaphore::new(hands as usize)))).collect();
        let (mut tidied, mut wait) = (None, LOOK_EVERY);
        while !*stop.borrow_and_update() {
            let mut found = false;
            if is_anything_due(&bursar).await {
                for (lane, _, hands) in &lanes {
                    found |= look(&bursar, *lane, hands).await;
                }
            }
            if !found && tidied.is_none_or(|at: Instant| at.elapsed() > TIDY_EVERY) {
                tidied = Some(Instant::now());
                if let Err(refusal) = clear_away(&bursar).await {
                    tracing::warn!(refusal.message, "what is old could not be cleared away");
                }
            }
            let pause = if found { Duration::ZERO } else { wait };
            wait = if found || !bursar.reads.is_shared() { LOOK_EVERY } else { (wait * 2).min(LOOK_SELDOM) };
            // Whether the wait ended by a change or by time, the loop looks at both.
            drop(tokio::time::timeout(pause, stop.changed()).await);
        }
        for (_, count, hands) in &lanes {
            drop(hands.acquire_many(*count).await);
        }
    })
}

/// Clears away what was kept long enough.
async fn clear_away(bursar: &Bursar) -> Result<(), Refusal> {
    bury_outlived(bursar).await?;
    forget_outlived(bursar).await?;
    Ok(())
}

/// Clears away webhook deliveries that were kept long enough; gives how many.
pub async fn forget_outlived(bursar: &Bursar) -> Result<usize, Refusal> {
    let mut forgotten = 0;
    loop {
        let now = bursar.clock.now();
        let old = bursar.read(move |world| world.page::<WebhookDelivery>(&outlived_deliveries(now, 256))).await?;
        for delivery in &old {
            bursar.engine.run(Forget { org: delivery.org, delivery: delivery.id }).await?;
        }
        forgotten += old.len();
        if old.is_empty() {
            return Ok(forgotten);
        }
    }
}

/// Clears away the bodies of answers that were kept long enough; gives how many.
pub async fn bury_outlived(bursar: &Bursar) -> Result<usize, Refusal> {
    let mut buried = 0;
    loop {
        let now = bursar.clock.now();
        let old = bursar.read(move |world| world.page::<StoredAnswer>(&outlived(now, 256))).await?;
        for stored in &old {
            let key = stored.idempotency_key.clone();
            bursar.engine.run(Bury { org: stored.org, scope: stored.scope, key }).await?;
        }
        buried += old.len();
        if old.is_empty() {
            return Ok(buried);
        }
    }
}

/// Does everything that is due, one job after the other, and what that leaves to be done: for tests,
/// whose clock stands still meanwhile.
pub async fn work_off(bursar: &Arc<Bursar>) -> Result<(), Refusal> {
    loop {
        let now = bursar.clock.now();
        let due = bursar.read(move |world| world.page::<Job>(&jobs::due(now, 1))).await?;
        let Some(job) = due.first() else { return Ok(()) };
        if let Some(leased) = bursar.engine.run(Lease { org: job.org, id: job.id }).await? {
            perform(bursar, leased).await?;
        }
    }
}

/// Takes back the leases of a process that died. Only for a store that no other process has open:
/// then every lease that is left is one of ours from before.
pub async fn abandon_leases(bursar: &Bursar) -> Result<usize, Refusal> {
    let mut abandoned = 0;
    loop {
        let leased = bursar.read(|world| world.page::<Job>(&jobs::leased(256))).await?;
        for job in &leased {
            bursar.engine.run(Abandon { org: job.org, id: job.id }).await?;
        }
        abandoned += leased.len();
        if leased.is_empty() {
            return Ok(abandoned);
        }
    }
}

/// Whether any lane has something to do. One read, however many lanes there are.
async fn is_anything_due(bursar: &Bursar) -> bool {
    let now = bursar.clock.now();
    match bursar.read(move |world| world.page::<Job>(&jobs::due(now, 1))).await {
        Ok(due) => !due.is_empty(),
        Err(refusal) => {
            tracing::warn!(refusal.message, "due jobs cannot be read");
            false
        }
    }
}

/// Of the jobs that are due, those that this process tries to take. Many processes see the same ones: each begins
/// at another place, so that they rarely want the same job, which only one of them would get.
fn share(mut due: Vec<Arc<Job>>, at_most: usize) -> Vec<Arc<Job>> {
    if due.len() > 1 {
        let begin = usize::from(rand::random::<u16>()) % due.len();
        due.rotate_left(begin);
    }
    due.truncate(at_most);
    due
}

/// Begins what is due in a lane; whether there was anything.
async fn look(bursar: &Arc<Bursar>, lane: Lane, hands: &Arc<Semaphore>) -> bool {
    let free = hands.available_permits();
    if free == 0 {
        return false;
    }
    let (now, shared) = (bursar.clock.now(), bursar.reads.is_shared());
    let looked_at = if shared { free * 2 } else { free };
    let due = match bursar.read(move |world| world.page::<Job>(&jobs::due_in(lane, now, looked_at))).await {
        Ok(due) if shared => share(due, free),
        Ok(due) => due,
        Err(refusal) => {
            tracing::warn!(refusal.message, "due jobs cannot be read");
            return false;
        }
    };
    let found = !due.is_empty();
    let leases = due.iter().map(|job| bursar.engine.run(Lease { org: job.org, id: job.id }));
    for leased in futures::future::join_all(leases).await {
        match leased {
            Ok(Some(leased)) => {
                let (bursar, hands) = (bursar.clone(), hands.clone());
                tokio::spawn(async move {
                    let hand = hands.acquire_owned().await;
                    do_job(&bursar, leased).await;
                    drop(hand);
                });
            }
            Ok(None) => {}
            Err(refusal) => tracing::warn!(refusal.message, "a job could not be leased"),
        }
    }
    found
}

/// Does one job to its end. What fails here is tried again when the lease is over.
pub async fn do_job(bursar: &Arc<Bursar>, leased: Leased) {
    let (id, attempt) = (leased.id, leased.attempt);
    let kind = kind(&leased.work);
    match perform(bursar, leased).await {
        Ok(()) => metrics::counter!("bursar_jobs_done_total", "kind" => kind).increment(1),
        Err(refusal) if refusal.code == Code::ResourceBusy => {
            tracing::info!(%id, kind, "a job's lease went to another worker");
        }
        Err(refusal) => {
            metrics::counter!("bursar_jobs_failed_total", "kind" => kind).increment(1);
            tracing::warn!(%id, kind, attempt, code = refusal.code.as_str(), refusal.message, "a job failed; it is tried again");
        }
    }
}

fn kind(work: &Work) -> &'static str {
    match work {
        Work::SendMessage { .. } => "send_message",
        Work::FollowMessage { .. } => "follow_message",
        Work::SubmitTransfer { .. } => "submit_transfer",
        Work::FollowTransfer { .. } => "follow_transfer",
        Work::TendWallet { .. } => "tend_wallet",
        Work::ExpireLink { .. } => "expire_link",
        Work::RemindLink { .. } => "remind_link",
        Work::ScreenUsers { .. } => "screen_users",
        Work::ProcessPayoutLinkBatch { .. } => "process_payout_link_batch",
        Work::FeedWebhooks { .. } => "feed_webhooks",
        Work::CallWebhook { .. } => "call_webhook",
    }
}

/// Job → what does it. The table of the worker.
async fn perform(bursar: &Arc<Bursar>, leased: Leased) -> Result<(), Refusal> {
    match leased.work {
        Work::SendMessage { message } => letters::send(bursar, leased, MessageId(message)).await,
        Work::FollowMessage { message } => letters::follow(bursar, leased, MessageId(message)).await,
        Work::SubmitTransfer { transfer } => submit(bursar, leased, TransferId(transfer)).await,
        Work::FollowTransfer { transfer } => follow(bursar, leased, TransferId(transfer)).await,
        Work::TendWallet { app } => bursar.engine.run(TendWallet { leased, app: AppId(app) }).await,
        Work::ExpireLink { link } => bursar.engine.run(Expire { leased, link: PayoutLinkId(link) }).await,
        Work::RemindLink { link } => bursar.engine.run(Remind { leased, link: PayoutLinkId(link) }).await,
        Work::ScreenUsers { run } => screen_users(bursar, leased, ScreeningRunId(run)).await,
        Work::ProcessPayoutLinkBatch { batch } => batches::process(bursar, leased, PayoutLinkBatchId(batch)).await,
        Work::FeedWebhooks { app } => {
            let scope = Scope { org: leased.org, app: AppId(app) };
            bursar.engine.run(Feed { leased, scope }).await
        }
        Work::CallWebhook { endpoint } => webhooks::call(bursar, leased, WebhookEndpointId(endpoint)).await,
    }
}

async fn submit(bursar: &Bursar, leased: Leased, id: TransferId) -> Result<(), Refusal> {
    let org = leased.org;
    let vault = bursar.vault.clone();
    let instruction = bursar.read(move |world| settlements::instruction(world, &vault, org, id)).await?;
    // An earlier attempt may have reached the rail and died before it could say so: a transfer in doubt is
    // looked up, never sent again blindly.
    let known = if leased.attempt > 1 { look_up(bursar, &leased, id).await? } else { Standing::Unknown };
    let standing = match (known, instruction) {
        (Standing::Unknown, Some(instruction)) => bursar.engine.run(Accept(instruction)).await?,
        (known, _) => known,
    };
    bursar.engine.run(Submitted { leased, transfer: id, standing }).await
}

async fn follow(bursar: &Bursar, leased: Leased, id: TransferId) -> Result<(), Refusal> {
    let standing = look_up(bursar, &leased, id).await?;
    bursar.engine.run(Followed { leased, transfer: id, standing }).await
}

/// Screens the users that come next; the job stays until none is left.
async fn screen_users(bursar: &Bursar, leased: Leased, run: ScreeningRunId) -> Result<(), Refusal> {
    let org = leased.org;
    let next = bursar.read(move |world| next_users(world, org, run)).await?;
    let (users, names) = next.into_iter().unzip();
    let names = bursar.look_up(names).await?;
    bursar.engine.run(ScreenUsers { leased, run, names, users }).await
}

async fn look_up(bursar: &Bursar, leased: &Leased, id: TransferId) -> Result<Standing, Refusal> {
    let (org, now) = (leased.org, bursar.clock.now());
    bursar.read(move |world| sandbox::look_up(world, org, id, now)).await
}
