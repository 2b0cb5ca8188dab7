//! Inputs of requests about providers.

use serde_json::{Value as Schema, json};

use crate::banking::setup::SetupStatus;
use crate::http::lists::list_query;
use crate::ids::MemberId;
use crate::input::types::{Name, word_input};
use crate::input::{Input, Problems, input, text, wrong};
use crate::outbound::{Reach, Target, URL_MAX};
use crate::rails::providers::ProviderKind;
use crate::refusal::Refusal;
use crate::strict_json::Json;
use crate::webhooks::signature;

word_input!(ProviderKind);

/// The base URL of a provider. The permitted addresses depend on the environment, see [`ProviderUrl::within`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderUrl(pub String);

impl Input for ProviderUrl {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let url = text(json, at)?;
        Target::parse(url, Reach::Anywhere).map_err(|reason| wrong(at, reason.to_string()))?;
        if url.contains('?') {
            return Err(wrong(at, "must not have a query"));
        }
        Ok(Self(url.trim_end_matches('/').to_owned()))
    }
    fn schema() -> Schema {
        json!({"type": "string", "format": "uri", "maxLength": URL_MAX, "pattern": "^[^?#]+$"})
    }
}

impl ProviderUrl {
    pub(super) fn within(self, reach: Reach) -> Result<String, Refusal> {
        match Target::parse(&self.0, reach) {
            Ok(_) => Ok(self.0),
            Err(reason) => Err(Refusal::fields(wrong("/url", reason.to_string()))),
        }
    }
}

/// The longest secret of a provider.
const SECRET_MAX: usize = 512;

/// A credential: printable ASCII characters without blanks, because it is sent in a header.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderSecret(pub String);

impl std::fmt::Debug for ProviderSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ProviderSecret(…)")
    }
}

impl Input for ProviderSecret {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let secret = text(json, at)?;
        if (1..=SECRET_MAX).contains(&secret.len()) && secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(Self(secret.to_owned()));
        }
        Err(wrong(at, format!("must have 1 to {SECRET_MAX} printable ASCII characters without blanks")))
    }
    fn schema() -> Schema {
        json!({"type": "string", "minLength": 1, "maxLength": SECRET_MAX, "pattern": "^[!-~]+$"})
    }
}

/// A secret that signs nudges, in the form of webhook secrets.
#[derive(Clone, Debug)]
pub struct NudgeSecret(pub signature::Secret);

impl Input for NudgeSecret {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let secret = signature::Secret::parse(text(json, at)?);
        secret.map(Self).ok_or_else(|| wrong(at, "must be whsec_ and the Base64 form of 24 to 64 random bytes"))
    }
    fn schema() -> Schema {
        json!({"type": "string", "pattern": "^whsec_[A-Za-z0-9+/]{32,86}={0,2}$"})
    }
}

input! {
    /// A new provider.
    pub struct NewRailProvider {
        /// The member who adds it (admin).
        pub acting_user_id: MemberId,
        /// The provider's name.
        pub name: Name,
        /// adapter for the adapter protocol, paypal for PayPal Payouts.
        pub kind: ProviderKind,
        /// The base URL; https and public in production.
        pub url: ProviderUrl,
        /// The client id; only for paypal, which requires it.
        pub client_id: Option<ProviderSecret>,
        /// The bearer token, or the client secret of paypal. Stored encrypted, and never shown.
        pub secret: ProviderSecret,
        /// The secret with which the provider signs its nudges; without one, unsigned nudges are refused. Stored
        /// encrypted, and never shown.
        pub nudge_secret: Option<NudgeSecret>,
    }
}

input! {
    /// The new credential of a provider.
    pub struct NewProviderSecret {
        /// The member who gives it (admin).
        pub acting_user_id: MemberId,
        /// The bearer token, or the client secret of paypal.
        pub secret: ProviderSecret,
    }
}

input! {
    /// The member who acts.
    pub struct ProviderAct {
        /// The member.
        pub acting_user_id: MemberId,
    }
}

list_query! {
    /// The filters of the list of providers.
    pub struct RailProvidersQuery {
        /// Return only providers of this kind.
        pub kind: Option<ProviderKind>,
        /// Return only providers in this state.
        pub status: Option<SetupStatus>,
    }
}
