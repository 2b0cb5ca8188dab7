//! A payout request as JSON (docs/specification.md, Payout request).

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::model::{PayoutRequest, RequestPayee, RequestStatus};
use crate::clock::Time;
use crate::ids::PayoutRequestId;
use crate::money::Cents;
use crate::payout_links::{self, PayoutLink, PayoutLinkJson};
use crate::program::Bursar;
use crate::users::{self, UserJson};
use crate::world::{Halt, World};

/// Interface.md, Payout request.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = PayoutRequest)]
pub struct PayoutRequestJson {
    /// Its id.
    pub id: PayoutRequestId,
    /// When it was submitted.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// Cents.
    #[schema(value_type = i64, example = 1000)]
    pub amount: Cents,
    /// created, approved, rejected.
    pub status: RequestStatus,
    /// The phone of the person who asks.
    pub payee: RequestPayee,
    /// The link that it made; null until it is approved. Never shown to a client id alone.
    #[schema(required)]
    pub payout_link: Option<PayoutLinkJson>,
    /// The user who asks, as soon as it is one. Never shown to a client id alone.
    #[schema(required)]
    pub user: Option<UserJson>,
    /// Metadata.
    #[schema(required)]
    pub metadata: Option<String>,
    /// Memo.
    #[schema(required)]
    pub memo: Option<String>,
    /// Why it was rejected, where its rejection said so.
    #[schema(required)]
    pub comment: Option<String>,
}

/// A request with what is embedded in it.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The request.
    pub request: Arc<PayoutRequest>,
    /// Its link.
    pub link: Option<Arc<PayoutLink>>,
    /// The user who asks, or who claimed the link.
    pub user: Option<UserJson>,
}

impl Shown {
    /// Looks up what is embedded.
    pub fn of(world: &mut World, request: Arc<PayoutRequest>) -> Result<Self, Halt> {
        let scope = request.scope();
        let link = match request.payout_link {
            Some(id) => Some(payout_links::find(world, scope, id)?),
            None => None,
        };
        // Who asked by a phone that nobody had becomes a user by claiming.
        let user = match request.user_id.or(link.as_ref().and_then(|link| link.claimed_user)) {
            Some(id) => {
                let user = users::find(world, scope, id)?;
                Some(users::json(world, scope, &user)?)
            }
            None => None,
        };
        Ok(Self { request, link, user })
    }

    /// For the app.
    pub fn json(&self, bursar: &Bursar) -> PayoutRequestJson {
        self.body(self.link.as_ref().map(|link| payout_links::json(bursar, link)))
    }

    /// Without the link's address, which is a secret, for events.
    pub fn without_address(&self) -> PayoutRequestJson {
        self.body(self.link.as_ref().map(|link| payout_links::without_address(link)))
    }

    /// For who has but a client id: what they wrote themselves, and nothing that we know beside it. The phone of
    /// a user whom they named is not theirs to read.
    pub(super) fn for_the_public(&self) -> PayoutRequestJson {
        let named = self.request.for_user.is_some();
        let payee = if named { RequestPayee::default() } else { self.request.payee.0.clone() };
        PayoutRequestJson { payee, user: None, ..self.body(None) }
    }

    fn body(&self, payout_link: Option<PayoutLinkJson>) -> PayoutRequestJson {
        let request = &self.request;
        PayoutRequestJson {
            id: request.id,
            created: request.created_at,
            amount: request.amount,
            status: request.status,
            payee: request.payee.0.clone(),
            payout_link,
            user: self.user.clone(),
            metadata: request.metadata.clone(),
            memo: request.memo.clone(),
            comment: request.comment.clone(),
        }
    }
}
