//! Selects the policy of a bill. Pure.

use std::sync::Arc;

use super::model::{ApprovalPolicy, Condition, Operator};
use crate::ids::VendorId;
use crate::money::Cents;

/// Returns the active policy whose conditions all hold, with the lowest priority number; the oldest of equal ones.
pub fn choose(policies: &[Arc<ApprovalPolicy>], amount: Cents, vendor: VendorId) -> Option<&Arc<ApprovalPolicy>> {
    let fitting = policies.iter().filter(|policy| {
        policy.active && policy.deleted_at.is_none() && policy.conditions.0.iter().all(|it| holds(it, amount, vendor))
    });
    fitting.min_by_key(|policy| (policy.priority, policy.id))
}

pub fn holds(condition: &Condition, amount: Cents, vendor: VendorId) -> bool {
    match condition {
        Condition::Amount { operator: Operator::AtMost, value } => amount <= *value,
        Condition::Amount { operator: Operator::Equal, value } => amount == *value,
        Condition::Amount { operator: Operator::AtLeast, value } => amount >= *value,
        Condition::Vendor { value, .. } => vendor == *value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Time;
    use crate::ids::{AppId, ApprovalPolicyId, OrgId};
    use crate::world::record::Document;
    use uuid::Uuid;

    const SHOP: VendorId = VendorId(Uuid::from_u128(7));

    fn policy(id: u128, priority: i64, conditions: Vec<Condition>) -> Arc<ApprovalPolicy> {
        let at = Time::from_micros(0);
        Arc::new(ApprovalPolicy {
            org: OrgId(Uuid::nil()),
            id: ApprovalPolicyId(Uuid::from_u128(id)),
            app: AppId(Uuid::nil()),
            name: None,
            conditions: Document(conditions),
            steps: Document(Vec::new()),
            priority,
            active: true,
            updated_by: None,
            version: 1,
            created_at: at,
            updated_at: at,
            deleted_at: None,
        })
    }

    fn chosen(policies: &[Arc<ApprovalPolicy>], amount: i64, vendor: VendorId) -> Option<u128> {
        choose(policies, Cents::new(amount), vendor).map(|policy| policy.id.0.as_u128())
    }

    #[test]
    fn each_operator_at_its_boundary() {
        let amount = |operator| Condition::Amount { operator, value: Cents::new(100) };
        let holds_at = |operator| [99, 100, 101].map(|cents| holds(&amount(operator), Cents::new(cents), SHOP));
        assert_eq!(holds_at(Operator::AtMost), [true, true, false]);
        assert_eq!(holds_at(Operator::Equal), [false, true, false]);
        assert_eq!(holds_at(Operator::AtLeast), [false, true, true]);
        let vendor = Condition::Vendor { operator: Operator::Equal, value: SHOP };
        assert!(holds(&vendor, Cents::new(1), SHOP) && !holds(&vendor, Cents::new(1), VendorId(Uuid::nil())));
    }

    #[test]
    fn the_lowest_priority_number_wins_and_then_the_oldest() {
        let large = Condition::Amount { operator: Operator::AtLeast, value: Cents::new(1_000) };
        let shop = Condition::Vendor { operator: Operator::Equal, value: SHOP };
        let policies = [
            policy(1, 50, vec![]),
            policy(2, 10, vec![large]),
            policy(3, 10, vec![large, shop]),
            policy(4, 5, vec![shop]),
        ];
        assert_eq!(chosen(&policies, 999, VendorId(Uuid::nil())), Some(1), "what has no condition fits all");
        assert_eq!(chosen(&policies, 1_000, VendorId(Uuid::nil())), Some(2));
        assert_eq!(chosen(&policies, 1_000, SHOP), Some(4));
        assert_eq!(chosen(&policies[1..3], 1_000, SHOP), Some(2), "of equal ones the oldest");
        assert_eq!(chosen(&policies[1..3], 1, SHOP), None);
    }

    #[test]
    fn one_that_is_not_active_or_was_deleted_is_not_chosen() {
        let mut resting = ApprovalPolicy::clone(&policy(1, 1, vec![]));
        resting.active = false;
        let mut deleted = ApprovalPolicy::clone(&policy(2, 1, vec![]));
        deleted.deleted_at = Some(Time::from_micros(1));
        assert_eq!(chosen(&[Arc::new(resting), Arc::new(deleted)], 1, SHOP), None);
    }
}
