//! The route that carries a payment, and the window whose file it joins.

use crate::banking::FileFormat;
use crate::banking::connections::{self, BankConnection};
use crate::banking::routes::{self, BankParts};
use crate::calendars::Cutoff;
use crate::clock::{DAY_SECONDS, Time};
use crate::fees::BOOK_CURRENCY;
use crate::money::Cents;
use crate::payout_methods::PayoutMethod;
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// The most that one entry of a same-day file may move.
const SAME_DAY_MAX: Cents = Cents::new(100_000_000);
/// The window of a rail without cut-offs.
const AT_ONCE: &str = "at once";

/// The route in force, and the next window for an amount.
#[derive(Clone, Debug)]
pub struct Carrier {
    pub(super) parts: BankParts,
    pub(super) platform: Platform,
    pub(super) format: FileFormat,
    pub(super) window: Slot,
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
    platform: Platform,
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
    settings.schedule().next(after, |window| may_be_same_day || !window.same_day).map(Slot::from)
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
    Err(Refusal::new(Code::UserInfoMissing, message))
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
    // Most rails have no files, and their payouts load nothing here.
    if !routes::may_carry(platform) {
        return Ok(None);
    }
    let now = world.now();
    let Some(route) = routes::carrying(world, scope.org, platform, BOOK_CURRENCY, now)? else { return Ok(None) };
    let Some(parts) = route.bank() else { return Ok(None) };
    let connection = connections::find(world, scope.org, parts.connection)?;
    let format = connection.settings.0.identity.format();
    is_complete(platform, format, method)?;
    let Some(limits) = connection.settings.0.limits.credit else {
        let message = "The bank connection of this rail sends no payments. Choose another rail, or let an admin set \
                       the limits of its credits.";
        return Err(Refusal::new(Code::InvalidState, message).into());
    };
    if amount > limits.per_entry {
        let message = format!(
            "{} is above {}, the limit of one payment of the bank connection. Choose another rail, or let an admin \
             change the limit.",
            amount.dollars(),
            limits.per_entry.dollars()
        );
        return Err(Refusal::new(Code::LimitExceeded, message).into());
    }
    let Some(window) = next_window(&connection, platform, now, may_be_same_day(platform, amount)) else {
        let message = "No window of the bank connection takes a file within three weeks. Choose another rail, or let \
                       an admin change the windows.";
        return Err(Refusal::new(Code::InvalidState, message).into());
    };
    Ok(Some(Carrier { parts, platform, format, window }))
}
