//! Records what members of the organization found out about a user: a document check, a background check, the answer of
//! the tax office, the review of a warning.
//!
//! Invariant: each change is committed together with its author, time and reason. `screening` decides sanctions
//! matches; results of external providers are entered by a member.
//!
//! Start at [`RecordFindings`].

use serde::{Deserialize, Serialize};

use super::model::{BackgroundCheckStatus, OfacStatus, TaxIdVerification, User};
use super::rows::find;
use super::{UserJson, change, json, rules};
use crate::acting::{Act, Named, proven};
use crate::clock::Time;
use crate::engine::Command;
use crate::events::EventName;
use crate::ids::{ComplianceDecisionId, MemberId, OrgId, UserId};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::{Document, record, words};
use crate::world::{Halt, World};

words! {
    /// The tax office's answer about the name and number of a W-9.
    pub enum TaxOfficeAnswer {
        Pending = "pending",
        Matched = "matched",
        /// Name and number do not match: another form is due once the year's payments reach the threshold.
        Mismatched = "mismatched",
    }
}

words! {
    /// The stage of a sanctions review.
    pub enum ReviewStage {
        InReview = "in_review",
        /// The review waits for an identity document.
        IdVerificationRequired = "id_verification_required",
    }
}

/// The findings to record. A field with `None` stays unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    pub id_verified: Option<bool>,
    pub has_criminal_activity: Option<bool>,
    pub background_check: Option<BackgroundCheckStatus>,
    pub tax_id_verification: Option<TaxOfficeAnswer>,
    pub ofac_status: Option<ReviewStage>,
    pub payout_method: Option<bool>,
    pub payout_method_cycle: Option<bool>,
    pub name_mismatch: Option<bool>,
}

/// One field that a decision changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ComplianceChange {
    /// The field's name in the user's compliance object, such as `flags.name_mismatch`.
    pub field: String,
    /// The previous value.
    pub from: String,
    /// The new value.
    pub to: String,
}

record! {
    /// A member's decision about a user's compliance. Never changed or removed: an examiner asks for the author and the
    /// reason.
    pub struct ComplianceDecision in "compliance_decisions" {
        key (org, id)
        many OF_USER (org, user_id);
        pub org: OrgId,
        pub id: ComplianceDecisionId,
        pub user_id: UserId,
        pub decided_by: MemberId,
        pub comment: String,
        pub changes: Document<Vec<ComplianceChange>>,
        pub created_at: Time,
    }
}

#[derive(Clone, Debug)]
pub struct RecordFindings {
    pub scope: Scope,
    pub user: UserId,
    /// Must be a member with the role admin.
    pub acting: Named,
    pub comment: String,
    pub findings: Findings,
}

impl Command for RecordFindings {
    type Reply = UserJson;

    fn decide(&self, world: &mut World) -> Result<UserJson, Halt> {
        let org = self.scope.org;
        let user = find(world, self.scope, self.user)?;
        let actor = proven(world, self.scope, self.acting, Act::Govern)?;
        rules::must_be_active(&user)?;
        self.findings.may_be_recorded(&user)?;
        let now = world.now();
        let mut edited = User::clone(&user);
        let changes = self.findings.apply(&mut edited, now);
        if changes.is_empty() {
            return json(world, self.scope, &user);
        }

        // From here it must succeed.
        let id = world.id();
        world.add(ComplianceDecision {
            org,
            id,
            user_id: user.id,
            decided_by: actor.member,
            comment: self.comment.clone(),
            changes: Document(changes),
            created_at: now,
        });
        let user = change(world, &user, EventName::UserUpdated, |user| *user = edited)?;
        json(world, self.scope, &user)
    }
}

impl Findings {
    fn may_be_recorded(&self, user: &User) -> Result<(), Refusal> {
        let known = &user.compliance.0;
        if let Some(to) = self.background_check {
            let from = known.background_check;
            if from != to && !may_follow(from, to) {
                let is_next = |status: &BackgroundCheckStatus| may_follow(from, *status);
                let next: Vec<_> =
                    BackgroundCheckStatus::ALL.iter().filter(|it| is_next(it)).map(|it| it.as_str()).collect();
                let message =
                    format!("A background check that is {from} can change to: {}; not to {to}.", next.join(", "));
                return Err(Refusal::field(Code::InvalidState, "/background_check/status", message)
                    .because(Reason::StatusNotAllowed));
            }
        }
        if self.tax_id_verification.is_some() && known.w9.is_none() {
            let message = "The user has no W-9, so there is no tax number to match. Collect a W-9 first.";
            return Err(
                Refusal::field(Code::InvalidState, "/tax_id_verification", message).because(Reason::StepMissing)
            );
        }
        if self.ofac_status.is_some() {
            match known.flags.ofac_status {
                OfacStatus::InReview | OfacStatus::IdVerificationRequired => {}
                OfacStatus::Unflagged | OfacStatus::Flagged => {
                    let message = "The user is not under a sanctions review. Omit flags.ofac_status.";
                    return Err(Refusal::field(Code::InvalidState, "/flags/ofac_status", message)
                        .because(Reason::StatusNotAllowed));
                }
            }
        }
        Ok(())
    }

    fn apply(&self, user: &mut User, now: Time) -> Vec<ComplianceChange> {
        let before = user.compliance.0.clone();
        let known = &mut user.compliance.0;
        set(&mut known.id_verified, self.id_verified);
        set(&mut known.has_criminal_activity, self.has_criminal_activity);
        set(&mut known.background_check, self.background_check);
        if known.background_check != before.background_check {
            known.background_check_updated_micros = Some(now.micros());
        }
        set(&mut known.tax_id_verification, self.tax_id_verification.map(TaxIdVerification::from));
        set(&mut known.flags.ofac_status, self.ofac_status.map(OfacStatus::from));
        // The awaited document was checked, so the review continues.
        let was_awaited = known.flags.ofac_status == OfacStatus::IdVerificationRequired;
        if was_awaited && known.id_verified && self.ofac_status.is_none() {
            known.flags.ofac_status = OfacStatus::InReview;
        }
        set(&mut known.flags.payout_method, self.payout_method);
        set(&mut known.flags.payout_method_cycle, self.payout_method_cycle);
        set(&mut known.flags.name_mismatch, self.name_mismatch);
        if before.flags.payout_method_cycle && !known.flags.payout_method_cycle {
            // The count restarts, so that the next method alone raises no warning.
            known.methods_set_up_micros.clear();
        }
        let after = user.compliance.0.clone();
        let reported = |field: &str, from: String, to: String| {
            (from != to).then(|| ComplianceChange { field: field.to_owned(), from, to })
        };
        let yes_or_no = |field: &str, from: bool, to: bool| reported(field, from.to_string(), to.to_string());
        let word = |field: &str, from: &str, to: &str| reported(field, from.to_owned(), to.to_owned());
        let (was, is) = (&before.flags, &after.flags);
        [
            yes_or_no("id_verified", before.id_verified, after.id_verified),
            yes_or_no("has_criminal_activity", before.has_criminal_activity, after.has_criminal_activity),
            word("background_check.status", before.background_check.as_str(), after.background_check.as_str()),
            word("tax_id_verification", before.tax_id_verification.as_str(), after.tax_id_verification.as_str()),
            word("flags.ofac_status", was.ofac_status.as_str(), is.ofac_status.as_str()),
            yes_or_no("flags.payout_method", was.payout_method, is.payout_method),
            yes_or_no("flags.payout_method_cycle", was.payout_method_cycle, is.payout_method_cycle),
            yes_or_no("flags.name_mismatch", was.name_mismatch, is.name_mismatch),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

fn set<T>(known: &mut T, found: Option<T>) {
    if let Some(found) = found {
        *known = found;
    }
}

impl From<TaxOfficeAnswer> for TaxIdVerification {
    fn from(answer: TaxOfficeAnswer) -> Self {
        match answer {
            TaxOfficeAnswer::Pending => Self::Pending,
            TaxOfficeAnswer::Matched => Self::Matched,
            TaxOfficeAnswer::Mismatched => Self::Mismatched,
        }
    }
}

impl From<ReviewStage> for OfacStatus {
    fn from(stage: ReviewStage) -> Self {
        match stage {
            ReviewStage::InReview => Self::InReview,
            ReviewStage::IdVerificationRequired => Self::IdVerificationRequired,
        }
    }
}

/// Returns whether a background check may change from one state to another. `consider` is a finding that a member still
/// has to assess. A finished check may expire, be restarted, or be reset to `not_started`.
const fn may_follow(from: BackgroundCheckStatus, to: BackgroundCheckStatus) -> bool {
    use BackgroundCheckStatus::{
        Canceled, Consider, Expired, Failed, InformationMismatch, NotStarted, Pass, Pending, Started,
    };
    match (from, to) {
        (NotStarted, Started)
        | (Started, Pending | Consider | Pass | Failed | Canceled | Expired | InformationMismatch)
        | (Pending, Consider | Pass | Failed | Canceled | Expired | InformationMismatch)
        | (Consider, Pass | Failed | Canceled | Expired)
        | (Pass | Failed, Expired)
        | (Pass | Failed | Canceled | Expired | InformationMismatch, Started)
        | (Started | Pending | Consider | Pass | Failed | Canceled | Expired | InformationMismatch, NotStarted) => true,
        (NotStarted, NotStarted | Pending | Consider | Pass | Failed | Canceled | Expired | InformationMismatch)
        | (Started, Started)
        | (Pending, Started | Pending)
        | (Consider, Started | Pending | Consider | InformationMismatch)
        | (Pass | Failed, Pending | Consider | Pass | Failed | Canceled | InformationMismatch)
        | (
            Canceled | Expired | InformationMismatch,
            Pending | Consider | Pass | Failed | Canceled | Expired | InformationMismatch,
        ) => false,
    }
}

/// Returns every transition of a background check for docs/states.md: from, event, to.
pub fn background_check_transitions() -> Vec<(&'static str, String, &'static str)> {
    let all = BackgroundCheckStatus::ALL;
    let pairs = all.iter().flat_map(|from| all.iter().map(move |to| (*from, *to)));
    pairs
        .filter(|(from, to)| may_follow(*from, *to))
        .map(|(from, to)| (from.as_str(), "Recorded".to_owned(), to.as_str()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_states_of_a_background_check() {
        let follow: Vec<String> = BackgroundCheckStatus::ALL
            .iter()
            .map(|from| {
                let to = BackgroundCheckStatus::ALL.iter().filter(|to| may_follow(*from, **to));
                format!("{from}: {}", to.map(|to| to.as_str()).collect::<Vec<_>>().join(" "))
            })
            .collect();
        assert_eq!(
            follow,
            [
                "not_started: started",
                "started: not_started pending consider pass failed canceled expired information_mismatch",
                "pending: not_started consider pass failed canceled expired information_mismatch",
                "consider: not_started pass failed canceled expired",
                "pass: not_started started expired",
                "failed: not_started started expired",
                "canceled: not_started started",
                "expired: not_started started",
                "information_mismatch: not_started started",
            ]
        );
    }
}
