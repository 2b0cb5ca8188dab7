//! Rules for payments to a vendor's account (docs/decisions.md 10). Pure.

use super::model::{MethodStatus, VendorPaymentMethod};
use crate::clock::{DAY_SECONDS, Time};
use crate::ids::MemberId;
use crate::money::Cents;
use crate::reason::{Details, Reason};
use crate::refusal::{Code, Refusal};
use crate::world::states::{self, TransitionRow};

/// Rest after the confirmation, in seconds: long enough for the vendor or an absent colleague to object.
pub const REST_SECONDS: i64 = DAY_SECONDS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VendorEvent {
    /// By a second member.
    Confirmed,
    Deleted,
}

impl VendorEvent {
    /// All events, for tests and docs/states.md.
    pub const ALL: [Self; 2] = [Self::Confirmed, Self::Deleted];
}

pub fn apply(status: MethodStatus, event: VendorEvent) -> Result<MethodStatus, Refusal> {
    states::apply("payment method", status, |status| transition(status, event), way_out)
}

/// Returns what a caller can do with a payment method in a state.
const fn way_out(status: MethodStatus) -> &'static str {
    match status {
        MethodStatus::Unconfirmed => "Let a second member confirm it, or delete it.",
        MethodStatus::Confirmed => "It needs no other confirmation.",
        MethodStatus::Deleted => "Add another payment method.",
    }
}

const fn transition(status: MethodStatus, event: VendorEvent) -> Option<MethodStatus> {
    match (status, event) {
        (MethodStatus::Unconfirmed, VendorEvent::Confirmed) => Some(MethodStatus::Confirmed),
        (MethodStatus::Unconfirmed | MethodStatus::Confirmed, VendorEvent::Deleted) => Some(MethodStatus::Deleted),
        (MethodStatus::Confirmed | MethodStatus::Deleted, VendorEvent::Confirmed)
        | (MethodStatus::Deleted, VendorEvent::Deleted) => None,
    }
}

pub fn is_second_member(method: &VendorPaymentMethod, member: MemberId) -> Result<(), Refusal> {
    if method.added_by == Some(member) {
        let message = "The member who added the payment method cannot confirm it. Let another member confirm it.";
        return Err(Refusal::field(Code::SelfApproval, "/acting_user_id", message));
    }
    Ok(())
}

/// Refuses payment to an account that is unconfirmed, still rests, or is deleted.
pub fn may_be_paid(method: &VendorPaymentMethod, now: Time) -> Result<(), Refusal> {
    let (reason, message) = match (method.status, method.usable_at) {
        (MethodStatus::Confirmed, Some(usable_at)) if now >= usable_at => return Ok(()),
        (MethodStatus::Confirmed, Some(usable_at)) => {
            (Reason::TooEarly, format!("The vendor's payment method is new and usable from {usable_at}. Pay then."))
        }
        (MethodStatus::Unconfirmed, _) | (MethodStatus::Confirmed, None) => {
            (Reason::MemberNeeded, "A second member must confirm the vendor's payment method first.".to_owned())
        }
        (MethodStatus::Deleted, _) => {
            let message = "The vendor's payment method was deleted. Name another one in the payable.";
            (Reason::ObjectDeleted, message.to_owned())
        }
    };
    let refusal = Refusal::new(Code::InvalidState, message).because(reason);
    Err(match method.usable_at.filter(|_| reason == Reason::TooEarly) {
        Some(usable_at) => refusal.with(Details::allowed_at(usable_at)),
        None => refusal,
    })
}

/// Refuses payments above the limit to a vendor's first account on its first day, because no second member has checked
/// it. `total` includes payments in progress to the account, so that many small payments cannot bypass the limit.
pub fn first_has_rested(
    method: &VendorPaymentMethod,
    total: Cents,
    limit: Option<Cents>,
    now: Time,
) -> Result<(), Refusal> {
    let Some(limit) = limit.filter(|limit| total > *limit) else { return Ok(()) };
    let (None, Some(confirmed_at)) = (method.confirmed_by, method.confirmed_at) else { return Ok(()) };
    let rested_at = confirmed_at.plus_seconds(REST_SECONDS);
    if now >= rested_at {
        return Ok(());
    }
    let message = format!(
        "The payment method is the first of a new vendor. Until {rested_at} its payments are limited to {} in total, \
         the app's payable_approval_limit; with this payment the total would be {}. Pay after that time.",
        limit.dollars(),
        total.dollars()
    );
    Err(Refusal::new(Code::InvalidState, message).because(Reason::TooEarly).with(Details::allowed_at(rested_at)))
}

/// Returns all transitions for docs/states.md.
pub fn transitions() -> Vec<TransitionRow> {
    states::transitions(&VendorEvent::ALL, transition)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{AppId, BankAccountId, OrgId, VendorId, VendorPaymentMethodId};
    use uuid::Uuid;

    fn method(status: MethodStatus, usable_at: Option<Time>) -> VendorPaymentMethod {
        let at = Time::from_micros(0);
        VendorPaymentMethod {
            org: OrgId(Uuid::nil()),
            id: VendorPaymentMethodId(Uuid::nil()),
            app: AppId(Uuid::nil()),
            vendor: VendorId(Uuid::nil()),
            bank_account: BankAccountId(Uuid::nil()),
            name: "Corner Shop".into(),
            status,
            added_by: Some(MemberId(Uuid::from_u128(1))),
            confirmed_by: None,
            confirmed_at: None,
            usable_at,
            version: 1,
            created_at: at,
            updated_at: at,
        }
    }

    #[test]
    fn every_pair_of_state_and_event() {
        let to = |status| VendorEvent::ALL.map(|event| transition(status, event));
        assert_eq!(to(MethodStatus::Unconfirmed), [Some(MethodStatus::Confirmed), Some(MethodStatus::Deleted)]);
        assert_eq!(to(MethodStatus::Confirmed), [None, Some(MethodStatus::Deleted)]);
        assert_eq!(to(MethodStatus::Deleted), [None, None]);
    }

    #[test]
    fn an_account_is_paid_to_when_it_is_confirmed_and_has_rested() {
        let at = |seconds| Time::from_micros(seconds * 1_000_000);
        let paid =
            |status, usable_at: Option<i64>, now| may_be_paid(&method(status, usable_at.map(at)), at(now)).is_ok();
        assert!(paid(MethodStatus::Confirmed, Some(10), 10));
        assert!(!paid(MethodStatus::Confirmed, Some(10), 9), "a second too early");
        assert!(!paid(MethodStatus::Confirmed, None, 10));
        assert!(!paid(MethodStatus::Unconfirmed, Some(0), 10));
        assert!(!paid(MethodStatus::Deleted, Some(0), 10));
    }

    #[test]
    fn a_first_account_rests_for_a_day_above_the_limit() {
        let at = |seconds| Time::from_micros(seconds * 1_000_000);
        let first = VendorPaymentMethod { confirmed_at: Some(at(0)), ..method(MethodStatus::Confirmed, Some(at(0))) };
        let paid = |method: &VendorPaymentMethod, total, limit: Option<i64>, now| {
            first_has_rested(method, Cents::new(total), limit.map(Cents::new), at(now)).is_ok()
        };
        assert!(paid(&first, 100, Some(100), 0));
        assert!(!paid(&first, 101, Some(100), REST_SECONDS - 1), "a second too early");
        assert!(paid(&first, 101, Some(100), REST_SECONDS));
        assert!(paid(&first, 101, None, 0), "without a limit nothing rests");
        let later = VendorPaymentMethod { confirmed_by: Some(MemberId(Uuid::from_u128(2))), ..first };
        assert!(paid(&later, 101, Some(100), 0), "a confirmed one has rested by its own rule");
    }

    #[test]
    fn who_added_an_account_does_not_confirm_it() {
        let method = method(MethodStatus::Unconfirmed, None);
        let refused = is_second_member(&method, MemberId(Uuid::from_u128(1))).unwrap_err();
        assert_eq!(refused.code, Code::SelfApproval);
        assert!(is_second_member(&method, MemberId(Uuid::from_u128(2))).is_ok());
    }
}
