//! What the rail says of a payout: it arrived, it failed, or it came back later.

use std::sync::Arc;

use crate::apps;
use crate::engine::Command;
use crate::http::Scope;
use crate::ids::{OrgId, TransferId, UserId};
use crate::jobs::{self, Leased};
use crate::ledger;
use crate::ledger::postings::{self, PayoutAmounts};
use crate::messages::{self, Channel, Template};
use crate::payout_methods;
use crate::platform::Platform;
use crate::rails::Standing;
use crate::rails::failures::{FailureCode, MethodFate};
use crate::refusal::{Code, Refusal};
use crate::transfers::rules::Happening;
use crate::transfers::{self, Transfer, TransferStatus};
use crate::users;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// How long to wait before a rail that has not decided is asked again.
const ASK_AGAIN_SECONDS: i64 = 3_600;

/// The rail was asked what became of a payout.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The job that asked.
    pub leased: Leased,
    /// The transfer.
    pub transfer: TransferId,
    /// What the rail said.
    pub standing: Standing,
}

impl Command for Followed {
    type Reply = ();

    fn organization(&self) -> OrgId {
        self.leased.org
    }

    fn needs(&self) -> Vec<Want> {
        vec![Want::row::<Transfer>(key![self.leased.org, self.transfer])]
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let found = world.get::<Transfer>(key![self.leased.org, self.transfer])?;
        let transfer = found.ok_or_else(|| Refusal::not_found("transfer"))?;
        let payout = Payout::of(&transfer)?;
        let now = world.now();
        match (transfer.status, self.standing) {
            (TransferStatus::Pending, Standing::Completed) => complete(world, &transfer, &payout)?,
            (TransferStatus::Pending, Standing::Failed(code)) => fail(world, &transfer, &payout, code)?,
            // Two facts at once, because nobody asked in between: it arrived, and it came back.
            (TransferStatus::Pending, Standing::Returned(code)) => {
                complete(world, &transfer, &payout)?;
                let transfer = transfers::find(world, payout.scope, transfer.id)?;
                take_back(world, &transfer, &payout, code)?;
            }
            (TransferStatus::Completed, Standing::Returned(code)) => take_back(world, &transfer, &payout, code)?,
            (
                TransferStatus::Created | TransferStatus::Flagged | TransferStatus::Pending,
                Standing::Accepted { settles_at },
            ) => {
                return jobs::put_off(world, &self.leased, settles_at.max(now.plus_seconds(1)), None);
            }
            (TransferStatus::Created | TransferStatus::Flagged, _) | (TransferStatus::Pending, Standing::Unknown) => {
                let reason = format!("the rail says {:?} of a transfer that is {}", self.standing, transfer.status);
                return jobs::put_off(world, &self.leased, now.plus_seconds(ASK_AGAIN_SECONDS), Some(reason));
            }
            // News that we had already.
            (
                TransferStatus::Completed,
                Standing::Accepted { .. } | Standing::Completed | Standing::Failed(_) | Standing::Unknown,
            )
            | (TransferStatus::Failed | TransferStatus::Reversed | TransferStatus::Canceled, _) => {}
        }
        jobs::finish(world, &self.leased)
    }
}

/// The parts of a transfer that every payout has.
struct Payout {
    scope: Scope,
    user: UserId,
    platform: Platform,
    amounts: PayoutAmounts,
}

impl Payout {
    fn of(transfer: &Transfer) -> Result<Self, Refusal> {
        let (Some(user), Some(platform), Some(party)) = (transfer.user_id, transfer.platform, transfer.fee_party)
        else {
            return Err(Refusal::new(Code::InternalError, "A transfer at a rail lacks its user, rail or fee party."));
        };
        let amounts = PayoutAmounts {
            payout: transfer.arrives,
            fee: transfer.fee,
            platform_fee: transfer.platform_fee,
            fx: transfer.fx_fee,
            party,
        };
        Ok(Self { scope: Scope { org: transfer.org, app: transfer.app }, user, platform, amounts })
    }
}

fn complete(world: &mut World, transfer: &Arc<Transfer>, payout: &Payout) -> Result<(), Halt> {
    let Payout { scope, platform, ref amounts, .. } = *payout;
    ledger::post(world, &postings::settle_payout(scope, transfer.id, platform, amounts))?;
    let now = world.now();
    transfers::advance(world, transfer, Happening::Completed, |transfer| transfer.completed_at = Some(now))?;
    Ok(())
}

fn fail(world: &mut World, transfer: &Arc<Transfer>, payout: &Payout, code: FailureCode) -> Result<(), Halt> {
    let Payout { scope, user, platform, ref amounts } = *payout;
    ledger::post(world, &postings::fail_payout(scope, transfer.id, user, platform, amounts))?;
    let transfer = transfers::advance(world, transfer, Happening::Failed, |transfer| transfer.error = Some(code))?;
    after_failure(world, &transfer, payout, code)
}

fn take_back(world: &mut World, transfer: &Arc<Transfer>, payout: &Payout, code: FailureCode) -> Result<(), Halt> {
    let Payout { scope, user, platform, ref amounts } = *payout;
    ledger::post(world, &postings::return_payout(scope, transfer.id, user, platform, amounts.payout))?;
    let transfer = transfers::advance(world, transfer, Happening::Returned, |transfer| transfer.error = Some(code))?;
    after_failure(world, &transfer, payout, code)
}

/// What follows from a failure: the method's fate, the app's figures, and a word to the payee.
fn after_failure(world: &mut World, transfer: &Transfer, payout: &Payout, code: FailureCode) -> Result<(), Halt> {
    let scope = payout.scope;
    let failure = code.failure();
    let user = users::find(world, scope, payout.user)?;
    if let (Some(method), MethodFate::Disabled) = (transfer.payout_method, failure.method) {
        let method = payout_methods::find(world, scope.org, user.id, method)?;
        users::disable_payout_method(world, scope, &user, &method, code.as_str())?;
    }
    apps::count_money_out(world, scope, transfer.amount.negated())?;
    let app = apps::find(world, scope)?;
    let to = user.phone_e164.clone().map(|phone| (Channel::Sms, phone));
    if let Some((channel, recipient)) = to.or_else(|| user.email.clone().map(|email| (Channel::Email, email))) {
        let template = Template::PayoutFailed {
            transfer: transfer.id,
            amount_cents: transfer.arrives,
            app_name: app.name.clone(),
            reason: failure.message.to_owned(),
        };
        messages::queue(world, scope, channel, &recipient, template);
    }
    Ok(())
}
