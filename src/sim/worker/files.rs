//! The parts of a job about a bank file. A member takes the simulator's files to the bank.

use sha2::{Digest as _, Sha256};

use super::super::chance::Chance;
use super::super::system::System;
use super::Finished;
use crate::bank_files::{self, Contents, FileStatus};
use crate::ids::BankFileId;
use crate::jobs::Leased;
use crate::refusal::Refusal;
use crate::vault::Vault;

/// Entries that end together, at most.
const ENTRIES: usize = 5;

pub(super) fn send(id: BankFileId, leased: &Leased, system: &System, vault: &Vault) -> Result<Finished, Refusal> {
    let org = leased.org;
    let (file, contents) = system.read(|world| {
        let file = bank_files::find(world, org, id)?;
        let is_unwritten = file.status == FileStatus::Sealed && file.sha256.is_none();
        let contents = is_unwritten.then(|| bank_files::contents(world, vault, &file)).transpose()?;
        Ok((file, contents))
    })?;
    Ok(match contents {
        None | Some(Contents::Erased) => Finished::FileRests,
        Some(Contents::Nothing) => Finished::FileWritten(file.id, None),
        Some(Contents::Unusable(entries)) => Finished::FileRefuses(file.id, entries),
        Some(Contents::Bytes(bytes)) => {
            let hash = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            Finished::FileWritten(file.id, Some((i64::try_from(bytes.len()).unwrap_or(i64::MAX), hash)))
        }
    })
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
