//! The step compliance: the payee's tax form, stored as the API stores it.

use super::session;
use super::verbs::not_here;
use crate::engine::Command;
use crate::ids::UserId;
use crate::payout_links::ClaimToken;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::screening::LookedUp;
use crate::taxes::{SealedTaxForm, collect_tax_form};
use crate::users::TaxIdVerification;
use crate::world::{Halt, World};

/// POST /v2/claims/{token}/compliance
#[derive(Clone, Debug)]
pub struct GiveTaxForm {
    pub token: ClaimToken,
    pub session_hash: Option<Vec<u8>>,
    /// The user for whose row the form was sealed.
    pub user: UserId,
    pub form: SealedTaxForm,
    /// The result of checking the name and number together.
    pub verification: TaxIdVerification,
    /// The sanctions list's matches for the names on the form.
    pub names: LookedUp,
}

impl Command for GiveTaxForm {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let active = session::find(world, &self.token, self.session_hash.as_deref())?;
        // A form that was sealed for another user would never open again.
        if active.user.id != self.user {
            return Err(Refusal::new(
                Code::InvalidState,
                "This session belongs to another user now. Reload the claim.",
            )
            .because(Reason::VersionDiffers)
            .into());
        }
        active.may_change()?;
        if active.session.is_guest && active.user.has_tax_form() {
            return Err(not_here("/w9").into());
        }
        collect_tax_form(world, &active.user, &self.form, self.verification, &self.names)?;
        active.touch(world, |_| ());
        Ok(())
    }
}
