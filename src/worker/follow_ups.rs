//! The jobs that are done in the batch that adds them, without a row and without a worker.
//!
//! A job qualifies if one command does all of its work and calls no external party. If that command fails in the batch,
//! the job stays, and the worker runs it. [`follow_up`] decides for every kind of job.

use std::sync::Arc;

use super::inbox::{self, Put};
use super::writing::{self, Pen};
use super::{count_done, kind};
use crate::engine::{Command, FollowUps, Task, task};
use crate::funding::TopUpWallet;
use crate::ids::{AppId, MessageId, OrgId, PayoutLinkId, TransferId};
use crate::jobs::{self, Job, Work};
use crate::payments::ReleasePayment;
use crate::payout_links::{Expire, Remind};
use crate::program::Environment;
use crate::providers::Providers;
use crate::vault::Vault;

/// Returns the follow-ups of a program with these providers.
pub fn follow_ups(environment: Environment, providers: &Providers, vault: &Arc<Vault>, public_url: &str) -> FollowUps {
    let to_inbox = inbox::is_all_there_is(environment, providers);
    let pen = to_inbox.then(|| Pen::new(vault.clone(), public_url.to_owned()));
    Arc::new(move |world, since, now| {
        let due = jobs::added_since(world, since, now);
        due.iter().filter_map(|job| follow_up(job, pen.as_ref())).collect()
    })
}

/// Returns the command that does a job in its batch; `None` for the worker's jobs. `pen` composes messages if all of
/// them go to the inbox.
pub(crate) fn follow_up(job: &Job, pen: Option<&Pen>) -> Option<Box<dyn Task>> {
    let leased = job.unleased();
    let (org, kind) = (leased.org, kind(&leased.work));
    Some(match leased.work {
        Work::SendMessage { message } => {
            let put = Put { leased, message: MessageId(message), pen: pen?.clone() };
            counted(org, kind, put, |(channel, outcome)| writing::count(channel, &outcome))
        }
        Work::TopUpWallet { app } => counted(org, kind, TopUpWallet { leased, app: AppId(app) }, |()| ()),
        Work::ReleasePayment { transfer } => {
            counted(org, kind, ReleasePayment { leased, transfer: TransferId(transfer) }, |()| ())
        }
        Work::ExpireLink { link } => counted(org, kind, Expire { leased, link: PayoutLinkId(link) }, |()| ()),
        Work::RemindLink { link } => counted(org, kind, Remind { leased, link: PayoutLinkId(link) }, |()| ()),
        // Its window is later.
        Work::CutBankFile { .. }
        // They call a provider, a rail, a bank or a receiver.
        | Work::FollowMessage { .. }
        | Work::SubmitTransfer { .. }
        | Work::FollowTransfer { .. }
        | Work::SendBankFile { .. }
        | Work::PollBank { .. }
        | Work::CallWebhook { .. }
        // One run of it serves the events of many batches.
        | Work::FeedWebhooks { .. }
        // They read pages of rows, and need many commands.
        | Work::SweepLinks { .. }
        | Work::ScreenUsers { .. }
        | Work::EraseUser { .. }
        | Work::EndBankFile { .. }
        | Work::ReverseBankFile { .. }
        | Work::ReadInboundFile { .. }
        | Work::ApplyStatements { .. }
        | Work::ProcessPayoutLinkBatch { .. } => return None,
    })
}

/// Makes a task that is counted as a done job after its commit.
fn counted<C: Command>(
    org: OrgId,
    kind: &'static str,
    command: C,
    note: impl FnOnce(C::Reply) + Send + 'static,
) -> Box<dyn Task> {
    task(org, command, move |outcome| {
        if let Ok(reply) = outcome {
            count_done(kind);
            note(reply);
        }
    })
}
