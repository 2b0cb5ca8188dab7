//! Two members decide what became of a payment in doubt, if no look-up shows it.

use std::sync::Arc;

use super::model::{DecidedOutcome, Decision, PaymentStatus, RailPayment};
use super::rows;
use super::rules::{PaymentEvent, transition};
use crate::acting::Act;
use crate::banking::{Person, is_second_person};
use crate::clock::Time;
use crate::engine::Command;
use crate::events::acts::ActKind;
use crate::ids::{JobId, MemberId, OrgId, TransferId};
use crate::jobs;
use crate::rails::failures::FailureCode;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::record::Document;
use crate::world::{Halt, World};

/// POST /v2/bank/provider-payments/{transfer_id}/decide
#[derive(Clone, Debug)]
pub struct DecidePayment {
    pub org: OrgId,
    pub person: Person,
    pub transfer: TransferId,
    pub outcome: DecidedOutcome,
    pub evidence: String,
}

impl Command for DecidePayment {
    type Reply = Arc<RailPayment>;

    fn decide(&self, world: &mut World) -> Result<Arc<RailPayment>, Halt> {
        let payment = rows::find(world, self.org, self.transfer)?;
        let by = self.person.may(world, self.org, Act::Pay)?.member;
        must_be_in_doubt(world, &payment)?;
        let proposed = payment.decision.as_ref().map(|Document(decision)| decision);
        // The evidence of a proposal says nothing about a later attempt, so this member proposes.
        let last = payment.attempted_at.map_or(0, Time::micros);
        match proposed.filter(|proposed| proposed.outcome == self.outcome && proposed.proposed_at_micros >= last) {
            Some(proposed) => {
                is_second_person(proposed.proposed_by, by)?;
                let confirmed = Decision { confirmed_by: Some(by), ..proposed.clone() };
                confirm(world, &payment, confirmed, by)
            }
            None => self.propose(world, &payment, by),
        }
    }
}

impl DecidePayment {
    /// A proposal of another outcome replaces the first one.
    fn propose(&self, world: &mut World, payment: &Arc<RailPayment>, by: MemberId) -> Result<Arc<RailPayment>, Halt> {
        let proposed = Decision {
            outcome: self.outcome,
            evidence: self.evidence.clone(),
            proposed_by: by,
            proposed_at_micros: world.now().micros(),
            confirmed_by: None,
        };

        // From here it must succeed.
        rows::change_by(world, payment, ActKind::RailPaymentDecisionProposed, by, |payment| {
            payment.decision = Some(Document(proposed));
        })
    }
}

fn must_be_in_doubt(world: &World, payment: &RailPayment) -> Result<(), Halt> {
    if payment.status != PaymentStatus::Attempted || payment.doubt.is_none() {
        let message = "Only a payment in doubt is decided: its status is attempted, and doubt says why.";
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::WrongKind).into());
    }
    // Its answer may be an outcome.
    let now = world.now();
    let job = jobs::find(world, payment.org, JobId(payment.transfer.0))?;
    if job.is_some_and(|job| job.leased_until.is_some_and(|until| until > now)) {
        let message = "The provider is being called about this payment. Try again in a minute.";
        return Err(Refusal::new(Code::ResourceBusy, message).into());
    }
    Ok(())
}

/// Ends the payment at the provider; the job of the transfer then records the outcome without a call.
fn confirm(
    world: &mut World,
    payment: &Arc<RailPayment>,
    confirmed: Decision,
    by: MemberId,
) -> Result<Arc<RailPayment>, Halt> {
    let (event, failure) = match confirmed.outcome {
        DecidedOutcome::Completed => (PaymentEvent::Completed, None),
        DecidedOutcome::Failed => (PaymentEvent::Failed, Some(FailureCode::RejectedByRail)),
    };
    let to = transition(payment.status, event);
    let to = to.ok_or_else(|| {
        Refusal::new(Code::InvalidState, "The payment has an outcome already. No decision is required.")
            .because(Reason::AlreadyDone)
    })?;

    // From here it must succeed.
    jobs::hasten(world, payment.org, JobId(payment.transfer.0))?;
    rows::change_by(world, payment, ActKind::RailPaymentDecided, by, |payment| {
        payment.status = to;
        payment.failure = failure;
        payment.doubt = None;
        payment.sealed_order = None;
        payment.decision = Some(Document(confirmed));
    })
}
