//! The state transitions of a message.

use super::model::MessageStatus;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageEvent {
    Taken,
    Delivered,
    /// An attempt failed and will be retried.
    PutOff,
    /// It failed and will not be retried.
    GivenUp,
}

/// Returns the status after an event; `None` if the message has its final outcome, which a late report does not change.
pub(super) fn transition(status: MessageStatus, event: MessageEvent) -> Option<MessageStatus> {
    match (status, event) {
        (MessageStatus::Queued, MessageEvent::Taken) => Some(MessageStatus::Sent),
        (MessageStatus::Queued, MessageEvent::PutOff) => Some(MessageStatus::Queued),
        (MessageStatus::Queued | MessageStatus::Sent, MessageEvent::Delivered) => Some(MessageStatus::Delivered),
        (MessageStatus::Queued | MessageStatus::Sent, MessageEvent::GivenUp) => Some(MessageStatus::Failed),
        (MessageStatus::Sent, MessageEvent::Taken | MessageEvent::PutOff)
        | (MessageStatus::Delivered | MessageStatus::Failed, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs() {
        use MessageEvent::{Delivered, GivenUp, PutOff, Taken};
        let print: Vec<String> = MessageStatus::ALL
            .iter()
            .flat_map(|status| [Taken, Delivered, PutOff, GivenUp].map(|event| (*status, event)))
            .map(|(status, event)| {
                let to = transition(status, event).map_or("concluded before", MessageStatus::as_str);
                format!("{status} + {event:?} -> {to}")
            })
            .collect();
        insta::assert_snapshot!(print.join("\n"), @r"
        queued + Taken -> sent
        queued + Delivered -> delivered
        queued + PutOff -> queued
        queued + GivenUp -> failed
        sent + Taken -> concluded before
        sent + Delivered -> delivered
        sent + PutOff -> concluded before
        sent + GivenUp -> failed
        delivered + Taken -> concluded before
        delivered + Delivered -> concluded before
        delivered + PutOff -> concluded before
        delivered + GivenUp -> concluded before
        failed + Taken -> concluded before
        failed + Delivered -> concluded before
        failed + PutOff -> concluded before
        failed + GivenUp -> concluded before
        ");
    }
}
