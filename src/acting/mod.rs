//! The acting members in accounts payable, each with the permissions of their role (docs/decisions.md 10).
//!
//! Invariant: every transition of a bill names an active member whose role allowed it at that time. No role may do
//! everything, not even admin: the submitter of a bill does not approve it, and the member who added a vendor's account
//! does not confirm it. Deliberately absent: the members and these two rules, which need the bill and the account.
//!
//! Start at [`acting`].

mod http;
mod named;

pub use crate::members::may;
pub use crate::permission::Permission as Act;
pub use http::routes;
pub use named::{Actor, Named, acting, acting_if_named, may_approve, of_organization, proven};
