//! The decision of another member about a proposed reversal.

use std::sync::Arc;

use super::join::join;
use super::model::BankReversal;
use super::propose::may_be_reversed;
use super::rows;
use super::rules::{self, ReversalEvent, is_found_lately};
use crate::acting::Act;
use crate::bank_files;
use crate::banking::{Person, is_second_person};
use crate::engine::Command;
use crate::events::acts::ActKind;
use crate::ids::{BankReversalId, MemberId, OrgId};
use crate::jobs::{self, Work};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::{Halt, World};

/// What a member does with a proposal.
#[derive(Clone, Debug)]
pub enum ReversalDeed {
    /// By another member than the one who proposed it.
    Approve {
        /// The version that the member saw.
        version: i64,
    },
    Dismiss {
        reason: String,
    },
}

/// POST /v2/bank/reversals/{bank_reversal_id}/approve, dismiss
#[derive(Clone, Debug)]
pub struct ActOnReversal {
    pub org: OrgId,
    pub person: Person,
    pub reversal: BankReversalId,
    pub deed: ReversalDeed,
}

impl Command for ActOnReversal {
    type Reply = Arc<BankReversal>;

    fn decide(&self, world: &mut World) -> Result<Arc<BankReversal>, Halt> {
        let reversal = rows::find(world, self.org, self.reversal)?;
        let by = self.person.may(world, self.org, Act::Pay)?.member;
        match &self.deed {
            ReversalDeed::Approve { version } => approve(world, &reversal, by, *version),
            ReversalDeed::Dismiss { reason } => {
                let to = rules::apply(reversal.status, ReversalEvent::Dismissed)?;

                // From here it must succeed.
                rows::change_by(world, &reversal, ActKind::BankReversalDismissed, by, |reversal| {
                    reversal.status = to;
                    (reversal.dismissed_by, reversal.dismissal) = (Some(by), Some(reason.clone()));
                })
            }
        }
    }
}

/// Adds the reversal of one entry at once, and those of a file by a job.
fn approve(
    world: &mut World,
    reversal: &Arc<BankReversal>,
    by: MemberId,
    version: i64,
) -> Result<Arc<BankReversal>, Halt> {
    let to = rules::apply(reversal.status, ReversalEvent::Approved)?;
    if version != reversal.version {
        let message = format!(
            "The reversal has version {} now, not {version}. Read it again before you approve it.",
            reversal.version
        );
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::VersionDiffers).into());
    }
    is_second_person(reversal.made_by, by)?;
    let now = world.now();
    is_found_lately(reversal.found_at, now)?;
    let file = bank_files::find(world, reversal.org, reversal.file)?;
    may_be_reversed(world, &file, reversal.entry, reversal.send_by)?;

    // From here it must succeed.
    let approved = rows::change_by(world, reversal, ActKind::BankReversalApproved, by, |reversal| {
        reversal.status = to;
        (reversal.approved_by, reversal.approved_at) = (Some(by), Some(now));
    })?;
    match approved.entry {
        Some(entry) => join(world, &approved, &[entry], true),
        None => {
            jobs::enqueue(world, approved.org, Work::ReverseBankFile { reversal: approved.id.0 });
            Ok(approved)
        }
    }
}
