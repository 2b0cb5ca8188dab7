//! What is kept of screening.

use serde::{Deserialize, Serialize};

use crate::clock::Time;
use crate::ids::{MemberId, OrgId, ScreeningHitId, ScreeningRunId, UserId};
use crate::screening::{Comparison, FoldedName, Hit, NameKind};
use crate::world::record::{Document, record, words};

words! {
    /// What was decided about a hit.
    pub enum HitStatus {
        /// Nothing yet: somebody must look.
        Open = "open",
        /// It is somebody else.
        Cleared = "cleared",
        /// It is the person on the list.
        Confirmed = "confirmed",
    }
}

/// What the list says of an entry, as it was when it was found: what a reviewer compares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryDetails {
    /// Under which programs.
    pub program: Option<String>,
    /// Title or office.
    pub title: Option<String>,
    /// Dates and places of birth, passports.
    pub remarks: Option<String>,
    /// Addresses.
    pub addresses: Vec<String>,
}

record! {
    /// A name on the list that was like a user's. Never removed: who was looked at, and why nothing followed, is
    /// what an examiner asks for.
    pub struct ScreeningHit in "screening_hits" {
        key (org, id)
        many OF_USER (org, user_id);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: ScreeningHitId,
        /// The user.
        pub user_id: UserId,
        /// Which list: the SHA-256 of its files.
        pub list_hash: String,
        /// The list's number of the entry.
        pub entry: i64,
        /// The name on the list.
        pub listed_name: String,
        /// Which of the entry's names that is.
        pub name_kind: NameKind,
        /// What the list says of it.
        pub details: Document<EntryDetails>,
        /// 0 to 100.
        pub score: i64,
        /// The user's name that was like it; `None` once the person is erased.
        pub screened_name: Option<String>,
        /// How the score came about; `None` once the person is erased.
        pub comparison: Option<Document<Comparison>>,
        /// What was decided.
        pub status: HitStatus,
        /// By whom.
        pub decided_by: Option<MemberId>,
        /// Why.
        pub comment: Option<String>,
        /// When.
        pub decided_at: Option<Time>,
        /// When it was found.
        pub created_at: Time,
    }
}

impl ScreeningHit {
    /// Whether this hit is about the same name beside the same name of the same entry: then it is open already, or
    /// was decided, and is not found again.
    pub fn is_about(&self, screened: &FoldedName, hit: &Hit) -> bool {
        let same_name = self.screened_name.as_deref().is_some_and(|name| FoldedName::of(name) == *screened);
        same_name && self.entry == hit.entry.number && self.listed_name == hit.listed_name
    }
}

record! {
    /// The newest screening of all users of an organization: one for each list that is taken up.
    pub struct ScreeningRun in "screening_runs" {
        key (org);
        /// The organization.
        pub org: OrgId,
        /// The run.
        pub id: ScreeningRunId,
        /// With which list.
        pub list_hash: String,
        /// From which score on.
        pub score_min: i64,
        /// The user up to whom all are done, in the order of their ids.
        pub screened_to: Option<UserId>,
        /// How many were screened.
        pub users_screened: i64,
        /// How many went under review by it.
        pub users_flagged: i64,
        /// When it began.
        pub started_at: Time,
        /// When it was through.
        pub finished_at: Option<Time>,
    }
}
