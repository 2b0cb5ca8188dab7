//! What the sender of a file commits: its hash, the steps of its delivery, and the end.

use std::sync::Arc;

use super::carrier::{is_at_once, late_settles_at};
use super::held::move_held;
use super::model::{BankAnswer, BankFile, Contest, FileStatus};
use super::rows;
use super::rules::{self, FileEvent};
use crate::banking::connections;
use crate::clock::Time;
use crate::engine::Command;
use crate::ids::BankFileId;
use crate::jobs::{self, Leased, Work};
use crate::rails::Direction;
use crate::refusal::{Code, Refusal};
use crate::world::record::key;
use crate::world::{Halt, Want, World};

fn needs(leased: &Leased, file: BankFileId) -> Vec<Want> {
    vec![leased.want(), Want::row::<BankFile>(key![leased.org, file])]
}

/// Records the length and the hash of a file that was cut, before the first byte leaves.
#[derive(Clone, Debug)]
pub struct Written {
    pub leased: Leased,
    pub file: BankFileId,
    /// The version of the file of which the bytes are. A correction of an account in between changes it.
    pub version: i64,
    /// `None` if no entry is left.
    pub bytes: Option<(i64, String)>,
}

impl Command for Written {
    type Reply = Arc<BankFile>;

    fn needs(&self) -> Vec<Want> {
        needs(&self.leased, self.file)
    }

    fn decide(&self, world: &mut World) -> Result<Arc<BankFile>, Halt> {
        let file = rows::find(world, self.leased.org, self.file)?;
        jobs::renew(world, &self.leased)?;
        if file.status != FileStatus::Sealed || file.sha256.is_some() || file.version != self.version {
            return Ok(file);
        }
        let Some((size, sha256)) = self.bytes.clone() else {
            let to = rules::apply(file.status, FileEvent::Emptied)?;
            return Ok(rows::change(world, &file, |file| file.status = to));
        };
        Ok(rows::change(world, &file, |file| (file.size, file.sha256) = (Some(size), Some(sha256))))
    }
}

/// Begins a delivery. Its number ends every earlier one.
#[derive(Clone, Debug)]
pub struct Begin {
    pub leased: Leased,
    pub file: BankFileId,
}

impl Command for Begin {
    type Reply = Arc<BankFile>;

    fn needs(&self) -> Vec<Want> {
        needs(&self.leased, self.file)
    }

    fn decide(&self, world: &mut World) -> Result<Arc<BankFile>, Halt> {
        let file = rows::find(world, self.leased.org, self.file)?;
        jobs::renew(world, &self.leased)?;
        Ok(rows::change(world, &file, |file| file.leases += 1))
    }
}

/// A step of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Sending,
    Renaming { way: &'static str, temp_name: Option<String> },
    Sent,
    InDoubt(&'static str),
}

/// Commits a step of the newest delivery.
#[derive(Clone, Debug)]
pub struct Advance {
    pub leased: Leased,
    pub file: BankFileId,
    /// The delivery's number.
    pub lease: i64,
    pub step: Step,
}

impl Command for Advance {
    type Reply = ();

    fn needs(&self) -> Vec<Want> {
        needs(&self.leased, self.file)
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let file = rows::find(world, self.leased.org, self.file)?;
        jobs::renew(world, &self.leased)?;
        let event = match self.step {
            Step::Sending => FileEvent::SendBegun,
            Step::Renaming { .. } => FileEvent::RenameBegun,
            Step::Sent => FileEvent::Arrived,
            Step::InDoubt(_) => FileEvent::Doubted,
        };
        // A member may have canceled or moved the file since the delivery began.
        let to = rules::apply(file.status, event).ok().filter(|_| file.leases == self.lease && !file.unswept);
        let Some(to) = to else {
            let message = "Another delivery or a member has changed the bank file.";
            return Err(Refusal::new(Code::ResourceBusy, message).into());
        };
        if self.step == Step::Sent {
            return sent(world, &file, |_| ()).map(|_| ());
        }
        rows::change(world, &file, |file| {
            file.status = to;
            match self.step.clone() {
                Step::Sending | Step::Sent => {}
                Step::Renaming { way, temp_name } => {
                    (file.way, file.temp_name) = (Some(way.to_owned()), temp_name);
                }
                Step::InDoubt(doubt) => file.doubt = Some(doubt.to_owned()),
            }
        });
        Ok(())
    }
}

/// Records that a file is at the bank, and queues the job that presumes its settlement.
pub(super) fn sent(
    world: &mut World,
    file: &Arc<BankFile>,
    edit: impl FnOnce(&mut BankFile),
) -> Result<Arc<BankFile>, Halt> {
    let now = world.now();
    // A bank that gets debits or prenotes late books them late, and may return them as many days later.
    let waits = file.direction == Direction::Debit || !file.moves_money();
    let late = if waits && now > file.submit_by {
        late_settles_at(&*connections::find(world, file.org, file.connection)?, now)
    } else {
        None
    };
    let file = rows::change(world, file, |file| {
        file.status = FileStatus::Sent;
        (file.sent_at, file.failure) = (Some(now), None);
        file.settles_at = late.map_or(file.settles_at, |late| late.max(file.settles_at));
        file.debit_due = Some(file.settlement_account).filter(|_| file.moves_money());
        edit(file);
    });
    if late.is_some() {
        move_held(world, &file)?;
    }
    // A bank answers an instant payment, so its settlement is never presumed.
    if !is_at_once(file.platform) {
        jobs::enqueue_at(world, file.org, Work::EndBankFile { file: file.id.0 }, file.settles_at.max(now));
    }
    Ok(file)
}

/// Records that the bank has a file, because it reports about it. A weaker answer never replaces a stronger one. The
/// settlement that the bank reports takes the place of the presumed one.
///
/// Returns whether the file is, or may be, at the bank.
///
/// # Errors
/// The store's.
pub fn acknowledge(world: &mut World, file: &Arc<BankFile>, answer: BankAnswer) -> Result<bool, Halt> {
    let arrived = match file.status {
        FileStatus::Sent => None,
        FileStatus::Sealed | FileStatus::Sending | FileStatus::InDoubt => Some(FileEvent::MarkedSent),
        FileStatus::Renaming => Some(FileEvent::Arrived),
        FileStatus::Open | FileStatus::Rejected | FileStatus::Canceled | FileStatus::Dropped => return Ok(false),
    };
    if file.sha256.is_none() || file.must_wait_for_release() {
        return Ok(false);
    }
    let file = match arrived {
        None => file.clone(),
        Some(event) => {
            rules::apply(file.status, event)?;
            sent(world, file, |_| ())?
        }
    };
    if file.answer.is_some_and(|before| before >= answer) {
        return Ok(true);
    }
    let now = world.now();
    if answer == BankAnswer::Settled {
        jobs::enqueue(world, file.org, Work::EndBankFile { file: file.id.0 });
    }
    rows::change(world, &file, |file| {
        file.answer = Some(answer);
        if answer == BankAnswer::Settled {
            file.settles_at = file.settles_at.min(now);
        }
    });
    Ok(true)
}

/// Records what a bank said about a file that may be wrong: its payments are not presumed settled until members decide.
///
/// # Errors
/// The store's.
pub fn contest(world: &mut World, file: &Arc<BankFile>, contest: Contest) -> Arc<BankFile> {
    if file.contested.is_some() {
        return file.clone();
    }
    rows::change(world, file, |file| file.contested = Some(contest))
}

/// Records that the bank refused a file. Its payments wait for a member, who moves or cancels it; if they were presumed
/// settled, or some were returned, they all go back. Their reversals are not sent.
///
/// # Errors
/// `invalid-state` if the file is not at the bank.
pub fn reject(world: &mut World, file: &Arc<BankFile>) -> Result<Arc<BankFile>, Halt> {
    let is_late = file.ended_through.is_some() || file.returned > 0 || file.refused > 0;
    let to = rules::apply(file.status, if is_late { FileEvent::Undone } else { FileEvent::Rejected })?;
    jobs::enqueue(world, file.org, Work::EndBankFile { file: file.id.0 });
    Ok(rows::change(world, file, |file| {
        (file.status, file.ended_through, file.debit_due, file.contested) = (to, None, None, None);
    }))
}

/// Records that no temporary file of a delivery in doubt remains.
#[derive(Clone, Debug)]
pub struct Swept {
    pub leased: Leased,
    pub file: BankFileId,
}

impl Command for Swept {
    type Reply = Arc<BankFile>;

    fn needs(&self) -> Vec<Want> {
        needs(&self.leased, self.file)
    }

    fn decide(&self, world: &mut World) -> Result<Arc<BankFile>, Halt> {
        let file = rows::find(world, self.leased.org, self.file)?;
        jobs::renew(world, &self.leased)?;
        Ok(rows::change(world, &file, |file| file.unswept = false))
    }
}

/// Records why a delivery failed, and retries it later.
#[derive(Clone, Debug)]
pub struct DeliveryFailed {
    pub leased: Leased,
    pub file: BankFileId,
    pub reason: String,
    pub again_at: Time,
}

impl Command for DeliveryFailed {
    type Reply = ();

    fn needs(&self) -> Vec<Want> {
        needs(&self.leased, self.file)
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let file = rows::find(world, self.leased.org, self.file)?;
        if may_be_sent(file.status) && file.failure.as_ref() != Some(&self.reason) {
            rows::change(world, &file, |file| file.failure = Some(self.reason.clone()));
        }
        jobs::put_off(world, &self.leased, self.again_at, Some(self.reason.clone()))
    }
}

/// Returns whether the server delivers a file in this state.
pub const fn may_be_sent(status: FileStatus) -> bool {
    match status {
        FileStatus::Sealed | FileStatus::Sending | FileStatus::Renaming => true,
        FileStatus::Open
        | FileStatus::InDoubt
        | FileStatus::Sent
        | FileStatus::Rejected
        | FileStatus::Canceled
        | FileStatus::Dropped => false,
    }
}

/// The records of a written file give other bytes than its hash: its connection sends nothing until members resume it.
#[derive(Clone, Debug)]
pub struct StopForBytes {
    pub leased: Leased,
    pub file: BankFileId,
    /// When the sender compares them again.
    pub again_at: Time,
}

impl Command for StopForBytes {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let file = rows::find(world, self.leased.org, self.file)?;
        let reason = format!("The records of the file {} give other bytes than its hash.", file.id);
        connections::stop(world, file.org, file.connection, &reason)?;
        jobs::put_off(world, &self.leased, self.again_at, Some(reason))
    }
}

/// Ends a sender's job, or postpones it with a reason.
#[derive(Clone, Debug)]
pub struct Rest {
    pub leased: Leased,
    pub again: Option<(Time, String)>,
}

impl Command for Rest {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        match &self.again {
            None => jobs::finish(world, &self.leased),
            Some((at, reason)) => jobs::put_off(world, &self.leased, *at, Some(reason.clone())),
        }
    }
}
