//! Features of the sandbox only (docs/decisions.md 13).
//!
//! Invariant: none of them exists in production, where their routes return 404. Start at [`clock`].

pub mod clock;
pub mod inbox;
pub mod magic;
mod replies;
pub mod requests;

use crate::http::Route;

pub fn routes() -> Vec<Route> {
    [clock::routes(), magic::routes(), replies::routes(), requests::routes()].concat()
}
