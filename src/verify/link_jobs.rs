//! Checks that each open link is reminded of and expires (invariant 36).

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::groups::together;
use crate::ids::{OrgId, PayoutLinkId};
use crate::jobs::{Job, Work};
use crate::ledger::verify::Finding;
use crate::payout_links::{self, PayoutLink};
use crate::store::{Snapshot, StoreError};
use crate::world::Key;
use crate::world::record::key;

#[derive(Default)]
struct Known {
    /// The positions of the sweeps.
    sweeps: HashMap<OrgId, Uuid>,
    /// Links whose jobs have ids of earlier versions.
    earlier: HashSet<(OrgId, Uuid)>,
}

impl Known {
    fn job(&mut self, job: &Job) {
        if let Some((after, _)) = job.work.0.swept() {
            self.sweeps.insert(job.org, after);
        }
        if let Work::ExpireLink { link } = job.work.0
            && payout_links::job_of(PayoutLinkId(link)) != job.id
        {
            self.earlier.insert((job.org, link));
        }
    }

    /// Whether the sweep visits the link, or the link has a job of an earlier version.
    fn covers(&self, link: &PayoutLink) -> bool {
        let is_ahead = self.sweeps.get(&link.org).is_some_and(|after| link.id.0 > *after);
        is_ahead || self.earlier.contains(&(link.org, link.id.0))
    }
}

pub(super) fn check(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, StoreError> {
    let (mut known, mut findings) = (Known::default(), Vec::new());
    snapshot.each::<Job>(|job| {
        known.job(job);
        Ok(())
    })?;
    together::<PayoutLink>(snapshot, |links| {
        let uncovered: Vec<&PayoutLink> =
            links.iter().filter(|link| payout_links::is_open(link) && !known.covers(link)).collect();
        let keys: Vec<Key> = uncovered.iter().map(|link| key![link.org, payout_links::job_of(link.id)]).collect();
        for (link, job) in uncovered.iter().zip(snapshot.get_all::<Job>(&keys)?) {
            let expires = Work::ExpireLink { link: link.id.0 };
            if job.is_none_or(|job| job.work.0 != expires) {
                let what = "is open, and no job expires it".to_owned();
                findings.push(Finding { invariant: 36, what, place: format!("payout link {}", link.id) });
            }
        }
        Ok(())
    })?;
    Ok(findings)
}
