use serde::Serialize;
use utoipa::ToSchema;

use super::model::{EntryClass, Originator};
use crate::banking::setup::SetupStatus;
use crate::clock::Time;
use crate::ids::{AppId, BankConnectionId, MemberId, OriginatorId};

/// The name under which entries are sent.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OriginatorJson {
    /// The originator's id.
    pub id: OriginatorId,
    /// When the originator was added.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The state.
    pub status: SetupStatus,
    /// The connection.
    pub bank_connection_id: BankConnectionId,
    /// The only app that may use it; null for all apps of the organization.
    #[schema(required)]
    pub app_id: Option<AppId>,
    /// The name on the payee's statement.
    #[schema(example = "ACME INC")]
    pub company_name: String,
    /// The company id that the bank assigned.
    #[schema(example = "1234567890")]
    pub company_id: String,
    /// The company entry description.
    #[schema(example = "PAYOUT")]
    pub description: String,
    /// The company discretionary data.
    #[schema(required)]
    pub discretionary: Option<String>,
    /// The standard entry classes that it may use.
    pub entry_classes: Vec<EntryClass>,
    /// Whether the first payment or debit of an account that is not validated waits for a prenote.
    pub prenotes: bool,
    /// The member who added it.
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

impl From<&Originator> for OriginatorJson {
    fn from(originator: &Originator) -> Self {
        Self {
            id: originator.id,
            created: originator.created_at,
            status: originator.status,
            bank_connection_id: originator.connection,
            app_id: originator.app,
            company_name: originator.company_name.clone(),
            company_id: originator.company_id.clone(),
            description: originator.description.clone(),
            discretionary: originator.discretionary.clone(),
            entry_classes: originator.entry_classes.0.clone(),
            prenotes: originator.prenotes,
            made_by: originator.made_by,
            approved_by: originator.approved_by,
            approved: originator.approved_at,
            ended_by: originator.ended_by,
            ended: originator.ended_at,
        }
    }
}
