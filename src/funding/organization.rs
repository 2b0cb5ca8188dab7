//! Money between an organization's own wallet and those of its apps.

use serde::Serialize;
use utoipa::ToSchema;

use crate::apps;
use crate::clock::Time;
use crate::engine::Command;
use crate::http::Scope;
use crate::ids::{AppId, OrgId, TransferId};
use crate::ledger::{self, TransactionJson, postings};
use crate::money::Cents;
use crate::transfers::rules::Happening;
use crate::transfers::{self, Transfer, TransferKind, TransferStatus};
use crate::world::record::record;
use crate::world::{Halt, World};

record! {
    /// A movement between an organization and one of its apps, as the organization sees it. The app sees the transfer
    /// with the same id.
    pub struct OrganizationTransfer in "organization_transfers" {
        key (org, id);
        /// The organization.
        pub org: OrgId,
        /// Its id, which is also the transfer's.
        pub id: TransferId,
        /// The app.
        pub app: AppId,
        /// Cents: below zero from the organization to the app, above zero from the app to the organization.
        pub amount: Cents,
        /// The caller's note.
        pub metadata: Option<String>,
        /// When.
        pub created_at: Time,
    }
}

/// A movement between an organization and one of its apps. The app sees it as a transfer of type refill with the same
/// id, whose amount is positive when the app receives it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = OrganizationTransfer)]
pub struct OrganizationTransferJson {
    /// Its id.
    pub id: TransferId,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The app.
    pub app_id: AppId,
    /// Cents, as decimal text: below zero from the organization to the app.
    #[schema(example = "-1000")]
    pub amount: String,
    /// completed: it is done at once.
    pub status: TransferStatus,
    /// The caller's note.
    #[schema(required)]
    pub metadata: Option<String>,
    /// The ledger's movements, in the organization's book and the app's.
    pub transactions: Vec<TransactionJson>,
}

/// The movement with its transactions.
pub(super) fn json(world: &mut World, moved: &OrganizationTransfer) -> Result<OrganizationTransferJson, Halt> {
    Ok(OrganizationTransferJson {
        id: moved.id,
        created: moved.created_at,
        app_id: moved.app,
        amount: moved.amount.to_string(),
        status: TransferStatus::Completed,
        metadata: moved.metadata.clone(),
        transactions: ledger::transactions_of(world, moved.org, moved.id)?,
    })
}

/// POST /v2/organization-transfers
#[derive(Clone, Debug)]
pub struct MoveBetween {
    /// The organization and its app.
    pub scope: Scope,
    /// Cents: below zero from the organization to the app.
    pub amount: Cents,
    /// The caller's note.
    pub metadata: Option<String>,
}

impl Command for MoveBetween {
    type Reply = OrganizationTransferJson;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<OrganizationTransferJson, Halt> {
        let scope = self.scope;
        if self.amount.is_negative() {
            apps::find(world, scope)?;
        } else {
            // What came back to an app after it was deleted can be reached in no other way.
            apps::find_even_deleted(world, scope)?;
        }
        let id: TransferId = world.id();
        let size = if self.amount.is_negative() { self.amount.negated() } else { self.amount };
        let posting = if self.amount.is_negative() {
            postings::organization_to_app(scope, id, size)
        } else {
            postings::app_to_organization(scope, id, size)
        };
        ledger::post(world, &posting)?;

        // From here it must succeed.
        let now = world.now();
        // The app sees it from its own side: what it receives is positive.
        let transfer = Transfer::new(scope.org, scope.app, id, TransferKind::Refill, self.amount.negated(), now);
        let transfer = Transfer { arrives: size, metadata: self.metadata.clone(), ..transfer };
        let transfer = transfers::open(world, transfer)?;
        transfers::advance(world, &transfer, Happening::Completed, |transfer| transfer.completed_at = Some(now))?;
        let moved = world.add(OrganizationTransfer {
            org: scope.org,
            id,
            app: scope.app,
            amount: self.amount,
            metadata: self.metadata.clone(),
            created_at: now,
        });
        json(world, &moved)
    }
}
