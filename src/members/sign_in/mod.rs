//! The sign-in of members: password, second factor, session.
//!
//! Invariants: a session, a set-up token and a recovery code are stored as keyed hashes and shown once; every request
//! reads its session in the session's own organization, and again in the commit, so an ended session opens nothing in
//! any process; a TOTP time step is accepted once; a recovery code is used once; a change of the password or of the
//! role, and a removal, end every session of the member.
//!
//! Deliberately absent: the routes that take a session (the table of routes), and the acting member in accounts payable
//! (`acting`). Start at `rules.rs`, then `open.rs`.

mod end;
mod factor;
mod http;
mod model;
mod open;
mod password;
mod rows;
pub mod rules;
mod set_up;
mod token;
pub mod totp;

pub use end::{EndSession, Touch, end_all};
pub use factor::{ConfirmTotp, Confirmed, RemoveTotp, StartTotp, confirmed_place, pending_seal_context};
pub use http::{routes, set_password};
pub use model::{MemberFactor, MemberSession, MemberSetUp};
pub use open::{OpenSession, OpenedSession, Proof};
pub use password::ChangePassword;
pub use rows::{by_secret, ended, forget, invited, of_member};
pub use set_up::{Invite, SetUp};
pub use token::{Kind, NewToken, Token};
