//! Stores the statements of a file: all of them, or none.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::model::{BankStatement, StatementStatus};
use super::read::{ReadLine, ReadStatement};
use super::rows;
use crate::bank_intake::{
    self, BankItem, Finding, Findings, InboundFile, InboundStatus, ItemKind, ItemStatus, refused,
};
use crate::banking::settlement_accounts::{self, SettlementAccount};
use crate::banking::{SetupStatus, connections};
use crate::engine::Command;
use crate::ids::{BankConnectionId, InboundFileId, OrgId, SettlementAccountId};
use crate::jobs::{self, Leased, Work};
use crate::money::Cents;
use crate::refusal::{Code, Refusal};
use crate::vault::Vault;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// The statements of a file that are kept, and why others are not.
#[derive(Clone, Debug, Default)]
pub struct MatchedStatements {
    pub statements: Vec<NewStatement>,
    /// A statement of an account that is not set up is left out, if the file has one of another account.
    pub left_out: Findings,
}

/// A statement with its account.
#[derive(Clone, Debug)]
pub struct NewStatement {
    pub account: SettlementAccountId,
    pub read: ReadStatement,
}

const UNKNOWN: &str = "statement.account";
const NOT_APPROVED: &str = "statement.not-approved";
const AMBIGUOUS: &str = "statement.accounts";
const AFTER_SET_UP: &str =
    "Add and approve the account (bursar bank settlement-accounts), then replay the file (bursar bank inbound replay).";

const AFTER_SET_UP_ALONE: &str = "Add and approve the account (bursar bank settlement-accounts); the next statement then is \
    its first one. For an account that is set up with another number, ask the bank for a file with this statement alone.";
const ONE_RECORD: &str = "End one of the two accounts: each line would be booked twice.";
const BY_NUMBER: &str = "Ask the bank to write the whole account number, with its zeros, then upload the new file.";

/// Finds the accounts of the statements of a file, or returns why the file is refused whole.
///
/// # Errors
/// `internal-error` if the number of an account cannot be opened.
pub fn matched(
    world: &mut World,
    vault: &Vault,
    (org, connection): (OrgId, BankConnectionId),
    statements: &[ReadStatement],
) -> Result<Result<MatchedStatements, Findings>, Halt> {
    let mut numbers = Vec::new();
    for account in settlement_accounts::of_org(world, org)? {
        let is_here = account.connection == connection;
        match settlement_accounts::open(&account, vault) {
            Ok(number) => numbers.push((number, account)),
            // A damaged row elsewhere stops no statement.
            Err(_) if !is_here || account.status != SetupStatus::Approved => {}
            Err(_) => {
                let message = "The sealed number of a settlement account cannot be decrypted.";
                return Err(Refusal::new(Code::InternalError, message).into());
            }
        }
    }
    let mut matched = MatchedStatements::default();
    let mut unknown = None;
    for read in statements {
        match of_account(&numbers, connection, read) {
            Ok(statement) => matched.statements.push(statement),
            Err(findings) if findings.kept.iter().all(|finding| finding.rule == UNKNOWN) => {
                let warning = |finding: &Finding| Finding { severity: "warning".to_owned(), ..finding.clone() };
                matched.left_out.kept.extend(findings.kept.iter().map(warning));
                unknown = Some(findings);
            }
            Err(findings) => return Ok(Err(findings)),
        }
    }
    let is_unknown = matched.statements.is_empty();
    Ok(unknown.filter(|_| is_unknown).map_or(Ok(matched), Err))
}

fn of_account(
    numbers: &[(String, Arc<SettlementAccount>)],
    connection: BankConnectionId,
    read: &ReadStatement,
) -> Result<NewStatement, Findings> {
    let last4: String = read.account_number.chars().rev().take(4).collect::<Vec<_>>().into_iter().rev().collect();
    let refused_as = |rule, message: &str, advice| {
        Err(refused(rule, format!("{message} has the number that ends in {last4}."), advice))
    };
    let fits = |number: &String| plain(number) == plain(&read.account_number);
    let like: Vec<_> = numbers.iter().filter(|(number, _)| fits(number)).collect();
    let is_used =
        |account: &SettlementAccount| account.connection == connection && account.status == SetupStatus::Approved;
    let used: Vec<_> = like.iter().copied().filter(|(_, account)| is_used(account)).collect();
    let exact: Vec<_> = used.iter().copied().filter(|(number, _)| *number == read.account_number).collect();
    let (_, account) = match (exact.as_slice(), used.as_slice()) {
        ([one], _) | (_, [one]) => *one,
        ([], []) if like.iter().any(|(_, account)| account.connection == connection && must_wait(account, read)) => {
            return refused_as(NOT_APPROVED, "A settlement account that is not approved, or is ended,", AFTER_SET_UP);
        }
        ([], []) => return refused_as(UNKNOWN, "No settlement account of the connection", AFTER_SET_UP_ALONE),
        _ => return refused_as(AMBIGUOUS, "More than one settlement account of the connection", BY_NUMBER),
    };
    // The numbers of one bank may differ in the zeros before them.
    let is_same = |other: &SettlementAccount| {
        other.connection != connection
            && other.status == SetupStatus::Approved
            && other.routing_number == account.routing_number
    };
    if like.iter().any(|(_, other)| is_same(other)) {
        return refused_as(AMBIGUOUS, "A settlement account of another connection to the bank", ONE_RECORD);
    }
    if account.statement_kind != read.kind {
        let message = format!(
            "The settlement account {} has {} statements, and this one is {}.",
            account.id, account.statement_kind, read.kind
        );
        let advice = "Discard the file if the bank sends both formats; otherwise ask it for the format of the account.";
        return Err(refused("statement.kind", message, advice));
    }
    if account.currency != read.currency {
        let message =
            format!("The settlement account {} is in {}, not {}.", account.id, account.currency, read.currency);
        return Err(refused("statement.currency", message, "Ask the bank which account the statement is for."));
    }
    Ok(NewStatement { account: account.id, read: read.clone() })
}

/// Returns whether a statement of an account that is not in use stops its file: the account will be approved, or has money
/// after it was ended. A bank reports an ended account for some time.
fn must_wait(account: &SettlementAccount, read: &ReadStatement) -> bool {
    let has_money = !read.lines.is_empty() || !read.opening.is_zero() || !read.closing.is_zero();
    match account.status {
        SetupStatus::Draft => true,
        SetupStatus::Ended => account.approved_at.is_some() && has_money,
        SetupStatus::Approved => false,
    }
}

/// Returns a number as banks compare it: without blanks, hyphens and leading zeros.
fn plain(number: &str) -> String {
    let letters: String = number.chars().filter(char::is_ascii_alphanumeric).collect();
    letters.trim_start_matches('0').to_owned()
}

/// Records what a statement file contains: all of its statements, or nothing.
#[derive(Clone, Debug)]
pub struct KeepStatements {
    pub leased: Leased,
    pub file: InboundFileId,
    /// No statement for a file that is for information only.
    pub reading: Result<MatchedStatements, Findings>,
}

/// The effect of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptStatements {
    Stored {
        statements: usize,
        /// Statements of accounts that are not set up.
        left_out: usize,
    },
    Quarantined,
    /// It was read before.
    Before,
}

impl Command for KeepStatements {
    type Reply = KeptStatements;

    fn needs(&self) -> Vec<Want> {
        vec![self.leased.want(), Want::row::<InboundFile>(key![self.leased.org, self.file])]
    }

    fn decide(&self, world: &mut World) -> Result<KeptStatements, Halt> {
        let file = bank_intake::find(world, self.leased.org, self.file)?;
        let kept = if file.status == InboundStatus::Stored {
            keep(world, &file, &self.reading)?
        } else {
            KeptStatements::Before
        };
        jobs::finish(world, &self.leased)?;
        Ok(kept)
    }
}

fn keep(
    world: &mut World,
    file: &Arc<InboundFile>,
    reading: &Result<MatchedStatements, Findings>,
) -> Result<KeptStatements, Halt> {
    let MatchedStatements { statements, left_out } = match reading {
        Ok(matched) => matched,
        Err(findings) => return quarantined(world, file, findings),
    };
    let connection = connections::find(world, file.org, file.connection)?;
    let today = connection.settings.0.time_zone.day_of(world.now()).to_string();
    if let Some(findings) = known(world, file.org, statements, &today)? {
        return quarantined(world, file, &findings);
    }

    // From here it must succeed.
    let mut lines = 0;
    for statement in statements {
        lines += add(world, file, statement)?;
    }
    bank_intake::applied(world, file, lines, 0, left_out.clone())?;
    let accounts: BTreeSet<SettlementAccountId> = statements.iter().map(|statement| statement.account).collect();
    for account in accounts {
        jobs::enqueue(world, file.org, Work::ApplyStatements { account: account.0 });
    }
    Ok(KeptStatements::Stored { statements: statements.len(), left_out: left_out.kept.len() })
}

fn quarantined(world: &mut World, file: &Arc<InboundFile>, findings: &Findings) -> Result<KeptStatements, Halt> {
    bank_intake::quarantine(world, file, findings)?;
    Ok(KeptStatements::Quarantined)
}

/// Returns why a statement of a file is no new one.
fn known(world: &mut World, org: OrgId, statements: &[NewStatement], today: &str) -> Result<Option<Findings>, Halt> {
    let advice = "Clarify with the bank which one is right. If it replaces a waiting one, discard that one \
                  (bursar bank statements discard), then replay this file; otherwise discard this file.";
    let mut days = BTreeSet::new();
    let found = world.each(statements, |world, NewStatement { account, read }| {
        if settlement_accounts::find(world, org, *account)?.status != SetupStatus::Approved {
            let message = format!("The settlement account {account} is not approved any more.");
            return Ok(Some(refused(NOT_APPROVED, message, AFTER_SET_UP)));
        }
        if read.booked_on.as_str() > today {
            let message = format!("The statement of {} is of a day in the future.", read.booked_on);
            let advice = "Ask the bank for a correct statement. If its date is right, replay the file on that day.";
            return Ok(Some(refused("statement.future", message, advice)));
        }
        let same = rows::same_day(world, org, *account, &read.booked_on)?;
        let last = rows::balance(world, org, *account)?;
        if let Some(same) = same {
            let message = format!("The statement of {} is known: {}.", read.booked_on, same.id);
            return Ok(Some(refused("statement.again", message, advice)));
        }
        Ok(last.filter(|last| read.booked_on <= last.booked_on).map(|last| {
            let message = format!(
                "The statement of {} is older than the last applied one, of {}.",
                read.booked_on, last.booked_on
            );
            refused("statement.late", message, "Discard the file: its day is closed.")
        }))
    })?;
    let twice = statements.iter().find(|statement| !days.insert((statement.account, &statement.read.booked_on)));
    let twice = twice.map(|statement| {
        let message = format!("The file has two statements of {} of one account.", statement.read.booked_on);
        refused("statement.again", message, "Ask the bank for one statement of each day.")
    });
    Ok(found.into_iter().flatten().next().or(twice))
}

/// Adds a statement with its lines; returns their number.
fn add(world: &mut World, file: &InboundFile, new: &NewStatement) -> Result<i64, Halt> {
    let NewStatement { account, read } = new;
    let too_large = |_| Refusal::new(Code::InternalError, "The sum of a statement is too large.");
    let (credits, credit) = read.side(true);
    let (debits, debit) = read.side(false);
    let (id, now) = (world.id(), world.now());
    let statement = world.add(BankStatement {
        org: file.org,
        id,
        connection: file.connection,
        settlement_account: *account,
        inbound_file: file.id,
        booked_on: read.booked_on.clone(),
        reference: read.reference.clone(),
        sequence: read.sequence,
        opening: read.opening,
        closing: read.closing,
        lines: credits + debits,
        credits,
        credit: i64::try_from(credit).map(Cents::new).map_err(too_large)?,
        debits,
        debit: i64::try_from(debit).map(Cents::new).map_err(too_large)?,
        status: StatementStatus::Waiting,
        reason: None,
        position: None,
        applied_at: None,
        confirmed_by: None,
        closed_by: None,
        evidence: None,
        version: 1,
        created_at: now,
        updated_at: now,
    });
    for line in &read.lines {
        let item = item(world, &statement, ItemKind::Line, line);
        world.add(item);
    }
    Ok(statement.lines)
}

/// Returns a line of a statement that is not applied yet.
pub(super) fn item(world: &mut World, statement: &BankStatement, kind: ItemKind, line: &ReadLine) -> BankItem {
    let (id, created_at) = (world.id(), world.now());
    BankItem {
        org: statement.org,
        id,
        inbound_file: statement.inbound_file,
        connection: statement.connection,
        line: line.line,
        kind,
        code: line.code.clone(),
        bank_reason: line.return_reason.clone(),
        trace: None,
        amount: line.amount,
        individual_id: line.customer_reference.clone(),
        text: Some(line.text.clone()),
        status: ItemStatus::Waiting,
        reason: None,
        transfer: None,
        bank_file: None,
        payout_method: None,
        matched_by: None,
        closed_by: None,
        closed_at: None,
        evidence: None,
        statement: Some(statement.id),
        settlement_account: Some(statement.settlement_account),
        booked_on: Some(statement.booked_on.clone()),
        reference: Some(line.reference.clone()),
        meaning: Some(line.meaning),
        booked_as: None,
        app: None,
        suspense: None,
        proposal: None,
        version: 1,
        created_at,
    }
}
