//! Replaces the credential of a provider.

use std::sync::Arc;

use super::model::RailProvider;
use super::rows::{self, SECRET, seal_context};
use crate::acting::Act;
use crate::banking::person::Person;
use crate::banking::setup::SetupStatus;
use crate::engine::Command;
use crate::events::acts::ActKind;
use crate::ids::{OrgId, RailProviderId};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::vault::Unsealed;
use crate::world::{Halt, World};

/// POST /v2/bank/providers/{rail_provider_id}/rotate-secret
///
/// The approval ends: until another member approves the new credential, the provider is not called.
#[derive(Clone, Debug)]
pub struct RotateProviderSecret {
    pub org: OrgId,
    pub person: Person,
    pub provider: RailProviderId,
    pub secret: Unsealed,
}

impl Command for RotateProviderSecret {
    type Reply = Arc<RailProvider>;

    fn decide(&self, world: &mut World) -> Result<Arc<RailProvider>, Halt> {
        let provider = rows::find(world, self.org, self.provider)?;
        let actor = self.person.may(world, self.org, Act::Govern)?;
        if provider.status == SetupStatus::Ended {
            let message = "The provider is ended. Add another one.";
            let allowed = vec![SetupStatus::Draft.as_str(), SetupStatus::Approved.as_str()];
            return Err(Refusal::in_status(message, provider.status.as_str(), allowed).into());
        }

        // The approval would exclude only the member who gave the secret, not the one who chose the address.
        if provider.status == SetupStatus::Draft && provider.made_by != actor.member {
            let message = "The provider waits for its approval. Only the member who made it can replace its secret now; \
                           approve it first, or end it.";
            return Err(Refusal::new(Code::InvalidState, message).because(Reason::MemberNeeded).into());
        }

        // From here it must succeed.
        let sealed = self.secret.seal(&seal_context(&provider, SECRET));
        rows::change(world, &provider, ActKind::RailProviderRotated, Some(actor.member), |provider| {
            provider.sealed_secret = sealed;
            provider.status = SetupStatus::Draft;
            provider.made_by = actor.member;
            provider.approved_by = None;
            provider.approved_at = None;
        })
    }
}
