//! What an app paid a user in a tax year, as far as the tax office must be told, and the form that is due then.
//!
//! Money counts when it becomes the user's: when a link is claimed, and when a transfer brings it to the user's
//! wallet. From then on it is at the user's disposal; whether it is paid out, fails, or comes back from a bank
//! changes nothing about that. What goes back from the user to the app is taken off again: of the year of the moment
//! where somebody moves it, and where a payout that the app had funded did not arrive or came back, of the year in
//! which that was counted. What the app calls tax-exempt never counts. The payer is the app: each counts what it paid
//! itself.
//!
//! Once a year's sum, with the user's own adjustment, reaches the threshold of [`crate::tax`], a form must be
//! collected: a W-9, or a W-8BEN from foreign persons, of whom nothing is reported. Until it is there, nothing is
//! paid out. Invariant: the sum changes in the commit in which the money moves.

use std::sync::Arc;

use super::model::{Form1099, User};
use super::profiles::emit_again;
use super::{find_in_organization, rules};
use crate::clock::Time;
use crate::ids::{AppId, OrgId, UserId};
use crate::money::Cents;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::tax;
use crate::world::record::{key, record};
use crate::world::{Halt, World};

record! {
    /// What an app paid a user in a year.
    pub struct TaxYear in "tax_years" {
        key (org, app, user_id, year);
        /// The organization.
        pub org: OrgId,
        /// The payer.
        pub app: AppId,
        /// The payee.
        pub user_id: UserId,
        /// The tax year.
        pub year: i64,
        /// Cents that count.
        pub reportable: Cents,
        /// Whether a payout that would reach the threshold waits for the form.
        pub form_awaited: bool,
    }
}

/// Where a user stands with an app this year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct YearTotals {
    /// What counts, the user's adjustment included.
    reportable: Cents,
    /// From how much on a form is due.
    reported_from: Cents,
    form_awaited: bool,
}

fn totals(world: &World, scope: Scope, user: &User) -> Result<YearTotals, Halt> {
    let year = tax::year_of(world.now());
    let counted = world.get::<TaxYear>(key![scope.org, scope.app, user.id, year])?;
    let paid = counted.as_ref().map_or(Cents::ZERO, |counted| counted.reportable);
    let adjusted = user.adjustment_1099.as_ref().map(|adjustment| &adjustment.0);
    // What was told on form 1099-K was told by who settled it; to count it here would tell it twice.
    let adjusted = adjusted.filter(|adjustment| adjustment.year == year && adjustment.form == Form1099::Nec);
    let adjusted = adjusted.map_or(Cents::ZERO, |adjustment| adjustment.amount);
    Ok(YearTotals {
        reportable: plus(paid, adjusted),
        reported_from: tax::reported_from(year),
        form_awaited: counted.is_some_and(|counted| counted.form_awaited),
    })
}

/// The sum; a year's sum that no number can hold is reported in any case.
fn plus(left: Cents, right: Cents) -> Cents {
    left.checked_add(right).unwrap_or(Cents::AMOUNT_MAX)
}

/// Whether what the app pays the user this year must be told on a 1099: the threshold is reached, or a payout that
/// would reach it waits for the form. Of foreign persons who gave a W-8BEN nothing is told.
pub(super) fn must_collect_1099(world: &World, scope: Scope, user: &User) -> Result<bool, Halt> {
    let totals = totals(world, scope, user)?;
    let is_reached = totals.reportable >= totals.reported_from || totals.form_awaited;
    Ok(is_reached && !user.compliance.0.w8_ben_collected)
}

/// Whether the user must give a tax form before anything is paid out, if `coming` cents more are paid this year.
pub fn tax_form_is_due(world: &World, scope: Scope, user: &User, coming: Cents) -> Result<bool, Halt> {
    if user.has_tax_form() {
        return Ok(false);
    }
    let totals = totals(world, scope, user)?;
    Ok(plus(totals.reportable, coming) >= totals.reported_from)
}

/// Money of the app became the user's: it counts. `amount` is in cents, above zero.
pub fn count_received(world: &mut World, scope: Scope, user: UserId, amount: Cents) -> Result<(), Halt> {
    let year = tax::year_of(world.now());
    edit(world, scope, user, year, |year| year.reportable = plus(year.reportable, amount))
}

/// Money went back from the user to the app: it does not count any more in the year in which it `counted`. A year's sum
/// never falls below zero.
pub fn count_given_back(
    world: &mut World,
    scope: Scope,
    user: UserId,
    amount: Cents,
    counted: Time,
) -> Result<(), Halt> {
    edit(world, scope, user, tax::year_of(counted), |year| {
        let left = year.reportable.checked_sub(amount).unwrap_or(Cents::ZERO);
        year.reportable = if left.is_negative() { Cents::ZERO } else { left };
    })
}

/// Remembers that a payout of `coming` cents waits for the tax form, if it does.
pub fn await_tax_form(world: &mut World, scope: Scope, user: UserId, coming: Cents) -> Result<(), Halt> {
    let found = find_in_organization(world, scope.org, user)?;
    if !tax_form_is_due(world, scope, &found, coming)? {
        return Ok(());
    }
    let year = tax::year_of(world.now());
    edit(world, scope, user, year, |year| year.form_awaited = true)
}

/// Changes a year's row; tells of the user where `must_collect_1099` changes by it.
fn edit(world: &mut World, scope: Scope, user: UserId, year: i64, edit: impl FnOnce(&mut TaxYear)) -> Result<(), Halt> {
    let Scope { org, app } = scope;
    let user: Arc<User> = find_in_organization(world, org, user)?;
    let before = must_collect_1099(world, scope, &user)?;
    match world.get::<TaxYear>(key![org, app, user.id, year])? {
        Some(counted) => {
            world.change(&counted, edit);
        }
        None => {
            let mut fresh = TaxYear { org, app, user_id: user.id, year, reportable: Cents::ZERO, form_awaited: false };
            edit(&mut fresh);
            world.add(fresh);
        }
    }
    if must_collect_1099(world, scope, &user)? != before {
        emit_again(world, scope, &user)?;
    }
    Ok(())
}

/// Whether anything may be paid out to a user of this app now. `taxed` is what this payout itself adds to the tax year,
/// in cents; `None` for one that is tax-exempt, which waits for no form.
///
/// # Errors
/// `user-inactive`; `invalid-state` for who is not verified or is under review; `user-info-missing` while a tax
/// form is due.
pub fn may_be_paid(world: &World, scope: Scope, user: &User, taxed: Option<Cents>) -> Result<(), Halt> {
    rules::must_be_verified(user)?;
    rules::must_not_be_reviewed(user)?;
    let Some(taxed) = taxed else { return Ok(()) };
    if tax_form_is_due(world, scope, user, taxed)? {
        let message = "A tax form is required first, because this year's payments to the user reach the reporting \
                       threshold of form 1099-NEC. Collect a W-9, or a W-8BEN from a foreign person, with a payout \
                       link or with PUT /v2/users/{user_id}/compliance. The money is safe.";
        return Err(Refusal::new(Code::UserInfoMissing, message).into());
    }
    Ok(())
}
