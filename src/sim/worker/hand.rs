//! A worker with its job, and the systems outside of the program.

use std::sync::Arc;

use bursar_transports::publish;

use super::super::bank::Far;
use super::super::provider::Provider;
use super::super::rail::Rail;
use super::super::receiver::Receiver;
use super::super::sabotage::Sabotage;
use crate::bank_files::{BankFile, Step};
use crate::bank_intake::{Findings, KeepInbound, Reading};
use crate::bank_statements::{ApplyStatement, MatchedStatements};
use crate::clock::Time;
use crate::closing::Page;
use crate::ids::{
    AppId, BankFileId, BankReversalId, InboundFileId, MessageId, PayoutLinkBatchId, PayoutLinkId, ScreeningRunId,
    TransferId, UserId,
};
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
    FileWritten(BankFileId, i64, Option<(i64, String)>),
    FileRefuses(BankFileId, Vec<TransferId>),
    /// A delivery begins.
    FileBegun(BankFileId),
    /// A step of the delivery with this number.
    FileStep(BankFileId, i64, Step),
    FileSwept(BankFileId),
    /// The job is done, or waits for a person.
    FileRests,
    /// The job continues at a time.
    Wait(Time),
    FileEnded(BankFileId, Option<TransferId>, Vec<TransferId>),
    FileReversed(BankReversalId, Option<TransferId>, Vec<TransferId>),
    InboundKept(Box<KeepInbound>),
    InboundRead(InboundFileId, Box<Reading>),
    StatementsKept(InboundFileId, Box<Result<MatchedStatements, Findings>>),
    StatementPlanned(Box<ApplyStatement>),
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
    /// The delivery of a bank file.
    pub delivery: Option<Box<Delivery>>,
}

impl Hand {
    pub fn new(leased: Leased, asleep_steps: i64) -> Self {
        Self { leased, known: Known::Nothing, asleep_steps, finished: None, delivery: None }
    }
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
    pub bank: &'a mut Far,
    pub sabotage: Sabotage,
    pub vault: &'a Vault,
}

/// A delivery in progress.
#[derive(Clone, Debug)]
pub(in crate::sim) struct Delivery {
    pub file: Arc<BankFile>,
    pub bytes: Arc<Vec<u8>>,
    pub way: publish::Way,
    /// `None` until the delivery has its number.
    pub order: Option<publish::Order>,
    pub state: publish::State,
    pub known: publish::Known,
    /// The state whose commit is on its way.
    pub to: Option<publish::State>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sim) enum Performed {
    /// The job or a part of it is done; `Hand` holds the progress.
    OnTheWay,
    /// No response came: the worker leaves the job to the end of its lease.
    Silence,
}

pub(super) fn finish(hand: &mut Hand, finished: Option<Finished>) -> Performed {
    let performed = if finished.is_some() { Performed::OnTheWay } else { Performed::Silence };
    hand.finished = finished;
    performed
}
