//! What members do with a line of a statement that is in suspense. A member proposes what it is, and another one
//! approves that, which books it. One member books small costs.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::model::{BankItem, BookedAs, ItemKind, ItemStatus, LineMeaning, Proposal};
use super::rows::{record, refused};
use super::rules::{self, ItemEvent};
use crate::apps;
use crate::bank_files::{self, BankEntry, EntryKind, EntryStatus, FileStatus, Line};
use crate::banking::is_second_person;
use crate::events::acts::ActKind;
use crate::ids::{MemberId, TransferId};
use crate::money::Cents;
use crate::rails::failures::FailureCode;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::settlements::{self, Returned};
use crate::world::record::Document;
use crate::world::{Halt, World};

/// The most that is booked as costs without a second person.
pub const COSTS_MAX: Cents = Cents::new(10_000);

/// The most files, and the most transfers, that one proposal names.
const NAMED_MAX: usize = 500;

/// Returns whether an amount is a cost, or an income, that needs no second person.
#[must_use]
pub fn is_small_cost(amount: Cents) -> bool {
    (COSTS_MAX.negated()..=COSTS_MAX).contains(&amount)
}

/// Returns whether a line in suspense is clarified: explained, a large one by two members.
#[must_use]
pub fn is_clarified(item: &BankItem) -> bool {
    item.status == ItemStatus::Explained && (is_small_cost(item.amount) || item.matched_by.is_some())
}

fn line_of(item: &BankItem) -> Result<Line, Halt> {
    let account =
        item.suspense.ok_or_else(|| refused(Reason::AlreadyDone, "The line is not in suspense: it is booked."))?;
    Ok(Line { org: item.org, id: item.id, account, amount: item.amount })
}

/// Proposes what a line is.
pub(super) fn assign(
    world: &mut World,
    item: &Arc<BankItem>,
    by: MemberId,
    proposal: &Proposal,
    evidence: &str,
) -> Result<Arc<BankItem>, Halt> {
    if !item.is_line() {
        return Err(refused(
            Reason::WrongKind,
            "Only a line of a statement is assigned. Match a return with its payment.",
        ));
    }
    let status = rules::apply_to_item(item.status, ItemEvent::Matched)?;
    booked_line(world, item, proposal)?;

    // From here it must succeed.
    record(world, item, ActKind::BankItemMatched, by, |item| {
        (item.status, item.matched_by, item.evidence) = (status, Some(by), Some(evidence.to_owned()));
        item.proposal = Some(Document(proposal.clone()));
    })
}

/// Returns the line that a proposal books. It is the whole line; of the money before the first statement, it is what the
/// named files and payments moved.
fn booked_line(world: &mut World, item: &BankItem, proposal: &Proposal) -> Result<Line, Halt> {
    let line = line_of(item)?;
    let is_of_bank = matches!(proposal.booked_as, BookedAs::Payments | BookedAs::Returns);
    if item.kind == ItemKind::OpeningBalance && !is_of_bank {
        is_free_of_payments(world, item, line)?;
    }
    let (at, amount) = match proposal.booked_as {
        BookedAs::Organization | BookedAs::Costs => return Ok(line),
        BookedAs::Deposit => {
            if !line.amount.is_positive() {
                let message = "must not be deposit: the line does not credit the account";
                return Err(Refusal::field(Code::InvalidInput, "/booked_as", message).into());
            }
            if let Some(app) = proposal.app_id {
                apps::find(world, Scope { org: line.org, app })?;
            }
            return Ok(line);
        }
        BookedAs::Payments => {
            let at = if proposal.bank_file_ids.is_empty() { "/transfer_ids" } else { "/bank_file_ids" };
            (at, debits(world, line, proposal)?.negated())
        }
        BookedAs::Returns => ("/transfer_ids", credits(world, line, &proposal.transfer_ids)?),
    };
    if item.kind == ItemKind::Line && amount != line.amount {
        let message = format!("add up to {}; the line is {}", amount.dollars(), line.amount.dollars());
        return Err(Refusal::field(Code::InvalidInput, at, message).into());
    }
    Ok(Line { amount, ..line })
}

/// Refuses an owner of the money before the first statement while payments may have changed it: once it is gone, no line is
/// left for them.
fn is_free_of_payments(world: &mut World, item: &BankItem, line: Line) -> Result<(), Halt> {
    let day = item.booked_on.as_deref().ok_or_else(|| refused(Reason::WrongKind, "The money is of no statement."))?;
    let open = bank_files::sent_before(world, line.org, line.account, day)?;
    let Some(first) = open.first() else { return Ok(()) };
    let message = format!(
        "The bank had {first} before its first statement, of {day}, and has not booked it here. If the bank had booked it by \
         then, assign that part of the money first (payments or returns); otherwise wait for its line."
    );
    Err(refused(Reason::StepMissing, &message))
}

fn sum(of: Cents, amount: Cents) -> Result<Cents, Halt> {
    let too_large = |_| Refusal::field(Code::InvalidInput, "/transfer_ids", "add up to too large an amount");
    Ok(of.plus(amount).map_err(too_large)?)
}

/// Returns the sum of files and payments that the bank has not booked, as money that leaves the account.
fn debits(world: &mut World, line: Line, proposal: &Proposal) -> Result<Cents, Halt> {
    let mut total = Cents::ZERO;
    let files = world.each(&proposal.bank_file_ids, |world, id| bank_files::find(world, line.org, *id))?;
    for (place, file) in files.iter().enumerate() {
        if file.debit_due != Some(line.account) || file.booked > 0 {
            let message = "is a file that the bank has booked, or that is not at the bank";
            return Err(Refusal::field(Code::InvalidInput, format!("/bank_file_ids/{place}"), message).into());
        }
        total = sum(total, file.leaving(file.due().1))?;
    }
    let payments = world.each(&proposal.transfer_ids, |world, id| bank_files::undebited(world, line, *id))?;
    for (place, payment) in payments.into_iter().enumerate() {
        let Some(entry) = payment.filter(|entry| !proposal.bank_file_ids.contains(&entry.file)) else {
            let message = "is no payment at this bank that it has not booked, or is in a file that you name too";
            return Err(Refusal::field(Code::InvalidInput, format!("/transfer_ids/{place}"), message).into());
        };
        total = sum(total, entry.leaving())?;
    }
    Ok(total)
}

/// Returns the sum of returned payments whose return the bank has not booked, as a line has it.
fn credits(world: &mut World, line: Line, transfers: &[TransferId]) -> Result<Cents, Halt> {
    let mut total = Cents::ZERO;
    let entries = world.each(transfers, |world, id| {
        let Some(entry) = bank_files::entry(world, line.org, *id)? else { return Ok(None) };
        let is_meant = entry.credit_due == Some(line.account) || comes_back(world, &entry, line)?;
        Ok(is_meant.then_some(entry))
    })?;
    for (place, entry) in entries.into_iter().enumerate() {
        let Some(entry) = entry else {
            let message = "is no returned payment whose return the bank has not booked, and no payment of a message that may \
                           have come back; match its return first";
            return Err(Refusal::field(Code::InvalidInput, format!("/transfer_ids/{place}"), message).into());
        };
        total = sum(total, entry.leaving())?;
    }
    Ok(total)
}

/// Returns whether a line itself may be the return of a payment. A bank that takes messages may credit one without a report:
/// the line of its statement then has no reason.
fn comes_back(world: &World, entry: &BankEntry, line: Line) -> Result<bool, Halt> {
    let is_out = entry.kind == EntryKind::Payment && matches!(entry.status, EntryStatus::Joined | EntryStatus::Settled);
    if !is_out || entry.settlement_account != line.account {
        return Ok(false);
    }
    let file = bank_files::find(world, line.org, entry.file)?;
    let identity = file.header.as_ref().map(|header| &header.0.identity);
    Ok(file.status == FileStatus::Sent && identity.is_some_and(|identity| identity.pain001().is_some()))
}

/// Confirms the explanation of another member; the line stays in suspense.
fn confirm(world: &mut World, item: &Arc<BankItem>, by: MemberId) -> Result<Arc<BankItem>, Halt> {
    let (Some(explained_by), None) = (item.closed_by, item.matched_by) else {
        return Err(refused(Reason::AlreadyDone, "Two members have explained the line. No action is required."));
    };
    is_second_person(explained_by, by)?;
    record(world, item, ActKind::BankItemApproved, by, |item| {
        (item.matched_by, item.closed_by) = (Some(explained_by), Some(by));
    })
}

/// Books what a member proposed, as another one.
pub(super) fn approve(world: &mut World, item: &Arc<BankItem>, by: MemberId) -> Result<Arc<BankItem>, Halt> {
    if item.status == ItemStatus::Explained {
        return confirm(world, item, by);
    }
    let approved = rules::apply_to_item(item.status, ItemEvent::Approved)?;
    let (Some(matched_by), Some(Document(proposal))) = (item.matched_by, item.proposal.clone()) else {
        return Err(refused(Reason::StepMissing, "The line is not assigned. Assign it first."));
    };
    is_second_person(matched_by, by)?;
    let line = booked_line(world, item, &proposal)?;
    let transfer = book(world, line, &proposal)?;
    let Proposal { booked_as, app_id, bank_file_ids, transfer_ids } = proposal;
    // The line is the whole item but for the money before the first statement, of which the rest stays in suspense.
    let rest = item
        .amount
        .minus(line.amount)
        .map_err(|_| refused(Reason::WrongKind, "The rest of the money is too large."))?;
    let status = if rest.is_zero() { approved } else { rules::apply_to_item(item.status, ItemEvent::Divided)? };
    let now = world.now();
    record(world, item, ActKind::BankItemApproved, by, |item| {
        (item.status, item.closed_by, item.closed_at) = (status, Some(by), Some(now));
        item.proposal = None;
        if !rest.is_zero() {
            item.amount = rest;
            return;
        }
        (item.booked_as, item.suspense, item.app) = (Some(booked_as), None, app_id);
        if item.kind == ItemKind::OpeningBalance && matches!(booked_as, BookedAs::Payments | BookedAs::Returns) {
            item.amount = Cents::ZERO;
        }
        item.bank_file = only(&bank_file_ids);
        item.transfer = transfer.or_else(|| only(&transfer_ids));
    })
}

fn only<T: Copy>(ids: &[T]) -> Option<T> {
    if let [id] = ids { Some(*id) } else { None }
}

/// Moves the money of a line out of suspense; returns the transfer of a deposit.
fn book(world: &mut World, line: Line, proposal: &Proposal) -> Result<Option<TransferId>, Halt> {
    match proposal.booked_as {
        BookedAs::Payments => {
            bank_files::assign_to_payments(world, line, &proposal.bank_file_ids, &proposal.transfer_ids)?;
            settlements::settle_booked(world, line.org, &proposal.bank_file_ids, &proposal.transfer_ids)?;
        }
        BookedAs::Returns => {
            world.each(&proposal.transfer_ids, |world, id| come_back(world, line, *id))?;
            bank_files::assign_to_returns(world, line, &proposal.transfer_ids)?;
        }
        BookedAs::Deposit => {
            let app = proposal
                .app_id
                .ok_or_else(|| refused(Reason::StepMissing, "The deposit has no app. Assign the line again."))?;
            return bank_files::assign_to_app(world, line, app).map(Some);
        }
        BookedAs::Costs => bank_files::write_off(world, line)?,
        BookedAs::Organization => bank_files::assign_to_organization(world, line)?,
    }
    Ok(None)
}

/// Returns a payment of which the line is the only report.
fn come_back(world: &mut World, line: Line, id: TransferId) -> Result<(), Halt> {
    let entry = bank_files::entry(world, line.org, id)?.ok_or_else(|| Refusal::not_found("bank entry"))?;
    if entry.credit_due.is_some() {
        return Ok(());
    }
    match settlements::return_entry(world, &entry, FailureCode::RejectedByRail)? {
        Returned::Booked => Ok(()),
        Returned::Again | Returned::NotSent | Returned::NotInFile => Err(refused(
            Reason::BankExcludes,
            "The payment came back in another way since it was proposed. Assign the line again.",
        )),
    }
}

/// Books a small line as a cost or an income; proposes that for a larger one.
pub(super) fn write_off(
    world: &mut World,
    item: &Arc<BankItem>,
    by: MemberId,
    reason: &str,
) -> Result<Arc<BankItem>, Halt> {
    if !item.is_line() {
        return Err(refused(Reason::WrongKind, "Only a line of a statement is booked as costs. Ignore the report."));
    }
    let line = line_of(item)?;
    // A credit may be the money of a payer; interest of the bank is not.
    let is_of_bank = !line.amount.is_positive() || item.meaning == Some(LineMeaning::Interest);
    if !is_small_cost(line.amount) || !is_of_bank {
        return assign(world, item, by, &Proposal::of(BookedAs::Costs), reason);
    }
    let status = rules::apply_to_item(item.status, ItemEvent::WrittenOff)?;
    booked_line(world, item, &Proposal::of(BookedAs::Costs))?;
    bank_files::write_off(world, line)?;
    let now = world.now();
    record(world, item, ActKind::BankItemWrittenOff, by, |item| {
        (item.status, item.closed_by, item.closed_at) = (status, Some(by), Some(now));
        (item.booked_as, item.suspense, item.proposal) = (Some(BookedAs::Costs), None, None);
        item.evidence = Some(reason.to_owned());
    })
}

/// Records why a line stays in suspense. For a large one, another member approves the explanation.
pub(super) fn explain(
    world: &mut World,
    item: &Arc<BankItem>,
    by: MemberId,
    reason: &str,
) -> Result<Arc<BankItem>, Halt> {
    if !item.is_line() {
        return Err(refused(Reason::WrongKind, "Only a line of a statement is explained. Ignore the report."));
    }
    let status = rules::apply_to_item(item.status, ItemEvent::Explained)?;
    record(world, item, ActKind::BankItemExplained, by, |item| {
        (item.status, item.closed_by) = (status, Some(by));
        (item.matched_by, item.proposal) = (None, None);
        item.evidence = Some(reason.to_owned());
    })
}

impl Proposal {
    /// Returns a proposal that names nothing.
    pub(super) const fn of(booked_as: BookedAs) -> Self {
        Self { booked_as, app_id: None, bank_file_ids: Vec::new(), transfer_ids: Vec::new() }
    }

    /// Refuses a proposal that names too little, too much, or one thing twice.
    pub(super) fn checked(self) -> Result<Self, Refusal> {
        let is_deposit = self.booked_as == BookedAs::Deposit;
        let has_files = self.booked_as == BookedAs::Payments;
        let has_transfers = has_files || self.booked_as == BookedAs::Returns;
        let wrong = |at: &'static str, message: &str| Err(Refusal::field(Code::InvalidInput, at, message));
        if is_deposit != self.app_id.is_some() {
            return wrong("/app_id", "must name the app of a deposit, and be missing for anything else");
        }
        if !has_files && !self.bank_file_ids.is_empty() {
            return wrong("/bank_file_ids", "must be missing: only payments are in files");
        }
        if !has_transfers && !self.transfer_ids.is_empty() {
            return wrong("/transfer_ids", "must be missing: only payments and returns have transfers");
        }
        if has_transfers && self.bank_file_ids.is_empty() && self.transfer_ids.is_empty() {
            let at = if has_files { "/bank_file_ids" } else { "/transfer_ids" };
            return wrong(at, "must name what the bank booked");
        }
        if self.bank_file_ids.len() > NAMED_MAX {
            return wrong("/bank_file_ids", "must name at most 500 files");
        }
        if self.transfer_ids.len() > NAMED_MAX {
            return wrong("/transfer_ids", "must name at most 500 transfers");
        }
        if self.bank_file_ids.iter().collect::<BTreeSet<_>>().len() < self.bank_file_ids.len() {
            return wrong("/bank_file_ids", "must not name a file twice");
        }
        if self.transfer_ids.iter().collect::<BTreeSet<_>>().len() < self.transfer_ids.len() {
            return wrong("/transfer_ids", "must not name a transfer twice");
        }
        Ok(self)
    }
}
