//! The pages for people: the claim of a payout link, notices to payees, senders, set-up links, the sandbox inbox, the landing
//! page, the API reference and the user guide.
//!
//! Every page is complete HTML from the server and works without scripts. [`assets::CONTENT_SECURITY_POLICY`] forbids
//! inline scripts and styles, so the templates contain none. Views hold text only and never compute an amount, a fee or
//! a state.
//!
//! Start at [`views`], then open the template of the same name under `templates/`.

pub mod assets;
pub mod claim;
mod guide;
pub mod draw;
pub mod http;
mod inbox;
mod notice;
mod origin;
mod sandbox;
mod sender;
mod setup;
pub mod views;

pub use guide::{page_not_found, texts};
