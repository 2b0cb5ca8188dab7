//! The machinery of the HTTP interface: inputs, answers, lists, idempotency, routes.
//!
//! A handler is an async function from a [`Call`] to an [`Answer`] or a refusal. It
//! reads its inputs, builds a command or a look, and renders the outcome. What comes
//! before it, in fixed order (size, authentication, permission, rate, JSON,
//! idempotency), stands in `dispatch.rs`. Deliberately absent: business rules.

mod answer;
mod call;
pub mod idempotency;
pub mod input;
pub mod inputs;
mod known_keys;
pub mod lists;
pub mod route;
mod setup;
mod sign_ins;

pub use answer::{Answer, Content, Noted, Outcome};
pub use call::{Admission, Bursar, Call, Caller, CredentialKind, Environment, Scope, SignedIn, app_id_required};
pub use known_keys::{KnownKey, KnownKeys};
pub use route::{Documented, Handler, Method, Permission, Route, Telling, TokenLookUp, Who};
pub use setup::{Setup, SetupToken};
pub use sign_ins::{Account, SignIns, network};
