//! What screening shows.

use serde::Serialize;

use super::model::{HitStatus, ScreeningHit, ScreeningRun};
use crate::clock::Time;
use crate::ids::{MemberId, OrgId, ScreeningHitId, ScreeningRunId, UserId};
use crate::screening::{Comparison, NameKind};
use crate::users::model::{OfacStatus, User, UserStatus};
use crate::world::record::key;
use crate::world::{Halt, World};

/// Where a user stands with the sanctions screening.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = UserScreening)]
pub struct ScreeningJson {
    /// The user.
    pub user_id: UserId,
    /// The user's name.
    #[schema(required)]
    pub name: Option<String>,
    /// Where the user stands.
    pub status: UserStatus,
    /// What the screening says.
    pub ofac_status: OfacStatus,
    /// Names of the list that were like the user's, newest first, those that were decided too.
    pub hits: Vec<ScreeningHitJson>,
}

/// A name on the list that was like a user's.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ScreeningHit)]
pub struct ScreeningHitJson {
    /// Its id.
    pub id: ScreeningHitId,
    /// When it was found.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The user's name as it was screened; null once the person is erased.
    #[schema(required)]
    pub screened_name: Option<String>,
    /// The name on the list.
    pub listed_name: String,
    /// Which of the entry's names that is.
    pub name_kind: NameKind,
    /// 0 to 100.
    pub score: i64,
    /// The score, word by word; null once the person is erased.
    #[schema(required)]
    pub comparison: Option<Comparison>,
    /// The list's number of the entry.
    pub entry: i64,
    /// SHA-256 of the list's files.
    pub list: String,
    /// Under which programs.
    #[schema(required)]
    pub program: Option<String>,
    /// Title or office.
    #[schema(required)]
    pub title: Option<String>,
    /// Dates and places of birth, passports, and more: what tells people apart.
    #[schema(required)]
    pub remarks: Option<String>,
    /// Addresses.
    pub addresses: Vec<String>,
    /// What was decided.
    pub status: HitStatus,
    /// By which member.
    #[schema(required)]
    pub decided_by: Option<MemberId>,
    /// Why.
    #[schema(required)]
    pub comment: Option<String>,
    /// When.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub decided_at: Option<Time>,
}

/// How far the screening of all users with a list is.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ScreeningRun)]
pub struct ScreeningRunJson {
    /// Its id.
    pub id: ScreeningRunId,
    /// SHA-256 of the list's files.
    pub list: String,
    /// From which score on.
    pub score_min: i64,
    /// How many users were screened.
    pub users_screened: i64,
    /// How many went under review by it.
    pub users_flagged: i64,
    /// When it began.
    #[schema(value_type = String, format = DateTime)]
    pub started_at: Time,
    /// When it was through; null while it runs.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Time>,
}

/// The screening of a user.
pub fn document(world: &mut World, user: &User) -> Result<ScreeningJson, Halt> {
    let hits = world.all::<ScreeningHit>(ScreeningHit::OF_USER, key![user.org, user.id])?;
    Ok(ScreeningJson {
        user_id: user.id,
        name: Some(user.full_name()).filter(|name| !name.is_empty()),
        status: user.status,
        ofac_status: user.compliance.0.flags.ofac_status,
        hits: hits.iter().rev().map(|hit| ScreeningHitJson::from(&**hit)).collect(),
    })
}

impl From<&ScreeningHit> for ScreeningHitJson {
    fn from(hit: &ScreeningHit) -> Self {
        let details = hit.details.0.clone();
        Self {
            id: hit.id,
            created: hit.created_at,
            screened_name: hit.screened_name.clone(),
            listed_name: hit.listed_name.clone(),
            name_kind: hit.name_kind,
            score: hit.score,
            comparison: hit.comparison.as_ref().map(|comparison| comparison.0.clone()),
            entry: hit.entry,
            list: hit.list_hash.clone(),
            program: details.program,
            title: details.title,
            remarks: details.remarks,
            addresses: details.addresses,
            status: hit.status,
            decided_by: hit.decided_by,
            comment: hit.comment.clone(),
            decided_at: hit.decided_at,
        }
    }
}

/// The newest run of an organization.
pub fn run_of(world: &mut World, org: OrgId) -> Result<Option<ScreeningRunJson>, Halt> {
    let run = world.get::<ScreeningRun>(key![org])?;
    Ok(run.map(|run| ScreeningRunJson {
        id: run.id,
        list: run.list_hash.clone(),
        score_min: run.score_min,
        users_screened: run.users_screened,
        users_flagged: run.users_flagged,
        started_at: run.started_at,
        finished_at: run.finished_at,
    }))
}
