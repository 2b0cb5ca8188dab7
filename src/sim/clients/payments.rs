//! Collections from payment customers with good and bad accounts, and from verified and unverified users.

use super::{Clients, Sight, user_of};
use crate::ids::PaymentCustomerId;
use crate::money::Cents;
use crate::payments::Payer;
use crate::scope::Scope;
use crate::sim::chance::Chance;
use crate::sim::requests::{Collecting, Paying};
use crate::sim::stage::own_account;

const CUSTOMERS_MAX: usize = 5;
/// Accounts of customers: two good ones, one that is closed, one that takes back its payments, two without money, and one that
/// returns what is paid back.
const ACCOUNTS: [&str; 7] = ["6655440001", "6655440002", "10000002", "20000010", "10000001", "90000001", "81000002"];

impl Clients {
    pub(super) fn paying(&mut self, at: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<Paying> {
        let customers = sight.directory.customers.get(&at).map(Vec::as_slice).unwrap_or_default();
        if customers.is_empty() || (customers.len() < CUSTOMERS_MAX && chance.one_in(6)) {
            let (name, mark) = (format!("Customer {}", customers.len()), self.mark());
            return Some(Paying::AddCustomer { name, mark });
        }
        let customer = *chance.pick(customers)?;
        Some(match chance.position(16) {
            0 => Paying::Rename { customer, name: format!("Customer of {}", sight.now) },
            1..=3 => Paying::AddAccount { customer, account: own_account(chance.pick(&ACCOUNTS)?)? },
            4 if chance.one_in(6) => Paying::Forget(customer),
            _ => Paying::Collect(self.collecting(at, customer, sight, chance)?),
        })
    }

    fn collecting(
        &mut self,
        at: Scope,
        customer: PaymentCustomerId,
        sight: &Sight<'_>,
        chance: &mut Chance,
    ) -> Option<Collecting> {
        let payer = if chance.one_in(4) { Payer::User(user_of(at, sight, chance)?) } else { Payer::Customer(customer) };
        let account = if chance.one_in(5) { own_account(chance.pick(&ACCOUNTS)?) } else { None };
        let amount = Cents::new(chance.between(1, 300_000));
        Some(Collecting { payer, account, amount, mark: self.mark() })
    }
}
