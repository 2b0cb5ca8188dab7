//! Looks a payment up now, because its provider says that something happened. The nudge itself proves nothing.

use std::sync::Arc;

use super::model::{PaymentStatus, RailPayment};
use super::rows;
use crate::engine::Command;
use crate::ids::{JobId, OrgId, RailProviderId, TransferId};
use crate::jobs::{self, Work};
use crate::world::{Halt, World};

/// POST /v2/rails/{route}/nudge
///
/// A nudge for a payment that the provider does not carry, or that is over, changes nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nudge {
    pub org: OrgId,
    pub provider: RailProviderId,
    pub transfer: TransferId,
}

impl Command for Nudge {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let payment = rows::get(world, self.org, self.transfer)?;
        let Some(payment) = payment.filter(|payment| payment.provider == self.provider) else { return Ok(()) };
        match payment.status {
            PaymentStatus::Queued | PaymentStatus::Attempted => {
                jobs::hasten(world, self.org, JobId(self.transfer.0)).map(|_| ())
            }
            PaymentStatus::Accepted | PaymentStatus::Completed => look_up_now(world, &payment),
            PaymentStatus::Failed | PaymentStatus::Returned | PaymentStatus::Withdrawn => Ok(()),
        }
    }
}

/// Hastens the job that looks a payment up. A job that is leased may have asked the provider before the nudge, so a
/// second one follows; later nudges hasten that one.
fn look_up_now(world: &mut World, payment: &Arc<RailPayment>) -> Result<(), Halt> {
    let now = world.now();
    let job = match payment.look_up {
        Some(job) => jobs::find(world, payment.org, job)?,
        None => None,
    };
    if let Some(job) = job.filter(|job| job.leased_until.is_none_or(|until| until <= now)) {
        return jobs::hasten(world, payment.org, job.id).map(|_| ());
    }
    let job = jobs::enqueue(world, payment.org, Work::FollowTransfer { transfer: payment.transfer.0 });
    world.change(payment, |payment| payment.look_up = Some(job));
    Ok(())
}
