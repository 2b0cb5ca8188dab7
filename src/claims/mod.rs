//! Claims: how a payee takes the money of a payout link (decisions.md 9 and 16).
//!
//! Contact, code, name, tax form if due, method, payout: the same steps for our own page
//! and, as JSON, for those who build theirs. Invariants: opening a link moves nothing;
//! who has only the link cannot go on for another, because each step after the code
//! needs the sitting that the code opened; a link's money is claimed once. Deliberately
//! absent: pages. Start at `steps.rs`, then `acts.rs`.

pub mod acts;
mod document;
mod http;
mod model;
mod payout;
mod quote;
mod sitting;
pub mod steps;
mod tax_form;
mod verbs;

pub use document::{ClaimDocument, ClaimTransfer, MethodOption, StepField};
pub use http::{CodeStep, ContactStep, NewMethodStep, ProfileStep, SavedMethodStep, routes};
pub use model::{ClaimContact, ClaimSession};
pub use payout::ClaimPayout;
pub use quote::ClaimQuote;
pub use sitting::{NewSitting, SITTING_SECONDS, Sitting};
pub use steps::StepName;
pub use tax_form::GiveTaxForm;
pub use verbs::{ChooseMethod, Contact, FillProfile, GiveContact, MethodChosen, ProveContact, SendCodeAgain};
