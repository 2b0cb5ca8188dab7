//! Team members: the people of an organization, who act in accounts payable and the dashboard (docs/decisions.md 2).
//!
//! Invariant: a member's number is never given again, because histories show it. So a member is never deleted, only
//! removed. Deliberately absent: the acts that need a permission, which the nouns define. Start at [`Member`].

pub mod change;
pub mod http;
mod inputs;
mod json;
mod model;
pub mod password;
mod rows;
mod rules;
pub mod sign_in;

pub use change::{CreateMember, RemoveMember, UpdateMember};
pub use http::routes;
pub use inputs::NewPassword;
pub use model::{Member, MemberStatus, NewMember, Role};
pub use rows::{add, find};
pub use rules::{may, roles_that_may};
