//! Rewrites seals of all nouns after a change of the layout or the master key, and checks them for `bursar verify`.
//!
//! Invariant: after a pass of [`rewrite`] every seal is in the present layout and under the active key, or does not
//! open; layout 1 is then rejected. The nouns make the seals themselves ([`crate::vault`]).
//!
//! Start at [`rewrite`]. A new record with a seal needs an `impl Sealed`, and a line in `for_each_sealed!`.

pub mod check;
mod model;
mod rewrite;
mod sealed;

pub use model::SealState;
pub use rewrite::{OldPage, Position, Rewrite, Rewritten, next_page, rewrite, take_up};
pub use sealed::Seal;
