//! The sum that an app paid a user in a tax year, for tax reporting, and the form that is due from it.
//!
//! Money counts when it becomes the user's: when a link is claimed, or when a transfer credits the user's wallet. A
//! later payout, failure or return does not change that. Money that returns from the user to the app is deducted: in
//! the current year if it is moved, and in the year in which it was counted if a payout that the app funded failed or
//! was returned. Tax-exempt money never counts. Each app counts only what it paid.
//!
//! Once a year's sum with the user's adjustment reaches the threshold of [`crate::tax`], a form is required: a W-9, or
//! a W-8BEN from foreign persons, who are not reported. Nothing is paid out without it. Invariant: the sum changes in
//! the commit in which the money moves.

use std::sync::Arc;

use super::model::{Form1099, User};
use super::profiles::emit_again;
use super::rows::find_in_organization;
use super::rules;
use crate::clock::Time;
use crate::ids::{AppId, OrgId, UserId};
use crate::money::Cents;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::tax;
use crate::world::record::{key, record};
use crate::world::{Halt, World};

record! {
    pub struct TaxYear in "tax_years" {
        key (org, app, user_id, year);
        pub org: OrgId,
        pub app: AppId,
        pub user_id: UserId,
        pub year: i64,
        pub reportable: Cents,
        /// Whether a payout that would reach the threshold waits for the form.
        pub form_awaited: bool,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct YearTotals {
    /// Includes the user's adjustment.
    reportable: Cents,
    /// The amount from which a form is due.
    reported_from: Cents,
    form_awaited: bool,
}

fn totals(world: &World, scope: Scope, user: &User) -> Result<YearTotals, Halt> {
    let year = tax::year_of(world.now());
    let counted = world.get::<TaxYear>(key![scope.org, scope.app, user.id, year])?;
    let paid = counted.as_ref().map_or(Cents::ZERO, |counted| counted.reportable);
    let adjusted = user.adjustment_1099.as_ref().map(|adjustment| &adjustment.0);
    // The payment settlement entity reports amounts on form 1099-K; counting them here would report them twice.
    let adjusted = adjusted.filter(|adjustment| adjustment.year == year && adjustment.form == Form1099::Nec);
    let adjusted = adjusted.map_or(Cents::ZERO, |adjustment| adjustment.amount);
    Ok(YearTotals {
        reportable: plus(paid, adjusted),
        reported_from: tax::reported_from(year),
        form_awaited: counted.is_some_and(|counted| counted.form_awaited),
    })
}

/// An overflow yields the maximum, which is always reportable.
fn plus(left: Cents, right: Cents) -> Cents {
    left.checked_add(right).unwrap_or(Cents::AMOUNT_MAX)
}

/// Returns whether the app must report the user's payments of this year on a 1099: the threshold is reached, or a
/// payout that would reach it waits for the form. Foreign persons with a W-8BEN are not reported.
pub(super) fn must_collect_1099(world: &World, scope: Scope, user: &User) -> Result<bool, Halt> {
    let totals = totals(world, scope, user)?;
    let is_reached = totals.reportable >= totals.reported_from || totals.form_awaited;
    Ok(is_reached && !user.compliance.0.w8_ben_collected)
}

/// Returns whether the user must give a tax form before `coming` further cents can be paid out this year.
pub fn tax_form_is_due(world: &World, scope: Scope, user: &User, coming: Cents) -> Result<bool, Halt> {
    if user.has_tax_form() {
        return Ok(false);
    }
    let totals = totals(world, scope, user)?;
    Ok(plus(totals.reportable, coming) >= totals.reported_from)
}

/// Counts money of the app that became the user's. `amount` is in cents, above zero.
pub fn count_received(world: &mut World, scope: Scope, user: UserId, amount: Cents) -> Result<(), Halt> {
    let year = tax::year_of(world.now());
    edit(world, scope, user, year, |year| year.reportable = plus(year.reportable, amount))
}

/// Deducts money that returned from the user to the app, in the year of `counted`. A year's sum never falls below zero.
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

/// Records that a payout of `coming` cents waits for a tax form, if one is due.
pub fn await_tax_form(world: &mut World, scope: Scope, user: UserId, coming: Cents) -> Result<(), Halt> {
    let found = find_in_organization(world, scope.org, user)?;
    if !tax_form_is_due(world, scope, &found, coming)? {
        return Ok(());
    }
    let year = tax::year_of(world.now());
    edit(world, scope, user, year, |year| year.form_awaited = true)
}

/// Emits an event if `must_collect_1099` changes.
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

/// Rejects a payout to a user of this app with `user-inactive`, with `invalid-state` for a user who is not verified or
/// is under review, and with `user-info-missing` if a tax form is due. `taxed` is the taxable amount of this payout in
/// cents; `None` if it is tax-exempt, which needs no form.
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
