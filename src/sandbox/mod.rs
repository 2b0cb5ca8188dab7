//! What only the sandbox has (docs/decisions.md 13).
//!
//! Invariant: none of it exists in production, where its routes answer 404.
//! Start at [`clock`].

pub mod clock;
pub mod magic;

use crate::http::Route;

/// The routes of the sandbox.
pub fn routes() -> Vec<Route> {
    [clock::routes(), magic::routes()].concat()
}
