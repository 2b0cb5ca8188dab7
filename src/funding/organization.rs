//! Movements between an organization's own wallet and those of its apps.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use crate::apps;
use crate::clock::Time;
use crate::engine::Command;
use crate::ids::{AppId, OrgId, TransferId};
use crate::ledger::{self, Account, TransactionJson, postings, wallet_funding};
use crate::money::Cents;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers::rules::TransferEvent;
use crate::transfers::{self, Transfer, TransferKind, TransferStatus};
use crate::world::record::record;
use crate::world::{Halt, World};

record! {
    /// A movement as the organization sees it. The app sees the transfer with the same id.
    pub struct OrganizationTransfer in "organization_transfers" {
        key (org, id);
        pub org: OrgId,
        /// Also the transfer's id.
        pub id: TransferId,
        pub app: AppId,
        /// Cents: negative from the organization to the app, positive from the app to the organization.
        pub amount: Cents,
        pub metadata: Option<String>,
        pub created_at: Time,
    }
}

/// A movement between an organization and one of its apps. The app sees it as a transfer of type refill with the same
/// id, whose amount is positive if the app receives it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = OrganizationTransfer)]
pub struct OrganizationTransferJson {
    /// The movement's id.
    pub id: TransferId,
    /// When the movement was made.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The app's id.
    pub app_id: AppId,
    /// Cents as decimal text: negative from the organization to the app.
    #[schema(example = "-1000")]
    pub amount: String,
    /// completed, because movements complete at once.
    pub status: TransferStatus,
    /// The caller's note.
    #[schema(required)]
    pub metadata: Option<String>,
    /// The ledger transactions of the organization and of the app.
    pub transactions: Vec<TransactionJson>,
}

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
    pub scope: Scope,
    /// Cents: negative from the organization to the app.
    pub amount: Cents,
    pub metadata: Option<String>,
}

impl Command for MoveBetween {
    type Reply = OrganizationTransferJson;

    fn decide(&self, world: &mut World) -> Result<OrganizationTransferJson, Halt> {
        // Deleted apps too: only this releases their late returns and pays their debts.
        let app = apps::find_even_deleted(world, self.scope)?;
        if self.amount.is_negative() && app.deleted_at.is_some() {
            may_be_given(world, self.scope, self.amount.negated())?;
        }
        let moved = move_between(world, self.scope, self.amount, self.metadata.clone())?;
        json(world, &moved)
    }
}

/// Refuses to give a deleted app more than it owes.
fn may_be_given(world: &World, scope: Scope, amount: Cents) -> Result<(), Halt> {
    let owed = wallet_funding::find(world, scope)?.owed;
    let held = ledger::balance(world, scope.org, Account::AppWallet(scope.app))?;
    let lacks = owed
        .plus(held.negated())
        .map_err(|reason| Refusal::new(Code::InvalidState, reason.to_string()).because(Reason::MoneyRemains))?;
    if !lacks.is_positive() {
        return Err(Refusal::not_found("app").into());
    }
    if amount > lacks {
        let message = format!("must be at most {}, the amount that the deleted app owes", lacks.dollars());
        return Err(Refusal::field(Code::InvalidInput, "/amount", message).into());
    }
    Ok(())
}

/// Moves an amount in cents, negative from the organization to the app.
pub(super) fn move_between(
    world: &mut World,
    scope: Scope,
    amount: Cents,
    metadata: Option<String>,
) -> Result<Arc<OrganizationTransfer>, Halt> {
    let id: TransferId = world.id();
    let size = if amount.is_negative() { amount.negated() } else { amount };
    let posting = if amount.is_negative() {
        postings::organization_to_app(scope, id, size)
    } else {
        postings::app_to_organization(scope, id, size)
    };
    ledger::post(world, &posting)?;

    // From here it must succeed.
    let now = world.now();
    // From the app's side, money that it receives is positive.
    let transfer = Transfer::new(scope.org, scope.app, id, TransferKind::Refill, amount.negated(), now);
    let transfer = Transfer { arrives: size, metadata: metadata.clone(), ..transfer };
    let transfer = transfers::open(world, transfer)?;
    transfers::advance(world, &transfer, TransferEvent::Completed, |transfer| transfer.completed_at = Some(now))?;
    Ok(world.add(OrganizationTransfer { org: scope.org, id, app: scope.app, amount, metadata, created_at: now }))
}
