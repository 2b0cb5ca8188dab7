//! Finds what each line of a statement is. Runs in a read, before the command that applies the statement.
//!
//! A line is a payment, a return or a deposit of ours only if exactly one candidate fits: by its reference, or by the
//! sum of what the bank books as one line. Candidates with equal shares of the same apps are interchangeable, and the
//! oldest is taken. Everything else goes to suspense; no subset of payments is ever summed up to fit.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::model::{BankStatement, StatementReason, StatementStatus};
use super::order;
use super::references::{deposit_reference, named};
use super::rows;
use crate::apps::App;
use crate::bank_files::{self, BankEntry, BankFile, EntryStatus, FileStatus};
use crate::bank_intake::{self, BankItem, ItemReason, LineMeaning};
use crate::banking::connections;
use crate::banking::settlement_accounts::{self, BookingGrain};
use crate::banking::{Identity, Settings};
use crate::ids::{
    AppId, BankConnectionId, BankFileId, BankItemId, BankStatementId, InboundFileId, OrgId, SettlementAccountId,
    TransferId,
};
use crate::money::Cents;
use crate::rails::Direction;
use crate::world::record::key;
use crate::world::{Halt, World};

/// More entries than a file can have.
const ENTRIES_READ: usize = 200_000;

/// The shares of apps in a file, or in a sum of files.
pub type Shares = BTreeMap<AppId, Cents>;

/// What a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineTarget {
    /// Whole files.
    Files(Vec<(BankFileId, Shares)>),
    /// One payment.
    Entry(TransferId),
    /// Returned payments.
    Returns(Vec<TransferId>),
    /// The credit of a payment whose return this line reports.
    Return(TransferId),
    Deposit(AppId),
    Costs,
    Unmatched(ItemReason),
}

/// What to do with the statements of an account.
#[derive(Clone, Debug)]
pub enum Plan {
    /// None waits.
    Nothing,
    /// The next one is not complete: another one must come first, or it contradicts the one before it.
    Stopped {
        statement: BankStatementId,
        after: Option<BankStatementId>,
        reason: StatementReason,
    },
    Apply {
        statement: BankStatementId,
        after: Option<BankStatementId>,
        lines: Vec<(BankItemId, LineTarget)>,
    },
}

/// Returns what to do next with the statements of an account.
///
/// # Errors
/// `not-found`.
pub fn plan(world: &mut World, org: OrgId, account: SettlementAccountId) -> Result<Plan, Halt> {
    let waiting = rows::in_state(world, org, account, StatementStatus::Waiting)?;
    let Some(statement) = waiting.first() else { return Ok(Plan::Nothing) };
    let last = rows::balance(world, org, account)?;
    let connection = connections::find(world, org, statement.connection)?;
    let after = last.as_ref().map(|last| last.statement);
    if let Some(reason) = order::obstacle(last.as_deref(), statement, connection.settings.0.calendar) {
        return Ok(Plan::Stopped { statement: statement.id, after, reason });
    }
    let lines = bank_intake::of_statement(world, org, statement.id)?;
    let lines = targets(world, statement, &connection.settings.0, &lines)?;
    Ok(Plan::Apply { statement: statement.id, after, lines })
}

fn targets(
    world: &mut World,
    statement: &BankStatement,
    settings: &Settings,
    lines: &[Arc<BankItem>],
) -> Result<Vec<(BankItemId, LineTarget)>, Halt> {
    let (org, account) = (statement.org, statement.settlement_account);
    let has = |meaning: LineMeaning| lines.iter().any(|line| line.meaning == Some(meaning));
    let grain = settlement_accounts::find(world, org, account)?.booking_grain;
    // The codes of wires differ by bank, so a debit that names a message of ours is a payment under any code.
    let is_named = |line: &BankItem| settings.identity.pain001().is_some() && line.meaning == Some(LineMeaning::Other);
    let needs_payments = has(LineMeaning::Payments) || lines.iter().any(|line| is_named(line));
    let mut load = |is_needed: bool, direction| {
        if is_needed { Payments::load(world, (org, account), grain, direction) } else { Ok(Payments::default()) }
    };
    let mut payments = load(needs_payments, Direction::Credit)?;
    let mut collections = load(has(LineMeaning::Collections), Direction::Debit)?;
    let connection = statement.connection;
    let odfi = settings.identity.nacha().map(|nacha| nacha.odfi_routing_number.as_str());
    let ours = world.each(lines, |world, line| names_ours(world, (org, connection), &words(line), odfi))?;
    let reported = world.each(lines, |world, line| return_of(world, account, line))?;
    let reported: HashMap<BankItemId, TransferId> =
        lines.iter().zip(reported).filter_map(|(line, returned)| Some((line.id, returned?))).collect();
    let ours: HashSet<BankItemId> =
        lines.iter().zip(ours).filter(|(_, is_ours)| *is_ours).map(|(line, _)| line.id).collect();
    let mut load = |meaning: LineMeaning, direction| {
        if has(meaning) { Returns::load(world, (org, account), direction) } else { Ok(Returns::default()) }
    };
    let mut returns = load(LineMeaning::Returns, Direction::Credit)?;
    let mut returned_debits = load(LineMeaning::ReturnedDebits, Direction::Debit)?;
    let references = if has(LineMeaning::Deposit) { references(world, org)? } else { HashMap::new() };
    let mut taken = HashSet::new();
    let target = |line: &Arc<BankItem>| {
        let is_credit = line.amount.is_positive();
        let target = match (line.meaning.unwrap_or(LineMeaning::Other), is_credit) {
            (LineMeaning::Payments, false) => payments.take(line, ours.contains(&line.id)),
            (LineMeaning::Collections, true) => collections.take(line, ours.contains(&line.id)),
            (LineMeaning::Other, false) if is_named(line) && ours.contains(&line.id) => payments.take(line, true),
            (LineMeaning::Returns, true) if reported.contains_key(&line.id) => {
                let transfer = reported[&line.id];
                // A bank may credit one return twice; the second credit is not ours.
                if taken.insert(transfer) {
                    LineTarget::Return(transfer)
                } else {
                    LineTarget::Unmatched(ItemReason::AlreadyReturned)
                }
            }
            (LineMeaning::Returns, true) => returns.take(line, ours.contains(&line.id)),
            (LineMeaning::ReturnedDebits, false) => returned_debits.take(line, ours.contains(&line.id)),
            (LineMeaning::Deposit, true) => deposit(line, &references),
            (LineMeaning::Deposits, true) => LineTarget::Unmatched(ItemReason::NeedsReview),
            (LineMeaning::Fee, _) | (LineMeaning::Interest, true) if bank_intake::is_small_cost(line.amount) => {
                LineTarget::Costs
            }
            (LineMeaning::Fee, _) | (LineMeaning::Interest, true) => LineTarget::Unmatched(ItemReason::LargeCost),
            (LineMeaning::DebitByOther, false) => LineTarget::Unmatched(ItemReason::DebitByOther),
            (
                LineMeaning::Payments
                | LineMeaning::Collections
                | LineMeaning::Returns
                | LineMeaning::ReturnedDebits
                | LineMeaning::Deposit
                | LineMeaning::Deposits
                | LineMeaning::Interest
                | LineMeaning::DebitByOther
                | LineMeaning::Other
                | LineMeaning::OpeningBalance,
                _,
            ) => LineTarget::Unmatched(ItemReason::UnknownLine),
        };
        (line.id, target)
    };
    Ok(lines.iter().map(target).collect())
}

fn references(world: &World, org: OrgId) -> Result<HashMap<String, AppId>, Halt> {
    let apps = world.all::<App>(App::OF_ORG, key![org])?;
    let open = apps.iter().filter(|app| app.deleted_at.is_none());
    Ok(open.map(|app| (deposit_reference(org, app.id), app.id)).collect())
}

fn words(line: &BankItem) -> String {
    let text = line.text.as_deref().unwrap_or_default();
    format!("{} {} {text}", line.individual_id, line.reference.as_deref().unwrap_or_default()).to_ascii_uppercase()
}

const fn is_between(letter: char) -> bool {
    !letter.is_ascii_alphanumeric()
}

/// Returns the payment whose return a line reports: the one that it names, which was not returned before.
fn return_of(world: &World, account: SettlementAccountId, line: &BankItem) -> Result<Option<TransferId>, Halt> {
    if line.meaning != Some(LineMeaning::Returns) || line.bank_reason.is_none() {
        return Ok(None);
    }
    let words = words(line);
    let mut named: Vec<TransferId> = words.split(is_between).filter_map(bank_files::transfer_of).collect();
    named.sort_unstable();
    named.dedup();
    let [transfer] = named.as_slice() else { return Ok(None) };
    let Some(entry) = bank_files::entry(world, line.org, *transfer)? else { return Ok(None) };
    let file = bank_files::find(world, line.org, entry.file)?;
    let may_come_back = matches!(entry.status, EntryStatus::Joined | EntryStatus::Settled | EntryStatus::Reversed);
    let is_open = may_come_back && file.status == FileStatus::Sent;
    let is_same = (entry.amount, entry.settlement_account) == (line.amount, account);
    Ok((is_open && is_same).then_some(*transfer))
}

/// Returns whether a text names a payment or a file of ours: by our ids, by the form of the ids in a NACHA file, or by the
/// trace number of a payment in one.
fn names_ours(
    world: &World,
    (org, connection): (OrgId, BankConnectionId),
    text: &str,
    odfi: Option<&str>,
) -> Result<bool, Halt> {
    for word in text.split(is_between) {
        if let Some(transfer) = bank_files::transfer_of(word)
            && bank_files::entry(world, org, transfer)?.is_some()
        {
            return Ok(true);
        }
        if let Some(file) = bank_files::file_of(word)
            && world.get::<BankFile>(key![org, file])?.is_some()
        {
            return Ok(true);
        }
    }
    let Some(odfi) = odfi else { return Ok(false) };
    let prefix = odfi.get(..8).unwrap_or(odfi);
    for word in text.split(is_between).filter(|word| word.len() == 15) {
        if bank_files::is_individual_id(word) {
            return Ok(true);
        }
        // Every customer of the bank has trace numbers with this prefix.
        let number = word.strip_prefix(prefix).and_then(|number| number.parse().ok());
        if let Some(number) = number
            && !bank_files::of_trace(world, org, connection, number)?.is_empty()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn deposit(line: &BankItem, references: &HashMap<String, AppId>) -> LineTarget {
    match named(&words(line), references).as_slice() {
        [app] => LineTarget::Deposit(*app),
        [] => LineTarget::Unmatched(ItemReason::UnknownLine),
        _ => LineTarget::Unmatched(ItemReason::SeveralMatches),
    }
}

/// Returns the only candidate, or the oldest if all have equal shares.
fn only<T: Clone>(candidates: &[(T, Shares)]) -> Result<T, ItemReason> {
    match candidates {
        [] => Err(ItemReason::UnknownLine),
        [(first, shares), rest @ ..] if rest.iter().all(|(_, other)| other == shares) => Ok(first.clone()),
        _ => Err(ItemReason::SeveralMatches),
    }
}

/// Adds an amount to the share of an app.
fn share(shares: &mut Shares, app: AppId, amount: Cents) {
    let sum = shares.entry(app).or_insert(Cents::ZERO);
    // The sum of a file fits, and these are parts of it.
    *sum = sum.plus(amount).unwrap_or(*sum);
}

fn total<'a>(amounts: impl Iterator<Item = &'a Cents>) -> i128 {
    amounts.map(|amount| i128::from(amount.get())).sum()
}

/// A payment that the bank has not booked.
struct Undebited {
    entry: Arc<BankEntry>,
    /// The references by which the bank may name it.
    names: [String; 2],
}

/// The payments of a direction that the bank has not booked.
#[derive(Default)]
struct Payments {
    /// What the bank books as one line: a file, or the files of a day. Oldest first.
    groups: Vec<(Vec<(BankFileId, Shares)>, Shares)>,
    /// Each payment by its amount, where the bank books each.
    entries: HashMap<Cents, Vec<Undebited>>,
    grain_is_entry: bool,
    /// The file of each payment, by the names of the payment, where the bank books whole files.
    files: HashMap<String, BankFileId>,
}

impl Payments {
    fn load(
        world: &mut World,
        (org, account): (OrgId, SettlementAccountId),
        grain: BookingGrain,
        direction: Direction,
    ) -> Result<Self, Halt> {
        let mut files = bank_files::awaiting_debit(world, org, account)?;
        files.retain(|file| file.direction == direction);
        let entries = world.each(&files, |world, file| bank_files::after(world, file, None, ENTRIES_READ))?;
        let mut payments = Self { grain_is_entry: grain == BookingGrain::Entry, ..Self::default() };
        let mut days: BTreeMap<String, Vec<(BankFileId, Shares)>> = BTreeMap::new();
        // A file of which members have booked a part is no candidate as a whole, and neither is its day.
        let divided: BTreeSet<&String> =
            files.iter().filter(|file| file.booked > 0).map(|file| &file.effective_on).collect();
        for (file, entries) in files.iter().zip(entries) {
            let entries: Vec<Arc<BankEntry>> = entries.into_iter().filter(|entry| entry.is_debited()).collect();
            let is_divided = match grain {
                BookingGrain::Entry => false,
                BookingGrain::Batch | BookingGrain::File => file.booked > 0,
                BookingGrain::Day => divided.contains(&file.effective_on),
            };
            if is_divided {
                continue;
            }
            if grain != BookingGrain::Entry {
                let named = entries.iter().flat_map(|entry| names(file, entry));
                let message = file.header.as_ref().and_then(|header| header.0.message_id.clone());
                payments.files.extend(named.chain(message).map(|name| (name, file.id)));
            }
            match grain {
                BookingGrain::Entry => {
                    for entry in entries.into_iter().filter(|entry| entry.debit_line.is_none()) {
                        let names = names(file, &entry);
                        payments.entries.entry(entry.amount).or_default().push(Undebited { entry, names });
                    }
                }
                // A file of ours has one batch.
                BookingGrain::Batch | BookingGrain::File => {
                    let shares = shares_of(entries);
                    payments.groups.push((vec![(file.id, shares.clone())], shares));
                }
                BookingGrain::Day => {
                    days.entry(file.effective_on.clone()).or_default().push((file.id, shares_of(entries)));
                }
            }
        }
        payments.groups.extend(days.into_values().map(|files| {
            let mut sum = Shares::new();
            for (app, amount) in files.iter().flat_map(|(_, shares)| shares) {
                share(&mut sum, *app, *amount);
            }
            (files, sum)
        }));
        Ok(payments)
    }

    /// `is_ours`: the line names a payment of ours.
    fn take(&mut self, line: &BankItem, is_ours: bool) -> LineTarget {
        if self.grain_is_entry {
            return self.take_entry(line, is_ours);
        }
        let wanted = i128::from(line.amount.get()).abs();
        let named: HashSet<BankFileId> = if is_ours {
            let words = words(line);
            words.split(is_between).filter_map(|word| self.files.get(word)).copied().collect()
        } else {
            HashSet::new()
        };
        let is_named = |files: &[(BankFileId, Shares)]| !is_ours || files.iter().any(|(file, _)| named.contains(file));
        let candidates: Vec<(usize, Shares)> = self
            .groups
            .iter()
            .enumerate()
            .filter(|(_, (files, shares))| is_named(files) && total(shares.values()) == wanted)
            .map(|(place, (_, shares))| (place, shares.clone()))
            .collect();
        if is_ours && candidates.is_empty() {
            return LineTarget::Unmatched(ItemReason::OtherPayment);
        }
        match only(&candidates) {
            Ok(place) => LineTarget::Files(self.groups.remove(place).0),
            Err(reason) => LineTarget::Unmatched(reason),
        }
    }

    /// The payment that the line names; one of the amount, if it names none of ours.
    fn take_entry(&mut self, line: &BankItem, is_ours: bool) -> LineTarget {
        let words = words(line);
        let of_amount = self.entries.entry(magnitude(line.amount)).or_default();
        let is_named = |one: &Undebited| one.names.iter().any(|name| words.contains(name.as_str()));
        let mut fitting: Vec<usize> = (0..of_amount.len()).filter(|place| is_named(&of_amount[*place])).collect();
        if fitting.is_empty() {
            if is_ours {
                return LineTarget::Unmatched(ItemReason::OtherPayment);
            }
            fitting = (0..of_amount.len()).collect();
        }
        let candidates: Vec<_> =
            fitting.iter().map(|place| (*place, shares_of([of_amount[*place].entry.clone()]))).collect();
        match only(&candidates) {
            Ok(place) => LineTarget::Entry(of_amount.remove(place).entry.transfer),
            Err(reason) => LineTarget::Unmatched(reason),
        }
    }
}

const fn magnitude(amount: Cents) -> Cents {
    if amount.is_negative() { amount.negated() } else { amount }
}

fn shares_of(entries: impl IntoIterator<Item = Arc<BankEntry>>) -> Shares {
    let mut shares = Shares::new();
    for entry in entries {
        share(&mut shares, entry.app, entry.amount);
    }
    shares
}

/// Returns the ids by which a bank names an entry: its id and its trace number, or its id in a message.
fn names(file: &BankFile, entry: &BankEntry) -> [String; 2] {
    let id = bank_files::individual_id(entry.transfer);
    match file.header.as_ref().map(|header| (&header.0, &header.0.identity)) {
        Some((header, Identity::Nacha(nacha))) => {
            let odfi: String = nacha.odfi_routing_number.chars().take(8).collect();
            [id, format!("{odfi}{:07}", header.first_trace + entry.number)]
        }
        Some((_, Identity::Pain001(_))) => [id, bank_files::end_to_end_id(entry.transfer)],
        None => [id.clone(), id],
    }
}

/// A returned payment whose return the bank has not booked.
struct Returned {
    entry: Arc<BankEntry>,
    /// The file of the bank that reported it.
    file: Option<InboundFileId>,
    names: Vec<String>,
}

#[derive(Default)]
struct Returns(Vec<Returned>);

impl Returns {
    fn load(
        world: &mut World,
        (org, account): (OrgId, SettlementAccountId),
        direction: Direction,
    ) -> Result<Self, Halt> {
        let mut entries = bank_files::awaiting_credit(world, org, account)?;
        entries.retain(|entry| entry.direction == direction);
        let reports = world.each(&entries, |world, entry| bank_intake::returns_of(world, org, entry.transfer))?;
        let returned = entries.into_iter().zip(reports).map(|(entry, reports)| {
            let names = reports.iter().filter_map(|report| report.trace.clone());
            let ids = [bank_files::individual_id(entry.transfer), bank_files::end_to_end_id(entry.transfer)];
            let names = names.chain(ids).collect();
            Returned { entry, file: reports.first().map(|report| report.inbound_file), names }
        });
        Ok(Self(returned.collect()))
    }

    /// The payment that the line names. If it names none of ours: what has the amount of one payment, of all of one file
    /// of returns, and of all of them.
    fn take(&mut self, line: &BankItem, is_ours: bool) -> LineTarget {
        let (words, wanted) = (words(line), i128::from(line.amount.get()).abs());
        let of_amount = |one: &&Returned| i128::from(one.entry.amount.get()) == wanted;
        let is_named = |one: &&Returned| one.names.iter().any(|name| words.contains(name.as_str()));
        let single = |one: &Returned| (vec![one.entry.transfer], shares_of([one.entry.clone()]));
        let mut candidates: Vec<_> = self.0.iter().filter(of_amount).filter(is_named).map(single).collect();
        if candidates.is_empty() {
            if is_ours {
                return LineTarget::Unmatched(ItemReason::OtherPayment);
            }
            candidates = self.0.iter().filter(of_amount).map(single).collect();
            candidates.extend(self.groups().into_iter().filter(|(_, shares)| total(shares.values()) == wanted));
        }
        match only(&candidates) {
            Ok(transfers) => {
                self.0.retain(|one| !transfers.contains(&one.entry.transfer));
                LineTarget::Returns(transfers)
            }
            Err(reason) => LineTarget::Unmatched(reason),
        }
    }

    /// Returns the payments of each file of returns, and all of them together.
    fn groups(&self) -> Vec<(Vec<TransferId>, Shares)> {
        let mut files: BTreeMap<Option<InboundFileId>, Vec<&Returned>> = BTreeMap::new();
        for one in &self.0 {
            files.entry(one.file).or_default().push(one);
        }
        let mut groups: Vec<Vec<&Returned>> = files.into_values().collect();
        if groups.len() > 1 {
            groups.push(self.0.iter().collect());
        }
        let group = |group: Vec<&Returned>| {
            let shares = shares_of(group.iter().map(|one| one.entry.clone()));
            (group.iter().map(|one| one.entry.transfer).collect(), shares)
        };
        groups.into_iter().map(group).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn shares(amounts: &[(u128, i64)]) -> Shares {
        amounts.iter().map(|(app, amount)| (AppId(Uuid::from_u128(*app)), Cents::new(*amount))).collect()
    }

    #[test]
    fn one_candidate_is_a_match_and_candidates_with_other_shares_are_none() {
        let (one, other) = (shares(&[(1, 500)]), shares(&[(2, 500)]));
        let both = shares(&[(1, 200), (2, 300)]);
        assert_eq!(only::<u8>(&[]), Err(ItemReason::UnknownLine));
        assert_eq!(only(&[(7, one.clone())]), Ok(7));
        assert_eq!(only(&[(7, one.clone()), (8, one.clone())]), Ok(7), "the oldest of equal ones");
        assert_eq!(only(&[(7, one.clone()), (8, other)]), Err(ItemReason::SeveralMatches));
        assert_eq!(only(&[(7, both.clone()), (8, both), (9, one)]), Err(ItemReason::SeveralMatches));
    }

    fn file(number: u128) -> BankFileId {
        BankFileId(Uuid::from_u128(number))
    }

    fn line(amount: i64) -> BankItem {
        let nil = Uuid::nil();
        BankItem {
            org: OrgId(nil),
            id: BankItemId(nil),
            inbound_file: InboundFileId(nil),
            connection: crate::ids::BankConnectionId(nil),
            line: 1,
            kind: bank_intake::ItemKind::Line,
            code: "447".to_owned(),
            bank_reason: None,
            trace: None,
            amount: Cents::new(amount),
            individual_id: String::new(),
            text: None,
            status: bank_intake::ItemStatus::Waiting,
            reason: None,
            transfer: None,
            bank_file: None,
            payout_method: None,
            matched_by: None,
            closed_by: None,
            closed_at: None,
            evidence: None,
            statement: None,
            settlement_account: None,
            booked_on: None,
            reference: None,
            meaning: Some(LineMeaning::Payments),
            booked_as: None,
            app: None,
            suspense: None,
            proposal: None,
            version: 1,
            created_at: crate::clock::Time::from_micros(0),
        }
    }

    #[test]
    fn a_file_is_matched_once_and_no_subset_is_summed_up() {
        let group = |number: u128, amounts: &[(u128, i64)]| {
            let shares = shares(amounts);
            (vec![(file(number), shares.clone())], shares)
        };
        let groups = vec![group(1, &[(1, 500)]), group(2, &[(1, 500)]), group(3, &[(1, 200), (2, 100)])];
        let mut payments = Payments { groups, ..Payments::default() };
        let files = |target: LineTarget| {
            let LineTarget::Files(files) = target else { return Vec::new() };
            files.into_iter().map(|(file, _)| file).collect()
        };
        assert_eq!(files(payments.take(&line(-500), false)), [file(1)]);
        assert_eq!(files(payments.take(&line(-500), false)), [file(2)]);
        assert_eq!(payments.take(&line(-500), false), LineTarget::Unmatched(ItemReason::UnknownLine));
        assert_eq!(payments.take(&line(-200), false), LineTarget::Unmatched(ItemReason::UnknownLine));
        assert_eq!(files(payments.take(&line(-300), false)), [file(3)]);
    }
}
