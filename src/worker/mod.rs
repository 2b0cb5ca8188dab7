//! The worker: leases due jobs, calls other systems, and records the outcome by a command.
//!
//! Each kind of job is one arm of [`perform`]. A job is leased before it begins, and the command that ends it carries
//! the lease, so a worker that lost its lease commits nothing. If a worker crashes, another takes the job when the
//! lease ends. Jobs that call no other system run without a lease ([`is_internal`]), which saves a write. Most of them
//! never reach the worker: they are done in the batch that adds them ([`follow_ups`]).

mod bank_files;
mod bank_intake;
mod bank_statements;
mod batches;
mod follow_ups;
mod framing;
mod inbox;
mod letters;
mod provider_calls;
mod anomalies;
mod providers;
mod sandbox_bank;
mod webhooks;
mod writing;

pub(crate) use bank_files::{committed, step_of};
pub(crate) use follow_ups::follow_up;
pub use follow_ups::follow_ups;
pub(crate) use framing::html_mail;
pub use provider_calls::Session;
pub(crate) use writing::Pen;

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::bank_files::CutFile;
use crate::closing::{self, ErasePage};
use crate::users::screening::{ScreenUsers, next_users};
use futures::FutureExt as _;
use futures::future::try_join_all;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::funding::TopUpWallet;
use crate::idempotency::{MakeTombstone, StoredAnswer, outlived};
use crate::ids::{
    AppId, BankConnectionId, BankFileId, BankReversalId, InboundFileId, JobId, MessageId, OrgId, PayoutLinkBatchId,
    PayoutLinkId, ScreeningRunId, SettlementAccountId, TransferId, UserId, WebhookEndpointId,
};
use crate::jobs::{self, Abandon, Job, Lane, Lease, Leased, Work};
use crate::payments::ReleasePayment;
use crate::payout_links::{self, Expire, Remind, SweepLinks};
use crate::program::Bursar;
use crate::rails::ItemStatus;
use crate::rails::failures::FailureCode;
use crate::rails::sandbox::{self, Accept};
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::settlements::{self, Followed, Submitted};
use crate::webhooks::{DeliveryStatus, Feed, Forget, WebhookDelivery, outlived as outlived_deliveries};

/// Returns the number of leased jobs of a lane in parallel. Webhooks and payments have more, because most of them only
/// wait for responses.
const fn hands_of(lane: Lane) -> u32 {
    match lane {
        Lane::System | Lane::Messages => 64,
        Lane::Payments | Lane::Webhooks => 256,
    }
}
/// Jobs of a lane without a lease in parallel, at most. They only wait for commits, which they share.
const OWN_MAX: usize = 256;
/// Old rows that are deleted together, few enough not to delay requests.
const TIDY_PAGE: usize = 64;
/// The interval between deletions of expired rows.
const TIDY_EVERY: Duration = Duration::from_secs(60);
/// The interval between checks for due jobs when idle.
const CHECK_EVERY: Duration = Duration::from_millis(50);
/// The interval between checks while jobs are due: jobs that fall due in the interval are committed together. Each
/// check reads the running jobs again, which is most of its cost.
const CHECK_AGAIN: Duration = Duration::from_millis(20);
/// If many processes share one store, the interval doubles up to this limit while no jobs are due.
const CHECK_SELDOM: Duration = Duration::from_millis(400);

/// Running jobs without a lease. The store still shows them as due.
type InHand = Arc<Mutex<HashSet<(OrgId, JobId)>>>;

struct Hands {
    lane: Lane,
    count: u32,
    free: Arc<Semaphore>,
    in_hand: InHand,
}

impl Hands {
    fn of(lane: Lane) -> Self {
        let count = hands_of(lane);
        Self { lane, count, free: Arc::new(Semaphore::new(count as usize)), in_hand: InHand::default() }
    }

    /// Returns the jobs that run without a lease now.
    fn taken(&self) -> HashSet<(OrgId, JobId)> {
        self.in_hand.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Marks one job as running without a lease until it is dropped.
struct Taken {
    in_hand: InHand,
    job: (OrgId, JobId),
}

impl Taken {
    fn new(in_hand: &InHand, job: (OrgId, JobId)) -> Self {
        in_hand.lock().unwrap_or_else(PoisonError::into_inner).insert(job);
        Self { in_hand: in_hand.clone(), job }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.in_hand.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.job);
    }
}

/// Returns whether a job needs no lease ([`Work::is_internal`]). Without a provider a message goes to the sandbox's
/// inbox, which is an ordinary row.
fn is_internal(bursar: &Bursar, work: &Work) -> bool {
    let to_inbox =
        matches!(work, Work::SendMessage { .. }) && inbox::is_all_there_is(bursar.environment, &bursar.providers);
    work.is_internal() || to_inbox
}

/// Starts a worker. It takes jobs until `stop` turns true, and ends when the running jobs are done.
pub fn start(bursar: Arc<Bursar>, mut stop: watch::Receiver<bool>) -> JoinHandle<()> {
    tokio::spawn(async move {
        let lanes: Vec<Hands> = Lane::ALL.iter().map(|lane| Hands::of(*lane)).collect();
        let tidying = tokio::spawn(tidy(bursar.clone(), stop.clone()));
        let mut wait = CHECK_EVERY;
        while !*stop.borrow_and_update() {
            let mut found = false;
            // If reads are at their limit, the remaining capacity belongs to the running jobs.
            let lanes = if bursar.reads.is_full() { &[] } else { lanes.as_slice() };
            for hands in lanes {
                found |= poll(&bursar, hands).await;
            }
            let pause = if found { CHECK_AGAIN } else { wait };
            wait = if found || !bursar.reads.is_shared() { CHECK_EVERY } else { (wait * 2).min(CHECK_SELDOM) };
            // The loop checks both the change and the jobs, so the result does not matter.
            drop(tokio::time::timeout(pause, stop.changed()).await);
        }
        for hands in &lanes {
            drop(hands.free.acquire_many(hands.count).await);
            while !hands.taken().is_empty() {
                tokio::time::sleep(CHECK_AGAIN).await;
            }
        }
        // It ends by the same signal, or has panicked, which was logged.
        drop(tidying.await);
    })
}

/// Deletes expired rows at intervals until `stop` turns true. It has its own task, so that jobs do not wait for a long
/// deletion.
async fn tidy(bursar: Arc<Bursar>, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow_and_update() {
        tokio::select! {
            cleared = clear_away(&bursar) => {
                if let Err(refusal) = cleared {
                    tracing::warn!(refusal.message, "expired data cannot be removed");
                }
                // The loop checks the signal, so the result does not matter.
                drop(tokio::time::timeout(TIDY_EVERY, stop.changed()).await);
            }
            // The commands in flight finish or not; the next run deletes the rest.
            _ = stop.changed() => {}
        }
    }
}

async fn clear_away(bursar: &Bursar) -> Result<(), Refusal> {
    bury_outlived(bursar).await?;
    forget_outlived(bursar).await?;
    Ok(())
}

/// Deletes expired webhook deliveries; returns how many.
pub async fn forget_outlived(bursar: &Bursar) -> Result<usize, Refusal> {
    let mut forgotten = 0;
    for status in [DeliveryStatus::Succeeded, DeliveryStatus::Dead] {
        loop {
            let now = bursar.clock.now();
            let old = bursar
                .read(move |world| world.page::<WebhookDelivery>(&outlived_deliveries(status, now, TIDY_PAGE)))
                .await?;
            if old.is_empty() {
                break;
            }
            let forget = |old: &Arc<WebhookDelivery>| Forget { org: old.org, delivery: old.id };
            try_join_all(old.iter().map(|old| bursar.engine.run(old.org, forget(old)))).await?;
            forgotten += old.len();
        }
    }
    Ok(forgotten)
}

/// Deletes the bodies of expired responses; returns how many.
pub async fn bury_outlived(bursar: &Bursar) -> Result<usize, Refusal> {
    let mut buried = 0;
    loop {
        let now = bursar.clock.now();
        let old = bursar.read(move |world| world.page::<StoredAnswer>(&outlived(now, TIDY_PAGE))).await?;
        if old.is_empty() {
            return Ok(buried);
        }
        let bury = |old: &Arc<StoredAnswer>| MakeTombstone {
            org: old.org,
            scope: old.scope,
            key: old.idempotency_key.clone(),
        };
        try_join_all(old.iter().map(|old| bursar.engine.run(old.org, bury(old)))).await?;
        buried += old.len();
    }
}

/// Runs all due jobs in sequence, and those that they enqueue: for tests, in which time does not advance.
pub async fn work_off(bursar: &Arc<Bursar>) -> Result<(), Refusal> {
    loop {
        let now = bursar.clock.now();
        let due = bursar.read(move |world| jobs::due(world, now, 1)).await?;
        let Some(job) = due.first() else { return Ok(()) };
        if let Some(leased) = bursar.engine.run(job.org, Lease { org: job.org, id: job.id }).await? {
            perform(bursar, leased).await?;
        }
    }
}

/// Releases the leases of a process that died. Only for a store that no other process has open: every lease in it is
/// then from an earlier run of this one.
pub async fn abandon_leases(bursar: &Bursar) -> Result<usize, Refusal> {
    let mut abandoned = 0;
    loop {
        let leased = bursar.read(|world| world.page::<Job>(&jobs::leased(256))).await?;
        for job in &leased {
            bursar.engine.run(job.org, Abandon { org: job.org, id: job.id }).await?;
        }
        abandoned += leased.len();
        if leased.is_empty() {
            return Ok(abandoned);
        }
    }
}

/// Rotates the due jobs to a random start. Processes that see the same jobs then rarely try to lease the same one.
fn begin_anywhere(due: &mut [Arc<Job>]) {
    if due.len() > 1 {
        let begin = usize::from(rand::random::<u16>()) % due.len();
        due.rotate_left(begin);
    }
}

/// Starts the due jobs of a lane; returns whether there were any.
async fn poll(bursar: &Arc<Bursar>, hands: &Hands) -> bool {
    let free = hands.free.available_permits();
    // Read before the store: a job that ends between the two reads would otherwise seem due again.
    let taken = hands.taken();
    let (lane, now, shared) = (hands.lane, bursar.clock.now(), bursar.reads.is_shared());
    let own = OWN_MAX.saturating_sub(taken.len());
    let polled_at = if shared { (free + own) * 2 } else { free + own } + taken.len();
    let due = match bursar.read(move |world| world.page::<Job>(&jobs::due_in(lane, now, polled_at))).await {
        Ok(due) => due,
        Err(refusal) => {
            tracing::warn!(refusal.message, "due jobs cannot be read");
            return false;
        }
    };
    let mut due: Vec<Arc<Job>> = due.into_iter().filter(|job| !taken.contains(&(job.org, job.id))).collect();
    if shared {
        begin_anywhere(&mut due);
    }
    let (own_due, others): (Vec<_>, Vec<_>) = due.into_iter().partition(|job| is_internal(bursar, &job.work.0));
    let (own_due, others) = (own_due.iter().take(own), others.iter().take(free));
    let found = own_due.len() + others.len() > 0;
    for job in own_due {
        let taken = Taken::new(&hands.in_hand, (job.org, job.id));
        tokio::spawn(do_unleased(bursar.clone(), job.clone(), taken));
    }
    let leases = others.map(|job| bursar.engine.run(job.org, Lease { org: job.org, id: job.id }));
    for leased in futures::future::join_all(leases).await {
        match leased {
            Ok(Some(leased)) => {
                let (bursar, free) = (bursar.clone(), hands.free.clone());
                tokio::spawn(async move {
                    let hand = free.acquire_owned().await;
                    do_job(&bursar, leased).await;
                    drop(hand);
                });
            }
            Ok(None) => {}
            Err(refusal) => tracing::warn!(refusal.message, "a job cannot be leased"),
        }
    }
    found
}

/// Runs a job without a lease. If it fails or panics, it takes the lease after all, so that it is retried only when the
/// lease ends.
async fn do_unleased(bursar: Arc<Bursar>, job: Arc<Job>, taken: Taken) {
    let done = AssertUnwindSafe(do_job(&bursar, job.unleased())).catch_unwind().await;
    if !done.unwrap_or(false)
        && let Err(refusal) = bursar.engine.run(job.org, Lease { org: job.org, id: job.id }).await
    {
        tracing::warn!(refusal.message, "a failed job cannot be postponed");
    }
    drop(taken);
}

/// Runs one job; returns whether it needs no retry. A failed job is retried when its lease ends.
pub async fn do_job(bursar: &Arc<Bursar>, leased: Leased) -> bool {
    let (id, attempt) = (leased.id, leased.attempt);
    let kind = kind(&leased.work);
    match perform(bursar, leased).await {
        Ok(()) => {
            count_done(kind);
            true
        }
        Err(refusal) if refusal.code == Code::ResourceBusy => {
            tracing::info!(%id, kind, "the lease of a job belongs to another worker");
            true
        }
        Err(refusal) => {
            metrics::counter!("bursar_jobs_failed_total", "kind" => kind).increment(1);
            tracing::warn!(%id, kind, attempt, code = refusal.code.as_str(), refusal.message, "a job failed; it is \
                                                                                               retried");
            false
        }
    }
}

fn count_done(kind: &'static str) {
    metrics::counter!("bursar_jobs_done_total", "kind" => kind).increment(1);
}

fn kind(work: &Work) -> &'static str {
    match work {
        Work::SendMessage { .. } => "send_message",
        Work::FollowMessage { .. } => "follow_message",
        Work::SubmitTransfer { .. } => "submit_transfer",
        Work::FollowTransfer { .. } => "follow_transfer",
        Work::TopUpWallet { .. } => "top_up_wallet",
        Work::ReleasePayment { .. } => "release_payment",
        Work::ExpireLink { .. } => "expire_link",
        Work::RemindLink { .. } => "remind_link",
        Work::SweepLinks { .. } => "sweep_links",
        Work::ScreenUsers { .. } => "screen_users",
        Work::EraseUser { .. } => "erase_user",
        Work::ProcessPayoutLinkBatch { .. } => "process_payout_link_batch",
        Work::CutBankFile { .. } => "cut_bank_file",
        Work::SendBankFile { .. } => "send_bank_file",
        Work::EndBankFile { .. } => "end_bank_file",
        Work::ReverseBankFile { .. } => "reverse_bank_file",
        Work::PollBank { .. } => "poll_bank",
        Work::ReadInboundFile { .. } => "read_inbound_file",
        Work::ApplyStatements { .. } => "apply_statements",
        Work::FeedWebhooks { .. } => "feed_webhooks",
        Work::CallWebhook { .. } => "call_webhook",
    }
}

/// The table of the worker: the function for each kind of job.
async fn perform(bursar: &Arc<Bursar>, leased: Leased) -> Result<(), Refusal> {
    match leased.work {
        Work::SendMessage { message } => letters::send(bursar, leased, MessageId(message)).await,
        Work::FollowMessage { message } => letters::follow(bursar, leased, MessageId(message)).await,
        Work::SubmitTransfer { transfer } => submit(bursar, leased, TransferId(transfer)).await,
        Work::FollowTransfer { transfer } => follow(bursar, leased, TransferId(transfer)).await,
        Work::TopUpWallet { app } => bursar.engine.run(leased.org, TopUpWallet { leased, app: AppId(app) }).await,
        Work::ReleasePayment { transfer } => {
            bursar.engine.run(leased.org, ReleasePayment { leased, transfer: TransferId(transfer) }).await
        }
        Work::ExpireLink { link } => bursar.engine.run(leased.org, Expire { leased, link: PayoutLinkId(link) }).await,
        Work::RemindLink { link } => bursar.engine.run(leased.org, Remind { leased, link: PayoutLinkId(link) }).await,
        Work::SweepLinks { after, idle } => sweep_links(bursar, leased, after, idle).await,
        Work::EraseUser { user } => erase_user(bursar, leased, UserId(user)).await,
        Work::ScreenUsers { run } => screen_users(bursar, leased, ScreeningRunId(run)).await,
        Work::ProcessPayoutLinkBatch { batch } => batches::process(bursar, leased, PayoutLinkBatchId(batch)).await,
        Work::CutBankFile { file } => bursar.engine.run(leased.org, CutFile { leased, file: BankFileId(file) }).await,
        Work::SendBankFile { file } => bank_files::send(bursar, leased, BankFileId(file)).await,
        Work::EndBankFile { file } => bank_files::end(bursar, leased, BankFileId(file)).await,
        Work::ReverseBankFile { reversal } => bank_files::reverse(bursar, leased, BankReversalId(reversal)).await,
        Work::PollBank { connection } => bank_intake::poll(bursar, leased, BankConnectionId(connection)).await,
        Work::ReadInboundFile { file } => bank_intake::read(bursar, leased, InboundFileId(file)).await,
        Work::ApplyStatements { account } => bank_statements::apply(bursar, leased, SettlementAccountId(account)).await,
        Work::FeedWebhooks { app } => {
            let scope = Scope { org: leased.org, app: AppId(app) };
            bursar.engine.run(leased.org, Feed { leased, scope }).await
        }
        Work::CallWebhook { endpoint } => webhooks::call(bursar, leased, WebhookEndpointId(endpoint)).await,
    }
}

async fn submit(bursar: &Bursar, leased: Leased, id: TransferId) -> Result<(), Refusal> {
    if let Some(plan) = providers::plan(bursar, &leased, id).await? {
        return providers::submit(bursar, leased, id, plan).await;
    }
    let org = leased.org;
    let vault = bursar.vault.clone();
    let instruction = bursar.read(move |world| settlements::instruction(world, &vault, org, id)).await;
    let instruction = match instruction {
        Err(refusal) if refusal.code == Code::InternalError && is_tampered(bursar, org, id).await? => {
            tracing::error!(transfer = %id, "the sealed account of a transfer was changed in the store; the transfer \
                                             fails");
            None
        }
        other => other?,
    };
    // An earlier attempt may have reached the rail and crashed before recording it. A transfer in doubt is queried,
    // never instructed again blindly.
    let known = if leased.attempt > 1 { look_up(bursar, &leased, id).await? } else { ItemStatus::Unknown };
    let item_status = match (known, instruction) {
        (ItemStatus::Unknown, Some(instruction)) => bursar.engine.run(leased.org, Accept(instruction)).await?,
        (known, _) => known,
    };
    bursar.engine.run(leased.org, Submitted { leased, transfer: id, item_status }).await
}

async fn follow(bursar: &Bursar, leased: Leased, id: TransferId) -> Result<(), Refusal> {
    if let Some(plan) = providers::plan(bursar, &leased, id).await? {
        return providers::follow(bursar, leased, id, plan).await;
    }
    let mut item_status = look_up(bursar, &leased, id).await?;
    if item_status == ItemStatus::Unknown && is_tampered(bursar, leased.org, id).await? {
        item_status = ItemStatus::Failed(FailureCode::InvalidAccountNumber);
    }
    if let Some(anomaly) = bursar.engine.run(leased.org, Followed { leased, transfer: id, item_status }).await? {
        anomalies::report(id, &anomaly);
    }
    Ok(())
}

async fn is_tampered(bursar: &Bursar, org: OrgId, id: TransferId) -> Result<bool, Refusal> {
    let vault = bursar.vault.clone();
    bursar.read(move |world| settlements::is_tampered(world, &vault, org, id)).await
}

/// Visits the next links of an organization; the job remains until none is left.
async fn sweep_links(bursar: &Bursar, leased: Leased, after: Uuid, idle: bool) -> Result<(), Refusal> {
    let (org, now) = (leased.org, bursar.clock.now());
    let visited = bursar.read(move |world| payout_links::to_visit(world, org, after, now)).await?;
    bursar.engine.run(org, SweepLinks { leased, idle, visited }).await
}

/// Erases the next page of rows that name a payee; the job remains until none is left.
async fn erase_user(bursar: &Bursar, leased: Leased, user: UserId) -> Result<(), Refusal> {
    let (org, vault) = (leased.org, bursar.vault.clone());
    let page = bursar.read(move |world| closing::next(world, &vault, org, user)).await?;
    bursar.engine.run(leased.org, ErasePage { leased, user, page }).await
}

/// Screens the next users; the job remains until none is left.
async fn screen_users(bursar: &Bursar, leased: Leased, run: ScreeningRunId) -> Result<(), Refusal> {
    let org = leased.org;
    let next = bursar.read(move |world| next_users(world, org, run)).await?;
    let (users, names) = next.into_iter().unzip();
    let names = bursar.look_up(names).await?;
    bursar.engine.run(leased.org, ScreenUsers { leased, run, names, users }).await
}

async fn look_up(bursar: &Bursar, leased: &Leased, id: TransferId) -> Result<ItemStatus, Refusal> {
    let (org, now) = (leased.org, bursar.clock.now());
    bursar.read(move |world| sandbox::look_up(world, org, id, now)).await
}
