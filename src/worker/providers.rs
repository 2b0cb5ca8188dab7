//! Hands payments over to providers behind HTTP, and looks them up.
//!
//! The order prevents a second payment: an attempt is committed before the call, and after an attempt in doubt the
//! provider is asked first. It receives the payment again, under the same id, only if it says that it never had it.

use super::anomalies::report;
use super::provider_calls::Session;
use crate::clock::DAY_SECONDS;
use crate::ids::TransferId;
use crate::jobs::Leased;
use crate::program::Bursar;
use crate::rail_payments::{self, BeginAttempt, Begun, PaymentStatus, Plan};
use crate::rails::failures::FailureCode;
use crate::rails::providers::{Access, Order, ProviderKind, Reply, paypal};
use crate::refusal::{Code, Refusal};
use crate::settlements::{Alarm, HandedOver, Learned, LookedUp, Settled};
use crate::vault::Unsealed;

/// PayPal knows the id of a batch for 30 days. After that, the same id would pay again, so only a person may act.
const PAYPAL_KNOWS_SECONDS: i64 = 29 * DAY_SECONDS;
/// The wait while the provider may not be called: its credentials wait for an approval.
const CLOSED_SECONDS: i64 = 60;
/// The wait for a turn at a provider that does not answer.
const BUSY_SECONDS: i64 = 5;

/// Returns the plan of a transfer's payment; `None` if no provider carries it.
pub(super) async fn plan(bursar: &Bursar, leased: &Leased, id: TransferId) -> Result<Option<Plan>, Refusal> {
    let (org, vault) = (leased.org, bursar.vault.clone());
    bursar.read(move |world| rail_payments::plan(world, &vault, org, id)).await
}

fn count(word: &'static str) {
    metrics::counter!("bursar_provider_calls_total", "outcome" => word).increment(1);
}

pub(super) async fn submit(bursar: &Bursar, leased: Leased, id: TransferId, plan: Plan) -> Result<(), Refusal> {
    let org = leased.org;
    let is_open = match plan.payment.status {
        PaymentStatus::Queued | PaymentStatus::Attempted => true,
        PaymentStatus::Accepted
        | PaymentStatus::Completed
        | PaymentStatus::Failed
        | PaymentStatus::Returned
        | PaymentStatus::Withdrawn => false,
    };
    if !is_open {
        let alarm = bursar.engine.run(org, Settled { leased, transfer: id }).await?;
        raise(id, &plan, &alarm);
        return Ok(());
    }
    let Some(learned) = hand_over(bursar, &leased, id, &plan).await? else {
        return Err(Refusal::new(Code::ResourceBusy, "Another worker or a member has changed the payment."));
    };
    note(id, &plan, &learned);
    let alarm = bursar.engine.run(org, HandedOver { leased, transfer: id, learned }).await?;
    raise(id, &plan, &alarm);
    Ok(())
}

/// Returns `None` if another worker handles the payment.
async fn hand_over(bursar: &Bursar, leased: &Leased, id: TransferId, plan: &Plan) -> Result<Option<Learned>, Refusal> {
    if let Some(not_asked) = closed(plan) {
        return Ok(Some(not_asked));
    }
    let Some(_turn) = turn(bursar, plan) else { return Ok(Some(busy())) };
    if plan.is_tampered {
        tracing::error!(transfer = %id, "the sealed account of a transfer was changed in the store; the transfer fails");
        return Ok(Some(Learned::Tampered));
    }
    let (Some(access), Some(order)) = (&plan.access, &plan.order) else {
        let message = "The sealed order or the credentials of a provider cannot be decrypted.";
        return Err(Refusal::new(Code::InternalError, message));
    };
    let session = session(bursar, plan, access, id);
    let was_attempted = plan.payment.status == PaymentStatus::Attempted;
    if was_attempted {
        let reply = session.look_up().await;
        if !matches!(reply, Reply::HasNot) {
            return Ok(Some(Learned::Said(reply)));
        }
    }
    let in_doubt = was_attempted && plan.provider.kind == ProviderKind::Paypal;
    if plan.is_ended() {
        return Ok(Some(Learned::Said(not_handed_over(in_doubt))));
    }
    if in_doubt && is_too_old(bursar, plan) {
        let reason = "it was handed over 29 days ago; clear it up with the provider".to_owned();
        return Ok(Some(Learned::Said(Reply::Unclear(reason))));
    }
    if plan.payment.may_be_decided_failed(bursar.clock.now()) {
        let reason = "a member has proposed that the payment failed".to_owned();
        return Ok(Some(Learned::NotAsked { reason, seconds: CLOSED_SECONDS }));
    }
    if begin(bursar, leased, id, order).await? == Begun::Later {
        return Ok(None);
    }
    let reply = session.submit(order).await;
    Ok(Some(Learned::Said(if in_doubt { paypal::repeated(reply) } else { reply })))
}

/// Returns the fate of a payment whose provider is ended. A provider that never had it will not get it.
fn not_handed_over(in_doubt: bool) -> Reply {
    if in_doubt {
        return Reply::Unclear(
            "the provider is ended and may have the payment; clear it up with the provider".to_owned(),
        );
    }
    Reply::Refused(FailureCode::RejectedByRail)
}

async fn begin(bursar: &Bursar, leased: &Leased, transfer: TransferId, order: &Order) -> Result<Begun, Refusal> {
    let order = Unsealed::new(&bursar.vault, order.to_bytes(), bursar.entropy().bytes());
    bursar.engine.run(leased.org, BeginAttempt { leased: leased.clone(), transfer, order }).await
}

/// Returns whether the same id would not find the first batch any more.
fn is_too_old(bursar: &Bursar, plan: &Plan) -> bool {
    let first = plan.payment.first_attempted_at;
    first.is_some_and(|first| bursar.clock.now().seconds_since(first) > PAYPAL_KNOWS_SECONDS)
}

fn closed(plan: &Plan) -> Option<Learned> {
    let reason = "the credentials of the provider wait for an approval".to_owned();
    (!plan.may_query()).then_some(Learned::NotAsked { reason, seconds: CLOSED_SECONDS })
}

/// Returns the right to call the provider; `None` while too many calls wait for its answers.
fn turn(bursar: &Bursar, plan: &Plan) -> Option<impl Drop> {
    bursar.rail_turns.take(plan.provider.id.0.as_u128())
}

fn busy() -> Learned {
    let reason = "other payments wait for the provider's answers".to_owned();
    Learned::NotAsked { reason, seconds: BUSY_SECONDS }
}

fn session<'a>(bursar: &'a Bursar, plan: &'a Plan, access: &'a Access, transfer: TransferId) -> Session<'a> {
    let reference = plan.payment.reference.as_deref();
    Session { outbound: &bursar.outbound, tokens: &bursar.rail_tokens, access, transfer, reference }
}

pub(super) async fn follow(bursar: &Bursar, leased: Leased, id: TransferId, plan: Plan) -> Result<(), Refusal> {
    let org = leased.org;
    let is_over =
        matches!(plan.payment.status, PaymentStatus::Failed | PaymentStatus::Returned | PaymentStatus::Withdrawn);
    // The provider does not know the outcome that members decided.
    if is_over || plan.payment.is_decided() {
        let alarm = bursar.engine.run(org, Settled { leased, transfer: id }).await?;
        raise(id, &plan, &alarm);
        return Ok(());
    }
    let turn = turn(bursar, &plan);
    let learned = match (closed(&plan), &turn, &plan.access) {
        (Some(not_asked), _, _) => not_asked,
        (None, None, _) => busy(),
        (None, Some(_), Some(access)) => Learned::Said(session(bursar, &plan, access, id).look_up().await),
        (None, Some(_), None) => {
            let message = "The credentials of a provider cannot be decrypted.";
            return Err(Refusal::new(Code::InternalError, message));
        }
    };
    drop(turn);
    note(id, &plan, &learned);
    let alarm = bursar.engine.run(org, LookedUp { leased, transfer: id, learned }).await?;
    raise(id, &plan, &alarm);
    Ok(())
}

/// Counts a reply, and logs one that a person should know of.
fn note(id: TransferId, plan: &Plan, learned: &Learned) {
    let Learned::Said(reply) = learned else { return };
    count(reply.word());
    let provider = plan.provider.id;
    match reply {
        Reply::Has(_) | Reply::Refused(_) => {}
        Reply::Unclear(reason) => {
            tracing::warn!(transfer = %id, %provider, reason, "a provider gave no usable answer; it is asked again");
        }
        Reply::HasNot => {
            tracing::error!(transfer = %id, %provider, "a provider does not know a payment that it had accepted");
        }
        Reply::Different => {
            tracing::error!(transfer = %id, %provider, "a provider has another payment under our id; clear it up");
        }
        Reply::ShortOfFunds => {
            tracing::error!(transfer = %id, %provider, "the balance at a provider is too low; add money there");
        }
    }
}

fn raise(id: TransferId, plan: &Plan, alarm: &Alarm) {
    if alarm.newly_short {
        tracing::error!(provider = %plan.provider.id, "payments wait, because the balance at a provider is too low");
    }
    if let Some(anomaly) = &alarm.anomaly {
        report(id, anomaly);
    }
}
