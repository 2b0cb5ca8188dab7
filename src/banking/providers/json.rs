use serde::Serialize;
use utoipa::ToSchema;

use super::model::RailProvider;
use crate::banking::setup::SetupStatus;
use crate::clock::Time;
use crate::ids::{MemberId, RailProviderId};
use crate::rails::providers::ProviderKind;

/// A provider of rails behind HTTP.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RailProviderJson {
    /// The provider's id.
    pub id: RailProviderId,
    /// When the provider was added.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The state.
    pub status: SetupStatus,
    /// The provider's name.
    pub name: String,
    /// How bursar speaks to it.
    pub kind: ProviderKind,
    /// The base URL.
    #[schema(example = "https://adapter.example.com/v1")]
    pub url: String,
    /// The client id; null unless the kind is paypal.
    #[schema(required)]
    pub client_id: Option<String>,
    /// Whether the provider signs its nudges.
    pub signs_nudges: bool,
    /// The path to which the provider posts its nudges.
    #[schema(example = "/v2/rails/019a00000000700080000000000000000019a00000007000800000000000001/nudge")]
    pub nudge_path: String,
    /// Since when the balance at the provider is too low for a payment; null if it is not.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub short_of_funds_since: Option<Time>,
    /// The member who added it, or gave its newest secret.
    pub made_by: MemberId,
    /// The member who approved it.
    #[schema(required)]
    pub approved_by: Option<MemberId>,
    /// When it was approved.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub approved: Option<Time>,
    /// The member who ended it.
    #[schema(required)]
    pub ended_by: Option<MemberId>,
    /// When it was ended.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub ended: Option<Time>,
}

impl From<&RailProvider> for RailProviderJson {
    fn from(provider: &RailProvider) -> Self {
        Self {
            id: provider.id,
            created: provider.created_at,
            status: provider.status,
            name: provider.name.clone(),
            kind: provider.kind,
            url: provider.url.clone(),
            client_id: provider.client_id.clone(),
            signs_nudges: provider.sealed_nudge_secret.is_some(),
            nudge_path: super::model::nudge_path(provider.org, provider.id),
            short_of_funds_since: provider.short_since,
            made_by: provider.made_by,
            approved_by: provider.approved_by,
            approved: provider.approved_at,
            ended_by: provider.ended_by,
            ended: provider.ended_at,
        }
    }
}
