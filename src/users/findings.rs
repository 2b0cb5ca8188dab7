//! What people of the organization found out about a user: a document was seen, a background check came back, the tax
//! office answered, a warning was looked into.
//!
//! Invariant: what they say changes in the commit that writes down who said it, when, and why. Deliberately absent:
//! whether a name is on a sanctions list, which `screening` decides; and those who check (providers, offices): their
//! word is brought by a member.
//!
//! Start at [`RecordFindings`].

use serde::{Deserialize, Serialize};

use super::model::{BackgroundCheckStatus, OfacStatus, TaxIdVerification, User};
use super::{UserJson, change, find, json, rules};
use crate::clock::Time;
use crate::engine::Command;
use crate::events::EventName;
use crate::ids::{ComplianceDecisionId, MemberId, OrgId, UserId};
use crate::members::{self, Role};
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::{Document, record, words};
use crate::world::{Halt, World};

words! {
    /// What the tax office can say of name and number.
    pub enum TaxOfficeAnswer {
        /// It was asked and has not answered.
        Pending = "pending",
        /// They belong together.
        Matched = "matched",
        /// They do not: another form is due once the year's payments reach the threshold.
        Mismatched = "mismatched",
    }
}

words! {
    /// How far a sanctions review is.
    pub enum ReviewStage {
        /// Somebody looks at it.
        InReview = "in_review",
        /// A document would settle it; the review waits for one.
        IdVerificationRequired = "id_verification_required",
    }
}

/// What was found; what is `None` stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Whether a document was checked.
    pub id_verified: Option<bool>,
    /// Whether a background check found a criminal record.
    pub has_criminal_activity: Option<bool>,
    /// How the background check stands.
    pub background_check: Option<BackgroundCheckStatus>,
    /// What the tax office says of the W-9.
    pub tax_id_verification: Option<TaxOfficeAnswer>,
    /// How far the sanctions review is.
    pub ofac_status: Option<ReviewStage>,
    /// Whether the warning stands that an account is shared.
    pub payout_method: Option<bool>,
    /// Whether the warning stands that methods change too often.
    pub payout_method_cycle: Option<bool>,
    /// Whether the warning stands that an account is somebody else's.
    pub name_mismatch: Option<bool>,
}

/// One thing that a decision changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ComplianceChange {
    /// Which: its name in the user's compliance object, such as `flags.name_mismatch`.
    pub field: String,
    /// What it was.
    pub from: String,
    /// What it became.
    pub to: String,
}

record! {
    /// What a member said of a user's compliance. Never changed or removed: who ended a warning, and why, is what an
    /// examiner asks for.
    pub struct ComplianceDecision in "compliance_decisions" {
        key (org, id)
        many OF_USER (org, user_id);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: ComplianceDecisionId,
        /// About whom.
        pub user_id: UserId,
        /// By whom.
        pub decided_by: MemberId,
        /// Why.
        pub comment: String,
        /// What it changed.
        pub changes: Document<Vec<ComplianceChange>>,
        /// When.
        pub created_at: Time,
    }
}

/// Writes down what a member found out about a user.
#[derive(Clone, Debug)]
pub struct RecordFindings {
    /// The organization, and the app whose user it is.
    pub scope: Scope,
    /// The user.
    pub user: UserId,
    /// Who says so: an administrator.
    pub acting: MemberId,
    /// What it rests on.
    pub comment: String,
    /// What was found.
    pub findings: Findings,
}

impl Command for RecordFindings {
    type Reply = UserJson;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<UserJson, Halt> {
        let org = self.scope.org;
        let user = find(world, self.scope, self.user)?;
        let member = members::find(world, org, self.acting)?;
        if member.role != Role::Admin {
            let message = "Only a member with the role admin can record a finding.";
            return Err(Refusal::field(Code::NotPermitted, "/acting_user_id", message).into());
        }
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
            decided_by: member.id,
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
                let message = format!("A background check cannot change from {from} to {to}.");
                return Err(Refusal::field(Code::InvalidState, "/background_check/status", message));
            }
        }
        if self.tax_id_verification.is_some() && known.w9.is_none() {
            let message = "The user has no W-9, so there is no tax number to match.";
            return Err(Refusal::field(Code::InvalidState, "/tax_id_verification", message));
        }
        if self.ofac_status.is_some() {
            match known.flags.ofac_status {
                OfacStatus::InReview | OfacStatus::IdVerificationRequired => {}
                OfacStatus::Unflagged | OfacStatus::Flagged => {
                    let message = "The user is not under a sanctions review.";
                    return Err(Refusal::field(Code::InvalidState, "/flags/ofac_status", message));
                }
            }
        }
        Ok(())
    }

    /// Writes what was found into the user; gives what is another than before.
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
        // The document that the review waited for is there; somebody looks at it.
        let was_awaited = known.flags.ofac_status == OfacStatus::IdVerificationRequired;
        if was_awaited && known.id_verified && self.ofac_status.is_none() {
            known.flags.ofac_status = OfacStatus::InReview;
        }
        set(&mut known.flags.payout_method, self.payout_method);
        set(&mut known.flags.payout_method_cycle, self.payout_method_cycle);
        set(&mut known.flags.name_mismatch, self.name_mismatch);
        if before.flags.payout_method_cycle && !known.flags.payout_method_cycle {
            // The count begins anew: the next method alone is no warning.
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

/// Whether a background check may go from one state to another. It is started, runs, and ends in one of five ways;
/// `consider` is a finding that somebody has still to weigh. What has ended may lapse, be started anew, or be taken
/// back as if it had never been.
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

/// Every move of a background check, for docs/states.md: from, what happens, to.
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
