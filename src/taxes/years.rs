use std::sync::Arc;

use crate::clock::Time;
use crate::ids::UserId;
use crate::money::Cents;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::tax;
use crate::users::{
    TaxYear, User, emit_again, find_in_organization, must_be_verified, must_collect_1099, must_not_be_reviewed,
    sum_of_year, tax_form_is_due,
};
use crate::world::record::key;
use crate::world::{Halt, World};

/// Counts money of the app that became the user's. `amount` is in cents, above zero.
pub fn count_received(world: &mut World, scope: Scope, user: UserId, amount: Cents) -> Result<(), Halt> {
    let year = tax::year_of(world.now());
    edit(world, scope, user, year, |year| year.reportable = sum_of_year(year.reportable, amount))
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
    must_be_verified(user)?;
    must_not_be_reviewed(user)?;
    let Some(taxed) = taxed else { return Ok(()) };
    if tax_form_is_due(world, scope, user, taxed)? {
        let message = "A tax form is required first, because this year's payments to the user reach the reporting \
                       threshold of form 1099-NEC. Collect a W-9, or a W-8BEN from a foreign person, with a payout \
                       link or with PUT /v2/users/{user_id}/compliance. The money is safe.";
        return Err(Refusal::new(Code::UserInfoMissing, message).because(Reason::TaxFormMissing).into());
    }
    Ok(())
}
