//! What members do with a file in quarantine, and with a report that matched nothing. Each is an administrative act; a
//! return that a member matches is booked by another one. Lines of statements: `queue.rs`.

use std::sync::Arc;

use super::apply::return_entry;
use super::json::InboundFileJson;
use super::model::{BankItem, InboundFile, ItemKind, Proposal};
use super::queue;
use super::rows::{self, record, refused};
use super::rules::{self, InboundEvent, ItemEvent};
use crate::acting::Act;
use crate::bank_files;
use crate::banking::{Person, is_second_person};
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{BankItemId, InboundFileId, MemberId, OrgId, TransferId};
use crate::jobs::{self, Work};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::settlements::Returned;
use crate::world::{Halt, World};

/// What a member does with a file.
#[derive(Clone, Debug)]
pub enum FileDeed {
    Replay {
        /// The hash of the file that the member has from the bank.
        sha256: Option<String>,
    },
    Discard {
        reason: String,
    },
}

/// POST /v2/bank/inbound-files/{inbound_file_id}/replay, discard
#[derive(Clone, Debug)]
pub struct ActOnInbound {
    pub org: OrgId,
    pub person: Person,
    pub file: InboundFileId,
    pub deed: FileDeed,
}

impl Command for ActOnInbound {
    type Reply = Arc<InboundFile>;

    fn decide(&self, world: &mut World) -> Result<Arc<InboundFile>, Halt> {
        let file = rows::find(world, self.org, self.file)?;
        let by = self.person.may(world, self.org, Act::Pay)?.member;
        let (event, kind) = match self.deed {
            FileDeed::Replay { .. } => (InboundEvent::Replayed, ActKind::InboundFileReplayed),
            FileDeed::Discard { .. } => (InboundEvent::Discarded, ActKind::InboundFileDiscarded),
        };
        let to = rules::apply(file.status, event)?;
        if let FileDeed::Replay { sha256 } = &self.deed {
            may_be_read(world, &file, by, sha256.as_deref())?;
        }

        // From here it must succeed.
        let after = rows::change(world, &file, |file| {
            (file.status, file.closed_by) = (to, Some(by));
            if let FileDeed::Discard { reason } = &self.deed {
                file.evidence = Some(reason.clone());
            }
        });
        if event == InboundEvent::Replayed {
            jobs::enqueue(world, self.org, Work::ReadInboundFile { file: file.id.0 });
        }
        let act = NewAct::of(kind, None, file.id).by(Some(by));
        acts::record(world, self.org, act.changing(&InboundFileJson::from(&*file), &InboundFileJson::from(&*after)))?;
        Ok(after)
    }
}

/// A forged file would give an app money, so another member than the one who uploaded it lets it be read.
fn may_be_read(world: &World, file: &InboundFile, by: MemberId, sha256: Option<&str>) -> Result<(), Halt> {
    if let Some(uploaded_by) = file.uploaded_by {
        is_second_person(uploaded_by, by)?;
        if sha256 != Some(file.sha256.as_str()) {
            let message = "must be the SHA-256 hash of the uploaded file. Download the file from the bank yourself, and \
                           compute its hash";
            return Err(Refusal::field(Code::InvalidInput, "/sha256", message).into());
        }
    }
    let same = rows::of_hash(world, file.org, file.connection, &file.sha256)?;
    match same.iter().find(|other| other.id != file.id && other.is_used()) {
        None => Ok(()),
        Some(other) => {
            Err(refused(Reason::AlreadyExists, &format!("The file {} has the same bytes. Discard this one.", other.id)))
        }
    }
}

/// What a member does with a report.
#[derive(Clone, Debug)]
pub enum ItemDeed {
    /// It is the return of this payout.
    Match {
        transfer: TransferId,
        evidence: String,
    },
    /// By another member than the one who matched it.
    Approve {
        /// The version that the member saw.
        version: i64,
    },
    Ignore {
        reason: String,
    },
    /// What a line in suspense is.
    Assign {
        proposal: Proposal,
        evidence: String,
    },
    /// A line in suspense is a cost or an income.
    WriteOff {
        reason: String,
    },
    /// A line stays in suspense for this reason.
    Explain {
        reason: String,
    },
}

/// POST /v2/bank/items/{bank_item_id}/match, approve, ignore
#[derive(Clone, Debug)]
pub struct ActOnItem {
    pub org: OrgId,
    pub person: Person,
    pub item: BankItemId,
    pub deed: ItemDeed,
}

impl Command for ActOnItem {
    type Reply = Arc<BankItem>;

    fn decide(&self, world: &mut World) -> Result<Arc<BankItem>, Halt> {
        let item = rows::item(world, self.org, self.item)?;
        let by = self.person.may(world, self.org, Act::Pay)?.member;
        match &self.deed {
            ItemDeed::Match { transfer, evidence } => propose(world, &item, by, *transfer, evidence),
            ItemDeed::Approve { version } if *version != item.version => {
                let message = format!(
                    "The item has version {} now, not {version}. Read it again before you approve it.",
                    item.version
                );
                Err(refused(Reason::WrongKind, &message))
            }
            ItemDeed::Approve { .. } if item.is_line() => queue::approve(world, &item, by),
            ItemDeed::Approve { .. } => approve(world, &item, by),
            ItemDeed::Assign { proposal, evidence } => queue::assign(world, &item, by, proposal, evidence),
            ItemDeed::WriteOff { reason } => queue::write_off(world, &item, by, reason),
            ItemDeed::Explain { reason } => queue::explain(world, &item, by, reason),
            ItemDeed::Ignore { .. } if item.is_line() => Err(refused(
                Reason::WrongKind,
                "A line of a statement moved money. Assign it, book it as costs, or explain it.",
            )),
            ItemDeed::Ignore { reason } => {
                let to = rules::apply_to_item(item.status, ItemEvent::Ignored)?;
                let now = world.now();
                record(world, &item, ActKind::BankItemIgnored, by, |item| {
                    (item.status, item.closed_by, item.closed_at) = (to, Some(by), Some(now));
                    item.evidence = Some(reason.clone());
                })
            }
        }
    }
}

fn propose(
    world: &mut World,
    item: &Arc<BankItem>,
    by: MemberId,
    transfer: TransferId,
    evidence: &str,
) -> Result<Arc<BankItem>, Halt> {
    if item.kind != ItemKind::Return {
        let message = if item.is_line() {
            "A line of a statement is assigned to an app, to the organization or to a file."
        } else {
            "Only a return can be matched with a payment. Clarify this report with the bank, and ignore it."
        };
        return Err(refused(Reason::WrongKind, message));
    }
    let to = rules::apply_to_item(item.status, ItemEvent::Matched)?;
    let Some(entry) = bank_files::entry(world, item.org, transfer)? else {
        let message = "is no payment that was sent to a bank in a file";
        return Err(Refusal::field(Code::InvalidInput, "/transfer_id", message).into());
    };
    let file = bank_files::find(world, item.org, entry.file)?;
    if file.connection != item.connection {
        let message = "is a payment of another bank connection";
        return Err(Refusal::field(Code::InvalidInput, "/transfer_id", message).into());
    }
    if entry.amount != item.amount {
        let message =
            format!("is a payment of {}; the bank returned {}", entry.amount.dollars(), item.amount.dollars());
        return Err(Refusal::field(Code::InvalidInput, "/transfer_id", message).into());
    }
    record(world, item, ActKind::BankItemMatched, by, |item| {
        (item.status, item.transfer, item.matched_by) = (to, Some(transfer), Some(by));
        item.evidence = Some(evidence.to_owned());
    })
}

fn approve(world: &mut World, item: &Arc<BankItem>, by: MemberId) -> Result<Arc<BankItem>, Halt> {
    let to = rules::apply_to_item(item.status, ItemEvent::Approved)?;
    let (Some(transfer), Some(matched_by)) = (item.transfer, item.matched_by) else {
        return Err(refused(Reason::StepMissing, "The report is matched with no payment. Match it first."));
    };
    is_second_person(matched_by, by)?;
    let entry = bank_files::entry(world, item.org, transfer)?.ok_or_else(|| Refusal::not_found("bank entry"))?;
    let said = (item.code.as_str(), item.bank_reason.as_deref(), item.text.as_deref().unwrap_or_default());
    match return_entry(world, &entry, said)? {
        Returned::Booked => {}
        Returned::Again => {
            return Err(refused(Reason::AlreadyDone, "The payment was returned before. Ignore this report."));
        }
        Returned::NotSent => {
            return Err(refused(
                Reason::StepMissing,
                "The payment's file is not at the bank according to your records. Mark it as sent first.",
            ));
        }
        Returned::NotInFile => {
            return Err(refused(
                Reason::BankExcludes,
                "The payment left its file, or its file was canceled. Match another payment, or ignore the report.",
            ));
        }
    }
    let now = world.now();
    record(world, item, ActKind::BankItemApproved, by, |item| {
        (item.status, item.closed_by, item.closed_at) = (to, Some(by), Some(now));
    })
}
