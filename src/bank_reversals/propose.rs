use std::sync::Arc;

use super::json::BankReversalJson;
use super::model::{BankReversal, ReversalReason, ReversalStatus};
use super::rows;
use super::rules::{BANKING_DAYS, is_found_lately};
use crate::acting::Act;
use crate::bank_files::{self, BankFile, NotReversible, may_reverse};
use crate::banking::Person;
use crate::banking::connections::{self, ConnectionStatus};
use crate::clock::Time;
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{BankFileId, OrgId, TransferId};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::{Halt, World};

/// POST /v2/bank/files/{bank_file_id}/reverse
#[derive(Clone, Debug)]
pub struct ProposeReversal {
    pub org: OrgId,
    pub person: Person,
    pub file: BankFileId,
    /// `None` for all entries of the file.
    pub entry: Option<TransferId>,
    pub reason: ReversalReason,
    pub evidence: String,
    pub found_at: Time,
}

impl Command for ProposeReversal {
    type Reply = Arc<BankReversal>;

    fn decide(&self, world: &mut World) -> Result<Arc<BankReversal>, Halt> {
        let file = bank_files::find(world, self.org, self.file)?;
        let made_by = self.person.may(world, self.org, Act::Pay)?.member;
        let now = world.now();
        let send_by = send_by(world, &file)?;
        may_be_reversed(world, &file, self.entry, send_by)?;
        let mut others = rows::of_file(world, self.org, self.file)?;
        others.retain(|other| other.entry == self.entry);
        // The same error was found when it was proposed first.
        let same = others.iter().filter(|other| other.reason == self.reason).map(|other| other.found_at);
        let found_at = same.min().unwrap_or(self.found_at).min(self.found_at);
        is_found_lately(self.found_at, now)?;
        is_found_lately(found_at, now)?;
        let is_open =
            |other: &Arc<BankReversal>| matches!(other.status, ReversalStatus::Proposed | ReversalStatus::Approved);
        if let Some(other) = others.into_iter().find(is_open) {
            let message = format!("The reversal {} is {}. Approve or dismiss that one.", other.id, other.status);
            return Err(Refusal::new(Code::InvalidState, message).because(Reason::AlreadyExists).into());
        }

        // From here it must succeed.
        let id = world.id();
        let reversal = world.add(BankReversal {
            org: self.org,
            id,
            file: self.file,
            entry: self.entry,
            reason: self.reason,
            evidence: Some(self.evidence.clone()),
            found_at,
            send_by,
            status: ReversalStatus::Proposed,
            through: None,
            joined: 0,
            skipped: 0,
            settled: 0,
            returned: 0,
            unsent: 0,
            made_by,
            approved_by: None,
            approved_at: None,
            dismissed_by: None,
            dismissal: None,
            version: 1,
            created_at: now,
            updated_at: now,
        });
        let act = NewAct::of(ActKind::BankReversalProposed, None, id).by(Some(made_by));
        acts::record(world, self.org, act.changing(&(), &BankReversalJson::without_words(&reversal)))?;
        Ok(reversal)
    }
}

/// Returns the end of the fifth banking day after the settlement, in the zone of the connection.
fn send_by(world: &World, file: &BankFile) -> Result<Time, Halt> {
    let connection = connections::find(world, file.org, file.connection)?;
    if matches!(connection.status, ConnectionStatus::Draft | ConnectionStatus::Tested) {
        let message = "The bank connection was changed, and no member has approved the change. Let another member approve it \
                       first.";
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::MemberNeeded).into());
    }
    let settings = &connection.settings.0;
    let damaged = || Refusal::new(Code::InternalError, "The effective date of a bank file is no date.");
    let settled_on = file.effective_on.parse().map_err(|_| damaged())?;
    let after = settings.calendar.add_banking_days(settled_on, BANKING_DAYS).tomorrow().map_err(|_| damaged())?;
    let midnight = "00:00".parse().map_err(|_| damaged())?;
    Ok(settings.time_zone.instant(after, midnight).ok_or_else(damaged)?)
}

/// Refuses an entry that cannot be reversed now; of a whole file, the file.
pub(super) fn may_be_reversed(
    world: &World,
    file: &BankFile,
    entry: Option<TransferId>,
    send_by: Time,
) -> Result<(), Halt> {
    let entry = match entry {
        Some(entry) => bank_files::entry(world, file.org, entry)?.filter(|entry| entry.file == file.id),
        None => return of_file(world, file, send_by),
    };
    let Some(entry) = entry else {
        let message = "is no entry of this file";
        return Err(Refusal::field(Code::InvalidInput, "/entry_id", message).into());
    };
    match may_reverse(world, file, &entry, send_by)? {
        None => Ok(()),
        Some(why) => Err(why.into()),
    }
}

/// The entries of a file are checked one by one when they are reversed; a file has up to 100,000.
fn of_file(world: &World, file: &BankFile, send_by: Time) -> Result<(), Halt> {
    match bank_files::may_reverse_file(world, file, send_by)? {
        None => Ok(()),
        Some(NotReversible::Reversal) => {
            Err(Refusal::new(Code::InvalidState, "The entries of the file are reversals. Make new payments instead.")
                .because(Reason::WrongKind)
                .into())
        }
        Some(why) => Err(why.into()),
    }
}
