//! The files that banks send: stored once, read whole, and then applied in pages or quarantined whole.
//!
//! *Invariants*: the same bytes are stored once for a connection; nothing of a file is applied unless the whole file
//! can be read; each report is applied once, with the page that it is in (invariant 40); a return or change that matches no
//! entry of ours waits for a member and is never ignored.
//!
//! *Deliberately absent*: fetching, which the worker does; the effect of a return on its payout (`settlements`);
//! statements.
//!
//! Start at `apply.rs` and `matching.rs`.

mod acknowledgement;
mod apply;
mod correct;
mod http;
mod inputs;
mod json;
mod keep;
mod matching;
mod messages;
mod model;
mod operator;
pub mod proof;
mod queue;
mod read;
mod reported;
mod rows;
mod rules;

pub use acknowledgement::acknowledgements;
pub use apply::{Applied, ApplyInbound, NewItem, PAGE, Page, Reading, applied, quarantine};
pub use http::routes;
pub use inputs::{InboundDismissal, InboundFileAct};
pub use json::BankItemJson;
pub use keep::{KeepInbound, Kept, PART_BYTES};
pub use matching::{Target, target};
pub use model::{
    BankItem, BookedAs, Finding, Findings, InboundFile, InboundPart, InboundStatus, ItemKind, ItemReason, ItemStatus,
    LineMeaning, Proposal,
};
pub use operator::{ActOnInbound, ActOnItem, FileDeed, ItemDeed};
pub use queue::{is_clarified, is_small_cost};
pub use read::{has_reports, kept, page, read, refused};
pub use reported::{Named, NamedFile, Reported};
pub use rows::{
    ReportsOpen, bytes, erase, find, in_suspense, is_known, item, of_statement, quarantined, reports_open, returns_of,
    seal_context,
};
pub use rules::{ItemEvent, apply_to_item, item_transitions, transitions};
