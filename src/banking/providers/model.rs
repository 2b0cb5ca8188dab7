use crate::banking::setup::SetupStatus;
use crate::clock::Time;
use crate::ids::{MemberId, OrgId, RailProviderId};
use crate::rails::providers::ProviderKind;
use crate::world::record::record;

record! {
    pub struct RailProvider in "rail_providers" {
        key (org, id)
        many OF_ORG (org);
        pub org: OrgId,
        pub id: RailProviderId,
        pub name: String,
        pub kind: ProviderKind,
        /// Without a slash at its end.
        pub url: String,
        /// Of PayPal.
        pub client_id: Option<String>,
        /// The bearer token, or PayPal's client secret. Opened by [`super::access`].
        pub sealed_secret: Vec<u8>,
        /// The secret that signs the provider's nudges. Opened by [`super::nudge_secret`].
        pub sealed_nudge_secret: Option<Vec<u8>>,
        /// Since when the balance at the provider is too low, if it is.
        pub short_since: Option<Time>,
        pub status: SetupStatus,
        /// The member who added it, or gave its newest secret.
        pub made_by: MemberId,
        pub approved_by: Option<MemberId>,
        pub approved_at: Option<Time>,
        pub ended_by: Option<MemberId>,
        pub ended_at: Option<Time>,
        pub version: i64,
        pub created_at: Time,
    }
}

/// Returns the path for nudges. It includes the organization, because every row is found by its organization.
pub(super) fn nudge_path(org: OrgId, provider: RailProviderId) -> String {
    format!("/v2/rails/{}{}/nudge", org.0.simple(), provider.0.simple())
}
