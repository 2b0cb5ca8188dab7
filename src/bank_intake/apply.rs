//! Applies a file that was read whole, in pages, or quarantines it.

use std::sync::Arc;

use super::correct::{correct, correct_account};
use super::matching::Target;
use super::model::{BankItem, Findings, InboundFile, InboundStatus, ItemKind, ItemReason, ItemStatus};
use super::reported::Reported;
use super::rows;
use super::rules::{self, InboundEvent};
use crate::bank_files::{self, BankAnswer, BankEntry, Contest, FileStatus};
use crate::banking::connections;
use crate::engine::Command;
use crate::ids::{BankFileId, InboundFileId, OrgId, PayoutMethodId, TransferId};
use crate::jobs::{self, Leased};
use crate::money::Cents;
use crate::rails::failures::FailureCode;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::settlements::{self, Answered, Returned};
use crate::transfers;
use crate::users::{self, Suspicion};
use crate::world::record::{Document, key};
use crate::world::{Halt, Want, World};

/// The result of reading a file.
#[derive(Clone, Debug)]
pub enum Reading {
    Items(Page),
    Refused(Findings),
}

/// The reports that one commit applies at most.
pub const PAGE: usize = 500;

/// A part of the reports of a file.
#[derive(Clone, Debug)]
pub struct Page {
    /// The reports before it.
    pub from: i64,
    /// The reports with it, also those that change nothing.
    pub to: i64,
    /// Whether the file has no others.
    pub is_last: bool,
    pub items: Vec<NewItem>,
}

#[derive(Clone, Debug)]
pub struct NewItem {
    pub reported: Reported,
    pub target: Target,
}

/// Records a page of what a file contains. The reader has accepted the whole file, so the other pages follow.
#[derive(Clone, Debug)]
pub struct ApplyInbound {
    pub leased: Leased,
    pub file: InboundFileId,
    pub reading: Reading,
}

/// The effect of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// A page; `rejected` are files of ours that the bank refused in it.
    Page {
        rejected: i64,
    },
    /// The last page.
    Whole {
        items: i64,
        unmatched: i64,
        rejected: i64,
    },
    Quarantined,
    /// It was read before.
    Before,
}

impl Command for ApplyInbound {
    type Reply = Applied;

    fn needs(&self) -> Vec<Want> {
        vec![self.leased.want(), Want::row::<InboundFile>(key![self.leased.org, self.file])]
    }

    fn decide(&self, world: &mut World) -> Result<Applied, Halt> {
        let file = rows::find(world, self.leased.org, self.file)?;
        if file.status != InboundStatus::Stored {
            jobs::finish(world, &self.leased)?;
            return Ok(Applied::Before);
        }
        let outcome = match &self.reading {
            Reading::Refused(findings) => {
                quarantine(world, &file, findings)?;
                Applied::Quarantined
            }
            Reading::Items(page) => apply_page(world, &file, page)?,
        };
        match outcome {
            Applied::Page { .. } => jobs::renew(world, &self.leased)?,
            Applied::Whole { .. } | Applied::Quarantined | Applied::Before => jobs::finish(world, &self.leased)?,
        }
        Ok(outcome)
    }
}

/// Applies a page, unless it was applied before.
fn apply_page(world: &mut World, file: &Arc<InboundFile>, page: &Page) -> Result<Applied, Halt> {
    if page.from != file.reports_read {
        return Ok(Applied::Page { rejected: 0 });
    }
    let added = world.each(&page.items, |world, item| add(world, file, item))?;
    let unmatched = added.iter().filter(|(status, _)| *status == ItemStatus::Unmatched).count();
    let rejected = count(added.iter().filter(|(_, is_rejected)| *is_rejected).count())?;
    let (items, unmatched) = (file.items + count(added.len())?, file.unmatched + count(unmatched)?);
    let file = rows::change(world, file, |file| {
        (file.reports_read, file.items, file.unmatched) = (page.to, items, unmatched);
    });
    if !page.is_last {
        return Ok(Applied::Page { rejected });
    }
    applied(world, &file, items, unmatched, Findings::default())?;
    Ok(Applied::Whole { items, unmatched, rejected })
}

/// Quarantines a stored file.
///
/// # Errors
/// `invalid-state`.
pub fn quarantine(world: &mut World, file: &Arc<InboundFile>, findings: &Findings) -> Result<(), Halt> {
    let to = rules::apply(file.status, InboundEvent::Refused)?;
    rows::change(world, file, |file| (file.status, file.findings) = (to, Document(findings.clone())));
    Ok(())
}

/// Records that all of a stored file is applied.
///
/// # Errors
/// `invalid-state`.
pub fn applied(
    world: &mut World,
    file: &Arc<InboundFile>,
    items: i64,
    unmatched: i64,
    findings: Findings,
) -> Result<(), Halt> {
    let to = rules::apply(file.status, InboundEvent::Applied)?;
    rows::change(world, file, |file| {
        (file.status, file.items, file.unmatched, file.findings) = (to, items, unmatched, Document(findings));
    });
    Ok(())
}

fn count(many: usize) -> Result<i64, Refusal> {
    i64::try_from(many).map_err(|_| Refusal::new(Code::InternalError, "A bank's file has too many reports."))
}

/// The effect of one report.
#[derive(Default)]
struct Effect {
    reason: Option<ItemReason>,
    transfer: Option<TransferId>,
    bank_file: Option<BankFileId>,
    payout_method: Option<PayoutMethodId>,
}

/// Returns the state of the report, and whether the bank refused a file of ours.
fn add(world: &mut World, file: &InboundFile, item: &NewItem) -> Result<(ItemStatus, bool), Halt> {
    let effect = apply(world, file.org, item)?;
    let is_refusal = matches!(&item.target, Target::Rejection(_) | Target::FileAnswer(_, BankAnswer::Rejected));
    let is_rejected = is_refusal && effect.reason.is_none();
    let status = if effect.reason.is_some() { ItemStatus::Unmatched } else { ItemStatus::Applied };
    let (id, created_at) = (world.id(), world.now());
    let Reported { kind, line, code, trace, amount, individual_id, text, named, .. } = item.reported.clone();
    let too_large = |_| Refusal::new(Code::InternalError, "An amount of a bank's file is too large.");
    let amount = Cents::new(i64::try_from(amount).map_err(too_large)?);
    world.add(BankItem {
        org: file.org,
        id,
        inbound_file: file.id,
        connection: file.connection,
        line,
        kind,
        code,
        bank_reason: named.and_then(|named| named.reason),
        trace: trace.map(|trace| trace.to_string()),
        amount,
        individual_id,
        text: Some(text),
        status,
        reason: effect.reason,
        transfer: effect.transfer,
        bank_file: effect.bank_file,
        payout_method: effect.payout_method,
        matched_by: None,
        closed_by: None,
        closed_at: None,
        evidence: None,
        statement: None,
        settlement_account: None,
        booked_on: None,
        reference: None,
        meaning: None,
        booked_as: None,
        app: None,
        suspense: None,
        proposal: None,
        version: 1,
        created_at,
    });
    Ok((status, is_rejected))
}

fn apply(world: &mut World, org: OrgId, item: &NewItem) -> Result<Effect, Halt> {
    match &item.target {
        Target::Return(transfer) => {
            let reason = item.reported.named.as_ref().and_then(|named| named.reason.as_deref());
            let said = (item.reported.code.as_str(), reason, item.reported.text.as_str());
            let entry = entry_of(world, org, *transfer)?;
            let reason = match return_entry(world, &entry, said)? {
                Returned::Booked => None,
                // The bank's statement, or its status report, was earlier than its notification.
                Returned::Again if reason.is_some() && rows::returns_of(world, org, *transfer)?.is_empty() => None,
                Returned::Again => Some(ItemReason::AlreadyReturned),
                Returned::NotSent => Some(ItemReason::NotSent),
                Returned::NotInFile => Some(ItemReason::NotInFile),
            };
            Ok(Effect { reason, transfer: Some(*transfer), ..Effect::default() })
        }
        Target::Correction(transfer, details) => {
            let corrected = correct(world, org, *transfer, details)?;
            let (payout_method, reason) = (corrected.as_ref().ok().copied(), corrected.err());
            stop_prenote(world, org, item, (*transfer, reason))?;
            Ok(Effect { reason, payout_method, transfer: Some(*transfer), ..Effect::default() })
        }
        Target::AccountCorrection(transfer, account) => {
            let reason = correct_account(world, org, *transfer, account)?.err();
            stop_prenote(world, org, item, (*transfer, reason))?;
            Ok(Effect { reason, transfer: Some(*transfer), ..Effect::default() })
        }
        Target::Contested(id, contest, transfer) => {
            let reason = contest_file(world, org, *id, *contest)?;
            Ok(Effect { reason: Some(reason), bank_file: Some(*id), transfer: *transfer, ..Effect::default() })
        }
        Target::Rejection(id) => {
            let reason = refuse_file(world, org, *id, true)?;
            Ok(Effect { reason, bank_file: Some(*id), ..Effect::default() })
        }
        Target::FileAnswer(id, answer) => {
            let reason = answer_file(world, org, *id, *answer)?;
            Ok(Effect { reason, bank_file: Some(*id), ..Effect::default() })
        }
        Target::Answer(transfer, answer) => {
            let reason = item.reported.named.as_ref().and_then(|named| named.reason.as_deref());
            let reason = answer_payment(world, org, *transfer, *answer, failure(("", reason, "")))?;
            Ok(Effect { reason, transfer: Some(*transfer), ..Effect::default() })
        }
        Target::Unmatched(reason, transfer) => {
            if let Some(transfer) = transfer {
                stop_prenote(world, org, item, (*transfer, Some(*reason)))?;
            }
            Ok(Effect { reason: Some(*reason), transfer: *transfer, ..Effect::default() })
        }
    }
}

/// The codes of changes that replace numbers of an account.
const NUMBERS: [&str; 6] = ["C01", "C02", "C03", "C05", "C06", "C07"];

/// Stops the payments that wait for a prenote if its bank reports other numbers that are not applied.
fn stop_prenote(
    world: &mut World,
    org: OrgId,
    item: &NewItem,
    (transfer, reason): (TransferId, Option<ItemReason>),
) -> Result<(), Halt> {
    let is_of_account =
        matches!(reason, Some(ItemReason::NeedsReview | ItemReason::NotACorrection | ItemReason::MethodNotInUse));
    if !is_of_account || item.reported.kind != ItemKind::Change || !NUMBERS.contains(&item.reported.code.as_str()) {
        return Ok(());
    }
    let entry = entry_of(world, org, transfer)?;
    settlements::not_corrected(world, &entry)
}

fn entry_of(world: &World, org: OrgId, transfer: TransferId) -> Result<Arc<BankEntry>, Halt> {
    Ok(bank_files::entry(world, org, transfer)?.ok_or_else(|| Refusal::not_found("bank entry"))?)
}

/// Applies what the bank says about a whole file. After a refusal nothing is accepted.
fn answer_file(world: &mut World, org: OrgId, id: BankFileId, answer: BankAnswer) -> Result<Option<ItemReason>, Halt> {
    let file = bank_files::find(world, org, id)?;
    if answer == BankAnswer::Rejected {
        return refuse_file(world, org, id, false);
    }
    let is_refused = matches!(file.status, FileStatus::Rejected | FileStatus::Canceled | FileStatus::Dropped);
    if is_refused || file.contested.is_some_and(|contest| contest != Contest::OtherTotals) {
        return Ok(Some(ItemReason::Contradiction));
    }
    // An answer with the right totals ends the doubt of one with others.
    let file = bank_files::change(world, &file, |file| file.contested = None);
    let is_at_bank = bank_files::acknowledge(world, &file, answer)?;
    Ok((!is_at_bank).then_some(ItemReason::NotSent))
}

/// Applies the refusal of a whole file. Only the operator of ACH, who returns each payment, refuses what the bank has booked;
/// another refusal of money that has moved contradicts our records, and members decide.
fn refuse_file(world: &mut World, org: OrgId, id: BankFileId, by_operator: bool) -> Result<Option<ItemReason>, Halt> {
    let file = bank_files::find(world, org, id)?;
    let is_settled = file.answer == Some(BankAnswer::Settled);
    match file.status {
        FileStatus::Rejected => Ok(None),
        FileStatus::Sent if is_settled || !by_operator && file.is_booked() => {
            contest_file(world, org, id, Contest::Refused).map(Some)
        }
        // A refusal shows that the bank has the file.
        FileStatus::Sent | FileStatus::InDoubt | FileStatus::Renaming => {
            bank_files::reject(world, &file)?;
            Ok(None)
        }
        FileStatus::Sealed | FileStatus::Sending => {
            bank_files::contest(world, &file, Contest::Refused);
            Ok(Some(ItemReason::NotSent))
        }
        FileStatus::Open | FileStatus::Canceled | FileStatus::Dropped => Ok(Some(ItemReason::NotSent)),
    }
}

/// Stops the presumption that the payments of a file settle, and the connection if the bank had the file before.
fn contest_file(world: &mut World, org: OrgId, id: BankFileId, contest: Contest) -> Result<ItemReason, Halt> {
    let file = bank_files::find(world, org, id)?;
    let reason = match contest {
        Contest::Duplicate => ItemReason::Duplicate,
        Contest::OtherTotals => ItemReason::OtherTotals,
        Contest::Refused => ItemReason::Contradiction,
    };
    if matches!(file.status, FileStatus::Open | FileStatus::Canceled | FileStatus::Dropped) {
        return Ok(reason);
    }
    let file = bank_files::contest(world, &file, contest);
    if contest == Contest::Duplicate {
        let why = format!("The bank says that it had the file {} before.", file.id);
        connections::stop(world, org, file.connection, &why)?;
    }
    Ok(reason)
}

/// Applies what the bank says about a payment, which shows that the bank has its file.
fn answer_payment(
    world: &mut World,
    org: OrgId,
    transfer: TransferId,
    answer: BankAnswer,
    code: FailureCode,
) -> Result<Option<ItemReason>, Halt> {
    let entry = entry_of(world, org, transfer)?;
    let file = bank_files::find(world, org, entry.file)?;
    bank_files::acknowledge(world, &file, BankAnswer::Accepted)?;
    let answered = match answer {
        BankAnswer::Accepted => return Ok(None),
        BankAnswer::Settled => settlements::settle_entry(world, &entry)?,
        BankAnswer::Rejected => settlements::reject_entry(world, &entry, code)?,
    };
    Ok(match answered {
        Answered::Applied | Answered::Known => None,
        Answered::Odd => Some(ItemReason::Contradiction),
        Answered::NotSent => Some(ItemReason::NotSent),
        Answered::NotInFile => Some(ItemReason::NotInFile),
    })
}

/// Applies the return of a payment: its code, its reason of ISO 20022, and the text of the bank.
pub(super) fn return_entry(
    world: &mut World,
    entry: &Arc<BankEntry>,
    said: (&str, Option<&str>, &str),
) -> Result<Returned, Halt> {
    let returned = settlements::return_entry(world, entry, failure(said))?;
    if returned == Returned::Booked && is_questionable(said) {
        let transfer = transfers::find(world, Scope { org: entry.org, app: entry.app }, entry.moves())?;
        if let Some(user) = transfer.user_id {
            users::suspect(world, entry.org, user, Suspicion::Fraud)?;
        }
    }
    Ok(returned)
}

/// Returns whether a bank suspects fraud: R17, whose text says so.
fn is_questionable((code, reason, text): (&str, Option<&str>, &str)) -> bool {
    reason.is_none() && code == "R17" && text.to_ascii_uppercase().contains("QUESTIONABLE")
}

/// Returns the failure of a return code such as R02, or of a reason of ISO 20022.
fn failure((code, reason, text): (&str, Option<&str>, &str)) -> FailureCode {
    if let Some(reason) = reason {
        return FailureCode::of_iso_reason(reason);
    }
    if code == "R16" && text.to_ascii_uppercase().contains("OFAC") {
        return FailureCode::Sanctions;
    }
    let number = code.strip_prefix('R').and_then(|number| number.parse().ok());
    number.map_or(FailureCode::RejectedByRail, FailureCode::of_return_code)
}
