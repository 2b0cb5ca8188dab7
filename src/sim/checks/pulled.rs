//! Checks money that is pulled from banks, payments and deposits, against its transfers (5): it is in the app's wallet
//! only after the bank has paid, and a return takes it from the wallet or leaves a debt. A payment has the payer and
//! the amount that its app requested.

use std::collections::{HashMap, HashSet};

use super::super::requests::{Collecting, Paying, Request, Wish};
use super::changed::{changed, written};
use crate::bank_files::{BankEntry, EntryKind, EntryStatus};
use crate::funding::Debt;
use crate::ids::{LedgerAccountId, OrgId, TransferId, UserId};
use crate::ledger::verify::Finding;
use crate::ledger::{LedgerAccount, LedgerAccountKind, Transaction};
use crate::payments::Payer;
use crate::store::memory::Change;
use crate::transfers::{Transfer, TransferKind, TransferStatus};
use crate::users::{User, UserStatus};

/// The postings and the debt of a transfer.
#[derive(Default)]
struct Moved {
    /// Net cents moved into the app's wallet.
    in_wallet: i64,
    /// Cents that the app owes.
    owed: i64,
}

#[derive(Default)]
pub(super) struct Pulled {
    /// The requests of apps, by mark.
    asked: HashMap<String, Collecting>,
    wallets: HashSet<(OrgId, LedgerAccountId)>,
    moved: HashMap<(OrgId, TransferId), Moved>,
    pulls: HashMap<(OrgId, TransferId), (TransferStatus, i64)>,
    /// The transfers whose money moved twice, by a reversal and a return: the second amount is the app's.
    twice: HashSet<(OrgId, TransferId)>,
    /// Whether each user may be debited.
    may_be_debited: HashMap<UserId, bool>,
}

impl Pulled {
    pub(super) fn sent(&mut self, request: &Request) {
        if let Wish::Collect(paying) = &request.wish
            && let Paying::Collect(collecting) = &**paying
        {
            self.asked.insert(collecting.mark.clone(), collecting.clone());
        }
    }

    pub(super) fn commit(&mut self, changes: &[Change]) -> Vec<Finding> {
        // Held money belongs to the app, too.
        let is_wallet = |kind| matches!(kind, LedgerAccountKind::AppWallet | LedgerAccountKind::AppCollected);
        for account in written::<LedgerAccount>(changes).filter(|account| is_wallet(account.kind)) {
            self.wallets.insert((account.org, account.id));
        }
        let mut touched = Vec::new();
        for posted in written::<Transaction>(changes) {
            let Some(transfer) = posted.transfer else { continue };
            let sign = |account| i64::from(self.wallets.contains(&(posted.org, account)));
            let amount = posted.amount.get() * (sign(posted.destination) - sign(posted.source));
            self.moved.entry((posted.org, transfer)).or_default().in_wallet += amount;
            touched.push((posted.org, transfer));
        }
        for debt in written::<Debt>(changes) {
            self.moved.entry((debt.org, debt.id)).or_default().owed = debt.left_open.get();
            touched.push((debt.org, debt.id));
        }
        let mut findings = self.transfers(changes, &mut touched);
        self.moved_twice(changes);
        touched.sort_unstable();
        touched.dedup();
        findings.extend(touched.into_iter().filter_map(|id| self.wrong(id)));
        for user in written::<User>(changes) {
            self.may_be_debited.insert(user.id, user.is_verified() && user.status != UserStatus::InReview);
        }
        findings
    }

    /// Invariants 39 and 63 compare these amounts with the entries.
    fn moved_twice(&mut self, changes: &[Change]) {
        for entry in written::<BankEntry>(changes) {
            let id = (entry.org, entry.moves());
            let is_reversal = entry.kind == EntryKind::Reversal;
            let was_reversed = self.pulls.get(&id).is_some_and(|(status, _)| *status == TransferStatus::Reversed);
            let is_returned = entry.status == EntryStatus::Returned && (is_reversal || entry.followed_by.is_some());
            let is_surplus = is_reversal && entry.status == EntryStatus::Settled && !was_reversed;
            if is_returned || is_surplus {
                self.twice.insert(id);
            }
        }
    }

    fn transfers(&mut self, changes: &[Change], touched: &mut Vec<(OrgId, TransferId)>) -> Vec<Finding> {
        let mut findings = Vec::new();
        for change in changed::<Transfer>(changes) {
            let Some(after) = change.after else { continue };
            let is_pull = match after.kind {
                TransferKind::Payment => true,
                TransferKind::Refill => !after.amount.is_negative(),
                TransferKind::Balance | TransferKind::Payout | TransferKind::Payable | TransferKind::Settlement => {
                    false
                }
            };
            if !is_pull {
                continue;
            }
            let id = (after.org, after.id);
            self.pulls.insert(id, (after.status, after.amount.get()));
            touched.push(id);
            if change.before.is_none() && after.kind == TransferKind::Payment {
                findings.extend(self.unasked(&after, changes).map(|what| finding(what, after.id)));
            }
        }
        findings
    }

    /// Returns the fault of a new payment.
    fn unasked(&self, payment: &Transfer, changes: &[Change]) -> Option<&'static str> {
        let Some(asked) = payment.metadata.as_ref().and_then(|mark| self.asked.get(mark)) else {
            return Some("was requested by no client");
        };
        let payer = match (payment.user_id, payment.customer) {
            (Some(user), None) => Payer::User(user),
            (None, Some(customer)) => Payer::Customer(customer),
            (Some(_), Some(_)) | (None, None) => return Some("has more or fewer than one payer"),
        };
        if (payer, payment.amount) != (asked.payer, asked.amount) {
            return Some("differs from the request");
        }
        let Payer::User(user) = payer else { return None };
        // The same commit may have changed the user before or after the payment.
        let now = written::<User>(changes).any(|it| it.id == user && it.is_verified());
        let may_be = now || self.may_be_debited.get(&user).copied().unwrap_or(false);
        (!may_be).then_some("is collected from a user who is not verified or is under review")
    }

    /// Returns the fault in the money of a pull.
    fn wrong(&self, id: (OrgId, TransferId)) -> Option<Finding> {
        let (status, amount) = self.pulls.get(&id).filter(|_| !self.twice.contains(&id))?;
        let (in_wallet, owed) = self.moved.get(&id).map_or((0, 0), |moved| (moved.in_wallet, moved.owed));
        let expected = match status {
            TransferStatus::Created
            | TransferStatus::Flagged
            | TransferStatus::Pending
            | TransferStatus::Failed
            | TransferStatus::Canceled => 0,
            TransferStatus::Completed => *amount,
            // The part that could not be taken back is still in the wallet, and owed.
            TransferStatus::Reversed => owed,
        };
        (in_wallet != expected)
            .then(|| finding(&format!("is {status}; {in_wallet} cents of it are in the wallet, not {expected}"), id.1))
    }
}

fn finding(what: &str, transfer: TransferId) -> Finding {
    Finding { invariant: 5, what: what.to_owned(), place: format!("transfer {transfer}") }
}
