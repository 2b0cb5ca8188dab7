//! Finds the payment or the file that a report is about. Runs in a read, before the command that applies the file.

use std::sync::Arc;

use bursar_formats::nacha::{Corrected, Trace};

use super::model::{ItemKind, ItemReason};
use super::reported::{Named, NamedFile, Reported, is_duplicate, is_duplicate_text};
use crate::bank::{AccountNumber, RoutingNumber};
use crate::bank_accounts::{self, SealedAccount};
use crate::bank_files::{self, BankAnswer, BankEntry, BankFile, Contest, FarEnd, OpenedEnd};
use crate::banking::NachaIdentity;
use crate::ids::{BankConnectionId, BankFileId, OrgId, TransferId};
use crate::money::Cents;
use crate::payout_methods::{AccountType, Details, SealedDetails, Target as Destination, UsBank};
use crate::rails::Direction;
use crate::refusal::Refusal;
use crate::transfers::{Transfer, TransferKind};
use crate::vault::Vault;
use crate::world::record::key;
use crate::world::{Halt, World};

/// Trace numbers of one ODFI.
const NUMBERS: u64 = 10_000_000;

/// What a report is about.
#[derive(Clone, Debug)]
pub enum Target {
    Return(TransferId),
    /// The payment, and the account with the corrected numbers.
    Correction(TransferId, Box<SealedDetails>),
    /// The same for the bank account of an app or a payer.
    AccountCorrection(TransferId, Box<SealedAccount>),
    /// The operator of ACH returned the whole file.
    Rejection(BankFileId),
    /// What the bank says about a whole file.
    FileAnswer(BankFileId, BankAnswer),
    /// What the bank says about a whole file, or a payment in it, that may be wrong.
    Contested(BankFileId, Contest, Option<TransferId>),
    /// What the bank says about a payment.
    Answer(TransferId, BankAnswer),
    Unmatched(ItemReason, Option<TransferId>),
}

/// Returns what a report is about. `nonce` must be unique.
///
/// # Errors
/// `internal-error` if the key of a sealed account is missing.
pub fn target(
    world: &World,
    vault: &Vault,
    (org, connection): (OrgId, BankConnectionId),
    reported: &Reported,
    nonce: [u8; 24],
) -> Result<Target, Halt> {
    if let Some(named) = &reported.named {
        if let Some(file) = &named.file {
            return of_acknowledgement(world, (org, connection), file, (named.answer, &reported.text));
        }
        return of_message(world, (org, connection), reported, named);
    }
    let Some(trace) = reported.trace else { return Ok(Target::Unmatched(ItemReason::NeedsReview, None)) };
    let found = entries(world, org, connection, trace)?;
    let Some((newest, _)) = found.first() else { return Ok(Target::Unmatched(ItemReason::UnknownTrace, None)) };
    let unmatched = |reason| Ok(Target::Unmatched(reason, Some(newest.transfer)));
    match reported.kind {
        ItemKind::Return => {
            let equal: Vec<_> = found.iter().filter(|(entry, _)| is_amount(entry.amount, reported.amount)).collect();
            if equal.is_empty() {
                return unmatched(ItemReason::OtherAmount);
            }
            for (entry, _) in equal {
                if is_account(&bank_files::far_end(world, entry)?, vault, entry, reported)? {
                    return Ok(Target::Return(entry.transfer));
                }
            }
            unmatched(ItemReason::OtherAccount)
        }
        ItemKind::Change => {
            for (entry, _) in &found {
                let account = bank_files::far_end(world, entry)?;
                if is_account(&account, vault, entry, reported)? {
                    return correction(world, entry, &account, vault, (reported, nonce));
                }
            }
            unmatched(ItemReason::OtherAccount)
        }
        ItemKind::Rejection => {
            let is_whole = |file: &&Arc<BankFile>| match file.direction {
                Direction::Credit => is_amount(file.credit, reported.amount) && file.entries == reported.credits,
                Direction::Debit => is_amount(file.credit, reported.debits.1) && file.entries == reported.debits.0,
            };
            Ok(match found.iter().map(|(_, file)| file).find(is_whole) {
                Some(file) => Target::Rejection(file.id),
                None => Target::Unmatched(ItemReason::OtherTotals, Some(newest.transfer)),
            })
        }
        ItemKind::DishonoredReturn
        | ItemKind::ContestedReturn
        | ItemKind::RefusedChange
        | ItemKind::Status
        | ItemKind::Acknowledgement
        | ItemKind::Entry
        | ItemKind::Line
        | ItemKind::OpeningBalance => unmatched(ItemReason::NeedsReview),
    }
}

/// Returns what a report of a message is about. A file is named by the id of its present message only: an earlier one was
/// refused.
fn of_message(
    world: &World,
    (org, connection): (OrgId, BankConnectionId),
    reported: &Reported,
    named: &Named,
) -> Result<Target, Halt> {
    let unmatched = |reason, transfer| Ok(Target::Unmatched(reason, transfer));
    let file = match &named.message {
        None => None,
        Some(message) => match file_of_message(world, (org, connection), message)? {
            Some(file) => Some(file),
            None => return unmatched(ItemReason::UnknownReference, None),
        },
    };
    let entry = match &named.payment {
        None => None,
        Some(id) => match payment_of(world, (org, connection), id)? {
            Some((entry, of)) if file.as_ref().is_none_or(|file| file.id == of.id) => Some(entry),
            Some(_) | None => return unmatched(ItemReason::UnknownReference, None),
        },
    };
    let transfer = entry.as_ref().map(|entry| entry.transfer);
    let is_refused = named.answer == Some(BankAnswer::Rejected);
    let of = file.as_ref().map(|file| file.id).or(entry.as_ref().map(|entry| entry.file));
    if let Some(of) = of.filter(|_| is_refused && named.reason.as_deref().is_some_and(is_duplicate)) {
        return Ok(Target::Contested(of, Contest::Duplicate, transfer));
    }
    match (reported.kind, entry, file, named.answer) {
        (ItemKind::Return, Some(entry), _, _) if is_amount(entry.amount, reported.amount) => {
            Ok(Target::Return(entry.transfer))
        }
        (ItemKind::Return, Some(_), _, _) => unmatched(ItemReason::OtherAmount, transfer),
        (ItemKind::Status, Some(entry), _, Some(answer)) => Ok(Target::Answer(entry.transfer, answer)),
        // The payments that the bank does not name have the status of the file.
        (ItemKind::Status, None, Some(file), Some(BankAnswer::Rejected)) if named.others > named.refused => {
            let are_all = usize::try_from(file.entries) == Ok(named.others);
            if are_all {
                Ok(Target::FileAnswer(file.id, BankAnswer::Accepted))
            } else {
                Ok(Target::Contested(file.id, Contest::Refused, None))
            }
        }
        (ItemKind::Status, None, Some(file), Some(answer)) => Ok(Target::FileAnswer(file.id, answer)),
        _ => unmatched(ItemReason::NeedsReview, transfer),
    }
}

/// Returns the file that an acknowledgement names, if all totals that it has are those of the file.
fn of_acknowledgement(
    world: &World,
    (org, connection): (OrgId, BankConnectionId),
    named: &NamedFile,
    (answer, text): (Option<BankAnswer>, &str),
) -> Result<Target, Halt> {
    let unmatched = |reason| Ok(Target::Unmatched(reason, None));
    let is_named = |file: &BankFile| {
        let Some(header) = file.header.as_ref().map(|header| &header.0) else { return false };
        let created = Some((header.created_on.as_str(), header.modifier.as_str()));
        named.name.as_deref().is_none_or(|name| file.name.as_deref() == Some(name))
            && named.created.as_ref().is_none_or(|(day, letter)| created == Some((day.as_str(), letter.as_str())))
    };
    let names_one = named.name.is_some() || named.created.is_some();
    let found = if names_one { bank_files::newest_where(world, org, connection, is_named)? } else { None };
    let Some(file) = found else { return unmatched(ItemReason::UnknownReference) };
    let ours = file.control_totals();
    let is_equal = named.entries.is_none_or(|entries| entries == ours.entries)
        && named.debit.is_none_or(|debit| is_amount(ours.debit, debit))
        && named.credit.is_none_or(|credit| is_amount(ours.credit, credit));
    match answer {
        _ if !is_equal => Ok(Target::Contested(file.id, Contest::OtherTotals, None)),
        // The bank has the file that it got first.
        Some(BankAnswer::Rejected) if is_duplicate_text(text) => {
            Ok(Target::Contested(file.id, Contest::Duplicate, None))
        }
        Some(answer) => Ok(Target::FileAnswer(file.id, answer)),
        None => unmatched(ItemReason::NeedsReview),
    }
}

fn file_of_message(
    world: &World,
    (org, connection): (OrgId, BankConnectionId),
    message: &str,
) -> Result<Option<Arc<BankFile>>, Halt> {
    let Some(id) = bank_files::file_of(message) else { return Ok(None) };
    let is_present = |file: &BankFile| {
        let present = file.header.as_ref().and_then(|header| header.0.message_id.as_deref());
        file.connection == connection && present.is_some_and(|present| present.eq_ignore_ascii_case(message))
    };
    Ok(world.get::<BankFile>(key![org, id])?.filter(|file| is_present(file)))
}

fn payment_of(world: &World, (org, connection): (OrgId, BankConnectionId), id: &str) -> Result<Option<Found>, Halt> {
    let Some(transfer) = bank_files::transfer_of(id) else { return Ok(None) };
    let Some(entry) = bank_files::entry(world, org, transfer)? else { return Ok(None) };
    let file = bank_files::find(world, org, entry.file)?;
    Ok((file.connection == connection).then_some((entry, file)))
}

/// An entry and its file.
type Found = (Arc<BankEntry>, Arc<BankFile>);

/// Returns the entries that have or had a trace number, newest range first.
fn entries(world: &World, org: OrgId, connection: BankConnectionId, trace: Trace) -> Result<Vec<Found>, Halt> {
    let number = i64::try_from(trace.0 % NUMBERS).unwrap_or(0);
    let odfi = format!("{:08}", trace.0 / NUMBERS);
    let mut found = Vec::new();
    for file in bank_files::of_trace(world, org, connection, number)? {
        let Some(header) = &file.header else { continue };
        let is_of_odfi = |nacha: &NachaIdentity| nacha.odfi_routing_number.starts_with(&odfi);
        if !header.0.identity.nacha().is_some_and(is_of_odfi) {
            continue;
        }
        if let Some(entry) = bank_files::at(world, &file, number - header.0.first_trace)? {
            found.push((entry, file));
        }
    }
    Ok(found)
}

fn is_amount(ours: Cents, reported: u64) -> bool {
    u64::try_from(ours.get()).is_ok_and(|ours| ours == reported)
}

/// Returns whether the bank names the account that we paid. The numbers of an erased payee are gone; then the id that
/// we gave the payment decides.
fn is_account(account: &FarEnd, vault: &Vault, entry: &BankEntry, reported: &Reported) -> Result<bool, Refusal> {
    if account.is_erased() {
        return Ok(reported.individual_id == bank_files::individual_id(entry.transfer));
    }
    let opened = account.open(vault)?;
    Ok(opened.is_some_and(|opened| opened.account_number() == Some(reported.account.as_str())))
}

/// Returns what to do with the numbers that a bank reports. A vendor's account was approved by members, so members decide.
fn correction(
    world: &World,
    entry: &BankEntry,
    account: &FarEnd,
    vault: &Vault,
    (reported, nonce): (&Reported, [u8; 24]),
) -> Result<Target, Halt> {
    let unmatched = |reason| Ok(Target::Unmatched(reason, Some(entry.transfer)));
    let transfer = world.get::<Transfer>(key![entry.org, entry.moves()])?;
    if transfer.is_none_or(|transfer| transfer.kind == TransferKind::Payable) {
        return unmatched(ItemReason::NeedsReview);
    }
    let opened = if account.is_erased() { None } else { account.open(vault)? };
    Ok(match (account, opened) {
        (FarEnd::Method(_), Some(OpenedEnd::Details(details))) => match corrected(*details, reported) {
            Some(details) => Target::Correction(entry.transfer, Box::new(details.sealed(vault, nonce))),
            None => return unmatched(ItemReason::NotACorrection),
        },
        (FarEnd::Account(account), Some(OpenedEnd::Bank(bank))) => match corrected_bank(&bank, reported) {
            Some(bank) => {
                let sealed = bank_accounts::sealed_with(account, &bank, vault, nonce);
                Target::AccountCorrection(entry.transfer, Box::new(sealed))
            }
            None => return unmatched(ItemReason::NotACorrection),
        },
        (FarEnd::Method(_) | FarEnd::Account(_), _) => return unmatched(ItemReason::NotACorrection),
    })
}

/// Returns the account with the corrected numbers, if they are valid and differ.
fn corrected(details: Details, reported: &Reported) -> Option<Details> {
    let Destination::UsBank { bank, address, residence } = &details.target else { return None };
    let new = corrected_bank(bank, reported)?;
    let target = Destination::UsBank { bank: new, address: address.clone(), residence: residence.clone() };
    Some(Details { target, ..details })
}

fn corrected_bank(bank: &UsBank, reported: &Reported) -> Option<UsBank> {
    let new = with(bank, &reported.change.as_ref()?.corrected_values()?)?;
    (new != *bank).then_some(new)
}

fn with(bank: &UsBank, to: &Corrected) -> Option<UsBank> {
    // A member decides about another name or id.
    if to.name.is_some() || to.individual_id.is_some() {
        return None;
    }
    let mut bank = bank.clone();
    if let Some(routing) = &to.routing {
        bank.routing_number = routing.parse::<RoutingNumber>().ok()?.as_str().to_owned();
    }
    if let Some(account) = &to.account {
        bank.account_number = account.parse::<AccountNumber>().ok()?.expose().to_owned();
    }
    if let Some(code) = &to.transaction_code {
        bank.account_type = match code.as_bytes() {
            [b'2', _] => AccountType::Checking,
            [b'3', _] => AccountType::Savings,
            _ => return None,
        };
    }
    Some(bank)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bank() -> UsBank {
        UsBank {
            account_number: "55501234".to_owned(),
            routing_number: "110000000".to_owned(),
            account_type: AccountType::Checking,
        }
    }

    fn text(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn a_correction_changes_what_it_names() {
        let to = Corrected { account: text("55509999"), transaction_code: text("32"), ..Corrected::default() };
        let new = with(&bank(), &to).unwrap();
        assert_eq!((new.account_number.as_str(), new.account_type), ("55509999", AccountType::Savings));
        assert_eq!(new.routing_number, "110000000");
    }

    #[test]
    fn numbers_that_are_not_valid_and_names_wait_for_a_person() {
        for to in [
            Corrected { routing: text("110000001"), ..Corrected::default() },
            Corrected { account: text("12"), ..Corrected::default() },
            Corrected { transaction_code: text("42"), ..Corrected::default() },
            Corrected { name: text("JANE DOE"), ..Corrected::default() },
        ] {
            assert!(with(&bank(), &to).is_none(), "{to:?}");
        }
    }
}
