//! Checks links and transfers after each commit: allowed transitions (5, 9, 10), and one effect per request (8).
//!
//! The transitions repeat docs/decisions.md and do not use the product's rules. A commit may hold several commands, so
//! a row may make several transitions at once.

use std::collections::HashMap;

use uuid::Uuid;

use super::changed::{Changed, changed, is_no_transition, written};
use crate::ids::PayoutLinkId;
use crate::ledger::verify::Finding;
use crate::payout_links::{FundingSource, LinkStatus, PayoutLink};
use crate::store::memory::Change;
use crate::transfers::{Transfer, TransferKind, TransferStatus};

pub(super) struct Objects {
    deliveries_max: u32,
    /// The object that each request created, by the mark in its metadata.
    made: HashMap<String, Uuid>,
    /// The status of the transfer that funds each link.
    pulls: HashMap<PayoutLinkId, TransferStatus>,
}

impl Objects {
    pub(super) fn new(deliveries_max: u32) -> Self {
        Self { deliveries_max, made: HashMap::new(), pulls: HashMap::new() }
    }

    pub(super) fn commit(&mut self, changes: &[Change]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for pull in written::<Transfer>(changes).filter(|transfer| transfer.kind == TransferKind::Refill) {
            self.pulls.extend(pull.payout_link.map(|link| (link, pull.status)));
        }
        for change in changed::<PayoutLink>(changes) {
            if let (None, Some(link)) = (&change.before, &change.after) {
                findings.extend(self.effect(link.metadata.as_deref(), link.id.0));
            }
            findings.extend(self.link(&change));
        }
        for change in changed::<Transfer>(changes) {
            if let (None, Some(transfer)) = (&change.before, &change.after)
                && is_asked_for(transfer)
            {
                findings.extend(self.effect(transfer.metadata.as_deref(), transfer.id.0));
            }
            findings.extend(transfer(&change));
        }
        findings
    }

    /// Checks that one request creates one object, however often it is sent.
    fn effect(&mut self, mark: Option<&str>, id: Uuid) -> Option<Finding> {
        let mark = mark.filter(|mark| mark.starts_with(MARK))?;
        let first = *self.made.entry(mark.to_owned()).or_insert(id);
        let what = format!("was created by a request that had already created {first}");
        (first != id).then(|| Finding { invariant: 8, what, place: id.to_string() })
    }

    fn link(&self, change: &Changed<PayoutLink>) -> Option<Finding> {
        let after = change.after.as_ref()?;
        let finding =
            |invariant, what: String| Some(Finding { invariant, what, place: format!("payout link {}", after.id) });
        let before = change.before.as_ref().map(|link| link.status);
        if !self.has_its_money(after) {
            return finding(9, format!("is {} before its money has arrived", after.status));
        }
        if !link_may_follow(before, after.status) {
            return finding(9, format!("went from {before:?} to {}", after.status));
        }
        let newly_claimed = after.status == LinkStatus::Claimed && before != Some(LinkStatus::Claimed);
        if newly_claimed && after.updated_at >= after.expires_at {
            return finding(9, format!("was claimed after it expired at {}", after.expires_at));
        }
        if after.deliveries > self.deliveries_max {
            return finding(10, format!("was delivered {} times", after.deliveries));
        }
        let same_amount = change.before.as_ref().is_none_or(|before| before.amount == after.amount);
        if !same_amount {
            return finding(9, "changed its amount".to_owned());
        }
        None
    }
}

impl Objects {
    /// A link that is funded from a bank is not delivered before the bank has paid.
    fn has_its_money(&self, link: &PayoutLink) -> bool {
        let is_paid = match self.pulls.get(&link.id) {
            Some(TransferStatus::Completed | TransferStatus::Reversed) => true,
            Some(
                TransferStatus::Created
                | TransferStatus::Flagged
                | TransferStatus::Pending
                | TransferStatus::Failed
                | TransferStatus::Canceled,
            )
            | None => false,
        };
        match link.status {
            LinkStatus::FundsPending => !is_paid,
            LinkStatus::Canceled | LinkStatus::Expired | LinkStatus::Failed => true,
            LinkStatus::Created
            | LinkStatus::DeliveryPending
            | LinkStatus::DeliveryFailed
            | LinkStatus::Sent
            | LinkStatus::Delivered
            | LinkStatus::Claimed
            | LinkStatus::Reversed => is_paid || link.funding_source == FundingSource::ServiceBalance,
        }
    }
}

/// Whether `after` can be reached from `before` in any number of transitions.
fn link_may_follow(before: Option<LinkStatus>, after: LinkStatus) -> bool {
    let Some(before) = before else { return true };
    match before {
        LinkStatus::Created
        | LinkStatus::FundsPending
        | LinkStatus::DeliveryPending
        | LinkStatus::DeliveryFailed
        | LinkStatus::Sent
        | LinkStatus::Delivered => true,
        LinkStatus::Claimed => matches!(after, LinkStatus::Claimed | LinkStatus::Reversed),
        LinkStatus::Reversed | LinkStatus::Canceled | LinkStatus::Expired | LinkStatus::Failed => before == after,
    }
}

/// How the metadata of a client's request begins. Objects that the product creates do not have it.
const MARK: &str = r#"{"mark":"#;

/// Whether a request creates such a transfer directly, so that it has the mark of the request.
fn is_asked_for(transfer: &Transfer) -> bool {
    match transfer.kind {
        TransferKind::Balance | TransferKind::Refill | TransferKind::Payment => true,
        // Every partial payout of a link copies the link's mark.
        TransferKind::Payout => transfer.payout_link.is_none(),
        TransferKind::Payable | TransferKind::Settlement => false,
    }
}

fn transfer(change: &Changed<Transfer>) -> Option<Finding> {
    let after = change.after.as_ref()?;
    let before = change.before.as_ref()?;
    if is_no_transition(change) {
        return None;
    }
    let may_follow = match before.status {
        TransferStatus::Created | TransferStatus::Flagged | TransferStatus::Pending => true,
        // A completed transfer may be returned once. The end of a payment's hold is no transition.
        TransferStatus::Completed => {
            let is_released = after.kind == TransferKind::Payment && after.status == TransferStatus::Completed;
            after.status == TransferStatus::Reversed || is_released
        }
        TransferStatus::Failed | TransferStatus::Reversed | TransferStatus::Canceled => false,
    };
    let what = format!("went from {} to {}", before.status, after.status);
    (!may_follow).then(|| Finding { invariant: 5, what, place: format!("transfer {}", after.id) })
}
