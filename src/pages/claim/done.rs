//! The page after the last step, and the receipt of money that has arrived.

use super::draw::head;
use super::visit::Visit;
use super::wording;
use crate::claims::{ClaimDocument, ClaimTransfer};
use crate::clock::Time;
use crate::fees;
use crate::http::Outcome;
use crate::language::{Language, Said, Text};
use crate::pages::draw::page;
use crate::pages::views::{DonePage, PayoutOutcome, ReceiptPage};
use crate::payouts::{self, Arrival};
use crate::platform::Platform;
use crate::rails::failures::FailureCode;

/// The wait before a page of money under way is loaded again: the time left, within these bounds. In the sandbox the
/// clock may be moved at any time.
const REFRESH_SECONDS: std::ops::RangeInclusive<i64> = 15..=300;
const SANDBOX_REFRESH_SECONDS: i64 = 5;

pub(super) fn done(visit: &Visit, claim: &ClaimDocument, transfer: &ClaimTransfer) -> Outcome {
    let left = Some(claim.remaining_amount).filter(|left| !left.is_zero());
    let (outcome, now, language) = (outcome(visit.language, transfer), visit.call.bursar.clock.now(), visit.language);
    let refresh_seconds = match outcome {
        PayoutOutcome::InReview | PayoutOutcome::Pending => Some(refresh(visit, transfer, now)),
        PayoutOutcome::Completed
        | PayoutOutcome::Failed { .. }
        | PayoutOutcome::Returned { .. }
        | PayoutOutcome::Canceled => None,
    };
    let view = DonePage {
        claim: head(visit, claim, None),
        outcome,
        payout_amount: language.money(transfer.payout_amount),
        fee: wording::fee(language, transfer.fee_amount),
        kept_fee: (!transfer.fee_amount.is_zero()).then(|| language.money(transfer.fee_amount)),
        destination: transfer.destination.clone().unwrap_or_default(),
        arrives: arrives(language, transfer, now),
        reference: transfer.id.to_string(),
        remaining: left.map(|left| language.money(left)),
        refresh_seconds,
    };
    page(200, &view)
}

fn refresh(visit: &Visit, transfer: &ClaimTransfer, now: Time) -> i64 {
    if visit.is_sandbox() {
        return SANDBOX_REFRESH_SECONDS;
    }
    let left = transfer.arrives_at.map_or(*REFRESH_SECONDS.end(), |at| at.seconds_since(now));
    left.clamp(*REFRESH_SECONDS.start(), *REFRESH_SECONDS.end())
}

fn outcome(language: Language, transfer: &ClaimTransfer) -> PayoutOutcome {
    let failure = transfer.error.and_then(FailureCode::from_word).unwrap_or(FailureCode::RejectedByRail);
    let message = language.text(payouts::failure_text(failure));
    match transfer.status {
        "completed" => PayoutOutcome::Completed,
        "flagged" => PayoutOutcome::InReview,
        "failed" => PayoutOutcome::Failed { message },
        "reversed" => PayoutOutcome::Returned { by: language.text(wording::returned(rail(transfer))), message },
        "canceled" => PayoutOutcome::Canceled,
        // A state that is added later counts as pending until the money arrives or comes back.
        _ => PayoutOutcome::Pending,
    }
}

fn rail(transfer: &ClaimTransfer) -> Platform {
    transfer.platform.and_then(|word| word.parse().ok()).unwrap_or(Platform::Ach)
}

/// Returns the sentence that says when the amount arrives or arrived.
fn arrives(language: Language, transfer: &ClaimTransfer, now: Time) -> Said {
    if let Some(completed_at) = transfer.completed_at {
        let day = language.weekday_day(completed_at.date());
        let amount = language.money(transfer.payout_amount);
        return language.say(Text::DoneCompleted).strong("amount", amount).with("day", day);
    }
    let rail = rail(transfer);
    // Until the payout is sent, its day is the one that the payee confirmed.
    let expected = now.plus_seconds(fees::schedule(rail, now.date()).arrival.seconds);
    let arrival = Arrival::of(rail, now, transfer.arrives_at.unwrap_or(expected));
    arrival.of_amount(language, transfer.payout_amount)
}

/// Draws the receipt of the newest payout. A browser without a session, or money that has not arrived, is redirected to
/// the link's page.
pub(super) async fn receipt(visit: &Visit) -> Outcome {
    let claim = visit.payee.fetch().await?;
    let arrived = claim.transfer.as_ref().filter(|transfer| transfer.status == "completed");
    let (Some(transfer), Some(destination)) = (arrived, arrived.and_then(|transfer| transfer.destination.clone()))
    else {
        return Ok(visit.onward());
    };
    let language = visit.language;
    let view = ReceiptPage {
        claim: head(visit, &claim, None),
        amount: language.money(transfer.amount),
        fee: wording::fee(language, transfer.fee_amount),
        payout_amount: language.money(transfer.payout_amount),
        destination,
        arrived_on: transfer.completed_at.map_or_else(String::new, |at| language.day_of_year(at.date())),
        reference: transfer.id.to_string(),
    };
    page(200, &view)
}
