//! An app's movements of its own money, and payouts by a rail that it names.

use super::{Clients, Sight, amount, user_of};
use crate::acting::Named;
use crate::bank_accounts::OwnAccountInput;
use crate::fees::Party;
use crate::money::Cents;
use crate::payouts::{FeeRequest, RailRequest};
use crate::platform::Platform;
use crate::scope::Scope;
use crate::sim::chance::Chance;
use crate::sim::requests::Moving;
use crate::sim::stage::own_account;

/// Bank accounts of an app: two good ones, one that is closed, and one that takes back its payments.
const ACCOUNTS: [&str; 4] = ["4455660001", "4455660002", "10000002", "20000010"];

impl Clients {
    pub(super) fn moving(&mut self, at: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<Moving> {
        Some(match chance.position(10) {
            0 => {
                // Small deposits are most frequent, so that poor apps stay poor.
                let most = if chance.one_in(8) { 5_000_000 } else { 300_000 };
                Moving::Deposit { amount: Cents::new(chance.between(1, most)), mark: self.mark() }
            }
            1 => Moving::Withdraw { amount: Cents::new(amount(chance)), mark: self.mark() },
            2 => {
                let cents = chance.between(1, 400_000);
                let amount = Cents::new(if chance.one_in(2) { cents } else { -cents });
                Moving::Between { amount, mark: self.mark() }
            }
            3 => Moving::SetAccount(account(chance)?),
            4..=6 => self.pay(at, sight, chance)?,
            7 | 8 => {
                let flagged = sight.directory.flagged.iter().find(|(scope, _)| *scope == at);
                let transfer = flagged.map_or_else(|| payout_of(at, sight, chance), |(_, id)| Some(*id))?;
                let (member, _) = *chance.pick(sight.directory.members.get(&at.org)?)?;
                // Someone with the organization's key alone names a member without a session.
                let session = sight.directory.sessions.get(&(at.org, member)).filter(|_| !chance.one_in(8));
                Moving::Approve { transfer, acting: Named { member, session: session.map(|(session, _)| *session) } }
            }
            _ => Moving::Cancel(payout_of(at, sight, chance)?),
        })
    }

    fn pay(&mut self, at: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<Moving> {
        let rail = match chance.position(4) {
            0 => RailRequest::Default,
            1 => RailRequest::Rail(*chance.pick(&Platform::ALL)?),
            _ => RailRequest::Rail(Platform::Ach),
        };
        let party = chance.one_in(2).then_some(if chance.one_in(2) { Party::Platform } else { Party::User });
        Some(Moving::Pay {
            user: user_of(at, sight, chance)?,
            amount: Cents::new(amount(chance)),
            rail,
            fees: FeeRequest { party, override_: None },
            fund: !chance.one_in(4),
            mark: self.mark(),
        })
    }
}

impl Clients {
    /// Pays a user with a bank account from an app of the organization that has a bank.
    pub(super) fn pay_by_bank(&mut self, sight: &Sight<'_>, chance: &mut Chance) -> Option<(Scope, Moving)> {
        let org = sight.stage.apps.first()?.org;
        let apps: Vec<Scope> = sight.stage.apps.iter().filter(|app| app.org == org).copied().collect();
        let at = *chance.pick(&apps)?;
        let banked = sight.directory.banked.get(&at)?;
        let user = *banked.get(chance.position(banked.len().max(1)))?;
        let fees = FeeRequest { party: Some(Party::Platform), override_: None };
        // Few amounts, so that several payments have the same.
        let amount = Cents::new(chance.between(1, 6) * 10_000);
        let pay =
            Moving::Pay { user, amount, rail: RailRequest::Rail(Platform::Ach), fees, fund: true, mark: self.mark() };
        Some((at, pay))
    }
}

fn payout_of(at: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<crate::ids::TransferId> {
    let paid = sight.directory.paid.iter().filter(|(scope, _)| *scope == at).map(|(_, id)| *id);
    chance.pick(&paid.collect::<Vec<_>>()).copied()
}

fn account(chance: &mut Chance) -> Option<OwnAccountInput> {
    own_account(chance.pick(&ACCOUNTS)?)
}
