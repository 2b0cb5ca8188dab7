//! Claims: how a payee takes the money of a payout link (docs/decisions.md 9 and 16).
//!
//! Contact, code, name, tax form if due, method, payout: the same steps for our own page and, as JSON, for apps that
//! build theirs. Invariants: opening a link moves nothing; each step after the code needs the session that the code
//! opened, so the link alone is not sufficient; a verified contact is changed with a code on both sides
//! (`contact_change.rs`); a link's money is claimed once; a session ends idle, paid or replaced (`rules.rs`).
//! Deliberately absent: pages. Start at `steps.rs`, then `acts.rs`.

pub mod acts;
mod contact_change;
mod document;
mod end;
mod http;
mod inputs;
mod language;
mod model;
mod named_contact;
mod payout;
mod progress;
mod quote;
mod rules;
mod session;
pub mod steps;
mod tax_form;
mod verbs;

pub use contact_change::{BeginContactChange, ConfirmContactChange, PendingContactChange, wrong_codes};
pub use document::{ClaimDocument, ClaimTransfer, FieldType, MethodOption, StepField};
pub use end::EndSession;
pub use http::routes;
pub use inputs::{CodeStep, ContactCodesStep, ContactStep, NewMethodStep, ProfileStep, SavedMethodStep};
pub use model::{ClaimContact, ClaimSession};
pub use named_contact::SendNamedCode;
pub use payout::ClaimPayout;
pub use quote::ClaimQuote;
pub use rules::{IDLE_SECONDS, SESSION_SECONDS};
pub use session::{ActiveSession, Ended, NewSession};
pub use steps::StepName;
pub use tax_form::GiveTaxForm;
pub use verbs::{ChooseMethod, Contact, FillProfile, GiveContact, MethodChosen, ProveContact, SendCodeAgain};
