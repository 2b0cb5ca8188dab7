//! Applies a rail's outcome to a payout: completed, failed, or returned later. `settlements` calls it.

use std::sync::Arc;

use super::of_link;
use super::send::is_paid_out;
use crate::apps;
use crate::apps::{Movement, limit_days};
use crate::events::EventName;
use crate::ids::UserId;
use crate::language::Language;
use crate::ledger::postings::{self, PayoutAmounts};
use crate::ledger::{self, Account};
use crate::messages::{self, Channel, Template};
use crate::money::Cents;
use crate::payout_links::{self, PayoutLink};
use crate::payout_methods;
use crate::platform::Platform;
use crate::rails::failures::{FailureCode, MethodOutcome};
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::taxes;
use crate::transfers::rules::{TransferEvent, is_recalled};
use crate::transfers::{self, Transfer, TransferStatus};
use crate::users;
use crate::world::{Halt, World};

struct Payout {
    scope: Scope,
    user: UserId,
    platform: Platform,
    amounts: PayoutAmounts,
}

impl Payout {
    fn of(transfer: &Transfer) -> Result<Self, Refusal> {
        let (Some(user), Some(platform), Some(party)) = (transfer.user_id, transfer.platform, transfer.fee_party)
        else {
            return Err(Refusal::new(Code::InternalError, "A transfer at a rail has no user, rail or fee party."));
        };
        let amounts = PayoutAmounts {
            payout: transfer.arrives,
            fee: transfer.fee,
            platform_fee: transfer.platform_fee,
            fx: transfer.fx_fee,
            party,
        };
        Ok(Self { scope: transfer.scope(), user, platform, amounts })
    }
}

/// Completes a payout. When it is the last one of a link, the app is notified that all its money has arrived.
/// `outside` is the ledger account that represents where the money is now.
pub fn complete(world: &mut World, transfer: &Arc<Transfer>, outside: Account) -> Result<Arc<Transfer>, Halt> {
    let Payout { scope, platform, ref amounts, .. } = Payout::of(transfer)?;
    ledger::post(world, &postings::settle_payout(scope, transfer.id, platform, amounts, outside))?;
    let now = world.now();
    let transfer =
        transfers::advance(world, transfer, TransferEvent::Completed, |transfer| transfer.completed_at = Some(now))?;
    if let Some(link) = transfer.payout_link {
        let link = payout_links::find(world, scope, link)?;
        send_receipt(world, &transfer, &link)?;
        if is_paid_out(world, &link)? {
            payout_links::change(world, &link, EventName::PayoutLinkPaidOut, |_| ())?;
        }
    }
    Ok(transfer)
}

/// Sends the receipt that the claim page promises: to the payee's e-mail address, or by text message if a link was
/// delivered and no address is known.
fn send_receipt(world: &mut World, transfer: &Transfer, link: &PayoutLink) -> Result<(), Halt> {
    let payout = Payout::of(transfer)?;
    let user = users::find(world, payout.scope, payout.user)?;
    let reached = users::reached(world, payout.scope, &user)?;
    let by_text = reached.phone_e164.filter(|_| link.deliveries > 0).map(|phone| (Channel::Sms, phone));
    let by_email = reached.email.map(|email| (Channel::Email, email));
    let Some((channel, recipient)) = by_email.or(by_text) else { return Ok(()) };
    let app = apps::find_even_deleted(world, payout.scope)?;
    let language = user.language.or(app.settings.0.brand.language).unwrap_or_default();
    let method = match transfer.payout_method {
        Some(method) => payout_methods::paid_to(world, payout.scope.org, user.id, method)?.distinguished(language),
        None => language.text(payout_methods::rail_name(payout.platform)).to_owned(),
    };
    let template = Template::PayoutCompleted {
        transfer: transfer.id,
        amount_cents: transfer.arrives,
        fee_cents: transfer.amount.checked_sub(transfer.arrives).unwrap_or(Cents::ZERO),
        app_name: app.name.clone(),
        method,
    };
    messages::queue(world, payout.scope, (channel, &recipient), Some(language), template);
    Ok(())
}

/// Fails a payout and gives back all that it took.
pub fn fail(world: &mut World, transfer: &Arc<Transfer>, code: FailureCode) -> Result<(), Halt> {
    let payout = Payout::of(transfer)?;
    let transfer = give_back(world, transfer, &payout, TransferEvent::Failed, |transfer| transfer.error = Some(code))?;
    after_failure(world, &transfer, &payout, code, transfer.funded)
}

/// Cancels a payout before it is sent to its rail, and gives back all that it took.
pub(super) fn cancel(world: &mut World, transfer: &Arc<Transfer>) -> Result<Arc<Transfer>, Halt> {
    let payout = Payout::of(transfer)?;
    let transfer = give_back(world, transfer, &payout, TransferEvent::Canceled, |_| ())?;
    apps::count_money_out(world, payout.scope, transfer.amount.negated())?;
    notify_payee(world, &payout, |app_name, _| Template::PayoutCanceled {
        transfer: transfer.id,
        amount_cents: transfer.arrives,
        app_name,
        back_at_app: transfer.funded,
    })?;
    Ok(transfer)
}

/// Gives back all that a payout took: to the wallets of user and app, and to the daily limits.
fn give_back(
    world: &mut World,
    transfer: &Arc<Transfer>,
    payout: &Payout,
    event: TransferEvent,
    edit: impl FnOnce(&mut Transfer),
) -> Result<Arc<Transfer>, Halt> {
    let Payout { scope, user, platform, ref amounts } = *payout;
    ledger::post(world, &postings::fail_payout(scope, transfer.id, user, platform, amounts))?;
    if transfer.funded {
        ledger::post(world, &postings::user_to_app(scope, transfer.id, user, transfer.amount))?;
        uncount_taxed(world, transfer, user, transfer.amount)?;
    }
    limit_days::uncount(world, scope, Movement::Payout, transfer.amount, transfer.created_at)?;
    let ended = transfers::advance(world, transfer, event, edit)?;
    of_link::recount(world, transfer, &ended)?;
    Ok(ended)
}

/// Returns a completed payout's money, except the earned fee, to the payee, or to the app if it filled the wallet or
/// recalled the money of a link. Money that would be unreachable in the payee's wallet goes to the app too. `outside` is
/// the ledger account to which the payout settled.
pub fn take_back(world: &mut World, transfer: &Arc<Transfer>, code: FailureCode, outside: Account) -> Result<(), Halt> {
    let payout = Payout::of(transfer)?;
    let Payout { scope, user, platform, ref amounts } = payout;
    ledger::post(world, &postings::return_payout(scope, transfer.id, user, platform, amounts.payout, outside))?;
    let returned =
        transfers::advance(world, transfer, TransferEvent::Returned, |transfer| transfer.error = Some(code))?;
    let is_taken_from_app = returned.funded || is_recalled(&returned);
    let back_at_app = is_taken_from_app || is_unreachable(world, scope, user)?;
    if back_at_app {
        ledger::post(world, &postings::user_to_app(scope, transfer.id, user, amounts.payout))?;
    }
    // A deleted user was still paid: only what the payout itself gave to the payee, or a claim did, is subtracted from their
    // tax year.
    if is_taken_from_app {
        uncount_taxed(world, transfer, user, amounts.payout)?;
    }
    of_link::recount(world, transfer, &returned)?;
    after_failure(world, &returned, &payout, code, back_at_app)
}

/// Returns whether the user or the app was deleted since, so that the money in the user's wallet could not be
/// withdrawn. A deleted app's wallet can still be emptied by the organization.
fn is_unreachable(world: &mut World, scope: Scope, user: UserId) -> Result<bool, Halt> {
    let app = apps::find_even_deleted(world, scope)?;
    Ok(app.deleted_at.is_some() || users::find(world, scope, user)?.deleted_at.is_some())
}

/// Subtracts the amount that the app gets back from the tax year in which it was counted, because the user was not
/// paid.
fn uncount_taxed(world: &mut World, transfer: &Transfer, user: UserId, amount: Cents) -> Result<(), Halt> {
    if transfer.tax_exempt {
        return Ok(());
    }
    taxes::count_given_back(world, transfer.scope(), user, amount, transfer.created_at)
}

/// Applies the consequences of a failure: disables the method if necessary, updates the app's figures and notifies the
/// payee.
fn after_failure(
    world: &mut World,
    transfer: &Transfer,
    payout: &Payout,
    code: FailureCode,
    back_at_app: bool,
) -> Result<(), Halt> {
    let scope = payout.scope;
    let failure = code.failure();
    let user = users::find(world, scope, payout.user)?;
    if let (Some(method), MethodOutcome::Disabled) = (transfer.payout_method, failure.method) {
        let method = payout_methods::paid_to(world, scope.org, user.id, method)?;
        users::disable_payout_method(world, scope, &user, &method, code.as_str())?;
    }
    users::follow_failure(world, scope, user.id, code)?;
    apps::count_money_out(world, scope, transfer.amount.negated())?;
    notify_payee(world, payout, |app_name, language| Template::PayoutFailed {
        transfer: transfer.id,
        amount_cents: transfer.arrives,
        app_name,
        reason: language.text(super::failure_text(code)).to_owned(),
        returned_by: (transfer.status == TransferStatus::Reversed)
            .then(|| language.text(payout_methods::returner(payout.platform)).to_owned()),
        back_at_app,
    })
}

/// Notifies the payee by text message if their phone is known, else by e-mail. `template` takes the app's name and the
/// payee's language.
fn notify_payee(
    world: &mut World,
    payout: &Payout,
    template: impl FnOnce(String, Language) -> Template,
) -> Result<(), Halt> {
    let user = users::find(world, payout.scope, payout.user)?;
    let app = apps::find_even_deleted(world, payout.scope)?;
    let reached = users::reached(world, payout.scope, &user)?;
    let by_phone = reached.phone_e164.map(|phone| (Channel::Sms, phone));
    let to = by_phone.or_else(|| reached.email.map(|email| (Channel::Email, email)));
    if let Some((channel, recipient)) = to {
        let language = user.language.or(app.settings.0.brand.language).unwrap_or_default();
        let template = template(app.name.clone(), language);
        messages::queue(world, payout.scope, (channel, &recipient), Some(language), template);
    }
    Ok(())
}
