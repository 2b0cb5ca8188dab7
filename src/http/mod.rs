//! The HTTP interface without business rules: inputs, responses, lists, idempotency, routes.
//!
//! A handler is an async function from a [`Call`] to an [`Answer`] or a refusal. It reads its inputs, runs a command or
//! a query, and renders the result. `dispatch.rs` runs the checks before it, in fixed order: size, authentication,
//! permission, rate, JSON, idempotency.

mod answer;
mod call;
pub mod idempotency;
pub mod input;
pub mod inputs;
pub mod lists;
pub mod route;

pub use answer::{Answer, Content, Outcome};
pub use call::{Admission, Call, Caller, CredentialKind, SignedIn, app_id_required};
pub use route::{Documented, ErrorRenderer, Handler, Method, Route, TokenLookUp, Who};
