//! The states of a file. Pure.

use super::model::FileStatus;
use crate::refusal::Refusal;
use crate::world::states::{self, TransitionRow};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileEvent {
    /// Its cut-off has come.
    Cut,
    /// No payment is in it.
    Emptied,
    /// A delivery writes a temporary file.
    SendBegun,
    /// A delivery requests the final name next.
    RenameBegun,
    Arrived,
    Doubted,
    /// A member knows that the bank has it.
    MarkedSent,
    /// A member knows that the bank does not have it.
    MarkedUnsent,
    /// Into a later window, under another identity.
    Redated,
    Canceled,
    /// The bank refused it, before its payments were presumed settled.
    Rejected,
    /// The bank refused it afterwards.
    Undone,
    /// The rules do not allow its entries in the next window.
    Expired,
    /// A member calls off the reversals in it, or the payments of a file that was moved, before its cut-off.
    CalledOff,
}

impl FileEvent {
    /// All events, for tests and docs/states.md.
    pub const ALL: [Self; 14] = [
        Self::Cut,
        Self::Emptied,
        Self::SendBegun,
        Self::RenameBegun,
        Self::Arrived,
        Self::Doubted,
        Self::MarkedSent,
        Self::MarkedUnsent,
        Self::Redated,
        Self::Canceled,
        Self::Rejected,
        Self::Undone,
        Self::Expired,
        Self::CalledOff,
    ];
}

/// # Errors
/// `invalid-state`.
pub fn apply(status: FileStatus, event: FileEvent) -> Result<FileStatus, Refusal> {
    states::apply("bank file", status, |status| transition(status, event), way_out)
}

/// Returns what a caller can do with a file in a state.
const fn way_out(status: FileStatus) -> &'static str {
    match status {
        FileStatus::Open => "Wait until its cut-off; until then its payments can be canceled one by one.",
        FileStatus::Sealed | FileStatus::Sending => {
            "The server sends it in its window: wait, mark it as sent if the bank has it, redate it, or cancel it."
        }
        FileStatus::Renaming => "Its delivery ends soon: fetch it again when it is sent or in_doubt.",
        FileStatus::InDoubt => "Ask the bank whether it has the file. Then mark it as sent or as unsent.",
        FileStatus::Sent => "The bank has it: to take payments back, reverse the file or an entry.",
        FileStatus::Rejected => "Redate it to send it again, or cancel it.",
        FileStatus::Canceled | FileStatus::Dropped => "Its status is final: make new payments.",
    }
}

const fn transition(status: FileStatus, event: FileEvent) -> Option<FileStatus> {
    use FileStatus::{Canceled, Dropped, InDoubt, Open, Rejected, Renaming, Sealed, Sending, Sent};
    match (status, event) {
        (Open, FileEvent::Cut) | (InDoubt, FileEvent::MarkedUnsent) => Some(Sealed),
        (Open | Sealed, FileEvent::Emptied) => Some(Dropped),
        // A newer delivery begins again with a temporary file of its own.
        (Sealed | Sending, FileEvent::SendBegun) => Some(Sending),
        (Sending, FileEvent::RenameBegun) => Some(Renaming),
        (Renaming, FileEvent::Arrived) | (Sealed | Sending | InDoubt, FileEvent::MarkedSent) => Some(Sent),
        (Renaming, FileEvent::Doubted) => Some(InDoubt),
        // An open file that was not cut in time has no identity yet, and a rejected one is not at the bank.
        (Open | Sealed | Sending | Rejected, FileEvent::Redated) => Some(Open),
        (Sealed | Sending | Rejected, FileEvent::Canceled)
        | (Sent, FileEvent::Undone)
        | (Open, FileEvent::Expired | FileEvent::CalledOff) => Some(Canceled),
        // A rejection proves that the bank has the file, also while its delivery has not recorded that.
        (Renaming | InDoubt | Sent, FileEvent::Rejected) => Some(Rejected),
        (Sealed | Sending | Renaming | InDoubt | Sent | Rejected | Canceled | Dropped, FileEvent::Cut)
        | (Sending | Renaming | InDoubt | Sent | Rejected | Canceled | Dropped, FileEvent::Emptied)
        | (Open | Renaming | InDoubt | Sent | Rejected | Canceled | Dropped, FileEvent::SendBegun)
        | (Open | Sealed | Renaming | InDoubt | Sent | Rejected | Canceled | Dropped, FileEvent::RenameBegun)
        | (
            Open | Sealed | Sending | InDoubt | Sent | Rejected | Canceled | Dropped,
            FileEvent::Arrived | FileEvent::Doubted,
        )
        | (Open | Renaming | Sent | Rejected | Canceled | Dropped, FileEvent::MarkedSent)
        | (Open | Sealed | Sending | Renaming | Sent | Rejected | Canceled | Dropped, FileEvent::MarkedUnsent)
        | (Renaming | InDoubt | Sent | Canceled | Dropped, FileEvent::Redated)
        | (Open | Renaming | InDoubt | Sent | Canceled | Dropped, FileEvent::Canceled)
        | (Open | Sealed | Sending | Rejected | Canceled | Dropped, FileEvent::Rejected)
        | (Open | Sealed | Sending | Renaming | InDoubt | Rejected | Canceled | Dropped, FileEvent::Undone)
        | (
            Sealed | Sending | Renaming | InDoubt | Sent | Rejected | Canceled | Dropped,
            FileEvent::Expired | FileEvent::CalledOff,
        ) => None,
    }
}

/// Returns all transitions for docs/states.md.
pub fn transitions() -> Vec<TransitionRow> {
    states::transitions(&FileEvent::ALL, transition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_state_and_event() {
        let table: String = transitions().iter().map(|(from, what, to)| format!("{from} {what} {to}\n")).collect();
        let expected = "open Cut sealed\nopen Emptied dropped\nopen Redated open\nopen Expired canceled\n\
            open CalledOff canceled\nsealed Emptied dropped\nsealed SendBegun sending\nsealed MarkedSent sent\nsealed Redated open\n\
            sealed Canceled canceled\nsending SendBegun sending\nsending RenameBegun renaming\n\
            sending MarkedSent sent\nsending Redated open\nsending Canceled canceled\n\
            renaming Arrived sent\nrenaming Doubted in_doubt\nrenaming Rejected rejected\nin_doubt MarkedSent sent\n\
            in_doubt MarkedUnsent sealed\nin_doubt Rejected rejected\nsent Rejected rejected\nsent Undone canceled\n\
            rejected Redated open\nrejected Canceled canceled\n";
        assert_eq!(table, expected);
    }

    #[test]
    fn a_file_that_may_be_at_the_bank_gets_no_other_identity_and_is_not_canceled() {
        for status in [FileStatus::Renaming, FileStatus::InDoubt, FileStatus::Sent] {
            assert!(apply(status, FileEvent::Redated).is_err() && apply(status, FileEvent::Canceled).is_err());
        }
    }
}
