//! Team members: the people of an organization, who act in accounts payable and the
//! dashboard (decisions.md 2).
//!
//! Invariant: a member's number is given once and never again, because histories show
//! it. So a member is never deleted, only removed. Deliberately absent: what each role
//! may do; the nouns that members act on say that. Start at [`Member`].

mod change;
mod http;
mod model;
pub mod password;

pub use change::{CreateMember, RemoveMember, UpdateMember};
pub use http::routes;
pub use model::{Member, MemberStatus, NewMember, Role, add, find};
