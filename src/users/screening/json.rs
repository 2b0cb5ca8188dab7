use serde::Serialize;

use super::model::{HitStatus, ScreeningHit, ScreeningRun};
use crate::clock::Time;
use crate::ids::{MemberId, OrgId, ScreeningHitId, ScreeningRunId, UserId};
use crate::screening::{Comparison, NameKind};
use crate::users::model::{OfacStatus, User, UserStatus};
use crate::world::record::key;
use crate::world::{Halt, World};

/// The state of a user's sanctions screening.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = UserScreening)]
pub struct ScreeningJson {
    /// The user's id.
    pub user_id: UserId,
    /// The user's name.
    #[schema(required)]
    pub name: Option<String>,
    /// The user's status.
    pub status: UserStatus,
    /// The result of the screening.
    pub ofac_status: OfacStatus,
    /// Matches between the user's names and the list, newest first, including decided ones.
    pub hits: Vec<ScreeningHitJson>,
}

/// A match between a user's name and a name on the list.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ScreeningHit)]
pub struct ScreeningHitJson {
    /// The id of the match.
    pub id: ScreeningHitId,
    /// When it was found.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The user's name as it was screened; null once the person is erased.
    #[schema(required)]
    pub screened_name: Option<String>,
    /// The name on the list.
    pub listed_name: String,
    /// The kind of the listed name.
    pub name_kind: NameKind,
    /// From 0 to 100.
    pub score: i64,
    /// The comparison word by word; null once the person is erased.
    #[schema(required)]
    pub comparison: Option<Comparison>,
    /// The entry's number in the list.
    pub entry: i64,
    /// SHA-256 of the list's files.
    pub list: String,
    /// The sanctions programs.
    #[schema(required)]
    pub program: Option<String>,
    /// The listed person's title or office.
    #[schema(required)]
    pub title: Option<String>,
    /// Dates and places of birth, passports and other identifying data.
    #[schema(required)]
    pub remarks: Option<String>,
    /// The listed person's addresses.
    pub addresses: Vec<String>,
    /// The decision.
    pub status: HitStatus,
    /// The member who decided.
    #[schema(required)]
    pub decided_by: Option<MemberId>,
    /// The member's reason.
    #[schema(required)]
    pub comment: Option<String>,
    /// The time of the decision.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub decided_at: Option<Time>,
}

/// The progress of screening all users against a list.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ScreeningRun)]
pub struct ScreeningRunJson {
    /// The id of the run.
    pub id: ScreeningRunId,
    /// SHA-256 of the list's files.
    pub list: String,
    /// The lowest score that counts as a match.
    pub score_min: i64,
    /// The number of users screened.
    pub users_screened: i64,
    /// The number of users that the run put under review.
    pub users_flagged: i64,
    /// When the run started.
    #[schema(value_type = String, format = DateTime)]
    pub started_at: Time,
    /// When the run finished; null while it runs.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Time>,
}

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
