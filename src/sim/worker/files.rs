//! The parts of a job about a bank file, as the real worker does them (`worker::bank_files`).

use sha2::{Digest as _, Sha256};

use super::super::chance::Chance;
use super::super::system::System;
use super::hand::{Delivery, Finished, Hand, Outside, Performed, finish};
use super::sending::{self, AGAIN_SECONDS};
use crate::bank_files::{self, Contents, FileStatus};
use crate::bank_reversals;
use crate::ids::{BankFileId, BankReversalId};
use crate::jobs::Leased;
use crate::refusal::{Code, Refusal};

/// Entries that end together, at most.
const ENTRIES: usize = 5;

/// Writes a file, or takes the next step of its delivery.
pub(super) fn send(
    hand: &mut Hand,
    id: BankFileId,
    system: &System,
    outside: &mut Outside<'_>,
    chance: &mut Chance,
) -> Result<Performed, Refusal> {
    if hand.delivery.is_some() {
        return Ok(sending::step(hand, system, outside, chance));
    }
    let org = hand.leased.org;
    let (file, contents) = system.read(|world| {
        let file = bank_files::find(world, org, id)?;
        let is_before_the_bank = matches!(file.status, FileStatus::Sealed | FileStatus::Sending | FileStatus::Renaming);
        let contents = is_before_the_bank.then(|| bank_files::contents(world, outside.vault, &file)).transpose()?;
        Ok((file, contents))
    })?;
    let finished = match contents {
        None => Finished::FileRests,
        Some(Contents::Nothing) => Finished::FileWritten(id, file.version, None),
        Some(Contents::Unusable(entries)) if file.sha256.is_none() => Finished::FileRefuses(id, entries),
        Some(Contents::Erased | Contents::Unusable(_)) => return Err(changed()),
        Some(Contents::Bytes(bytes)) => {
            let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            match &file.sha256 {
                None => {
                    let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
                    Finished::FileWritten(id, file.version, Some((size, hash)))
                }
                Some(known) if *known != hash => return Err(changed()),
                Some(_) if file.must_wait_for_release() => Finished::FileRests,
                Some(_) if file.unswept => {
                    outside.bank.remove_strays(&id.to_string());
                    Finished::FileSwept(id)
                }
                // A member moves it, or has taken it to the bank.
                Some(_) if file.status != FileStatus::Renaming && system.now() >= file.submit_by => Finished::FileRests,
                Some(_) if !outside.bank.sound && chance.one_in(12) => {
                    Finished::Wait(system.now().plus_seconds(AGAIN_SECONDS))
                }
                Some(_) => {
                    hand.delivery = Some(Box::new(Delivery::new(file, bytes, chance)));
                    return Ok(sending::step(hand, system, outside, chance));
                }
            }
        }
    };
    Ok(finish(hand, Some(finished)))
}

fn changed() -> Refusal {
    Refusal::new(Code::InternalError, "The records of a bank file give other bytes than its hash.")
}

pub(super) fn end(id: BankFileId, leased: &Leased, system: &System, chance: &mut Chance) -> Result<Finished, Refusal> {
    let (org, limit) = (leased.org, chance.position(ENTRIES) + 1);
    let (after, entries) = system.read(|world| {
        let file = bank_files::find(world, org, id)?;
        let page = bank_files::after(world, &file, file.ended_through, limit)?;
        Ok((file.ended_through, page.iter().map(|entry| entry.transfer).collect()))
    })?;
    Ok(Finished::FileEnded(id, after, entries))
}

pub(super) fn reverse(
    id: BankReversalId,
    leased: &Leased,
    system: &System,
    chance: &mut Chance,
) -> Result<Finished, Refusal> {
    let (org, limit) = (leased.org, chance.position(ENTRIES) + 1);
    let (after, entries) = system.read(|world| {
        let order = bank_reversals::find(world, org, id)?;
        let file = bank_files::find(world, org, order.file)?;
        let page = bank_files::after(world, &file, order.through, limit)?;
        Ok((order.through, page.iter().map(|entry| entry.transfer).collect()))
    })?;
    Ok(Finished::FileReversed(id, after, entries))
}
