use serde::{Deserialize, Serialize};

use crate::clock::Time;
use crate::ids::{MemberId, OrgId, ScreeningHitId, ScreeningRunId, UserId};
use crate::screening::{Comparison, FoldedName, Hit, NameKind};
use crate::world::record::{Document, record, words};

words! {
    /// The decision about a match.
    pub enum HitStatus {
        Open = "open",
        /// The user is another person.
        Cleared = "cleared",
        /// The user is the person on the list.
        Confirmed = "confirmed",
    }
}

/// The list entry at the time of the match, for the reviewer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryDetails {
    pub program: Option<String>,
    pub title: Option<String>,
    pub remarks: Option<String>,
    pub addresses: Vec<String>,
}

record! {
    /// A match between a user's name and a listed name. Never removed: an examiner asks which users were reviewed, and
    /// why a match was cleared.
    pub struct ScreeningHit in "screening_hits" {
        key (org, id)
        many OF_USER (org, user_id);
        pub org: OrgId,
        pub id: ScreeningHitId,
        pub user_id: UserId,
        pub list_hash: String,
        pub entry: i64,
        pub listed_name: String,
        pub name_kind: NameKind,
        pub details: Document<EntryDetails>,
        pub score: i64,
        /// `None` once the person is erased.
        pub screened_name: Option<String>,
        /// `None` once the person is erased.
        pub comparison: Option<Document<Comparison>>,
        pub status: HitStatus,
        pub decided_by: Option<MemberId>,
        pub comment: Option<String>,
        pub decided_at: Option<Time>,
        pub created_at: Time,
    }
}

impl ScreeningHit {
    /// Returns whether this hit is about the same names and entry. Such a match is open or decided already.
    pub fn is_about(&self, screened: &FoldedName, hit: &Hit) -> bool {
        let same_name = self.screened_name.as_deref().is_some_and(|name| FoldedName::of(name) == *screened);
        same_name && self.entry == hit.entry.number && self.listed_name == hit.listed_name
    }
}

record! {
    /// The newest screening of all users of an organization. Each new list starts a new run.
    pub struct ScreeningRun in "screening_runs" {
        key (org);
        pub org: OrgId,
        pub id: ScreeningRunId,
        pub list_hash: String,
        /// The lowest score that counts as a match.
        pub score_min: i64,
        /// The last user screened, in the order of ids.
        pub screened_to: Option<UserId>,
        pub users_screened: i64,
        pub users_flagged: i64,
        pub started_at: Time,
        pub finished_at: Option<Time>,
    }
}
