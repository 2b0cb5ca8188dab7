//! The state transitions of a payout link (docs/states.md).

use super::model::{LinkStatus, PayoutLink};
use crate::clock::Time;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::states::{self, TransitionRow};

/// The most deliveries of a link, including the first (docs/specification.md 14).
pub const DELIVERIES_MAX: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkEvent {
    /// The pulled money arrived.
    Funded,
    /// The pulled money will not arrive.
    FundingFailed,
    /// A message with it is about to be sent.
    DeliveryQueued,
    /// The provider accepted the message, but delivery is not confirmed.
    Sent,
    Delivered,
    DeliveryFailed,
    Claimed,
    Canceled,
    Expired,
}

impl LinkEvent {
    pub const ALL: [Self; 9] = [
        Self::Funded,
        Self::FundingFailed,
        Self::DeliveryQueued,
        Self::Sent,
        Self::Delivered,
        Self::DeliveryFailed,
        Self::Claimed,
        Self::Canceled,
        Self::Expired,
    ];
}

/// The effect of an event on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    Moved(LinkStatus),
    AlreadyApplied,
    Refused(Code),
}

/// Returns the effect of an event in this state.
pub const fn transition(status: LinkStatus, event: LinkEvent) -> Transition {
    use LinkStatus::{
        Canceled, Claimed, Created, Delivered, DeliveryFailed, DeliveryPending, Expired, Failed, FundsPending,
        Reversed, Sent,
    };
    use Transition::{AlreadyApplied, Moved, Refused};
    match (status, event) {
        // Open: the money is held and unclaimed.
        (Created | DeliveryPending | DeliveryFailed | Sent | Delivered, LinkEvent::DeliveryQueued) => {
            Moved(DeliveryPending)
        }
        (Created | DeliveryPending | DeliveryFailed | Sent, LinkEvent::Sent) => Moved(Sent),
        // One of several messages arrived: a later report about another does not change that.
        (Delivered, LinkEvent::Sent | LinkEvent::Delivered | LinkEvent::DeliveryFailed) => AlreadyApplied,
        (Created | DeliveryPending | DeliveryFailed | Sent, LinkEvent::Delivered) => Moved(Delivered),
        (Created | DeliveryPending | DeliveryFailed | Sent, LinkEvent::DeliveryFailed) => Moved(DeliveryFailed),
        (Created | DeliveryPending | DeliveryFailed | Sent | Delivered, LinkEvent::Claimed) => Moved(Claimed),
        (Created | FundsPending | DeliveryPending | DeliveryFailed | Sent | Delivered, LinkEvent::Canceled) => {
            Moved(Canceled)
        }
        (Created | FundsPending | DeliveryPending | DeliveryFailed | Sent | Delivered, LinkEvent::Expired) => {
            Moved(Expired)
        }
        (FundsPending, LinkEvent::Funded) => Moved(Created),
        (FundsPending, LinkEvent::FundingFailed) => Moved(Failed),
        // The link has its money, or ended without it: pulled money belongs to the app.
        (
            Created | DeliveryPending | DeliveryFailed | Sent | Delivered | Claimed | Reversed | Canceled | Expired
            | Failed,
            LinkEvent::Funded | LinkEvent::FundingFailed,
        ) => AlreadyApplied,
        // Without its money, a link can be neither sent nor claimed.
        (
            FundsPending,
            LinkEvent::DeliveryQueued
            | LinkEvent::Sent
            | LinkEvent::Delivered
            | LinkEvent::DeliveryFailed
            | LinkEvent::Claimed,
        ) => Refused(Code::InvalidState),
        // Reports about messages after the end change nothing.
        (
            Claimed | Reversed | Canceled | Expired | Failed,
            LinkEvent::Sent | LinkEvent::Delivered | LinkEvent::DeliveryFailed,
        ) => AlreadyApplied,
        (Canceled, LinkEvent::Canceled) | (Expired, LinkEvent::Expired) => AlreadyApplied,
        (Claimed | Reversed, LinkEvent::Claimed) => Refused(Code::AlreadyClaimed),
        (Canceled, LinkEvent::Claimed) => Refused(Code::LinkCanceled),
        (Expired, LinkEvent::Claimed) => Refused(Code::LinkExpired),
        (Claimed | Reversed | Failed, LinkEvent::DeliveryQueued | LinkEvent::Canceled | LinkEvent::Expired)
        | (Canceled, LinkEvent::DeliveryQueued | LinkEvent::Expired)
        | (Expired, LinkEvent::DeliveryQueued | LinkEvent::Canceled)
        | (Failed, LinkEvent::Claimed) => Refused(Code::InvalidState),
    }
}

/// Returns the next state of a link; the present one if the event was already applied.
pub fn apply(link: &PayoutLink, event: LinkEvent) -> Result<LinkStatus, Refusal> {
    match transition(link.status, event) {
        Transition::Moved(to) => Ok(to),
        Transition::AlreadyApplied => Ok(link.status),
        Transition::Refused(code) => {
            let refusal = refusal(link, code);
            Err(if code == Code::InvalidState { in_status(refusal, link.status, event) } else { refusal })
        }
    }
}

/// Adds the link's status, and those that allow the event.
fn in_status(refusal: Refusal, status: LinkStatus, event: LinkEvent) -> Refusal {
    let allows = |status: &&LinkStatus| matches!(transition(**status, event), Transition::Moved(_));
    let allowed = LinkStatus::ALL.iter().filter(allows).map(|status| status.as_str()).collect();
    Refusal::in_status(refusal.message, status.as_str(), allowed)
}

/// Returns what a caller can do with a link in a state.
const fn way_out(status: LinkStatus) -> &'static str {
    match status {
        LinkStatus::FundsPending => "Wait until the money has arrived from the app's bank account, or cancel the link.",
        LinkStatus::Created
        | LinkStatus::DeliveryPending
        | LinkStatus::DeliveryFailed
        | LinkStatus::Sent
        | LinkStatus::Delivered => "Deliver it again, or cancel it.",
        LinkStatus::Claimed | LinkStatus::Reversed => {
            "Its money belongs to the payee: ask the payee to pay it back, or create a new link for another payout."
        }
        LinkStatus::Canceled | LinkStatus::Expired => "Its money is back in the wallet: create a new link.",
        LinkStatus::Failed => "Its money did not arrive: check the app's bank account, and create a new link.",
    }
}

fn refusal(link: &PayoutLink, code: Code) -> Refusal {
    let message = if code == Code::AlreadyClaimed {
        "This payout link is already claimed.".to_owned()
    } else if code == Code::LinkCanceled {
        "The sender canceled this payout link. Ask the sender for a new one.".to_owned()
    } else if code == Code::LinkExpired {
        format!("This payout link expired on {}. Ask the sender for a new one.", link.expires_at.date())
    } else {
        format!("The payout link is {} and does not allow this call. {}", link.status, way_out(link.status))
    };
    Refusal::new(code, message)
}

/// Checks that the link is open: not claimed, canceled or expired, even if the expiry job has not run yet.
pub fn must_wait(link: &PayoutLink, now: Time) -> Result<(), Refusal> {
    apply(link, LinkEvent::DeliveryQueued)?;
    if now >= link.expires_at {
        let expired = PayoutLink { status: LinkStatus::Expired, ..link.clone() };
        return apply(&expired, LinkEvent::DeliveryQueued).map(|_| ());
    }
    Ok(())
}

/// Checks that the link may be delivered again: it is open, and has fewer than [`DELIVERIES_MAX`] deliveries, including
/// the first.
pub fn may_deliver(link: &PayoutLink, now: Time) -> Result<(), Refusal> {
    must_wait(link, now)?;
    if link.deliveries >= DELIVERIES_MAX {
        let message = format!(
            "The link was delivered {DELIVERIES_MAX} times, which is the limit. Cancel the link and create a new one."
        );
        return Err(Refusal::new(Code::DeliveryLimitReached, message));
    }
    Ok(())
}

/// Checks that the link can be opened: not canceled or expired, even if the expiry job has not run yet.
pub fn may_open(link: &PayoutLink, now: Time) -> Result<(), Refusal> {
    match link.status {
        LinkStatus::Canceled => Err(refusal(link, Code::LinkCanceled)),
        LinkStatus::Expired => Err(refusal(link, Code::LinkExpired)),
        LinkStatus::Failed => apply(link, LinkEvent::Claimed).map(|_| ()),
        LinkStatus::Claimed | LinkStatus::Reversed => Ok(()),
        LinkStatus::Created
        | LinkStatus::FundsPending
        | LinkStatus::DeliveryPending
        | LinkStatus::DeliveryFailed
        | LinkStatus::Sent
        | LinkStatus::Delivered => {
            if now >= link.expires_at {
                return Err(refusal(link, Code::LinkExpired));
            }
            Ok(())
        }
    }
}

/// Checks that the link has expired, even if the expiry job has not run yet.
pub fn must_have_expired(link: &PayoutLink, now: Time) -> Result<(), Refusal> {
    match may_open(link, now) {
        Err(refusal) if refusal.code == Code::LinkExpired => Ok(()),
        Err(refusal) => Err(refusal),
        Ok(()) => {
            apply(link, LinkEvent::Claimed)?;
            Err(Refusal::new(Code::InvalidState, "The payout link has not expired. Claim it with its link.")
                .because(Reason::TooEarly))
        }
    }
}

/// Returns every transition for docs/states.md: from, event, to.
pub fn transitions() -> Vec<TransitionRow> {
    states::transitions(&LinkEvent::ALL, |status, event| match transition(status, event) {
        Transition::Moved(to) => Some(to),
        Transition::AlreadyApplied | Transition::Refused(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_state_and_event() {
        let row = |status: LinkStatus| -> String {
            let word = |event| match transition(status, event) {
                Transition::Moved(to) => to.as_str().to_owned(),
                Transition::AlreadyApplied => "=".to_owned(),
                Transition::Refused(code) => format!("!{}", code.as_str()),
            };
            let cells: Vec<String> = LinkEvent::ALL.into_iter().map(word).collect();
            format!("{status}: {}", cells.join(" "))
        };
        let open = "= = delivery_pending sent delivered delivery_failed claimed canceled expired";
        let expected = [
            format!("created: {open}"),
            "funds_pending: created failed !invalid-state !invalid-state !invalid-state !invalid-state !invalid-state canceled expired".into(),
            format!("delivery_pending: {open}"),
            format!("delivery_failed: {open}"),
            format!("sent: {open}"),
            "delivered: = = delivery_pending = = = claimed canceled expired".into(),
            "claimed: = = !invalid-state = = = !already-claimed !invalid-state !invalid-state".into(),
            "reversed: = = !invalid-state = = = !already-claimed !invalid-state !invalid-state".into(),
            "canceled: = = !invalid-state = = = !link-canceled = !invalid-state".into(),
            "expired: = = !invalid-state = = = !link-expired !invalid-state =".into(),
            "failed: = = !invalid-state = = = !invalid-state !invalid-state !invalid-state".into(),
        ];
        let rows: Vec<String> = LinkStatus::ALL.iter().copied().map(row).collect();
        assert_eq!(rows, expected);
    }

    /// `reversed` is reserved: money that is returned after a claim is the payee's, and the transfer shows it.
    #[test]
    fn nothing_leads_to_reversed() {
        assert!(transitions().iter().all(|(_, _, to)| *to != LinkStatus::Reversed.as_str()));
    }
}
