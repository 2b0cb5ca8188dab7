//! Pays a user by a rail that the app names.

use super::choose::{Chosen, RailRequest, choose, no_method};
use super::pay::{Order, pay};
use super::quote::FeeRequest;
use crate::engine::Command;
use crate::ids::{PayoutMethodId, UserId};
use crate::money::Cents;
use crate::payout_methods::{MethodOrigin, SealedDetails};
use crate::program::Environment;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers::{self, TransferJson};
use crate::users::{self, NewMethod};
use crate::world::{Halt, World};

/// POST /v2/payouts
#[derive(Clone, Debug)]
pub struct CreatePayout {
    pub scope: Scope,
    /// Determines the default rest period of new methods.
    pub environment: Environment,
    pub user: UserId,
    /// Cents that leave the wallet, including the payee's fees.
    pub amount: Cents,
    pub rail: RailRequest,
    /// The user's most recent one on the rail if empty.
    pub account: Option<PayoutMethodId>,
    /// A sealed card for a user without one, because a card needs no details. Only for card rails.
    pub card: Option<SealedDetails>,
    pub fees: FeeRequest,
    /// Whether the app fills the user's wallet first; money that does not arrive goes back to the app.
    pub fund: bool,
    pub tax_exempt: bool,
    pub metadata: Option<String>,
}

impl Command for CreatePayout {
    type Reply = TransferJson;

    fn decide(&self, world: &mut World) -> Result<TransferJson, Halt> {
        let user = users::find(world, self.scope, self.user)?;
        let Chosen { platform, method } = choose(world, self.scope, &user, self.rail, self.account)?;
        let address = method.as_ref().and_then(|method| method.email.as_deref());
        if !users::can_be_delivered(&user, platform, address) {
            users::must_be_verified(&user)?;
            let message =
                "The user has no e-mail address, and a card is delivered by e-mail. Set the user's email first.";
            return Err(Refusal::new(Code::UserInfoMissing, message).because(Reason::ContactMissing).into());
        }
        let method = match (method, &self.card) {
            (Some(method), _) => method,
            (None, Some(card)) => {
                let new = NewMethod {
                    details: card.clone(),
                    is_default: Some(false),
                    auto_payout_enabled: None,
                    metadata: None,
                    // A card's holder is always the user.
                    names: None,
                };
                users::set_up_payout_method(world, self.scope, &user, (&new, MethodOrigin::App))?
            }
            (None, None) => {
                users::must_be_active(&user)?;
                return Err(no_method(platform).into());
            }
        };
        users::may_be_paid_without_payee(world, self.scope, &user, &method, self.environment)?;
        let order = Order {
            scope: self.scope,
            user,
            method,
            amount: self.amount,
            fees: self.fees,
            fund: self.fund,
            link: None,
            tax_exempt: self.tax_exempt,
            metadata: self.metadata.clone(),
        };
        let transfer = pay(world, &order)?;
        transfers::json(world, &transfer)
    }
}
