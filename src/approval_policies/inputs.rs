//! A policy as a request carries it.

use serde_json::{Value as Schema, json};
use uuid::Uuid;

use super::model::{Condition, Operator, PolicyStep};
use crate::http::input::{Change, Input, Problems, input, wrong};
use crate::http::inputs::{Amount, Integer, Name, word_input};
use crate::ids::{MemberId, VendorId};
use crate::patch::Patch;
use crate::strict_json::Json;
use crate::world::record::words;

/// Most conditions of a policy.
const CONDITIONS_MAX: usize = 20;
/// Most steps of a policy.
const STEPS_MAX: usize = 10;
/// Most approvers of a step.
const APPROVERS_MAX: i64 = 50;
/// Largest priority number.
const PRIORITY_MAX: i64 = 1_000_000;
/// The priority of a policy whose maker does not say.
pub(super) const PRIORITY_DEFAULT: i64 = 100;

words! {
    /// What a condition is about.
    pub enum ConditionField {
        /// The amount.
        Amount = "amount",
        /// The vendor.
        Vendor = "vendor",
    }
}

word_input!(ConditionField);
word_input!(Operator);

/// What a condition compares with: cents, or a vendor's id.
#[derive(Clone, Debug)]
pub struct ConditionValue(Json);

impl Input for ConditionValue {
    fn read(json: &Json, _: &str) -> Result<Self, Problems> {
        Ok(Self(json.clone()))
    }
    fn schema() -> Schema {
        json!({"anyOf": [Amount::schema(), Uuid::schema()]})
    }
}

input! {
    /// A condition.
    pub struct ConditionParts {
        /// amount or vendor.
        pub field: ConditionField,
        /// <=, == or >=; a vendor is compared with == only.
        pub operator: Operator,
        /// Cents, or the vendor's id.
        pub value: ConditionValue,
    }
}

impl Input for Condition {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let ConditionParts { field, operator, value } = ConditionParts::read(json, at)?;
        let value_at = format!("{at}/value");
        match (field, operator) {
            (ConditionField::Amount, _) => {
                let value = Amount::read(&value.0, &value_at)?.0;
                Ok(Self::Amount { operator, value })
            }
            (ConditionField::Vendor, Operator::Equal) => {
                let value = VendorId::read(&value.0, &value_at)?;
                Ok(Self::Vendor { operator, value })
            }
            (ConditionField::Vendor, Operator::AtMost | Operator::AtLeast) => {
                Err(wrong(&format!("{at}/operator"), "must be == if the field is vendor"))
            }
        }
    }
    fn schema() -> Schema {
        ConditionParts::schema()
    }
}

input! {
    /// A step.
    pub struct StepParts {
        /// How many of the approvers are needed; 1 when not given.
        pub num_approvals_required: Option<Integer<1, APPROVERS_MAX>>,
        /// The ids of the members who may approve here, 1 to 50.
        pub approvers: Vec<MemberId>,
    }
}

impl Input for PolicyStep {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let StepParts { num_approvals_required, approvers } = StepParts::read(json, at)?;
        let required = num_approvals_required.map_or(1, |number| number.0);
        let count = i64::try_from(approvers.len()).unwrap_or(i64::MAX);
        let approvers_at = format!("{at}/approvers");
        if !(1..=APPROVERS_MAX).contains(&count) {
            return Err(wrong(&approvers_at, format!("must name 1 to {APPROVERS_MAX} members")));
        }
        if (1..approvers.len()).any(|place| approvers[..place].contains(&approvers[place])) {
            return Err(wrong(&approvers_at, "must name each member only once"));
        }
        if required > count {
            let message = format!("must be at most {count}, the number of approvers");
            return Err(wrong(&format!("{at}/num_approvals_required"), message));
        }
        Ok(Self { num_approvals_required: u32::try_from(required).unwrap_or(u32::MAX), approvers })
    }
    fn schema() -> Schema {
        StepParts::schema()
    }
}

/// The conditions of a policy; none fits every bill.
#[derive(Clone, Debug)]
pub struct Conditions(pub Vec<Condition>);

impl Input for Conditions {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let conditions = Vec::<Condition>::read(json, at)?;
        if conditions.len() > CONDITIONS_MAX {
            return Err(wrong(at, format!("must have at most {CONDITIONS_MAX} conditions")));
        }
        Ok(Self(conditions))
    }
    fn schema() -> Schema {
        json!({"type": "array", "items": Condition::schema(), "maxItems": CONDITIONS_MAX})
    }
}

/// The steps of a policy, in their order.
#[derive(Clone, Debug)]
pub struct Steps(pub Vec<PolicyStep>);

impl Input for Steps {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let steps = Vec::<PolicyStep>::read(json, at)?;
        if !(1..=STEPS_MAX).contains(&steps.len()) {
            return Err(wrong(at, format!("must have 1 to {STEPS_MAX} steps")));
        }
        Ok(Self(steps))
    }
    fn schema() -> Schema {
        json!({"type": "array", "items": PolicyStep::schema(), "minItems": 1, "maxItems": STEPS_MAX})
    }
}

/// A priority number.
pub type Priority = Integer<0, PRIORITY_MAX>;

input! {
    /// A policy to be made.
    pub struct NewPolicy {
        /// The member who makes it (admin); the app itself when not given.
        pub acting_user_id: Option<MemberId>,
        /// What people call it.
        pub name: Option<Name>,
        /// What a bill must be like; all must hold. Every bill fits when there are none.
        pub conditions: Option<Conditions>,
        /// Who approves, step by step.
        pub steps: Steps,
        /// The lower, the earlier it is looked at; 100 when not given.
        pub priority: Option<Priority>,
        /// Whether it is looked at; true when not given.
        pub active: Option<bool>,
    }
}

input! {
    /// What to change of a policy. What is not sent stays.
    pub struct PolicyChanges {
        /// The member who changes it (admin); the app itself when not given.
        pub acting_user_id: Option<MemberId>,
        /// What people call it.
        pub name: Patch<Name>,
        /// Other conditions.
        pub conditions: Change<Conditions>,
        /// Other steps.
        pub steps: Change<Steps>,
        /// Another priority.
        pub priority: Change<Priority>,
        /// Whether it is looked at.
        pub active: Change<bool>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong_fields<T: Input>(body: &str) -> Vec<String> {
        let json = Json::parse(body.as_bytes()).unwrap();
        T::read(&json, "").err().unwrap().into_iter().map(|problem| problem.field).collect()
    }

    const ANN: &str = "00000000-0000-0000-0000-000000000001";

    #[test]
    fn conditions_that_make_no_sense_are_refused() {
        for (body, field) in [
            (r#"{"field": "amount", "operator": "<", "value": 1}"#, "/operator"),
            (r#"{"field": "amount", "operator": "<=", "value": 0}"#, "/value"),
            (r#"{"field": "amount", "operator": "<=", "value": "1"}"#, "/value"),
            (r#"{"field": "vendor", "operator": ">=", "value": "00000000-0000-0000-0000-000000000001"}"#, "/operator"),
            (r#"{"field": "vendor", "operator": "==", "value": 7}"#, "/value"),
            (r#"{"field": "country", "operator": "==", "value": 7}"#, "/field"),
        ] {
            assert_eq!(wrong_fields::<Condition>(body), [field], "{body}");
        }
    }

    #[test]
    fn steps_that_no_member_could_fulfill_are_refused() {
        let step =
            |required: i64, approvers: &[&str]| json!({"num_approvals_required": required, "approvers": approvers});
        let wrong = |step: Schema| wrong_fields::<PolicyStep>(&step.to_string());
        assert_eq!(wrong(step(2, &[ANN])), ["/num_approvals_required"]);
        assert_eq!(wrong(step(0, &[ANN])), ["/num_approvals_required"]);
        assert_eq!(wrong(step(1, &[])), ["/approvers"]);
        assert_eq!(wrong(step(2, &[ANN, ANN])), ["/approvers"]);
        assert_eq!(wrong_fields::<Steps>("[]"), ["/"]);
        let many = json!([step(1, &[ANN]), step(1, &[ANN])]).to_string();
        assert_eq!(Steps::read(&Json::parse(many.as_bytes()).unwrap(), "").unwrap().0.len(), 2);
    }
}
