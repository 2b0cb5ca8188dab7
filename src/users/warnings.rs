//! Warnings about a user, and the payouts that they hold.
//!
//! | flag | raised when | holds |
//! |---|---|---|
//! | `payout_method` | a method is set up that another user of the organization has, or had | nothing |
//! | `payout_method_cycle` | more than [`METHODS_A_MONTH_MAX`] methods are set up within 30 days | payouts |
//! | `name_mismatch` | a method's holder has another name than the user, or a rail reports so | payouts |
//!
//! A held payout is not refused: its money is set aside and the transfer is `flagged` until a member approves or
//! cancels it (`payouts/approve.rs`). Only a member's decision ends a warning (`findings.rs`): a user could bring
//! another name or method.

use super::change;
use super::model::User;
use super::rows::find;
use super::screening::{Suspicion, suspect};
use crate::clock::{DAY_SECONDS, Time};
use crate::events::EventName;
use crate::ids::UserId;
use crate::payout_methods;
use crate::platform::Platform;
use crate::rails::failures::FailureCode;
use crate::scope::Scope;
use crate::screening::{FoldedName, SCORE_MIN, compare};
use crate::world::{Halt, World};

/// New payout methods in [`METHODS_COUNTED_SECONDS`] that raise no warning: one per rail, so that setting up each rail
/// once is no cycle.
pub const METHODS_A_MONTH_MAX: usize = Platform::ALL.len();
const METHODS_COUNTED_SECONDS: i64 = 30 * DAY_SECONDS;

/// Returns whether payouts to this user wait for a member's approval.
pub const fn holds_payouts(user: &User) -> bool {
    let flags = &user.compliance.0.flags;
    flags.payout_method_cycle || flags.name_mismatch
}

/// Counts a method that was set up at `now`, and raises the warning above the limit.
pub(super) fn count_method(user: &mut User, now: Time) {
    let compliance = &mut user.compliance.0;
    let counted = &mut compliance.methods_set_up_micros;
    let since = now.plus_seconds(-METHODS_COUNTED_SECONDS).micros();
    counted.retain(|micros| *micros > since);
    counted.push(now.micros());
    // Keeps the row small: entries beyond the limit do not change the result.
    let surplus = counted.len().saturating_sub(METHODS_A_MONTH_MAX + 1);
    counted.drain(..surplus);
    compliance.flags.payout_method_cycle |= counted.len() > METHODS_A_MONTH_MAX;
}

/// Returns whether an account holder is another person than the user. Names are compared as in screening: order,
/// diacritics, spelling and middle names are ignored. The business name of a W-9 also matches. A user without a name
/// has no mismatch yet.
pub(super) fn is_another_person(user: &User, holder_name: &str) -> bool {
    if !user.has_name() {
        return false;
    }
    let business = user.compliance.0.w9.as_ref().and_then(|w9| w9.business_name.clone());
    let holder = FoldedName::of(holder_name);
    let is_called = |name: &String| compare(&holder, &FoldedName::of(name)).score >= SCORE_MIN;
    ![Some(user.full_name()), business].iter().flatten().any(is_called)
}

/// Updates what depends on the name: compares it with the account holders, and resets the document check, which was for
/// the old name.
pub(super) fn follow_renaming(world: &mut World, user: &mut User) -> Result<(), Halt> {
    user.compliance.0.id_verified = false;
    let methods = payout_methods::of_payee(world, user.org, user.id)?;
    let mut holders = methods.iter().filter_map(|method| method.holder_name.as_deref());
    let is_another = holders.any(|holder| is_another_person(user, holder));
    user.compliance.0.flags.name_mismatch |= is_another;
    Ok(())
}

/// Draws the consequences of a payment that a rail refused or returned: a warning, or a review.
pub fn follow_failure(world: &mut World, scope: Scope, user: UserId, code: FailureCode) -> Result<(), Halt> {
    if code == FailureCode::NameMismatch {
        return warn_of_name(world, scope, user);
    }
    if code == FailureCode::Sanctions {
        return suspect(world, scope.org, user, Suspicion::Sanctions);
    }
    Ok(())
}

/// Raises `name_mismatch`, once, after a rail reported another account holder.
fn warn_of_name(world: &mut World, scope: Scope, user: UserId) -> Result<(), Halt> {
    let user = find(world, scope, user)?;
    if user.compliance.0.flags.name_mismatch || user.deleted_at.is_some() {
        return Ok(());
    }
    change(world, &user, EventName::UserUpdated, |user| user.compliance.0.flags.name_mismatch = true)?;
    Ok(())
}
