//! What may become of a message.

use super::model::MessageStatus;

/// What happened to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageEvent {
    /// A carrier took it.
    Taken,
    /// It arrived.
    Delivered,
    /// It was not, and will be tried again.
    PutOff,
    /// It was not, and never will be.
    GivenUp,
}

/// The status after an event; `None` when the message was concluded before, which stays as it is: whoever
/// reports a second time was overtaken, and what the person received does not change by it.
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
