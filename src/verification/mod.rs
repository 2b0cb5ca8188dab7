//! Six-digit codes that prove control of a phone number or an e-mail address: one policy for users, claims and notices,
//! in the API and on pages (docs/decisions.md 6, 14, 16, 17).
//!
//! A code is bound to its recipient and to its [`CodeContext`]. It is valid for ten minutes, once, and for five
//! attempts; only the newest code of a context is valid. Resending a code that is still valid does not reset its
//! attempts.
//!
//! Invariant: wrong codes are counted per recipient over all contexts and apps (`rules.rs`), so a guesser gets at most
//! a hundred attempts. Sends are counted per recipient and context.
//!
//! A refusal rolls its command back, but a wrong attempt must be committed. So [`check`] returns its outcome as a
//! value, and the handler turns it into a refusal. Commands never see a code: the handler draws it and passes its hash
//! and its seal.

mod check;
mod code;
mod http;
mod json;
mod limits;
mod model;
mod rows;
mod rules;
mod start;
#[cfg(test)]
mod tests;
mod unlock;

pub use check::{Checked, check, check_both, is_awaited, tries_left};
pub use code::{CodeContext, NewCode, Recipient, hash_code, open_code, seal_context};
pub use json::{VerificationJson, masked};
pub use limits::{
    CLAIM_SENDS_PER_DAY_MAX, CODE_SECONDS, SENDS_PER_DAY_MAX, SENDS_PER_HOUR_MAX, TRIES_MAX, UNNAMED_SENDS_PER_DAY_MAX,
    UNNAMED_SENDS_PER_HOUR_MAX, with_one_more,
};
pub use model::{Verification, VerificationDay, VerificationRecipient};
pub use rows::forget;
pub use rules::{LOCKED_AFTER, LockState, UNNAMED_WRONG_MAX};
pub use start::start;
pub use unlock::Unlock;
