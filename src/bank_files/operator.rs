//! What members do with a file: release, mark, move, cancel. Each is an administrative act.

use std::sync::Arc;

use super::cut::{Next, move_to_next};
use super::model::{BankAnswer, BankFile, FileDecision, FileOutcome, FilePurpose, FileStatus};
use super::progress::{acknowledge, reject, sent};
use super::rows;
use super::rules::{self, FileEvent};
use crate::acting::Act;
use crate::banking::{Person, connections, is_second_person};
use crate::clock::Time;
use crate::engine::Command;
use crate::events::acts::ActKind;
use crate::ids::{BankFileId, MemberId, OrgId};
use crate::jobs::{self, Work};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::record::Document;
use crate::world::{Halt, World};

/// What a member does.
#[derive(Clone, Debug)]
pub enum Deed {
    /// By another member than the one who set the limits.
    Release,
    MarkSent {
        evidence: String,
    },
    /// By two members.
    Decide {
        outcome: FileOutcome,
        evidence: String,
    },
    Redate,
    Cancel {
        reason: String,
    },
}

/// POST /v2/bank/files/{bank_file_id}/release, mark-sent, mark-unsent, decide, redate, cancel
#[derive(Clone, Debug)]
pub struct ActOnFile {
    pub org: OrgId,
    pub person: Person,
    pub file: BankFileId,
    pub deed: Deed,
}

impl Command for ActOnFile {
    type Reply = Arc<BankFile>;

    fn decide(&self, world: &mut World) -> Result<Arc<BankFile>, Halt> {
        let file = rows::find(world, self.org, self.file)?;
        let by = self.person.may(world, self.org, Act::Pay)?.member;
        match &self.deed {
            Deed::Release => release(world, &file, by),
            Deed::MarkSent { evidence } => mark_sent(world, &file, by, evidence),
            Deed::Decide { outcome, evidence } => decide(world, &file, by, (*outcome, evidence)),
            Deed::Redate => redate(world, &file, by),
            Deed::Cancel { reason } => cancel(world, &file, by, reason),
        }
    }
}

fn refused(reason: Reason, message: &str) -> Halt {
    Refusal::new(Code::InvalidState, message).because(reason).into()
}

/// Refuses a file that the ACH rules do not allow any more.
pub(super) fn is_in_time(file: &BankFile, now: Time) -> Result<(), Refusal> {
    match file.send_by.filter(|send_by| now > *send_by) {
        None => Ok(()),
        Some(send_by) => {
            let message = format!("The ACH rules allowed the entries of this file until {send_by}. Cancel it.");
            Err(Refusal::new(Code::InvalidState, message).because(Reason::TooLate))
        }
    }
}

/// A repetition changes nothing.
fn release(world: &mut World, file: &Arc<BankFile>, by: MemberId) -> Result<Arc<BankFile>, Halt> {
    if file.released_at.is_some() {
        return Ok(file.clone());
    }
    if file.sha256.is_none() {
        return Err(refused(
            Reason::TooEarly,
            "The file is not complete. Release it after its cut-off, when it has a hash.",
        ));
    }
    if !file.must_release {
        return Err(refused(
            Reason::AlreadyDone,
            "The file is within the limits of its connection and covered. It needs no release.",
        ));
    }
    is_in_time(file, world.now())?;
    let connection = connections::find(world, file.org, file.connection)?;
    is_second_person(connection.made_by, by)?;

    // From here it must succeed.
    let now = world.now();
    jobs::enqueue(world, file.org, Work::SendBankFile { file: file.id.0 });
    rows::change_by(world, file, ActKind::BankFileReleased, by, |file| {
        (file.released_by, file.released_at) = (Some(by), Some(now));
    })
}

fn mark_sent(world: &mut World, file: &Arc<BankFile>, by: MemberId, evidence: &str) -> Result<Arc<BankFile>, Halt> {
    rules::apply(file.status, FileEvent::MarkedSent)?;
    if file.sha256.is_none() {
        return Err(refused(Reason::TooEarly, "The file is not complete. Wait until it has a hash."));
    }
    if file.must_wait_for_release() {
        return Err(refused(
            Reason::MemberNeeded,
            "The file waits for its release. Another member must release it first.",
        ));
    }

    // From here it must succeed.
    let marked = sent(world, file, |_| ())?;
    rows::change_by(world, &marked, ActKind::BankFileMarkedSent, by, |file| {
        (file.closed_by, file.evidence) = (Some(by), Some(evidence.to_owned()));
    })
}

/// Records what a member knows from the bank, or confirms what another member knows. A proposal of another outcome replaces
/// the first one.
fn decide(
    world: &mut World,
    file: &Arc<BankFile>,
    by: MemberId,
    (outcome, evidence): (FileOutcome, &str),
) -> Result<Arc<BankFile>, Halt> {
    let is_meant = match outcome {
        FileOutcome::Accepted | FileOutcome::Rejected => matches!(file.status, FileStatus::Sent | FileStatus::InDoubt),
        FileOutcome::NotReceived => file.status == FileStatus::InDoubt,
    };
    if !is_meant {
        let message = format!(
            "The file is {}. Members decide about a file in doubt, or whether the bank accepted or rejected one that is sent.",
            file.status
        );
        return Err(refused(Reason::StatusNotAllowed, &message));
    }
    // The evidence of a proposal says nothing about a later delivery, so this member proposes.
    let since = file.sent_at.or(file.sealed_at).map_or(0, Time::micros);
    let proposed = file.decision.as_ref().map(|Document(decision)| decision);
    let proposed = proposed.filter(|proposed| {
        proposed.outcome == outcome && proposed.confirmed_by.is_none() && proposed.proposed_at_micros >= since
    });
    let Some(proposed) = proposed else {
        let (evidence, proposed_at_micros) = (evidence.to_owned(), world.now().micros());
        let decision = FileDecision { outcome, evidence, proposed_by: by, proposed_at_micros, confirmed_by: None };
        return rows::change_by(world, file, ActKind::BankFileDecisionProposed, by, |file| {
            file.decision = Some(Document(decision));
        });
    };
    is_second_person(proposed.proposed_by, by)?;
    let confirmed = FileDecision { confirmed_by: Some(by), ..proposed.clone() };
    confirm(world, file, by, confirmed)
}

fn confirm(
    world: &mut World,
    file: &Arc<BankFile>,
    by: MemberId,
    confirmed: FileDecision,
) -> Result<Arc<BankFile>, Halt> {
    let file = match confirmed.outcome {
        FileOutcome::Accepted => {
            acknowledge(world, file, BankAnswer::Accepted)?;
            rows::find(world, file.org, file.id)?
        }
        FileOutcome::Rejected => reject(world, file)?,
        // The sender removes the temporary files of the delivery in doubt before it sends the file again.
        FileOutcome::NotReceived => {
            let to = rules::apply(file.status, FileEvent::MarkedUnsent)?;
            jobs::enqueue(world, file.org, Work::SendBankFile { file: file.id.0 });
            rows::change(world, file, |file| (file.status, file.unswept) = (to, true))
        }
    };

    // From here it must succeed.
    let kind = match confirmed.outcome {
        FileOutcome::Accepted | FileOutcome::Rejected => ActKind::BankFileDecided,
        FileOutcome::NotReceived => ActKind::BankFileMarkedUnsent,
    };
    let evidence = confirmed.evidence.clone();
    rows::change_by(world, &file, kind, by, |file| {
        (file.contested, file.closed_by, file.evidence) = (None, Some(by), Some(evidence));
        file.decision = Some(Document(confirmed));
    })
}

fn must_be_swept(file: &BankFile) -> Result<(), Halt> {
    if file.unswept {
        return Err(refused(
            Reason::TooEarly,
            "Temporary files of an earlier delivery may still be at the bank. Wait until the server has removed them.",
        ));
    }
    Ok(())
}

fn redate(world: &mut World, file: &Arc<BankFile>, by: MemberId) -> Result<Arc<BankFile>, Halt> {
    if file.returned > 0 || file.refused > 0 {
        return Err(refused(
            Reason::BankExcludes,
            "The bank returned or refused payments of this file. Cancel it, and pay the others again.",
        ));
    }
    if file.booked > 0 {
        return Err(refused(
            Reason::BankExcludes,
            "The bank has booked this file. Cancel it, and make the payments again.",
        ));
    }
    // An open file moves only when it misses its window.
    if file.sealed_at.is_none() {
        return Err(refused(
            Reason::TooEarly,
            "The file is open and moves to the next window when it misses this one. No action is required.",
        ));
    }
    rules::apply(file.status, FileEvent::Redated)?;
    must_be_swept(file)?;
    let connection = connections::find(world, file.org, file.connection)?;
    let moved = match move_to_next(world, file, &connection)? {
        Next::Moved(moved) => moved,
        Next::NoWindow => {
            return Err(refused(
                Reason::SetUpIncomplete,
                "No window of the bank connection takes a file within three weeks. Change its windows.",
            ));
        }
        Next::TooLate => {
            return Err(refused(
                Reason::TooLate,
                "The next window is after send_by, the time until which the ACH rules allow the entries of this file. \
                 Cancel it.",
            ));
        }
    };

    // From here it must succeed.
    jobs::enqueue_at(world, moved.org, Work::CutBankFile { file: moved.id.0 }, moved.window_at);
    rows::change_by(world, &moved, ActKind::BankFileRedated, by, |file| file.closed_by = Some(by))
}

fn cancel(world: &mut World, file: &Arc<BankFile>, by: MemberId, reason: &str) -> Result<Arc<BankFile>, Halt> {
    // Payments leave an open file one by one. Reversals are called off together, and so are the payments of a file that
    // was moved.
    let is_together = file.purpose == FilePurpose::Reversals || file.cuts > 0;
    let event = if is_together && file.status == FileStatus::Open { FileEvent::CalledOff } else { FileEvent::Canceled };
    let to = rules::apply(file.status, event)?;
    must_be_swept(file)?;

    // From here it must succeed.
    jobs::enqueue(world, file.org, Work::EndBankFile { file: file.id.0 });
    rows::change_by(world, file, ActKind::BankFileCanceled, by, |file| {
        (file.status, file.ended_through, file.contested) = (to, None, None);
        (file.closed_by, file.evidence) = (Some(by), Some(reason.to_owned()));
    })
}
