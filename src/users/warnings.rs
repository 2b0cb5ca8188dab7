//! Warnings about a user, and what they hold up.
//!
//! | flag | raised when | holds up |
//! |---|---|---|
//! | `payout_method` | a method is set up that another user of the organization has, or had | nothing |
//! | `payout_method_cycle` | more than [`METHODS_A_MONTH_MAX`] methods are set up within 30 days | payouts |
//! | `name_mismatch` | a method's holder is called otherwise than the user, or a rail says so | payouts |
//!
//! What holds payouts up does not refuse them: the money is taken aside and the transfer is `flagged` until a member
//! approves or cancels it (`payouts/approve.rs`). A warning ends by a member's decision alone (`findings.rs`):
//! neither another name nor another method ends it, because whoever it warns of could bring either.

use std::sync::Arc;

use super::model::User;
use super::{change, find};
use crate::clock::{DAY_SECONDS, Time};
use crate::events::EventName;
use crate::ids::UserId;
use crate::payout_methods;
use crate::platform::Platform;
use crate::scope::Scope;
use crate::screening::{FoldedName, SCORE_MIN, compare};
use crate::world::{Halt, World};

/// New payout methods in [`METHODS_COUNTED_SECONDS`] that raise no warning: as many as there are rails, so that whoever sets up
/// each of them once cycles nothing.
pub const METHODS_A_MONTH_MAX: usize = Platform::ALL.len();
/// For how long a new method counts.
const METHODS_COUNTED_SECONDS: i64 = 30 * DAY_SECONDS;

/// Whether payouts to this user wait until a member has looked at them.
pub const fn holds_payouts(user: &User) -> bool {
    let flags = &user.compliance.0.flags;
    flags.payout_method_cycle || flags.name_mismatch
}

/// Remembers that a method was set up at `now`; more than enough of them are a warning.
pub(super) fn count_method(user: &mut User, now: Time) {
    let compliance = &mut user.compliance.0;
    let counted = &mut compliance.methods_set_up_micros;
    let since = now.plus_seconds(-METHODS_COUNTED_SECONDS).micros();
    counted.retain(|micros| *micros > since);
    counted.push(now.micros());
    // What is past the warning need not be counted on: the row stays small however many there are.
    let surplus = counted.len().saturating_sub(METHODS_A_MONTH_MAX + 1);
    counted.drain(..surplus);
    compliance.flags.payout_method_cycle |= counted.len() > METHODS_A_MONTH_MAX;
}

/// Whether an account's holder is somebody else than the user, by the names of both. The names are compared as the
/// screening does it: order, marks, spelling and middle names do not matter. Who has a business is also known by its
/// name; of a user without a name nothing can be said yet.
pub(super) fn is_another_person(user: &User, holder_name: &str) -> bool {
    if !user.has_name() {
        return false;
    }
    let business = user.compliance.0.w9.as_ref().and_then(|w9| w9.business_name.clone());
    let holder = FoldedName::of(holder_name);
    let is_called = |name: &String| compare(&holder, &FoldedName::of(name)).score >= SCORE_MIN;
    ![Some(user.full_name()), business].iter().flatten().any(is_called)
}

/// What another name of the user brings with it. The holders of the user's accounts are compared with it; and a document
/// that was checked said another name.
pub(super) fn follow_renaming(world: &mut World, user: &mut User) -> Result<(), Halt> {
    user.compliance.0.id_verified = false;
    let methods = payout_methods::of_payee(world, user.org, user.id)?;
    let mut holders = methods.iter().filter_map(|method| method.holder_name.as_deref());
    let is_another = holders.any(|holder| is_another_person(user, holder));
    user.compliance.0.flags.name_mismatch |= is_another;
    Ok(())
}

/// A rail found the account under another name: `name_mismatch`. Told once.
///
/// # Errors
/// None of its own.
pub fn warn_of_name(world: &mut World, scope: Scope, user: UserId) -> Result<Arc<User>, Halt> {
    let user = find(world, scope, user)?;
    if user.compliance.0.flags.name_mismatch || user.deleted_at.is_some() {
        return Ok(user);
    }
    change(world, &user, EventName::UserUpdated, |user| user.compliance.0.flags.name_mismatch = true)
}
