//! Records the replies of providers behind HTTP. A reply that is known goes through the same reducer as every rail's.

use super::followed::{Anomaly, Followed};
use super::submitted;
use crate::engine::Command;
use crate::ids::TransferId;
use crate::jobs::{self, Leased, backoff_seconds};
use crate::rail_payments::{self, RailPayment, Recorded};
use crate::rails::ItemStatus;
use crate::rails::failures::FailureCode;
use crate::rails::providers::Reply;
use crate::refusal::Refusal;
use crate::transfers::Transfer;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// The longest wait before a provider in doubt is asked again.
const ASK_AGAIN_MAX_SECONDS: i64 = 900;
/// The wait for a repaired row.
const TAMPERED_SECONDS: i64 = 60;

/// What the worker found out about a payment.
#[derive(Clone, Debug)]
pub enum Learned {
    Said(Reply),
    /// The account of the payee was changed in the store, so the provider was not called.
    Tampered,
    /// The provider was not called now.
    NotAsked {
        reason: String,
        /// The wait until the next attempt.
        seconds: i64,
    },
}

/// What an operator must know.
#[derive(Clone, Debug, Default)]
pub struct Alarm {
    pub newly_short: bool,
    pub anomaly: Option<Anomaly>,
}

/// Records the hand-over of a payment to its provider: the transfer becomes pending, or the job waits.
#[derive(Clone, Debug)]
pub struct HandedOver {
    pub leased: Leased,
    pub transfer: TransferId,
    pub learned: Learned,
}

fn wants(leased: &Leased, transfer: TransferId) -> Vec<Want> {
    let key = || key![leased.org, transfer];
    vec![leased.want(), Want::row::<RailPayment>(key()), Want::row::<Transfer>(key())]
}

impl Command for HandedOver {
    type Reply = Alarm;

    fn needs(&self) -> Vec<Want> {
        wants(&self.leased, self.transfer)
    }

    fn decide(&self, world: &mut World) -> Result<Alarm, Halt> {
        let org = self.leased.org;
        let recorded = match &self.learned {
            Learned::Said(reply) => rail_payments::record(world, org, self.transfer, reply)?,
            Learned::Tampered => {
                let refused = Reply::Refused(FailureCode::InvalidAccountNumber);
                rail_payments::record(world, org, self.transfer, &refused)?
            }
            Learned::NotAsked { reason, seconds } => return rest(world, &self.leased, *seconds, reason),
        };
        match recorded {
            Recorded::Known(item_status) => {
                let job = submitted::record(world, &self.leased, self.transfer, item_status)?;
                if let Some(job) = job {
                    rail_payments::look_up_by(world, org, self.transfer, job)?;
                }
                Ok(Alarm::default())
            }
            Recorded::InDoubt { reason, newly_short } => {
                let alarm = rest(world, &self.leased, wait_seconds(&self.leased), &reason)?;
                Ok(Alarm { newly_short, ..alarm })
            }
        }
    }
}

/// Records the look-up of a payment that its provider has.
#[derive(Clone, Debug)]
pub struct LookedUp {
    pub leased: Leased,
    pub transfer: TransferId,
    pub learned: Learned,
}

impl Command for LookedUp {
    type Reply = Alarm;

    fn needs(&self) -> Vec<Want> {
        wants(&self.leased, self.transfer)
    }

    fn decide(&self, world: &mut World) -> Result<Alarm, Halt> {
        let org = self.leased.org;
        let item_status = match &self.learned {
            Learned::Said(Reply::HasNot) => ItemStatus::Unknown,
            Learned::Said(reply) => match rail_payments::record(world, org, self.transfer, reply)? {
                Recorded::Known(item_status) => item_status,
                Recorded::InDoubt { reason, .. } => {
                    return rest(world, &self.leased, wait_seconds(&self.leased), &reason);
                }
            },
            Learned::Tampered => return rest(world, &self.leased, TAMPERED_SECONDS, "the account was changed"),
            Learned::NotAsked { reason, seconds } => return rest(world, &self.leased, *seconds, reason),
        };
        let followed = Followed { leased: self.leased.clone(), transfer: self.transfer, item_status };
        Ok(Alarm { newly_short: false, anomaly: followed.decide(world)? })
    }
}

fn wait_seconds(leased: &Leased) -> i64 {
    backoff_seconds(leased.attempt).min(ASK_AGAIN_MAX_SECONDS)
}

fn rest(world: &mut World, leased: &Leased, seconds: i64, reason: &str) -> Result<Alarm, Halt> {
    let until = world.now().plus_seconds(seconds);
    jobs::put_off(world, leased, until, Some(reason.to_owned()))?;
    Ok(Alarm::default())
}

/// Records what is known of a payment without a call: its submission was not recorded, or it was refused.
#[derive(Clone, Debug)]
pub struct Settled {
    pub leased: Leased,
    pub transfer: TransferId,
}

impl Command for Settled {
    type Reply = Alarm;

    fn needs(&self) -> Vec<Want> {
        wants(&self.leased, self.transfer)
    }

    fn decide(&self, world: &mut World) -> Result<Alarm, Halt> {
        let (org, now) = (self.leased.org, world.now());
        let payment = rail_payments::get(world, org, self.transfer)?;
        let payment = payment.ok_or_else(|| Refusal::not_found("payment at a provider"))?;
        let transfer = world.get::<Transfer>(key![org, self.transfer])?;
        let waits = transfer.is_some_and(|transfer| transfer.waits_for_rail());
        let Some(item_status) = rail_payments::item_status(&payment, now) else {
            jobs::finish(world, &self.leased)?;
            return Ok(Alarm::default());
        };
        if waits {
            let job = submitted::record(world, &self.leased, self.transfer, item_status)?;
            if let Some(job) = job {
                rail_payments::look_up_by(world, org, self.transfer, job)?;
            }
            return Ok(Alarm::default());
        }
        let followed = Followed { leased: self.leased.clone(), transfer: self.transfer, item_status };
        Ok(Alarm { newly_short: false, anomaly: followed.decide(world)? })
    }
}
