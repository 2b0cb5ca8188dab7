//! Records what a provider says about a payment.

use std::sync::Arc;

use super::model::{PaymentStatus, RailPayment};
use super::rows;
use super::rules::{PaymentEvent, transition};
use crate::banking::providers;
use crate::clock::{DAY_SECONDS, Time};
use crate::ids::{JobId, OrgId, TransferId};
use crate::jobs::{self, Work};
use crate::rails::ItemStatus;
use crate::rails::failures::FailureCode;
use crate::rails::providers::{Reply, Report, ReportedState};
use crate::world::{Halt, World};

/// The days after completion on which a payment is looked up again: it may come back, and a nudge may be lost.
const LOOKED_UP_AGAIN_DAYS: [i64; 3] = [1, 7, 31];

/// What a reply means for the transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// For the reducer of `settlements`.
    Known(ItemStatus),
    /// Nothing is known; the provider is asked again. `newly_short`: its balance is too low, since now.
    InDoubt { reason: String, newly_short: bool },
}

/// Records a reply, and returns its meaning.
///
/// # Errors
/// The store's.
pub fn record(world: &mut World, org: OrgId, transfer: TransferId, reply: &Reply) -> Result<Recorded, Halt> {
    let payment = rows::find(world, org, transfer)?;
    let doubt = |reason: &str, newly_short| Recorded::InDoubt { reason: reason.to_owned(), newly_short };
    match reply {
        Reply::Has(report) => {
            let payment = has(world, &payment, report)?;
            Ok(Recorded::Known(status_of(world, &payment, report)))
        }
        Reply::Refused(code) => {
            fail(world, &payment, *code);
            Ok(Recorded::Known(ItemStatus::Failed(*code)))
        }
        Reply::ShortOfFunds => {
            let provider = providers::find(world, org, payment.provider)?;
            let newly_short = providers::short_of_funds(world, &provider)?;
            let reason = "the balance at the provider is too low";
            note(world, &payment, reason);
            Ok(doubt(reason, newly_short))
        }
        Reply::Different => {
            let reason = "the provider has another payment under this id";
            note(world, &payment, reason);
            Ok(doubt(reason, false))
        }
        // It was accepted, so the provider lost it. Before that, the payment is handed over instead.
        Reply::HasNot => Ok(Recorded::Known(ItemStatus::Unknown)),
        Reply::Unclear(reason) => {
            note(world, &payment, reason);
            Ok(doubt(reason, false))
        }
    }
}

/// The longest reason that is stored.
const DOUBT_MAX: usize = 200;

fn note(world: &mut World, payment: &Arc<RailPayment>, reason: &str) {
    let reason: String = reason.chars().take(DOUBT_MAX).collect();
    if payment.doubt.as_deref() != Some(reason.as_str()) {
        rows::change(world, payment, |payment| payment.doubt = Some(reason));
    }
}

fn fail(world: &mut World, payment: &Arc<RailPayment>, code: FailureCode) {
    if let Some(to) = transition(payment.status, PaymentEvent::Failed) {
        rows::change(world, payment, |payment| {
            payment.status = to;
            payment.failure = Some(code);
            payment.doubt = None;
            payment.sealed_order = None;
        });
    }
}

fn has(world: &mut World, payment: &Arc<RailPayment>, report: &Report) -> Result<Arc<RailPayment>, Halt> {
    let (event, failure) = event_of(payment.status, report.state);
    let Some(to) = transition(payment.status, event) else { return Ok(payment.clone()) };
    let provider = providers::find(world, payment.org, payment.provider)?;
    providers::has_funds(world, &provider)?;
    if to == PaymentStatus::Completed {
        let now = world.now();
        for days in LOOKED_UP_AGAIN_DAYS {
            let work = Work::FollowTransfer { transfer: payment.transfer.0 };
            jobs::enqueue_at(world, payment.org, work, now.plus_seconds(days * DAY_SECONDS));
        }
    }
    Ok(rows::change(world, payment, |payment| {
        payment.status = to;
        payment.failure = failure.or(payment.failure);
        payment.reference = report.reference.clone().or(payment.reference.take());
        payment.fee = report.fee.or(payment.fee);
        payment.doubt = None;
        // The provider has it, so it is never handed over again.
        payment.sealed_order = None;
    }))
}

/// Returns the event of a report, and the failure.
const fn event_of(status: PaymentStatus, state: ReportedState) -> (PaymentEvent, Option<FailureCode>) {
    match state {
        ReportedState::Accepted => (PaymentEvent::Accepted, None),
        ReportedState::Completed => (PaymentEvent::Completed, None),
        ReportedState::Failed(code) => (PaymentEvent::Failed, Some(code)),
        ReportedState::Returned(code) => (PaymentEvent::Returned, Some(code)),
        ReportedState::CameBack(code) => match status {
            PaymentStatus::Completed | PaymentStatus::Returned => (PaymentEvent::Returned, Some(code)),
            PaymentStatus::Queued
            | PaymentStatus::Attempted
            | PaymentStatus::Accepted
            | PaymentStatus::Failed
            | PaymentStatus::Withdrawn => (PaymentEvent::Failed, Some(code)),
        },
    }
}

/// Returns the meaning of a report for the reducer, also if it contradicts the payment's state.
fn status_of(world: &World, payment: &RailPayment, report: &Report) -> ItemStatus {
    match event_of(payment.status, report.state) {
        (PaymentEvent::Completed, _) => ItemStatus::Completed,
        (PaymentEvent::Failed, Some(code)) => ItemStatus::Failed(code),
        (PaymentEvent::Returned, Some(code)) => ItemStatus::Returned(code),
        (_, _) => {
            let now = world.now();
            // The clock of a provider may be wrong, and a payment may end early: it is looked up each day.
            let settles_at = report.settles_at.filter(|at| *at > now).map(|at| at.min(now.plus_seconds(DAY_SECONDS)));
            ItemStatus::Accepted { settles_at: settles_at.unwrap_or_else(|| next_look_up(payment, now)) }
        }
    }
}

/// Returns when a payment in progress is looked up again: soon while it is new, then less often.
fn next_look_up(payment: &RailPayment, now: Time) -> Time {
    let age = now.seconds_since(payment.created_at);
    now.plus_seconds((age / 4).clamp(60, 3_600))
}

/// Returns the recorded state of a payment, for a transfer whose submission was not recorded, or that was refused;
/// `None` if only the provider knows it.
#[must_use]
pub fn item_status(payment: &RailPayment, now: Time) -> Option<ItemStatus> {
    let code = payment.failure.unwrap_or(FailureCode::RejectedByRail);
    match payment.status {
        PaymentStatus::Queued | PaymentStatus::Attempted | PaymentStatus::Withdrawn => None,
        PaymentStatus::Accepted => Some(ItemStatus::Accepted { settles_at: next_look_up(payment, now) }),
        PaymentStatus::Completed => Some(ItemStatus::Completed),
        PaymentStatus::Failed => Some(ItemStatus::Failed(code)),
        PaymentStatus::Returned => Some(ItemStatus::Returned(code)),
    }
}

/// Names the job that looks a payment up.
///
/// # Errors
/// The store's.
pub fn look_up_by(world: &mut World, org: OrgId, transfer: TransferId, job: JobId) -> Result<(), Halt> {
    let payment = rows::find(world, org, transfer)?;
    world.change(&payment, |payment| payment.look_up = Some(job));
    Ok(())
}
