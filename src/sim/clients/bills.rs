//! The next act of a member in accounts payable: in order, out of order, or forbidden.

use super::{Clients, Sight};
use crate::acting::{Act, may};
use crate::bank_accounts::BankAccountInput;
use crate::ids::MemberId;
use crate::input::types::Amount;
use crate::money::Cents;
use crate::patch::Patch;
use crate::payables::{PayablePatch, PayableStatus};
use crate::scope::Scope;
use crate::sim::chance::Chance;
use crate::sim::directory::{KnownAccount, KnownBill};
use crate::sim::requests::{BillAct, Billing};
use crate::sim::stage::read;
use crate::users::Address;
use crate::vendors::MethodStatus;

const VENDORS_MAX: usize = 4;
/// Accounts of vendors: two good ones, one that is closed, and one that returns its payments.
const ACCOUNTS: [&str; 4] = ["7755660001", "7755660002", "10000002", "20000014"];

impl Clients {
    /// Returns a member's next act, usually an allowed one that comes next.
    pub(super) fn billing(&mut self, at: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<Billing> {
        // A bill cannot be paid without an account.
        let mut vendors = sight.directory.vendors.get(&at).into_iter().flatten();
        let has_account = vendors.any(|vendor| sight.directory.accounts.contains_key(vendor));
        let act = match if has_account { chance.position(16) } else { 0 } {
            0..=2 => self.vendor(at, sight, chance)?,
            3..=5 => {
                let number = self.mark();
                BillAct::Create { number, says: Box::new(says(at, sight, chance)?) }
            }
            6 => BillAct::Update { payable: bill_of(at, sight, chance)?.id, says: Box::new(says(at, sight, chance)?) },
            7 if chance.one_in(3) => BillAct::Reject(bill_of(at, sight, chance)?.id),
            7 if chance.one_in(2) => BillAct::Cancel(bill_of(at, sight, chance)?.id),
            _ => next_of(bill_of(at, sight, chance)?, chance),
        };
        let members = sight.directory.members.get(&at.org)?;
        let acting = (0..4).filter_map(|_| chance.pick(members)).find(|(_, role)| may(*role, asked_of(&act)));
        let (acting, _) = *acting.or_else(|| chance.pick(members))?;
        Some(signed_in(at, acting, act, sight, chance))
    }

    /// Adds a vendor or an account, or confirms or removes an account.
    fn vendor(&mut self, at: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<BillAct> {
        let vendors = sight.directory.vendors.get(&at).map(Vec::as_slice).unwrap_or_default();
        if vendors.is_empty() || (vendors.len() < VENDORS_MAX && chance.one_in(3)) {
            let name = format!("Vendor {}", vendors.len());
            return Some(BillAct::AddVendor { name, address: address()? });
        }
        let vendor = *chance.pick(vendors)?;
        let accounts: Vec<KnownAccount> =
            sight.directory.accounts.get(&vendor).into_iter().flatten().copied().collect();
        let doubtful = accounts.iter().find(|account| account.status == MethodStatus::Unconfirmed);
        if let Some(account) = doubtful.filter(|_| !chance.one_in(4)) {
            return Some(BillAct::ConfirmAccount { vendor, method: account.id });
        }
        match chance.pick(&accounts) {
            Some(account) if chance.one_in(4) => Some(BillAct::RemoveAccount { vendor, method: account.id }),
            Some(account) if chance.one_in(6) => Some(BillAct::ConfirmAccount { vendor, method: account.id }),
            _ => Some(BillAct::AddAccount { vendor, account: Box::new(account(chance)?) }),
        }
    }
}

/// Adds the credential of the acting member, usually their own session. A thief has only the app's key or another
/// member's session. Sessions end while they are in use.
fn signed_in(at: Scope, acting: MemberId, act: BillAct, sight: &Sight<'_>, chance: &mut Chance) -> Billing {
    let session_of = |member| sight.directory.sessions.get(&(at.org, member)).map(|(session, _)| *session);
    let own = session_of(acting);
    let (session, act) = match (own, chance.position(16)) {
        (_, 0..=2) => (None, act),
        (_, 3) => {
            let others = sight.directory.members.get(&at.org).and_then(|members| chance.pick(members).copied());
            (others.and_then(|(other, _)| session_of(other)), act)
        }
        (Some(session), 4) if chance.one_in(20) => (own, BillAct::SignOut(session)),
        (None, _) => (None, BillAct::SignIn),
        (Some(_), 5) if chance.one_in(10) => (None, BillAct::SignIn),
        (Some(_), _) => (own, act),
    };
    Billing { acting, session, act }
}

/// Returns the usual next act for a bill, and sometimes another.
fn next_of(bill: KnownBill, chance: &mut Chance) -> BillAct {
    let id = bill.id;
    let all = [BillAct::Submit(id), BillAct::Approve(id), BillAct::Pay(id)];
    let [submit, approve, pay] = all.clone();
    match bill.status {
        PayableStatus::Created if !chance.one_in(5) => submit,
        PayableStatus::SubmittedForApproval if !chance.one_in(5) => approve,
        PayableStatus::Approved | PayableStatus::PaymentFailed if !chance.one_in(5) => pay,
        PayableStatus::Created
        | PayableStatus::SubmittedForApproval
        | PayableStatus::Approved
        | PayableStatus::PaymentFailed
        | PayableStatus::Rejected
        | PayableStatus::PaymentInitiated
        | PayableStatus::PaymentCompleted
        | PayableStatus::Canceled => chance.pick(&all).cloned().unwrap_or(pay),
    }
}

/// Returns the permission that an act needs.
const fn asked_of(act: &BillAct) -> Act {
    match act {
        BillAct::AddVendor { .. }
        | BillAct::AddAccount { .. }
        | BillAct::RemoveAccount { .. }
        | BillAct::Create { .. }
        | BillAct::Update { .. }
        | BillAct::Submit(_)
        | BillAct::Cancel(_) => Act::Prepare,
        BillAct::ConfirmAccount { .. } => Act::Confirm,
        BillAct::Approve(_) | BillAct::Reject(_) => Act::Approve,
        BillAct::Pay(_) => Act::Pay,
        BillAct::SignIn | BillAct::SignOut(_) => Act::Own,
    }
}

/// Returns a bill to one of the vendor's accounts.
fn says(at: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<PayablePatch> {
    let vendor = *chance.pick(sight.directory.vendors.get(&at)?)?;
    let accounts: Vec<KnownAccount> = sight.directory.accounts.get(&vendor)?.iter().copied().collect();
    let method = chance.pick(&accounts)?.id;
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

/// Returns a bill of the app, usually an open one.
fn bill_of(at: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<KnownBill> {
    let bills = sight.directory.bills.iter().filter(|bill| bill.scope == at).copied();
    let (open, over): (Vec<KnownBill>, Vec<KnownBill>) = bills.partition(|bill| is_open(bill.status));
    let (first, second) = if chance.one_in(5) { (over, open) } else { (open, over) };
    chance.pick(&first).or_else(|| chance.pick(&second)).copied()
}

const fn is_open(status: PayableStatus) -> bool {
    match status {
        PayableStatus::Created
        | PayableStatus::SubmittedForApproval
        | PayableStatus::Approved
        | PayableStatus::PaymentFailed
        | PayableStatus::Rejected => true,
        PayableStatus::PaymentInitiated | PayableStatus::PaymentCompleted | PayableStatus::Canceled => false,
    }
}

fn account(chance: &mut Chance) -> Option<BankAccountInput> {
    let number = chance.pick(&ACCOUNTS)?;
    read(&format!(r#"{{"name": "A vendor", "account_number": "{number}", "routing_number": "110000000"}}"#))
}

fn address() -> Option<Address> {
    read(r#"{"line_1": "1 Main Street", "city": "Springfield", "state": "IL", "postcode": "62701", "country": "US"}"#)
}
