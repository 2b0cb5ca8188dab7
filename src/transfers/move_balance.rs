//! Moves money between the app's wallet and a user's, at once.

use super::rows;
use std::sync::Arc;

use super::model::{Transfer, TransferKind};
use super::rules::TransferEvent;
use crate::apps::{Movement, limit_days};
use crate::engine::Command;
use crate::ids::UserId;
use crate::ledger::{self, postings};
use crate::money::Cents;
use crate::scope::Scope;
use crate::taxes;
use crate::users;
use crate::world::{Halt, World};

/// POST /v2/transfers
#[derive(Clone, Debug)]
pub struct MoveBalance {
    pub scope: Scope,
    pub user: UserId,
    /// Cents: below zero from the app to the user, above zero from the user to the app (docs/specification.md 18).
    pub amount: Cents,
    pub metadata: Option<String>,
}

impl Command for MoveBalance {
    type Reply = (Arc<Transfer>, super::TransferJson);

    fn decide(&self, world: &mut World) -> Result<Self::Reply, Halt> {
        let user = users::find(world, self.scope, self.user)?;
        if self.amount.is_negative() {
            users::must_be_active(&user)?;
            limit_days::count(world, self.scope, Movement::Transfer, self.amount.negated())?;
        } else {
            // An unverified user may receive money, but none may be taken from them (docs/decisions.md 6).
            users::must_be_verified(&user)?;
        }
        let id = world.id();
        let posting = if self.amount.is_negative() {
            postings::app_to_user(self.scope, id, user.id, self.amount.negated())
        } else {
            postings::user_to_app(self.scope, id, user.id, self.amount)
        };
        ledger::post(world, &posting)?;

        // From here it must succeed.
        if self.amount.is_negative() {
            taxes::count_received(world, self.scope, user.id, self.amount.negated())?;
        } else {
            taxes::count_given_back(world, self.scope, user.id, self.amount, world.now())?;
        }
        let now = world.now();
        let transfer = Transfer::new(self.scope.org, self.scope.app, id, TransferKind::Balance, self.amount, now);
        let transfer = Transfer { user_id: Some(user.id), metadata: self.metadata.clone(), ..transfer };
        let transfer = rows::open(world, transfer)?;
        let transfer =
            rows::advance(world, &transfer, TransferEvent::Completed, |transfer| transfer.completed_at = Some(now))?;
        let json = super::json(world, &transfer)?;
        Ok((transfer, json))
    }
}
