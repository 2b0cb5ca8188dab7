//! What members do in accounts payable next: in order, out of order, and what they may not.

use super::{Clients, Sight};
use crate::bank_accounts::BankAccountInput;
use crate::http::Scope;
use crate::http::input::Patch;
use crate::http::inputs::Amount;
use crate::ids::PayableId;
use crate::money::Cents;
use crate::payables::PayablePatch;
use crate::sim::chance::Chance;
use crate::sim::requests::{BillAct, Billing};
use crate::sim::stage::read;
use crate::users::Address;

/// Vendors of an app at most.
const VENDORS_MAX: usize = 4;
/// Accounts of vendors: two good ones, one that is closed, and one that sends back what it got.
const ACCOUNTS: [&str; 4] = ["7755660001", "7755660002", "10000002", "20000014"];

impl Clients {
    /// A member's next act.
    pub(super) fn billing(&mut self, at: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<Billing> {
        let acting = *chance.pick(sight.directory.members.get(&at.org)?)?;
        // Without an account to pay to, no bill comes of anything.
        let mut vendors = sight.directory.vendors.get(&at).into_iter().flatten();
        let has_account = vendors.any(|vendor| sight.directory.accounts.contains_key(vendor));
        let act = match if has_account { chance.position(16) } else { 0 } {
            0 => self.vendor(at, sight, chance)?,
            1..=3 => {
                let number = self.mark();
                BillAct::Create { number, says: Box::new(says(at, sight, chance)?) }
            }
            4 => BillAct::Update { payable: bill_of(at, sight, chance)?, says: Box::new(says(at, sight, chance)?) },
            5..=7 => BillAct::Submit(bill_of(at, sight, chance)?),
            8..=10 => BillAct::Approve(bill_of(at, sight, chance)?),
            11 if chance.one_in(3) => BillAct::Reject(bill_of(at, sight, chance)?),
            11 if chance.one_in(2) => BillAct::Cancel(bill_of(at, sight, chance)?),
            _ => BillAct::Pay(bill_of(at, sight, chance)?),
        };
        Some(Billing { acting, act })
    }

    /// Another vendor, another account of one, or somebody's word that an account is theirs.
    fn vendor(&mut self, at: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<BillAct> {
        let vendors = sight.directory.vendors.get(&at).map(Vec::as_slice).unwrap_or_default();
        if vendors.is_empty() || (vendors.len() < VENDORS_MAX && chance.one_in(3)) {
            let name = format!("Vendor {}", vendors.len());
            return Some(BillAct::AddVendor { name, address: address()? });
        }
        let vendor = *chance.pick(vendors)?;
        let accounts = sight.directory.accounts.get(&vendor).map(Vec::as_slice).unwrap_or_default();
        match chance.pick(accounts) {
            Some(method) if chance.one_in(8) => Some(BillAct::RemoveAccount { vendor, method: *method }),
            Some(method) if chance.one_in(2) => Some(BillAct::ConfirmAccount { vendor, method: *method }),
            _ => Some(BillAct::AddAccount { vendor, account: Box::new(account(chance)?) }),
        }
    }
}

/// A bill of a vendor, to one of its accounts.
fn says(at: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<PayablePatch> {
    let vendor = *chance.pick(sight.directory.vendors.get(&at)?)?;
    let method = *chance.pick(sight.directory.accounts.get(&vendor)?)?;
    Some(PayablePatch {
        number: None,
        description: Patch::Keep,
        external_id: Patch::Keep,
        vendor: Patch::Set(vendor),
        payment_method: Patch::Set(method),
        amount: Some(Amount(Cents::new(chance.between(1, 400_000)))),
        items: Patch::Keep,
        funding_source: None,
    })
}

fn bill_of(at: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<PayableId> {
    let bills = sight.directory.bills.iter().filter(|(scope, _)| *scope == at).map(|(_, id)| *id);
    chance.pick(&bills.collect::<Vec<_>>()).copied()
}

fn account(chance: &mut Chance) -> Option<BankAccountInput> {
    let number = chance.pick(&ACCOUNTS)?;
    read(&format!(r#"{{"name": "A vendor", "account_number": "{number}", "routing_number": "110000000"}}"#))
}

fn address() -> Option<Address> {
    read(r#"{"line_1": "1 Main Street", "city": "Springfield", "state": "IL", "postcode": "62701", "country": "US"}"#)
}
