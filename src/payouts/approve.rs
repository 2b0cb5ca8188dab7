//! Approves a payout that is above the app's approval limit, or whose payee has a warning.

use super::carrier::Carrier;
use super::pay::{hand_to_rail, may_go_by, may_use};
use crate::acting::{Act, Named, proven};
use crate::engine::Command;
use crate::ids::TransferId;
use crate::money::Cents;
use crate::payout_methods;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::taxes;
use crate::transfers::rules::{self, TransferEvent};
use crate::transfers::{self, TransferJson, TransferKind};
use crate::users;
use crate::world::{Halt, World};

/// POST /v2/transfers/{transfer_id}/approve
#[derive(Clone, Debug)]
pub struct ApprovePayout {
    pub scope: Scope,
    pub transfer: TransferId,
    pub acting: Named,
}

impl Command for ApprovePayout {
    type Reply = TransferJson;

    fn decide(&self, world: &mut World) -> Result<TransferJson, Halt> {
        let transfer = transfers::find(world, self.scope, self.transfer)?;
        let actor = proven(world, self.scope, self.acting, Act::Pay)?;
        let (TransferKind::Payout, Some(user), Some(method)) =
            (transfer.kind, transfer.user_id, transfer.payout_method)
        else {
            return Err(Refusal::new(
                Code::InvalidState,
                "Only transfers of type payout can be approved. Other transfers need no approval.",
            )
            .because(Reason::WrongKind)
            .into());
        };
        rules::apply(transfer.status, TransferEvent::Cleared)?;
        // The payee and the app's rails may have changed since the payout was created.
        let user = users::find(world, self.scope, user)?;
        users::must_not_be_frozen(&user)?;
        taxes::may_be_paid(world, self.scope, &user, (!transfer.tax_exempt).then_some(Cents::ZERO))?;
        let method = payout_methods::paid_to(world, self.scope.org, user.id, method)?;
        may_use(&method)?;
        may_go_by(world, self.scope, &user, method.platform)?;
        let platform = transfer.platform.unwrap_or(method.platform);
        let carrier = Carrier::of(world, self.scope, platform, &method, transfer.arrives)?;

        // From here it must succeed.
        let transfer = transfers::advance(world, &transfer, TransferEvent::Cleared, |transfer| {
            transfer.approved_by = Some(actor.member);
        })?;
        let transfer = hand_to_rail(world, &carrier, transfer, &user)?;
        transfers::json(world, &transfer)
    }
}
