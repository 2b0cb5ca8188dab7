use serde_json::{Value as Schema, json};
use uuid::Uuid;

use super::model::{Condition, Operator, PolicyStep};
use crate::ids::{MemberId, VendorId};
use crate::input::types::{Amount, Integer, Name, word_input};
use crate::input::{Change, Input, Problems, input, wrong};
use crate::patch::Patch;
use crate::strict_json::Json;
use crate::world::record::words;

const CONDITIONS_MAX: usize = 20;
const STEPS_MAX: usize = 10;
const APPROVERS_MAX: i64 = 50;
const PRIORITY_MAX: i64 = 1_000_000;
pub(super) const PRIORITY_DEFAULT: i64 = 100;

words! {
    /// The field that a condition tests.
    pub enum ConditionField {
        /// The amount.
        Amount = "amount",
        /// The vendor.
        Vendor = "vendor",
    }
}

word_input!(ConditionField);
word_input!(Operator);

/// The value of a condition: cents, or a vendor's id.
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
        /// <=, == or >=; only == for a vendor.
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
        /// The number of approvals needed; 1 if not given.
        pub num_approvals_required: Option<Integer<1, APPROVERS_MAX>>,
        /// The ids of the members who may approve this step, 1 to 50.
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

/// The conditions of a policy; without any, every bill matches.
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

pub type Priority = Integer<0, PRIORITY_MAX>;

input! {
    /// A new policy.
    pub struct NewPolicy {
        /// The member who creates it (admin); the app itself if not given.
        pub acting_user_id: Option<MemberId>,
        /// The policy's name.
        pub name: Option<Name>,
        /// The conditions, all of which a bill must meet. Without any, every bill matches.
        pub conditions: Option<Conditions>,
        /// The approval steps, in order.
        pub steps: Steps,
        /// Policies are evaluated from the lowest number; 100 if not given.
        pub priority: Option<Priority>,
        /// Whether the policy is active; true if not given.
        pub active: Option<bool>,
    }
}

input! {
    /// The changes of a policy. Fields that are not sent are unchanged.
    pub struct PolicyChanges {
        /// The member who changes it (admin); the app itself if not given.
        pub acting_user_id: Option<MemberId>,
        /// The policy's name.
        pub name: Patch<Name>,
        /// The new conditions.
        pub conditions: Change<Conditions>,
        /// The new steps.
        pub steps: Change<Steps>,
        /// The new priority.
        pub priority: Change<Priority>,
        /// Whether the policy is active.
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
