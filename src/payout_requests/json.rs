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

/// A person's request to be paid.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = PayoutRequest)]
pub struct PayoutRequestJson {
    /// The request's id.
    pub id: PayoutRequestId,
    /// When the request was submitted.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// Cents.
    #[schema(value_type = i64, example = 1000)]
    pub amount: Cents,
    /// created, approved, rejected.
    pub status: RequestStatus,
    /// The phone number of the person.
    pub payee: RequestPayee,
    /// The payout link; null until the request is approved. Not shown to a client id alone.
    #[schema(required)]
    pub payout_link: Option<PayoutLinkJson>,
    /// The user who is to be paid, once known. Not shown to a client id alone.
    #[schema(required)]
    pub user: Option<UserJson>,
    /// The app's own data.
    #[schema(required)]
    pub metadata: Option<String>,
    /// The memo.
    #[schema(required)]
    pub memo: Option<String>,
    /// The reason of the rejection, if given.
    #[schema(required)]
    pub comment: Option<String>,
}

/// A request with its embedded objects.
#[derive(Clone, Debug)]
pub struct Shown {
    pub request: Arc<PayoutRequest>,
    pub link: Option<Arc<PayoutLink>>,
    /// The requesting user, or the one who claimed the link.
    pub user: Option<UserJson>,
}

impl Shown {
    pub fn of(world: &mut World, request: Arc<PayoutRequest>) -> Result<Self, Halt> {
        let scope = request.scope();
        let link = match request.payout_link {
            Some(id) => Some(payout_links::find(world, scope, id)?),
            None => None,
        };
        // A person with an unknown phone number becomes a user by claiming.
        let user = match request.user_id.or(link.as_ref().and_then(|link| link.claimed_user)) {
            Some(id) => {
                let user = users::find(world, scope, id)?;
                Some(users::json(world, scope, &user)?)
            }
            None => None,
        };
        Ok(Self { request, link, user })
    }

    pub fn json(&self, bursar: &Bursar) -> PayoutRequestJson {
        self.body(self.link.as_ref().map(|link| payout_links::json(bursar, link)))
    }

    /// Renders the request for events, without the link's address, which is secret.
    pub fn without_address(&self) -> PayoutRequestJson {
        self.body(self.link.as_ref().map(|link| payout_links::without_address(link)))
    }

    /// Renders the request for a client id alone: only what the caller submitted, without the phone number of a named
    /// user.
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
