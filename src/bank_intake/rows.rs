//! Finds and changes the rows, and opens the bytes.

use std::sync::Arc;

use super::json::BankItemJson;
use super::model::{BankItem, InboundFile, InboundPart, InboundStatus, ItemKind, ItemStatus};
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{
    BankConnectionId, BankItemId, BankStatementId, InboundFileId, MemberId, OrgId, SettlementAccountId, TransferId,
};
use crate::money::Cents;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::vault::{Purpose, SealContext, Vault};
use crate::world::query::Query;
use crate::world::record::{Cell as _, key};
use crate::world::{Halt, World};

/// # Errors
/// `not-found`.
pub fn find(world: &World, org: OrgId, id: InboundFileId) -> Result<Arc<InboundFile>, Halt> {
    let found = world.get::<InboundFile>(key![org, id])?;
    Ok(found.ok_or_else(|| Refusal::not_found("inbound file"))?)
}

/// # Errors
/// `not-found`.
pub fn item(world: &World, org: OrgId, id: BankItemId) -> Result<Arc<BankItem>, Halt> {
    let found = world.get::<BankItem>(key![org, id])?;
    Ok(found.ok_or_else(|| Refusal::not_found("bank item"))?)
}

/// Returns the lines of a statement, in their order.
///
/// # Errors
/// The store's.
pub fn of_statement(world: &World, org: OrgId, statement: BankStatementId) -> Result<Vec<Arc<BankItem>>, Halt> {
    let mut lines = world.all::<BankItem>(BankItem::OF_STATEMENT, key![org, Some(statement)])?;
    lines.sort_by_key(|line| (line.line, line.id));
    Ok(lines)
}

/// Returns the lines of an account in suspense, oldest first.
///
/// # Errors
/// The store's.
pub fn in_suspense(world: &World, org: OrgId, account: SettlementAccountId) -> Result<Vec<Arc<BankItem>>, Halt> {
    let mut lines = world.all::<BankItem>(BankItem::IN_SUSPENSE, key![org, Some(account)])?;
    lines.sort_by_key(|line| line.id);
    Ok(lines)
}

/// The most that is read, counted or listed.
const FILES_READ: usize = 20;
const ITEMS_READ: usize = 1_000;
const REPORTS_READ: usize = 100;

/// Returns the newest files of a connection in quarantine.
///
/// # Errors
/// The store's.
pub fn quarantined(world: &World, org: OrgId, connection: BankConnectionId) -> Result<Vec<Arc<InboundFile>>, Halt> {
    let files = Query::of::<InboundFile>(org.to_value(), "id", FILES_READ).equal("connection", connection);
    world.page::<InboundFile>(&files.equal("status", InboundStatus::Quarantined))
}

/// The reports of a bank that wait for a member.
#[derive(Clone, Copy, Debug)]
pub struct ReportsOpen {
    pub count: usize,
    /// Whether there are no more than these.
    pub is_all: bool,
    /// `None` if it is too large.
    pub amount: Option<Cents>,
}

/// Counts the reports of a connection that changed nothing. Lines of statements are not reports.
///
/// # Errors
/// The store's.
pub fn reports_open(world: &World, org: OrgId, connection: BankConnectionId) -> Result<ReportsOpen, Halt> {
    let reports = Query::of::<BankItem>(org.to_value(), "id", ITEMS_READ).equal("connection", connection);
    let mut reports = world.page::<BankItem>(&reports.equal("status", ItemStatus::Unmatched))?;
    reports.retain(|item| !item.is_line());
    let is_all = reports.len() <= REPORTS_READ;
    reports.truncate(REPORTS_READ);
    let amount = reports.iter().map(|report| report.amount).try_fold(Cents::ZERO, Cents::plus);
    Ok(ReportsOpen { count: reports.len(), is_all, amount: amount.ok() })
}

/// Returns the reports about a payment that were applied as its return.
///
/// # Errors
/// The store's.
pub fn returns_of(world: &World, org: OrgId, transfer: TransferId) -> Result<Vec<Arc<BankItem>>, Halt> {
    let mut items = world.all::<BankItem>(BankItem::OF_TRANSFER, key![org, Some(transfer)])?;
    items.retain(|item| (item.kind, item.status) == (ItemKind::Return, ItemStatus::Applied));
    Ok(items)
}

pub(super) fn of_hash(
    world: &World,
    org: OrgId,
    connection: BankConnectionId,
    sha256: &str,
) -> Result<Vec<Arc<InboundFile>>, Halt> {
    world.all::<InboundFile>(InboundFile::BY_HASH, key![org, connection, sha256.to_owned()])
}

/// Returns whether the bytes of a file with this name, size and time are stored. Without a time they must be read.
///
/// # Errors
/// The store's.
pub fn is_known(
    world: &World,
    org: OrgId,
    connection: BankConnectionId,
    name: &str,
    size: i64,
    modified: Option<i64>,
) -> Result<bool, Halt> {
    let named = world.all::<InboundFile>(InboundFile::BY_NAME, key![org, connection, name.to_owned()])?;
    Ok(modified.is_some() && named.iter().any(|file| (file.size, file.modified) == (size, modified)))
}

pub(super) fn refused(reason: Reason, message: &str) -> Halt {
    Refusal::new(Code::InvalidState, message).because(reason).into()
}

/// Changes an item, and records the act of the member.
pub(super) fn record(
    world: &mut World,
    before: &Arc<BankItem>,
    kind: ActKind,
    by: MemberId,
    edit: impl FnOnce(&mut BankItem),
) -> Result<Arc<BankItem>, Halt> {
    let after = world.change(before, |item| {
        edit(item);
        item.version += 1;
    });
    let act = NewAct::of(kind, None, after.id).by(Some(by));
    let (was, is) = (BankItemJson::without_words(before), BankItemJson::without_words(&after));
    acts::record(world, after.org, act.changing(&was, &is))?;
    Ok(after)
}

pub(super) fn change(
    world: &mut World,
    before: &Arc<InboundFile>,
    edit: impl FnOnce(&mut InboundFile),
) -> Arc<InboundFile> {
    let now = world.now();
    world.change(before, |file| {
        edit(file);
        file.updated_at = now;
        file.version += 1;
    })
}

/// Returns the bytes of a file.
///
/// # Errors
/// `internal-error` if a piece does not open.
pub fn bytes(world: &World, vault: &Vault, file: &InboundFile) -> Result<Vec<u8>, Halt> {
    let mut parts = world.all::<InboundPart>(InboundPart::OF_FILE, key![file.org, file.id])?;
    parts.sort_by_key(|part| part.number);
    let mut bytes = Vec::new();
    for part in parts {
        let plain = vault
            .open(&seal_context(&part), &part.sealed_bytes)
            .map_err(|_| Refusal::new(Code::InternalError, "The sealed bytes of a bank's file cannot be decrypted."))?;
        bytes.extend(plain);
    }
    Ok(bytes)
}

/// Returns the seal context of a piece, which includes its file and its place in it.
#[must_use]
pub fn seal_context(part: &InboundPart) -> SealContext {
    SealContext::new(Purpose::BankAccount, part.org, "inbound_parts", part.id.0, "sealed_bytes")
        .bound_to(part.file.0)
        .bound_to(part.number.to_string())
}

/// Removes the bank's words from the reports about a transfer. The sealed bytes of the bank's file stay.
///
/// # Errors
/// The store's.
pub fn erase(world: &mut World, org: OrgId, transfer: TransferId) -> Result<(), Halt> {
    for item in world.all::<BankItem>(BankItem::OF_TRANSFER, key![org, transfer])? {
        if item.text.is_some() || item.evidence.is_some() {
            world.change(&item, |item| (item.text, item.evidence) = (None, None));
        }
    }
    Ok(())
}
