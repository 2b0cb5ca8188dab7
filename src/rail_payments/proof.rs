//! Invariant 58: a payment at a provider belongs to one payout of the same amount and rail; a provider that may have a
//! payment was called after an attempt was committed; an order is stored from the first attempt to acceptance only. Pure.

use super::model::{PaymentStatus, RailPayment};
use crate::transfers::{Transfer, TransferKind, TransferStatus};

/// Returns what is wrong with a payment and its transfer.
#[must_use]
pub fn contradiction(payment: &RailPayment, transfer: Option<&Transfer>) -> Option<&'static str> {
    let Some(transfer) = transfer else { return Some("belongs to a transfer that does not exist") };
    let is_its_payout = transfer.kind == TransferKind::Payout
        && (transfer.app, transfer.arrives, transfer.platform) == (payment.app, payment.amount, Some(payment.platform));
    if !is_its_payout {
        return Some("differs from its payout in app, amount or rail");
    }
    let was_called = payment.attempts > 0 && payment.attempted_at.is_some();
    let (may_have_it, has_order) = match payment.status {
        PaymentStatus::Queued | PaymentStatus::Withdrawn => (false, false),
        PaymentStatus::Attempted => (true, true),
        PaymentStatus::Accepted | PaymentStatus::Completed | PaymentStatus::Returned => (true, false),
        // Without a call, if the account was changed in the store.
        PaymentStatus::Failed => (was_called, false),
    };
    if may_have_it != was_called {
        return Some("is in a state that does not agree with its attempts");
    }
    if payment.sealed_order.is_some() != has_order {
        return Some("keeps an order that it does not need, or lacks the one that it needs");
    }
    (!agrees(payment.status, transfer.status)).then_some("is in a state that does not agree with its transfer")
}

/// Returns whether the states agree. The transfer follows the payment in a later commit.
const fn agrees(payment: PaymentStatus, transfer: TransferStatus) -> bool {
    use TransferStatus::{Canceled, Completed, Created, Failed, Flagged, Pending, Reversed};
    match (payment, transfer) {
        (PaymentStatus::Queued | PaymentStatus::Attempted, Created | Pending)
        | (PaymentStatus::Accepted, Created | Pending)
        | (PaymentStatus::Completed, Created | Pending | Completed)
        | (PaymentStatus::Failed, Created | Pending | Failed)
        | (PaymentStatus::Returned, Created | Pending | Completed | Reversed)
        | (PaymentStatus::Withdrawn, Canceled) => true,
        (PaymentStatus::Queued | PaymentStatus::Attempted | PaymentStatus::Accepted, _)
        | (PaymentStatus::Completed | PaymentStatus::Failed | PaymentStatus::Returned | PaymentStatus::Withdrawn, _) => {
            let _ = Flagged;
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Time;
    use crate::ids::{AppId, OrgId, RailProviderId, RailRouteId, TransferId};
    use crate::money::Cents;
    use crate::platform::Platform;
    use uuid::Uuid;

    fn pair() -> (RailPayment, Transfer) {
        let (org, app, id) = (OrgId(Uuid::from_u128(1)), AppId(Uuid::from_u128(2)), TransferId(Uuid::from_u128(3)));
        let now = Time::from_micros(0);
        let transfer = Transfer::new(org, app, id, TransferKind::Payout, Cents::new(100), now);
        let transfer = Transfer { platform: Some(Platform::WalletA), status: TransferStatus::Pending, ..transfer };
        let payment = RailPayment {
            org,
            transfer: id,
            app,
            route: RailRouteId(Uuid::nil()),
            provider: RailProviderId(Uuid::nil()),
            platform: Platform::WalletA,
            amount: Cents::new(100),
            status: PaymentStatus::Accepted,
            attempts: 1,
            first_attempted_at: Some(now),
            attempted_at: Some(now),
            sealed_order: None,
            reference: None,
            fee: None,
            failure: None,
            doubt: None,
            decision: None,
            look_up: None,
            version: 1,
            created_at: now,
            updated_at: now,
        };
        (payment, transfer)
    }

    #[test]
    fn each_contradiction_is_found() {
        let (payment, transfer) = pair();
        assert_eq!(contradiction(&payment, Some(&transfer)), None);
        assert!(contradiction(&payment, None).is_some());
        let edits: [fn(&mut RailPayment); 6] = [
            |payment| payment.amount = Cents::new(99),
            |payment| payment.platform = Platform::WalletB,
            |payment| payment.attempts = 0,
            |payment| payment.status = PaymentStatus::Queued,
            |payment| payment.sealed_order = Some(Vec::new()),
            |payment| payment.status = PaymentStatus::Withdrawn,
        ];
        for (number, edit) in edits.into_iter().enumerate() {
            let mut changed = payment.clone();
            edit(&mut changed);
            assert!(contradiction(&changed, Some(&transfer)).is_some(), "{number}");
        }
        let completed = Transfer { status: TransferStatus::Completed, ..transfer };
        assert!(contradiction(&payment, Some(&completed)).is_some(), "completed without the provider");
    }
}
