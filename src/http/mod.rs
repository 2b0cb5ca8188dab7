//! The HTTP interface without business rules: calls, lists, routes.
//!
//! A handler is an async function from a [`Call`] to an [`Answer`] or a refusal. It reads its inputs, runs a command or
//! a query, and renders the result. `dispatch.rs` runs the checks before it, in fixed order: size, authentication,
//! permission, rate, JSON, idempotency.

mod call;
pub mod lists;
pub mod route;

pub use crate::caller::{Admission, Caller, CredentialKind, SignedIn};
pub use crate::idempotency::{Answer, Content, Outcome};
pub use call::{Call, app_id_required};
pub use route::{Documented, ErrorRenderer, Handler, Method, Route, TokenLookUp, Who};
