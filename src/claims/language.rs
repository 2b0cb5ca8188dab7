//! The language of a payee: read for a page, and stored when the payee visits.

use super::session;
use crate::apps;
use crate::engine::Command;
use crate::language::Language;
use crate::payout_links::{self, ClaimToken};
use crate::world::{Halt, World};

/// Returns the language of the last visit of a link's payee, and that of the app.
pub(super) fn known(world: &mut World, token: &ClaimToken) -> Result<(Option<Language>, Option<Language>), Halt> {
    let link = payout_links::by_token(world, token)?;
    let app = apps::find_even_deleted(world, link.scope())?.settings.0.brand.language;
    Ok((payout_links::language(world, &link)?, app))
}

/// Stores the language that a payee chose in a session. Without the right to change the payee's data, nothing is stored.
#[derive(Clone, Debug)]
pub struct Speak {
    pub token: ClaimToken,
    pub session_hash: Option<Vec<u8>>,
    pub language: Language,
}

impl Command for Speak {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let active = session::find(world, &self.token, self.session_hash.as_deref())?;
        if active.may_change_payee() && active.user.language != Some(self.language) {
            world.change(&active.user, |user| user.language = Some(self.language));
        }
        Ok(())
    }
}
