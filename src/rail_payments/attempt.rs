//! Records an attempt before the provider is called.

use super::model::{PaymentStatus, RailPayment};
use super::rows;
use super::rules::{PaymentEvent, transition};
use crate::banking::SetupStatus;
use crate::banking::providers;
use crate::engine::Command;
use crate::ids::TransferId;
use crate::jobs::{self, Leased};
use crate::transfers::Transfer;
use crate::vault::Unsealed;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// Whether the worker may call the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    Call,
    /// The payment has an outcome, a member has proposed that it failed, or the provider is not approved now.
    Later,
}

/// Records that a provider is about to receive a payment. The first attempt seals the order.
#[derive(Clone, Debug)]
pub struct BeginAttempt {
    pub leased: Leased,
    pub transfer: TransferId,
    pub order: Unsealed,
}

impl Command for BeginAttempt {
    type Reply = Begun;

    fn needs(&self) -> Vec<Want> {
        let key = || key![self.leased.org, self.transfer];
        vec![self.leased.want(), Want::row::<RailPayment>(key()), Want::row::<Transfer>(key())]
    }

    fn decide(&self, world: &mut World) -> Result<Begun, Halt> {
        jobs::still_leased(world, &self.leased)?;
        let org = self.leased.org;
        let payment = rows::find(world, org, self.transfer)?;
        let provider = providers::find(world, org, payment.provider)?;
        let waits = world.get::<Transfer>(key![org, self.transfer])?.is_some_and(|transfer| transfer.waits_for_rail());
        let to = transition(payment.status, PaymentEvent::Attempted).filter(|_| waits);
        let now = world.now();
        let may_repeat = provider.status == SetupStatus::Approved && !payment.may_be_decided_failed(now);
        let (Some(to), true) = (to, may_repeat) else { return Ok(Begun::Later) };
        debug_assert_eq!(to, PaymentStatus::Attempted);
        let sealed = self.order.seal(&rows::seal_context(&payment));
        rows::change(world, &payment, |payment| {
            payment.status = to;
            payment.attempts += 1;
            payment.first_attempted_at.get_or_insert(now);
            payment.attempted_at = Some(now);
            payment.sealed_order.get_or_insert(sealed);
        });
        Ok(Begun::Call)
    }
}
