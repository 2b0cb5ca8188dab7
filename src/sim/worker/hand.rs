//! A worker with its job, and the systems outside of the program.

use std::sync::Arc;

use super::super::provider::Provider;
use super::super::rail::Rail;
use super::super::receiver::Receiver;
use crate::closing::Page;
use crate::ids::{AppId, BankFileId, MessageId, PayoutLinkBatchId, PayoutLinkId, ScreeningRunId, TransferId, UserId};
use crate::jobs::Leased;
use crate::messages::{AttemptOutcome, Before};
use crate::payout_link_batches::BatchRow;
use crate::payout_links::Visited;
use crate::rails::ItemStatus;
use crate::scope::Scope;
use crate::vault::Vault;
use crate::webhooks::Attempted;

/// The result of a job, before its report.
#[derive(Clone, Debug)]
pub(in crate::sim) enum Finished {
    Message {
        message: MessageId,
        link: Option<PayoutLinkId>,
        outcome: AttemptOutcome,
    },
    /// An attempt to send a message begins; with the knowledge about an attempt in doubt.
    Attempt(MessageId, Before),
    /// A link may have been delivered, and is sent again as one more of its deliveries.
    AttemptAgain(MessageId, PayoutLinkId),
    /// The provider accepted the message and does not know yet whether it arrived.
    OnItsWay,
    Submitted(TransferId, ItemStatus),
    /// The rail was queried about a transfer.
    Followed(TransferId, ItemStatus),
    ToppedUp(AppId),
    Released(TransferId),
    Expired(PayoutLinkId),
    Reminded(PayoutLinkId),
    Swept(bool, Visited),
    Screened(ScreeningRunId, Vec<(UserId, String)>),
    Erased(UserId, Option<Page>),
    /// A batch is begun or continued.
    BatchBegun(PayoutLinkBatchId),
    Rows(Scope, Vec<Arc<BatchRow>>),
    /// No row of the batch waits any more.
    BatchDone(PayoutLinkBatchId),
    Fed(AppId),
    FileCut(BankFileId),
    FileWritten(BankFileId, Option<(i64, String)>),
    FileRefuses(BankFileId, Vec<TransferId>),
    /// The file waits for a person, or is at its end.
    FileRests,
    FileEnded(BankFileId, Option<TransferId>, Vec<TransferId>),
    Called(Box<Attempted>),
}

/// A worker with its job.
#[derive(Clone, Debug)]
pub(in crate::sim) struct Hand {
    pub leased: Leased,
    pub known: Known,
    /// Steps for which the worker does nothing, sometimes until its lease is stale.
    pub asleep_steps: i64,
    pub finished: Option<Finished>,
}

/// The progress of a job with several parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sim) enum Known {
    Nothing,
    /// The rail was queried and does not know the transfer.
    NotTaken,
    /// An earlier attempt is in doubt: the worker queries the provider.
    InDoubt,
    /// The attempt is in the store, as it must be before the call.
    Noted,
}

/// The systems outside of the program.
pub(in crate::sim) struct Outside<'a> {
    pub rail: &'a mut Rail,
    pub provider: &'a mut Provider,
    pub receiver: &'a mut Receiver,
    pub vault: &'a Vault,
}
