//! The pages for people: the claim of a payout link, notices to payees, senders, set-up links, the inbox and the requests of a
//! sandbox, the landing page, the API reference and the user guide.
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
mod language;
mod notice;
mod origin;
mod refused;
mod requests;
mod sandbox;
mod sender;
mod setup;
pub mod views;

pub use claim::link_not_found;
pub use guide::{page_not_found, texts};

use crate::language::{Language, Text};
use crate::verification::Checked;

/// Returns why a code was not right, in words for payees; `None` for a right code, and for one that was not compared.
fn tried(language: Language, checked: Checked) -> Option<String> {
    let text = match checked {
        Checked::Right | Checked::Waiting(_) | Checked::Locked => return None,
        Checked::NoCode => Text::AttemptNoCode,
        Checked::Expired => Text::AttemptExpired,
        Checked::Dead | Checked::Wrong { tries_left: 0, .. } => Text::AttemptDead,
        Checked::Wrong { tries_left, .. } => {
            let tries_left = u64::try_from(tries_left).unwrap_or_default();
            return Some(language.say(Text::AttemptWrong).count(tries_left).plain());
        }
    };
    Some(language.text(text).to_owned())
}
