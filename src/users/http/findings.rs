use serde::Serialize;
use serde_json::json;

use super::path::user_of;
use crate::acting::Named;
use crate::clock::Time;
use crate::http::lists::{ListEnvelope, list_query, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::{ComplianceDecisionId, MemberId, UserId};
use crate::input::types::Text;
use crate::input::types::word_input;
use crate::input::{Change, input};
use crate::permission::Permission;
use crate::refusal::Code;
use crate::users::findings::{
    ComplianceChange, ComplianceDecision, Findings, RecordFindings, ReviewStage, TaxOfficeAnswer,
};
use crate::users::{BackgroundCheckStatus, UserJson, find_in_organization};
use crate::world::query::{Compare, Query};
use crate::world::record::Cell as _;

word_input!(crate::users::findings::TaxOfficeAnswer);
word_input!(crate::users::findings::ReviewStage);

input! {
    /// The state of a background check.
    pub struct BackgroundCheckInput {
        /// The new state.
        pub status: BackgroundCheckStatus,
    }
}

input! {
    /// Warnings to clear or raise.
    pub struct FlagsInput {
        /// For a user under a sanctions review: whether the review waits for a document.
        pub ofac_status: Change<ReviewStage>,
        /// An account is shared with other users.
        pub payout_method: Change<bool>,
        /// Payout methods change suspiciously often; payouts wait for a member.
        pub payout_method_cycle: Change<bool>,
        /// An account has another holder's name; payouts wait for a member.
        pub name_mismatch: Change<bool>,
    }
}

input! {
    /// The findings, named as in the user's compliance object. Fields that are not sent stay unchanged.
    pub struct FindingsInput {
        /// A member with the role admin.
        pub acting_user_id: MemberId,
        /// The evidence for the decision; it is kept.
        pub comment: Text<500>,
        /// Whether an identity document was checked. A change of the user's name resets it.
        pub id_verified: Change<bool>,
        /// Whether a background check found a criminal record.
        pub has_criminal_activity: Change<bool>,
        /// The background check.
        pub background_check: Change<BackgroundCheckInput>,
        /// The tax office's answer about the W-9.
        pub tax_id_verification: Change<TaxOfficeAnswer>,
        /// Warnings.
        pub flags: Change<FlagsInput>,
    }
}

impl FindingsInput {
    fn findings(&self) -> Findings {
        let flags = self.flags.0.as_ref();
        Findings {
            id_verified: self.id_verified.0,
            has_criminal_activity: self.has_criminal_activity.0,
            background_check: self.background_check.0.as_ref().map(|check| check.status),
            tax_id_verification: self.tax_id_verification.0,
            ofac_status: flags.and_then(|flags| flags.ofac_status.0),
            payout_method: flags.and_then(|flags| flags.payout_method.0),
            payout_method_cycle: flags.and_then(|flags| flags.payout_method_cycle.0),
            name_mismatch: flags.and_then(|flags| flags.name_mismatch.0),
        }
    }
}

pub async fn update(call: Call) -> Outcome {
    let (scope, user) = user_of(&call)?;
    let command = call.body::<FindingsInput>().map(|input| {
        let findings = input.findings();
        let acting = Named::by(&call.caller, input.acting_user_id);
        RecordFindings { scope, user, acting, comment: input.comment.0, findings }
    });
    call.once(command, Answer::ok).await
}

/// A member's decision about a user's compliance.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ComplianceDecision)]
pub struct ComplianceDecisionJson {
    /// The decision's id.
    pub id: ComplianceDecisionId,
    /// The user of the decision.
    pub user_id: UserId,
    /// The member who decided.
    pub decided_by: MemberId,
    /// The member's reason.
    pub comment: String,
    /// The changed fields.
    pub changes: Vec<ComplianceChange>,
    /// The time of the decision.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
}

impl From<&ComplianceDecision> for ComplianceDecisionJson {
    fn from(decision: &ComplianceDecision) -> Self {
        Self {
            id: decision.id,
            user_id: decision.user_id,
            decided_by: decision.decided_by,
            comment: decision.comment.clone(),
            changes: decision.changes.0.clone(),
            created: decision.created_at,
        }
    }
}

list_query! {
    /// Filters for decisions.
    pub struct ComplianceDecisionsQuery {}
}

pub async fn list(call: Call) -> Outcome {
    let id: UserId = call.id("user_id", "user")?;
    let (org, app) = (call.caller.org, call.caller.app);
    let query: ComplianceDecisionsQuery = call.query()?;
    let list = call
        .read(move |world| {
            let user = match app {
                Some(app) => crate::users::find(world, crate::scope::Scope { org, app }, id)?,
                None => find_in_organization(world, org, id)?,
            };
            let all = Query::of::<ComplianceDecision>(org.to_value(), "id", 1);
            let of_user = all.filter("user_id", Compare::Equal, user.id.to_value());
            let found = page::<ComplianceDecision>(world, of_user, &query.asked(), |decisions| decisions)?;
            Ok(found.envelope(|decision| ComplianceDecisionJson::from(decision)))
        })
        .await?;
    Ok(Answer::ok(&list))
}

pub(super) fn routes() -> Vec<Route> {
    let example = json!({
        "acting_user_id": "01a0c450-6c00-7000-8000-e9aa48460b4d", "comment": "Passport and bank statement seen.",
        "id_verified": true, "flags": {"name_mismatch": false},
    });
    vec![
        route!(Patch "/v2/users/{user_id}/compliance" OrganizationForApp "update_user_compliance" update)
            .members(Permission::Govern)
            .about("Users", "Record a finding about a user")
            .describe("Records a document check, the state of a background check, the response of the tax office, or warnings that are cleared or raised. bursar stores the member, the time and the reason. Payouts of a user with the warning payout_method_cycle or name_mismatch are flagged and wait until a member approves or cancels them.")
            .takes::<FindingsInput>()
            .example(example)
            .gives::<UserJson>(200, "The user.")
            .refuses(&[
                Code::MemberProofRequired,
                Code::NotFound,
                Code::NotPermitted,
                Code::UserInactive,
                Code::InvalidState,
            ]),
        route!(Get "/v2/users/{user_id}/compliance-decisions" AppOrOrganization "list_compliance_decisions" list)
            .about("Users", "List the findings about a user")
            .describe("Lists the decisions of members about a user's compliance fields, newest first.")
            .asks::<ComplianceDecisionsQuery>()
            .gives::<ListEnvelope<ComplianceDecisionJson>>(200, "The findings, newest first, each with its member and reason.")
            .refuses(&[Code::NotFound]),
    ]
}
