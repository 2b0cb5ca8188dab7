//! The states of a file that a bank sent, and of the reports in it. Pure.

use super::model::{InboundStatus, ItemStatus};
use crate::refusal::Refusal;
use crate::world::states::{self, TransitionRow};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InboundEvent {
    /// It was read whole, and all of it was applied.
    Applied,
    /// It cannot be read.
    Refused,
    /// A member lets it be read, or read again.
    Replayed,
    Discarded,
}

impl InboundEvent {
    const ALL: [Self; 4] = [Self::Applied, Self::Refused, Self::Replayed, Self::Discarded];
}

/// # Errors
/// `invalid-state`.
pub(super) fn apply(status: InboundStatus, event: InboundEvent) -> Result<InboundStatus, Refusal> {
    states::apply("inbound file", status, |status| transition(status, event), way_out)
}

/// Returns what a caller can do with a file in a state.
const fn way_out(status: InboundStatus) -> &'static str {
    match status {
        InboundStatus::Uploaded => "Let another member replay it, or discard it.",
        InboundStatus::Stored => "It is read next: fetch it again when it is applied or quarantined.",
        InboundStatus::Quarantined => "Replay it after a correction of the set-up, or discard it.",
        InboundStatus::Applied => "Its status is final: correct single reports with /v2/bank/items.",
        InboundStatus::Discarded | InboundStatus::Duplicate => "Its status is final: ask the bank for another file.",
    }
}

const fn transition(status: InboundStatus, event: InboundEvent) -> Option<InboundStatus> {
    use InboundStatus::{Applied, Discarded, Duplicate, Quarantined, Stored, Uploaded};
    match (status, event) {
        (Stored, InboundEvent::Applied) => Some(Applied),
        (Stored, InboundEvent::Refused) => Some(Quarantined),
        (Uploaded | Quarantined, InboundEvent::Replayed) => Some(Stored),
        (Uploaded | Quarantined, InboundEvent::Discarded) => Some(Discarded),
        (Uploaded | Applied | Quarantined | Discarded | Duplicate, InboundEvent::Applied | InboundEvent::Refused)
        | (Stored | Applied | Discarded | Duplicate, InboundEvent::Replayed | InboundEvent::Discarded) => None,
    }
}

/// Returns all transitions of a file for docs/states.md.
pub fn transitions() -> Vec<TransitionRow> {
    states::transitions(&InboundEvent::ALL, transition)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemEvent {
    /// A line was booked with its statement.
    Booked,
    /// A line went into suspense with its statement.
    Suspended,
    Matched,
    Approved,
    Ignored,
    /// A line was booked as a cost or an income.
    WrittenOff,
    Explained,
    /// A part of the money before the first statement was booked; the rest stays in suspense.
    Divided,
    /// The discarded statement of a line waits again.
    Restored,
}

impl ItemEvent {
    const ALL: [Self; 9] = [
        Self::Booked,
        Self::Suspended,
        Self::Matched,
        Self::Approved,
        Self::Ignored,
        Self::WrittenOff,
        Self::Explained,
        Self::Divided,
        Self::Restored,
    ];
}

/// # Errors
/// `invalid-state`.
pub fn apply_to_item(status: ItemStatus, event: ItemEvent) -> Result<ItemStatus, Refusal> {
    states::apply("bank item", status, |status| item_transition(status, event), way_out_of_item)
}

/// Returns what a caller can do with a report in a state.
const fn way_out_of_item(status: ItemStatus) -> &'static str {
    match status {
        ItemStatus::Waiting => "Wait until its statement is applied.",
        ItemStatus::Unmatched | ItemStatus::Explained => {
            "Match a return; assign a line, write it off, or explain it; ignore any other report."
        }
        ItemStatus::Matched => "Let another member approve it, or match it again.",
        ItemStatus::Applied | ItemStatus::Ignored => "Its status is final.",
    }
}

const fn item_transition(status: ItemStatus, event: ItemEvent) -> Option<ItemStatus> {
    use ItemStatus::{Applied, Explained, Ignored, Matched, Unmatched, Waiting};
    match (status, event) {
        (Waiting, ItemEvent::Booked) | (Matched, ItemEvent::Approved) => Some(Applied),
        (Waiting, ItemEvent::Suspended) | (Matched, ItemEvent::Divided) => Some(Unmatched),
        // Another payout takes the place of a wrong one.
        (Unmatched | Matched | Explained, ItemEvent::Matched) => Some(Matched),
        (Unmatched | Matched | Explained, ItemEvent::WrittenOff) => Some(Applied),
        (Unmatched | Matched | Explained, ItemEvent::Explained) => Some(Explained),
        // The lines of a statement that is discarded end with it.
        (Waiting | Unmatched | Matched, ItemEvent::Ignored) => Some(Ignored),
        (Ignored, ItemEvent::Restored) => Some(Waiting),
        (Unmatched | Matched | Explained | Applied | Ignored, ItemEvent::Booked | ItemEvent::Suspended)
        | (Waiting | Applied | Ignored, ItemEvent::Matched | ItemEvent::WrittenOff | ItemEvent::Explained)
        | (Waiting | Unmatched | Explained | Applied | Ignored, ItemEvent::Approved | ItemEvent::Divided)
        | (Explained | Applied | Ignored, ItemEvent::Ignored)
        | (Waiting | Unmatched | Matched | Explained | Applied, ItemEvent::Restored) => None,
    }
}

/// Returns all transitions of a report for docs/states.md.
pub fn item_transitions() -> Vec<TransitionRow> {
    states::transitions(&ItemEvent::ALL, item_transition)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: Vec<TransitionRow>) -> String {
        rows.iter().map(|(from, what, to)| format!("{from} {what} {to}\n")).collect()
    }

    #[test]
    fn a_file_is_applied_once() {
        let expected = "uploaded Replayed stored\nuploaded Discarded discarded\nstored Applied applied\n\
            stored Refused quarantined\nquarantined Replayed stored\n\
            quarantined Discarded discarded\n";
        assert_eq!(table(transitions()), expected);
    }

    #[test]
    fn a_report_is_booked_once_and_after_a_match() {
        let expected = "waiting Booked applied\nwaiting Suspended unmatched\nwaiting Ignored ignored\n\
            unmatched Matched matched\nunmatched Ignored ignored\nunmatched WrittenOff applied\n\
            unmatched Explained explained\nmatched Matched matched\nmatched Approved applied\n\
            matched Ignored ignored\nmatched WrittenOff applied\nmatched Explained explained\n\
            matched Divided unmatched\nexplained Matched matched\nexplained WrittenOff applied\nexplained Explained explained\n\
            ignored Restored waiting\n";
        assert_eq!(table(item_transitions()), expected);
    }
}
