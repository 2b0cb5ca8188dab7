//! The simulated workers: they do what the real ones do (`worker`), against the simulated rail and carrier, and
//! lose their memory, their lease or their answer on the way.

mod letters;

use std::sync::Arc;

use super::chance::Chance;
use super::provider::Provider;
use super::rail::{Heard, Rail};
use super::receiver::Receiver;
use super::system::{Batch, System};
use super::{Said, Who};
use crate::erasure::{self, ErasePage, Found, Page};
use crate::funding::TopUpWallet;
use crate::http::Answer;
use crate::ids::{
    AppId, MessageId, PayoutLinkBatchId, PayoutLinkId, ScreeningRunId, TransferId, UserId, WebhookEndpointId,
};
use crate::jobs::{Leased, Work};
use crate::messages::{AttemptOutcome, Before, BeginAttempt, Concluded, StillOnItsWay};
use crate::payments::ReleasePayment;
use crate::payout_link_batches::{self, BatchRow, Begin, Finish, PayoutLinkBatch, ProcessRow, waiting};
use crate::payout_links::{ClaimLinkDelivered, DeliverInDoubt, Expire, NewToken, Remind};
use crate::rails::ItemStatus;
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::screening::{LookedUp, Watchlist};
use crate::settlements::{self, Followed, Submitted};
use crate::users::screening::{ScreenUsers, next_users};
use crate::vault::Vault;
use crate::webhooks::{self, Attempted, Feed};
use crate::world::record::key;

/// Rows of a batch that a worker has on their way at once, at most.
const ROWS_AT_ONCE: usize = 6;

/// What came of a job, not yet reported.
#[derive(Clone, Debug)]
pub(super) enum Finished {
    /// A message was carried, or could not be.
    Message {
        /// Which.
        message: MessageId,
        /// The link that it brought.
        link: Option<PayoutLinkId>,
        /// How it went.
        outcome: AttemptOutcome,
    },
    /// A carrier is about to be told of a message; what is known of an attempt in doubt.
    Attempt(MessageId, Before),
    /// A link may have been brought, and is to be brought again: one more of its deliveries.
    AttemptAgain(MessageId, PayoutLinkId),
    /// The carrier has a message still on its way.
    OnItsWay,
    /// A transfer was handed to the rail.
    Submitted(TransferId, ItemStatus),
    /// The rail was asked about a transfer.
    Followed(TransferId, ItemStatus),
    /// A wallet is to be looked after.
    ToppedUp(AppId),
    /// The time of a link is over.
    Released(TransferId),
    Expired(PayoutLinkId),
    /// A payee is to be reminded of a link.
    Reminded(PayoutLinkId),
    /// These users of a run are screened next.
    Screened(ScreeningRunId, Vec<(UserId, String)>),
    /// These rows of an erased payee come next.
    Erased(UserId, Option<Page>),
    /// A batch is begun, or gone on with.
    BatchBegun(PayoutLinkBatchId),
    /// These rows of a batch come next.
    Rows(Scope, Vec<Arc<BatchRow>>),
    /// No row of a batch waits any more.
    BatchDone(PayoutLinkBatchId),
    /// An app's endpoints are to be told of its new events.
    Fed(AppId),
    /// An endpoint was called.
    Called(Box<Attempted>),
}

/// A job in a worker's hand.
#[derive(Clone, Debug)]
pub(super) struct Hand {
    /// The lease.
    pub leased: Leased,
    /// How far its worker has come.
    pub known: Known,
    /// For so many steps its worker does nothing: long enough, at times, that others take over.
    pub asleep_steps: i64,
    /// What came of it, once it was done.
    pub finished: Option<Finished>,
}

/// What a worker knows of a job of several parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Nothing yet.
    Nothing,
    /// The rail was asked, and had never heard of the transfer.
    NotTaken,
    /// An earlier attempt is in doubt: the carrier is to be asked.
    InDoubt,
    /// What must be in the store before anything is done, is there.
    Noted,
}

/// The outside world, as workers reach it.
pub(super) struct Outside<'a> {
    /// The rails.
    pub rail: &'a mut Rail,
    /// The carrier of messages.
    pub provider: &'a mut Provider,
    /// The receiver of webhooks.
    pub receiver: &'a mut Receiver,
    /// Opens what is sealed.
    pub vault: &'a Vault,
}

/// What a worker's turn came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Performed {
    /// The job is done, or a part of it; the hand says how far it is.
    OnTheWay,
    /// No answer came: the worker does not know, and leaves the job to the end of its lease.
    Silence,
}

/// Does a job, or a part of it: others may act between two parts.
///
/// # Errors
/// What a worker would log: something that it needs is not there.
pub(super) fn perform(
    hand: &mut Hand,
    system: &System,
    outside: &mut Outside<'_>,
    chance: &mut Chance,
) -> Result<Performed, Refusal> {
    let org = hand.leased.org;
    let finished = match hand.leased.work {
        Work::SendMessage { message } => letters::send(hand, MessageId(message), system, outside, chance)?,
        Work::FollowMessage { message } => {
            Some(letters::follow(&hand.leased, MessageId(message), system, outside, chance)?)
        }
        Work::SubmitTransfer { transfer } => return submit(hand, TransferId(transfer), system, outside, chance),
        Work::FollowTransfer { transfer } => {
            let transfer = TransferId(transfer);
            let heard = outside.rail.look_up((org, transfer), system.now(), chance);
            item_status(heard).map(|item_status| Finished::Followed(transfer, item_status))
        }
        Work::TopUpWallet { app } => Some(Finished::ToppedUp(AppId(app))),
        Work::ReleasePayment { transfer } => Some(Finished::Released(TransferId(transfer))),
        Work::ExpireLink { link } => Some(Finished::Expired(PayoutLinkId(link))),
        Work::RemindLink { link } => Some(Finished::Reminded(PayoutLinkId(link))),
        Work::ScreenUsers { run } => {
            let run = ScreeningRunId(run);
            Some(Finished::Screened(run, system.read(|world| next_users(world, org, run))?))
        }
        Work::EraseUser { user } => {
            let user = UserId(user);
            let mut page = system.read(|world| erasure::next(world, outside.vault, org, user))?;
            // Clients of the simulator repeat their requests for ever, and remember what they were answered.
            if let Some(page) = &mut page
                && let Found::Answers(answers) = &mut page.found
            {
                answers.clear();
            }
            Some(Finished::Erased(user, page))
        }
        Work::ProcessPayoutLinkBatch { batch } => Some(process(hand, PayoutLinkBatchId(batch), system, chance)?),
        Work::FeedWebhooks { app } => Some(Finished::Fed(AppId(app))),
        Work::CallWebhook { endpoint } => call(&hand.leased, WebhookEndpointId(endpoint), system, outside, chance)?,
    };
    Ok(finish(hand, finished))
}

fn finish(hand: &mut Hand, finished: Option<Finished>) -> Performed {
    let performed = if finished.is_some() { Performed::OnTheWay } else { Performed::Silence };
    hand.finished = finished;
    performed
}

/// The next part of a batch.
fn process(hand: &Hand, id: PayoutLinkBatchId, system: &System, chance: &mut Chance) -> Result<Finished, Refusal> {
    if hand.known == Known::Nothing {
        return Ok(Finished::BatchBegun(id));
    }
    let (org, limit) = (hand.leased.org, chance.position(ROWS_AT_ONCE) + 1);
    let (batch, rows) = system.read(|world| {
        let batch = world.get::<PayoutLinkBatch>(key![org, id])?;
        let batch = batch.ok_or_else(|| Refusal::not_found("payout link batch"))?;
        Ok((batch, world.page::<BatchRow>(&waiting(org, id, limit))?))
    })?;
    Ok(if rows.is_empty() { Finished::BatchDone(id) } else { Finished::Rows(batch.scope(), rows) })
}

/// Calls a webhook endpoint with what is due there.
fn call(
    leased: &Leased,
    endpoint: WebhookEndpointId,
    system: &System,
    outside: &mut Outside<'_>,
    chance: &mut Chance,
) -> Result<Option<Finished>, Refusal> {
    let now = system.now();
    let mut attempted = Attempted { leased: leased.clone(), endpoint, calls: 0, next: None, outcomes: Vec::new() };
    if let Some(round) = system.read(|world| webhooks::round(world, leased.org, endpoint, now))? {
        attempted.calls = round.endpoint.calls;
        attempted.next = round.next;
        for (delivery, event) in &round.due {
            attempted.outcomes.push((delivery.id, outside.receiver.call(endpoint, event.sequence, chance)));
        }
    }
    Ok(Some(Finished::Called(Box::new(attempted))))
}

/// Hands a transfer over. Who comes second asks first: a transfer in doubt is looked up, never sent blindly
/// again. Between the question and the hand-over another worker may have sent it; then it is for the rail to
/// know the reference.
fn submit(
    hand: &mut Hand,
    id: TransferId,
    system: &System,
    outside: &mut Outside<'_>,
    chance: &mut Chance,
) -> Result<Performed, Refusal> {
    let (now, org) = (system.now(), hand.leased.org);
    let instruction = system.read(|world| settlements::instruction(world, outside.vault, org, id))?;
    let in_doubt = hand.leased.attempt > 1 && hand.known == Known::Nothing;
    let heard = match instruction {
        Some(instruction) if !in_doubt => {
            if chance.one_in(40) {
                // A network brings a call twice now and then.
                outside.rail.take(&instruction, now, chance);
            }
            outside.rail.take(&instruction, now, chance)
        }
        Some(_) | None => outside.rail.look_up((org, id), now, chance),
    };
    if in_doubt && heard == Heard::ItemStatus(ItemStatus::Unknown) {
        hand.known = Known::NotTaken;
        return Ok(Performed::OnTheWay);
    }
    Ok(finish(hand, item_status(heard).map(|item_status| Finished::Submitted(id, item_status))))
}

fn item_status(heard: Heard) -> Option<ItemStatus> {
    match heard {
        Heard::ItemStatus(item_status) => Some(item_status),
        Heard::Silence => None,
    }
}

/// Adds the commands that report a job, or a part of it. `fence` is what the worker believes its lease to be.
pub(super) fn report(
    batch: &mut Batch<Who, Said>,
    hand: &Hand,
    finished: Finished,
    fence: i64,
    vault: &Arc<Vault>,
    chance: &mut Chance,
) {
    let leased = Leased { fence, ..hand.leased.clone() };
    let who = Who::Hand(Box::new(hand.clone()));
    match finished {
        Finished::Message { message, link: Some(link), outcome } => {
            batch.add(who, ClaimLinkDelivered { leased, message, link, outcome }, |()| Said::Done);
        }
        Finished::Message { message, link: None, outcome } => {
            batch.add(who, Concluded { leased, message, outcome }, |_| Said::Done);
        }
        Finished::Attempt(message, before) => batch.add(who, BeginAttempt { leased, message, before }, Said::Begun),
        Finished::AttemptAgain(message, link) => {
            batch.add(who, DeliverInDoubt { leased, message, link }, Said::Begun);
        }
        Finished::OnItsWay => batch.add(who, StillOnItsWay { leased }, |()| Said::Done),
        Finished::Submitted(transfer, item_status) => {
            batch.add(who, Submitted { leased, transfer, item_status }, |()| Said::Done);
        }
        Finished::Followed(transfer, item_status) => {
            batch.add(who, Followed { leased, transfer, item_status }, |_| Said::Done);
        }
        Finished::ToppedUp(app) => batch.add(who, TopUpWallet { leased, app }, |()| Said::Done),
        Finished::Released(transfer) => batch.add(who, ReleasePayment { leased, transfer }, |()| Said::Done),
        Finished::Expired(link) => batch.add(who, Expire { leased, link }, |()| Said::Done),
        Finished::Reminded(link) => batch.add(who, Remind { leased, link }, |()| Said::Done),
        Finished::Screened(run, users) => {
            let (users, names): (_, Vec<String>) = users.into_iter().unzip();
            let names = LookedUp::of(Watchlist::of_sandbox(), names);
            batch.add(who, ScreenUsers { leased, run, names, users }, |()| Said::Done);
        }
        Finished::Erased(user, page) => batch.add(who, ErasePage { leased, user, page }, |()| Said::Done),
        Finished::BatchBegun(id) => batch.add(who, Begin { leased, batch: id }, |()| Said::GoOn),
        Finished::Rows(scope, rows) => {
            // The worker waits for all of them, and goes on when the last is heard of.
            for row in &rows {
                let token = NewToken::draw(vault, &mut chance.entropy(), scope.org);
                let answer = |link: &Arc<_>| Answer::created(&super::requests::made_link(link));
                let make = payout_link_batches::request(vault, scope, &row.asked.0, token, answer);
                let command = ProcessRow { leased: leased.clone(), batch: row.batch, number: row.number, make };
                batch.add(Who::Hand(Box::new(hand.clone())), command, |()| Said::GoOn);
            }
        }
        Finished::BatchDone(id) => batch.add(who, Finish { leased, batch: id }, |()| Said::Done),
        Finished::Fed(app) => {
            let scope = Scope { org: leased.org, app };
            batch.add(who, Feed { leased, scope }, |()| Said::Done);
        }
        Finished::Called(attempted) => batch.add(who, Attempted { leased, ..*attempted }, |()| Said::Done),
    }
}
