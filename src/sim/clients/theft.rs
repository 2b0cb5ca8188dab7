//! A thief with an app's key moves large amounts out in every way that an app key allows.

use super::{Clients, Sight, user_of};
use crate::fees::Party;
use crate::money::Cents;
use crate::payments::Payer;
use crate::payouts::{FeeRequest, RailRequest};
use crate::platform::Platform;
use crate::scope::Scope;
use crate::sim::chance::Chance;
use crate::sim::requests::{Collecting, Moving, Paying, Wish};
use crate::sim::stage::own_account;

impl Clients {
    pub(super) fn theft(&mut self, at: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<Wish> {
        let amount = Cents::new(chance.between(10_000, 1_200_000));
        let (user, mark) = (user_of(at, sight, chance)?, self.mark());
        Some(match chance.position(4) {
            0 => Wish::MoveBalance { user, amount: amount.negated(), mark },
            1 => Wish::Move(Moving::Withdraw { amount, mark }),
            2 => {
                let fees = FeeRequest { party: Some(Party::Platform), override_: None };
                Wish::Move(Moving::Pay { user, amount, rail: RailRequest::Rail(Platform::Ach), fees, fund: true, mark })
            }
            _ => {
                let account = own_account("6655440001");
                Wish::Collect(Box::new(Paying::Collect(Collecting { payer: Payer::User(user), account, amount, mark })))
            }
        })
    }
}
