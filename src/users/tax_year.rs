//! The sum that an app paid a user in a tax year, and the form that is due from it. `taxes` has the rules and changes
//! the sum.

use super::model::{Form1099, User};
use crate::ids::{AppId, OrgId, UserId};
use crate::money::Cents;
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
        reportable: sum_of_year(paid, adjusted),
        reported_from: tax::reported_from(year),
        form_awaited: counted.is_some_and(|counted| counted.form_awaited),
    })
}

/// An overflow yields the maximum, which is always reportable.
pub fn sum_of_year(left: Cents, right: Cents) -> Cents {
    left.checked_add(right).unwrap_or(Cents::AMOUNT_MAX)
}

/// Returns whether the app must report the user's payments of this year on a 1099: the threshold is reached, or a
/// payout that would reach it waits for the form. Foreign persons with a W-8BEN are not reported.
pub fn must_collect_1099(world: &World, scope: Scope, user: &User) -> Result<bool, Halt> {
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
    Ok(sum_of_year(totals.reportable, coming) >= totals.reported_from)
}
