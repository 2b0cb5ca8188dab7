//! The product's follow-ups, some of which fail on purpose after they have made their changes.
//!
//! A follow-up that fails leaves exactly what its batch would leave without it (32): its job as it was added, and no
//! row with its time, which no other command has.

use std::sync::{Arc, Mutex, PoisonError};

use super::provider::Provider;
use crate::clock::Time;
use crate::engine::{self, Decision, Task};
use crate::ids::{JobId, MessageId, OrgId};
use crate::jobs::{self, Job, Work};
use crate::ledger::verify::Finding;
use crate::messages;
use crate::refusal::Refusal;
use crate::store::memory::Change;
use crate::vault::Vault;
use crate::worker::{self, Pen};
use crate::world::record::key;
use crate::world::{Record as _, Value, Want, World};

const FOLLOW_UPS: u8 = 32;

/// A follow-up that failed.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    org: OrgId,
    job: JobId,
    at: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It is left to the workers.
    Left,
    Done,
    Refused,
    Panics,
    /// It needs another row each time.
    Endless,
}

impl Fate {
    /// Returns the fate of a job by the random part of its id.
    fn of(job: JobId) -> Self {
        match job.0.as_bytes()[15] % 12 {
            0 | 1 => Self::Left,
            2 => Self::Refused,
            3 => Self::Panics,
            4 => Self::Endless,
            _ => Self::Done,
        }
    }
}

#[derive(Clone)]
pub(super) struct FollowUps {
    vault: Arc<Vault>,
    /// Negative control: follow-ups that fail keep their changes.
    kept: bool,
    failed: Arc<Mutex<Vec<Failed>>>,
}

impl FollowUps {
    pub fn new(vault: Arc<Vault>, kept: bool) -> Self {
        Self { vault, kept, failed: Arc::default() }
    }

    pub fn for_executor(&self) -> engine::FollowUps {
        let (pen, own) = (Pen::new(self.vault.clone(), "http://127.0.0.1:8080".to_owned()), self.clone());
        Arc::new(move |world, since, now| {
            let attempt = |job: &Arc<Job>| {
                let fate = Fate::of(job.id);
                let task = worker::follow_up(job, Some(&pen)).filter(|_| fate != Fate::Left)?;
                Some(Box::new(Attempt { task, job: job.clone(), fate, all: own.clone() }) as Box<dyn Task>)
            };
            jobs::added_since(world, since, now).iter().filter_map(attempt).collect()
        })
    }

    /// Returns the follow-ups that failed since the last call.
    pub fn take_failed(&self) -> Vec<Failed> {
        std::mem::take(&mut *self.failed.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A follow-up with its fate.
struct Attempt {
    task: Box<dyn Task>,
    job: Arc<Job>,
    fate: Fate,
    all: FollowUps,
}

impl Attempt {
    /// Whether the simulated provider sends the message, so that the inbox does not receive it.
    fn is_for_provider(&self, world: &mut World) -> bool {
        let Work::SendMessage { message } = self.job.work.0 else { return false };
        !messages::find(world, self.job.org, MessageId(message)).is_ok_and(|message| Provider::is_inbox(&message))
    }

    fn end(&self, world: &mut World) -> Decision {
        match self.fate {
            Fate::Left | Fate::Done => Decision::Done,
            _ if self.all.kept => Decision::Done,
            Fate::Refused => Decision::Refused,
            // Without a message on the standard error, because it is on purpose.
            Fate::Panics => std::panic::resume_unwind(Box::new(())),
            Fate::Endless => Decision::Load(vec![Want::row::<Job>(key![self.job.org, world.id::<JobId>()])]),
        }
    }
}

impl Task for Attempt {
    fn organization(&self) -> OrgId {
        self.task.organization()
    }

    fn needs(&self) -> Vec<Want> {
        self.task.needs()
    }

    fn decide(&mut self, world: &mut World) -> Decision {
        if self.is_for_provider(world) {
            return Decision::Refused;
        }
        let decision = self.task.decide(world);
        let fails = match decision {
            Decision::Done => self.fate != Fate::Done,
            Decision::Refused => true,
            Decision::Load(_) => return decision,
        };
        if fails {
            let failed = Failed { org: self.job.org, job: self.job.id, at: world.now() };
            self.all.failed.lock().unwrap_or_else(PoisonError::into_inner).push(failed);
        }
        if matches!(decision, Decision::Done) { self.end(world) } else { decision }
    }

    fn overrule(&mut self, refusal: Refusal) {
        self.task.overrule(refusal);
    }

    fn answer(self: Box<Self>) {
        self.task.answer();
    }
}

/// Returns a trace of a failed follow-up in the changes of its batch.
pub(super) fn trace(failed: &[Failed], changes: &[Change]) -> Option<Finding> {
    failed.iter().find_map(|failed| {
        let finding = |what: String| {
            Some(Finding { invariant: FOLLOW_UPS, what, place: format!("follow-up of job {}", failed.job) })
        };
        let has_its_time =
            |change: &&Change| change.after.as_ref().is_some_and(|row| row.contains(&Value::Time(failed.at)));
        if let Some(change) = changes.iter().find(has_its_time) {
            return finding(format!("failed, and changed {} {:?}", change.table.name, change.key));
        }
        let job = key![failed.org, failed.job];
        let of_job = changes.iter().find(|change| change.table == Job::TABLE && change.key == job)?;
        let job = of_job.after.as_ref().and_then(|row| super::checks::changed::read::<Job>(row));
        let as_added = |job: &Arc<Job>| (job.attempts, job.fence, job.leased_until.is_none()) == (0, 0, true);
        if job.as_ref().is_some_and(as_added) { None } else { finding(format!("failed, and left {job:?}")) }
    })
}
