//! The route that carries a payment, and the window whose file it joins.

use std::sync::Arc;

use super::model::{BankFile, FilePurpose};
use crate::bank_accounts::HolderType;
use crate::banking::FileFormat;
use crate::banking::connections::{self, BankConnection};
use crate::banking::originators::{self, EntryClass};
use crate::banking::routes::{self, BankParts};
use crate::calendars::Cutoff;
use crate::clock::{DAY_SECONDS, Time};
use crate::fees::BOOK_CURRENCY;
use crate::ids::OrgId;
use crate::money::Cents;
use crate::payout_methods::PayoutMethod;
use crate::platform::Platform;
use crate::rails::Direction;
use crate::reason::{Details, Reason};
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// The most that one entry of a same-day file may move.
const SAME_DAY_MAX: Cents = Cents::new(100_000_000);
/// The banking days after the settlement in which most debits come back that the account does not cover, and those that
/// the ACH rules give to return a prenote.
const WAIT_DAYS: u32 = 3;
/// The window of a rail without cut-offs.
const AT_ONCE: &str = "at once";

/// The route in force, and the next window for an amount.
#[derive(Clone, Debug)]
pub struct Carrier {
    pub(super) parts: BankParts,
    pub(super) platform: Platform,
    pub(super) format: FileFormat,
    pub(super) direction: Direction,
    /// The class of its entries; `None` in a message.
    pub(super) class: Option<EntryClass>,
    pub(super) purpose: FilePurpose,
    /// The last moment at which the rules allow the bank to get the entry.
    pub(super) send_by: Option<Time>,
    pub(super) window: Slot,
    /// Whether an account that is not validated gets a prenote first.
    pub(super) validates: bool,
}

/// One occurrence of a window.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub name: String,
    pub window_at: Time,
    pub submit_by: Time,
    pub effective_on: String,
    pub settles_at: Time,
    pub same_day: bool,
}

impl From<Cutoff<'_>> for Slot {
    fn from(cutoff: Cutoff<'_>) -> Self {
        Self {
            name: cutoff.window.name.clone(),
            window_at: cutoff.cutoff_at,
            submit_by: cutoff.submit_by,
            effective_on: cutoff.effective_on.to_string(),
            settles_at: cutoff.settles_at,
            same_day: cutoff.window.same_day,
        }
    }
}

/// Returns whether each payment of a rail is a file of its own, which is sent at once.
#[must_use]
pub const fn is_at_once(platform: Platform) -> bool {
    matches!(platform, Platform::Rtp)
}

/// Returns the next window after `after` that takes the payments of a file.
pub(super) fn next_window(
    connection: &BankConnection,
    (platform, direction, purpose): (Platform, Direction, FilePurpose),
    after: Time,
    may_be_same_day: bool,
) -> Option<Slot> {
    let settings = &connection.settings.0;
    if is_at_once(platform) {
        return Some(Slot {
            name: AT_ONCE.to_owned(),
            window_at: after,
            submit_by: after.plus_seconds(DAY_SECONDS),
            effective_on: settings.time_zone.day_of(after).to_string(),
            settles_at: after,
            same_day: true,
        });
    }
    let schedule = settings.schedule();
    let slot = schedule.next(after, |window| may_be_same_day || !window.same_day).map(Slot::from)?;
    let settles_at = match (direction, purpose) {
        (Direction::Credit, FilePurpose::Payments | FilePurpose::Reversals | FilePurpose::Retries) => slot.settles_at,
        (Direction::Debit, _) | (_, FilePurpose::Prenotes) => {
            schedule.banking_days_later(slot.settles_at, WAIT_DAYS)?
        }
    };
    Some(Slot { settles_at, ..slot })
}

/// Returns when a debit or a prenote that reaches its bank now is presumed settled: its date is the next banking day.
pub(super) fn late_settles_at(connection: &BankConnection, now: Time) -> Option<Time> {
    connection.settings.0.schedule().banking_days_later(now, 1 + WAIT_DAYS)
}

/// Returns whether the operators of a rail settle a payment of this amount on the same day.
fn may_be_same_day(platform: Platform, amount: Cents) -> bool {
    let has_limit = matches!(platform, Platform::Ach | Platform::BankTransfer);
    !has_limit || amount <= SAME_DAY_MAX
}

/// Refuses a payout method that lacks what the bank needs.
fn is_complete(platform: Platform, format: FileFormat, method: &PayoutMethod) -> Result<(), Refusal> {
    if !routes::needs_address(platform, format) || method.addressed {
        return Ok(());
    }
    let message = format!(
        "The payout method lacks what the bank needs for {platform}: the payee's town and address_country, and the bic of \
         a bank abroad. Add the payout method again with these fields, or choose another one."
    );
    Err(Refusal::new(Code::UserInfoMissing, message).because(Reason::AccountIncomplete))
}

/// Returns the route of a rail to a bank that is in force, and its connection.
fn bank_route(
    world: &World,
    scope: Scope,
    platform: Platform,
) -> Result<Option<(BankParts, Arc<BankConnection>)>, Halt> {
    // Most rails have no files, and their payouts load nothing here.
    if !routes::may_carry(platform) {
        return Ok(None);
    }
    let Some(route) = routes::carrying(world, scope, platform, BOOK_CURRENCY, world.now())? else {
        return Ok(None);
    };
    let Some(parts) = route.bank() else { return Ok(None) };
    let connection = connections::find(world, scope.org, parts.connection)?;
    Ok(Some((parts, connection)))
}

/// Returns the carrier of the prenote of an account, before an entry of another carrier.
///
/// # Errors
/// `invalid-state` if the connection has no window within three weeks.
pub(super) fn of_prenote(world: &World, org: OrgId, entry: &Carrier) -> Result<Carrier, Halt> {
    let connection = connections::find(world, org, entry.parts.connection)?;
    let purpose = FilePurpose::Prenotes;
    let window = next_window(&connection, (entry.platform, entry.direction, purpose), world.now(), true);
    let window = window.ok_or_else(no_window)?;
    Ok(Carrier { purpose, window, send_by: None, ..entry.clone() })
}

/// Returns the carrier of a payout of this amount; `None` if no route of its rail to a bank is in force.
///
/// # Errors
/// `limit-exceeded` above the connection's limit of one payment; `user-info-missing` if the method lacks what the bank
/// needs; `invalid-state` if the connection sends no payments, or has no window within three weeks.
pub fn carrier(
    world: &World,
    scope: Scope,
    platform: Platform,
    method: &PayoutMethod,
    amount: Cents,
) -> Result<Option<Carrier>, Halt> {
    let Some((parts, connection)) = bank_route(world, scope, platform)? else { return Ok(None) };
    is_complete(platform, connection.settings.0.identity.format(), method)?;
    credit(world, parts, &connection, (platform, HolderType::Individual), amount).map(Some)
}

/// Returns when a payout settles that joins the next file of its rail; `None` if no route of its rail to a bank is in
/// force.
pub fn settles_at(world: &World, scope: Scope, platform: Platform, amount: Cents) -> Result<Option<Time>, Halt> {
    let Some((_, connection)) = bank_route(world, scope, platform)? else { return Ok(None) };
    let rail = (platform, Direction::Credit, FilePurpose::Payments);
    let window = next_window(&connection, rail, world.now(), may_be_same_day(platform, amount));
    Ok(window.map(|window| window.settles_at))
}

/// Returns the carrier of a payment of this amount to a bank account; `None` if no route of ach to a bank is in force.
///
/// # Errors
/// Those of [`carrier`].
pub(super) fn carrier_to(
    world: &World,
    scope: Scope,
    holder: HolderType,
    amount: Cents,
) -> Result<Option<Carrier>, Halt> {
    carrier_by(world, scope, (Platform::Ach, holder), amount)
}

/// Returns the carrier of a payment of this amount by a rail; `None` if no route of the rail to a bank is in force.
///
/// # Errors
/// Those of [`carrier`].
pub(super) fn carrier_by(
    world: &World,
    scope: Scope,
    (platform, holder): (Platform, HolderType),
    amount: Cents,
) -> Result<Option<Carrier>, Halt> {
    let Some((parts, connection)) = bank_route(world, scope, platform)? else { return Ok(None) };
    credit(world, parts, &connection, (platform, holder), amount).map(Some)
}

fn credit(
    world: &World,
    parts: BankParts,
    connection: &BankConnection,
    (platform, holder): (Platform, HolderType),
    amount: Cents,
) -> Result<Carrier, Halt> {
    let settings = &connection.settings.0;
    let Some(limits) = settings.limits.credit else {
        let message = "The bank connection of this rail sends no payments. Choose another rail, or let an admin set \
                       the limits of its credits.";
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::SetUpIncomplete).into());
    };
    if amount > limits.per_entry {
        let message = format!(
            "{} is above {}, the limit of one payment of the bank connection. Choose another rail, or let an admin \
             change the limit.",
            amount.dollars(),
            limits.per_entry.dollars()
        );
        return Err(Refusal::new(Code::LimitExceeded, message)
            .because(Reason::AmountLimit)
            .with(Details::limit("limits.credit.per_entry", limits.per_entry.get()))
            .into());
    }
    let format = settings.identity.format();
    let (class, validates) = match format {
        FileFormat::Nacha => {
            let originator = originators::find(world, connection.org, parts.originator)?;
            let class = credit_class(&originator.entry_classes.0, holder).ok_or_else(no_class)?;
            (Some(class), originator.prenotes)
        }
        // Messages have no prenotes.
        FileFormat::Pain001 => (None, false),
    };
    let (now, direction, purpose) = (world.now(), Direction::Credit, FilePurpose::Payments);
    let window = next_window(connection, (platform, direction, purpose), now, may_be_same_day(platform, amount));
    let window = window.ok_or_else(no_window)?;
    Ok(Carrier { parts, platform, format, direction, class, purpose, send_by: None, window, validates })
}

/// Returns the class of a payment: for its holder if the originator may use it, else the other one.
pub(super) fn credit_class(classes: &[EntryClass], holder: HolderType) -> Option<EntryClass> {
    let preferred = match holder {
        HolderType::Individual => [EntryClass::Ppd, EntryClass::Ccd],
        HolderType::Company => [EntryClass::Ccd, EntryClass::Ppd],
    };
    preferred.into_iter().find(|class| classes.contains(class))
}

/// Returns whether a route of ach is in force to a bank whose connection collects.
///
/// # Errors
/// The store's.
pub fn collects(world: &World, scope: Scope) -> Result<bool, Halt> {
    let route = bank_route(world, scope, Platform::Ach)?;
    Ok(route.is_some_and(|(_, connection)| connection.settings.0.limits.debit.is_some()))
}

/// Returns the carrier of a debit of this amount; `None` if no route of ach to a bank is in force whose connection
/// collects.
///
/// # Errors
/// `limit-exceeded` above the connection's limit of one debit; `invalid-state` if the originator may not send the class,
/// or the connection has no window within three weeks.
pub(super) fn carrier_from(
    world: &World,
    scope: Scope,
    class: EntryClass,
    amount: Cents,
) -> Result<Option<Carrier>, Halt> {
    let Some((parts, connection)) = bank_route(world, scope, Platform::Ach)? else { return Ok(None) };
    let settings = &connection.settings.0;
    let Some(limits) = settings.limits.debit else { return Ok(None) };
    if amount > limits.per_entry {
        let message = format!(
            "{} is above {}, the limit of one debit of the bank connection. Collect less, or let an admin change the \
             limit.",
            amount.dollars(),
            limits.per_entry.dollars()
        );
        return Err(Refusal::new(Code::LimitExceeded, message)
            .because(Reason::AmountLimit)
            .with(Details::limit("limits.debit.per_entry", limits.per_entry.get()))
            .into());
    }
    let originator = originators::find(world, connection.org, parts.originator)?;
    if !originator.entry_classes.0.contains(&class) {
        let message = format!(
            "The originator of the route may not send {class} entries, which this debit needs. Let an admin route ach to \
             an originator that may."
        );
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::SetUpIncomplete).into());
    }
    let (platform, direction, purpose) = (Platform::Ach, Direction::Debit, FilePurpose::Payments);
    let may_be_same_day = may_be_same_day(platform, amount);
    let window = next_window(&connection, (platform, direction, purpose), world.now(), may_be_same_day);
    let (window, format) = (window.ok_or_else(no_window)?, settings.identity.format());
    let (class, send_by, validates) = (Some(class), None, originator.prenotes);
    Ok(Some(Carrier { parts, platform, format, direction, class, purpose, send_by, window, validates }))
}

/// Returns the carrier of an entry that follows an entry of this file: under the same name, of the same class. `None` if no
/// window after `after` reaches the bank by `send_by`.
///
/// # Errors
/// The store's.
pub(super) fn following(
    world: &World,
    file: &BankFile,
    (purpose, direction): (FilePurpose, Direction),
    amount: Cents,
    (after, send_by): (Time, Time),
) -> Result<Option<Carrier>, Halt> {
    let connection = connections::find(world, file.org, file.connection)?;
    let rail = (file.platform, direction, purpose);
    let window = next_window(&connection, rail, after, may_be_same_day(file.platform, amount));
    let Some(window) = window.filter(|window| window.submit_by <= send_by) else { return Ok(None) };
    let (connection_id, originator, settlement_account) = (file.connection, file.originator, file.settlement_account);
    Ok(Some(Carrier {
        parts: BankParts { connection: connection_id, originator, settlement_account },
        platform: file.platform,
        format: connection.settings.0.identity.format(),
        direction,
        class: file.entry_class,
        purpose,
        send_by: Some(send_by),
        window,
        validates: false,
    }))
}

fn no_class() -> Refusal {
    let message = "The originator of this rail's route may send neither PPD nor CCD entries. Choose another rail, or let \
                   an admin route the rail to another originator.";
    Refusal::new(Code::InvalidState, message).because(Reason::SetUpIncomplete)
}

fn no_window() -> Refusal {
    let message = "No window of the bank connection takes a file within three weeks. Choose another rail, or let an admin \
                   change the windows.";
    Refusal::new(Code::InvalidState, message).because(Reason::SetUpIncomplete)
}
