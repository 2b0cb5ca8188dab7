//! The bank of one organization of the simulation: its folders, its own records, and the members who talk to it.
//!
//! The bank is `bankbox` behind a mailbox in memory. It takes payment files, and answers late, twice, truncated, in
//! another order or under another name, as the seed decides. Its records share nothing with the store: they count how
//! often a file and a payment reached it, and know what it returned and refused.
//!
//! Start at `far.rs`, then `desk.rs`.

mod desk;
mod far;
mod post;
mod set_up;
mod steps;
mod truth;

pub(super) use desk::Desk;
pub(super) use far::Far;
