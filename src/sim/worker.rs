//! The simulated workers: they follow the real ones (`worker`), with the simulated rail and provider, and lose their
//! memory, their lease or a response on the way.

mod files;
mod hand;
mod intake;
mod letters;
mod sending;

use hand::finish;
pub(super) use hand::{Finished, Hand, Known, Outside, Performed};

use std::sync::Arc;

use super::chance::Chance;
use super::rail::Heard;
use super::requests::{Said, Who};
use super::system::{Batch, System};
use crate::bank_files::{self, Advance, BankFile, CutFile, Rest, Swept, Written};
use crate::bank_intake::{Applied, ApplyInbound, KeepInbound};
use crate::bank_reversals::JoinReversals;
use crate::bank_statements::{ApplyStatement, KeepStatements};
use crate::closing::{self, ErasePage, Found};
use crate::funding::TopUpWallet;
use crate::ids::{
    AppId, BankConnectionId, BankFileId, BankReversalId, InboundFileId, MessageId, PayoutLinkBatchId, PayoutLinkId,
    ScreeningRunId, SettlementAccountId, TransferId, UserId, WebhookEndpointId,
};
use crate::jobs::{Leased, Work};
use crate::messages::{BeginAttempt, Concluded, StillOnItsWay};
use crate::payments::ReleasePayment;
use crate::payout_link_batches::{self, BatchRow, Begin, Finish, PayoutLinkBatch, ProcessRow, waiting};
use crate::payout_links::{self, ClaimLinkDelivered, DeliverInDoubt, Expire, NewToken, Remind, SweepLinks};
use crate::rails::ItemStatus;
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::screening::{LookedUp, Watchlist};
use crate::settlements::{self, EndEntries, Followed, RefuseEntries, Submitted};
use crate::users::screening::{ScreenUsers, next_users};
use crate::vault::Vault;
use crate::webhooks::{self, Attempted, Called, Feed};
use crate::world::record::key;

/// Rows of a batch that a worker processes at once, at most.
const ROWS_AT_ONCE: usize = 6;

/// Performs a job or a part of it; other commands may run between two parts.
///
/// # Errors
///
/// The error that a worker would log: a row that it needs is missing.
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
        Work::SweepLinks { after, idle } => {
            let now = system.now();
            Some(Finished::Swept(idle, system.read(|world| payout_links::to_visit(world, org, after, now))?))
        }
        Work::ScreenUsers { run } => {
            let run = ScreeningRunId(run);
            Some(Finished::Screened(run, system.read(|world| next_users(world, org, run))?))
        }
        Work::EraseUser { user } => {
            let user = UserId(user);
            let mut page = system.read(|world| closing::next(world, outside.vault, org, user))?;
            // Clients of the simulator repeat their requests without end, and expect the stored responses.
            if let Some(page) = &mut page
                && let Found::Answers(answers) = &mut page.found
            {
                answers.clear();
            }
            Some(Finished::Erased(user, page))
        }
        Work::ProcessPayoutLinkBatch { batch } => Some(process(hand, PayoutLinkBatchId(batch), system, chance)?),
        Work::CutBankFile { file } => Some(Finished::FileCut(BankFileId(file))),
        Work::SendBankFile { file } => return files::send(hand, BankFileId(file), system, outside, chance),
        Work::EndBankFile { file } => Some(files::end(BankFileId(file), &hand.leased, system, chance)?),
        Work::ReverseBankFile { reversal } => {
            Some(files::reverse(BankReversalId(reversal), &hand.leased, system, chance)?)
        }
        Work::PollBank { connection } => {
            intake::poll(BankConnectionId(connection), &hand.leased, system, outside, chance)?
        }
        Work::ReadInboundFile { file } => {
            Some(intake::read(InboundFileId(file), &hand.leased, system, outside, chance)?)
        }
        Work::ApplyStatements { account } => {
            Some(intake::apply(SettlementAccountId(account), &hand.leased, system, outside)?)
        }
        Work::FeedWebhooks { app } => Some(Finished::Fed(AppId(app))),
        Work::CallWebhook { endpoint } => call(&hand.leased, WebhookEndpointId(endpoint), system, outside, chance)?,
    };
    Ok(finish(hand, finished))
}

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

/// Calls a webhook endpoint with its due events.
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
        for (delivery, found) in &round.due {
            let outcome = outside.receiver.call(endpoint, found.event.sequence, chance);
            attempted.outcomes.push(Called { delivery: delivery.id, outcome, response_body: None });
        }
    }
    Ok(Some(Finished::Called(Box::new(attempted))))
}

/// Submits a transfer. A retry queries the rail first: a transfer in doubt is never submitted blindly. Another worker
/// may submit between the query and the call; then the rail recognizes the reference.
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
                // A network may deliver a call twice.
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

/// Adds the commands that report a job or a part of it. `fence` is the worker's own fencing token.
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
            batch.add(who, leased.org, ClaimLinkDelivered { leased, message, link, outcome }, |()| Said::Done);
        }
        Finished::Message { message, link: None, outcome } => {
            batch.add(who, leased.org, Concluded { leased, message, outcome }, |_| Said::Done);
        }
        Finished::Attempt(message, before) => {
            batch.add(who, leased.org, BeginAttempt { leased, message, before }, Said::Begun)
        }
        Finished::AttemptAgain(message, link) => {
            batch.add(who, leased.org, DeliverInDoubt { leased, message, link }, Said::Begun);
        }
        Finished::OnItsWay => batch.add(who, leased.org, StillOnItsWay { leased }, |()| Said::Done),
        Finished::Submitted(transfer, item_status) => {
            batch.add(who, leased.org, Submitted { leased, transfer, item_status }, |()| Said::Done);
        }
        Finished::Followed(transfer, item_status) => {
            batch.add(who, leased.org, Followed { leased, transfer, item_status }, |_| Said::Done);
        }
        Finished::ToppedUp(app) => batch.add(who, leased.org, TopUpWallet { leased, app }, |()| Said::Done),
        Finished::Released(transfer) => {
            batch.add(who, leased.org, ReleasePayment { leased, transfer }, |()| Said::Done)
        }
        Finished::Expired(link) => batch.add(who, leased.org, Expire { leased, link }, |()| Said::Done),
        Finished::Reminded(link) => batch.add(who, leased.org, Remind { leased, link }, |()| Said::Done),
        Finished::Swept(idle, visited) => {
            batch.add(who, leased.org, SweepLinks { leased, idle, visited }, |()| Said::Done);
        }
        Finished::Screened(run, users) => {
            let (users, names): (_, Vec<String>) = users.into_iter().unzip();
            let names = LookedUp::of(Watchlist::of_sandbox(), names);
            batch.add(who, leased.org, ScreenUsers { leased, run, names, users }, |()| Said::Done);
        }
        Finished::Erased(user, page) => batch.add(who, leased.org, ErasePage { leased, user, page }, |()| Said::Done),
        Finished::BatchBegun(id) => batch.add(who, leased.org, Begin { leased, batch: id }, |()| Said::GoOn),
        Finished::Rows(scope, rows) => {
            // The worker waits for all of them, and continues after the last outcome.
            for row in &rows {
                let token = NewToken::draw(vault, &mut chance.entropy());
                let answer = super::requests::made(vault);
                let make = payout_link_batches::request(vault, scope, &row.asked.0, token, answer);
                let command = ProcessRow { leased: leased.clone(), batch: row.batch, number: row.number, make };
                batch.add(Who::Hand(Box::new(hand.clone())), scope.org, command, |()| Said::GoOn);
            }
        }
        Finished::BatchDone(id) => batch.add(who, leased.org, Finish { leased, batch: id }, |()| Said::Done),
        Finished::Fed(app) => {
            let scope = Scope { org: leased.org, app };
            batch.add(who, leased.org, Feed { leased, scope }, |()| Said::Done);
        }
        Finished::FileCut(_)
        | Finished::FileWritten(..)
        | Finished::FileRefuses(..)
        | Finished::FileBegun(_)
        | Finished::FileStep(..)
        | Finished::FileSwept(_)
        | Finished::FileRests
        | Finished::Wait(_)
        | Finished::FileEnded(..)
        | Finished::FileReversed(..)
        | Finished::InboundKept(_)
        | Finished::InboundRead(..)
        | Finished::StatementsKept(..)
        | Finished::StatementPlanned(_) => report_bank(batch, who, leased, finished),
        Finished::Called(attempted) => batch.add(who, leased.org, Attempted { leased, ..*attempted }, |()| Said::Done),
    }
}

/// Adds the command that reports a job about a bank, or a part of it.
fn report_bank(batch: &mut Batch<Who, Said>, who: Who, leased: Leased, finished: Finished) {
    let org = leased.org;
    match finished {
        Finished::FileCut(file) => batch.add(who, org, CutFile { leased, file }, |()| Said::Done),
        Finished::FileWritten(file, version, bytes) => {
            batch.add(who, org, Written { leased, file, version, bytes }, |_| Said::GoOn);
        }
        Finished::FileRefuses(file, entries) => {
            batch.add(who, org, RefuseEntries { leased, file, entries }, |()| Said::Done);
        }
        Finished::FileBegun(file) => batch.add(who, org, bank_files::Begin { leased, file }, Said::Begins),
        Finished::FileStep(file, lease, step) => {
            batch.add(who, org, Advance { leased, file, lease, step }, |()| Said::GoOn);
        }
        Finished::FileSwept(file) => batch.add(who, org, Swept { leased, file }, |_| Said::GoOn),
        Finished::FileRests => batch.add(who, org, Rest { leased, again: None }, |()| Said::Done),
        Finished::Wait(at) => {
            let again = Some((at, "later".to_owned()));
            batch.add(who, org, Rest { leased, again }, |()| Said::Done);
        }
        Finished::FileEnded(file, after, entries) => {
            batch.add(who, org, EndEntries { leased, file, after, entries }, |_| Said::Done);
        }
        Finished::FileReversed(reversal, after, entries) => {
            batch.add(who, org, JoinReversals { leased, reversal, after, entries }, |()| Said::Done);
        }
        Finished::InboundKept(keep) => batch.add(who, org, KeepInbound { leased, ..*keep }, |_| Said::GoOn),
        Finished::InboundRead(file, reading) => {
            let said = |applied| if matches!(applied, Applied::Page { .. }) { Said::GoOn } else { Said::Done };
            batch.add(who, org, ApplyInbound { leased, file, reading: *reading }, said);
        }
        Finished::StatementsKept(file, reading) => {
            batch.add(who, org, KeepStatements { leased, file, reading: *reading }, |_| Said::Done);
        }
        Finished::StatementPlanned(apply) => {
            batch.add(who, org, ApplyStatement { leased, ..*apply }, |_| Said::Done);
        }
        // `report` passes what is about banks.
        Finished::Message { .. }
        | Finished::Attempt(..)
        | Finished::AttemptAgain(..)
        | Finished::OnItsWay
        | Finished::Submitted(..)
        | Finished::Followed(..)
        | Finished::ToppedUp(_)
        | Finished::Released(_)
        | Finished::Expired(_)
        | Finished::Reminded(_)
        | Finished::Swept(..)
        | Finished::Screened(..)
        | Finished::Erased(..)
        | Finished::BatchBegun(_)
        | Finished::Rows(..)
        | Finished::BatchDone(_)
        | Finished::Fed(_)
        | Finished::Called(_) => {}
    }
}

/// Continues a hand after the commit of a part of its job. Returns whether its next request must follow at once.
pub(super) fn after_commit(hand: &mut Hand, begun: Option<&Arc<BankFile>>) -> bool {
    let delivery = hand.delivery.take();
    hand.delivery = match begun {
        Some(file) => delivery.and_then(|delivery| delivery.begun(file)).map(Box::new),
        None => delivery,
    };
    hand.delivery.as_mut().is_some_and(|delivery| delivery.committed())
}
