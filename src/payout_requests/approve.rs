//! The app approves a request, which sends the person a payout link.

use super::model::PayoutRequest;
use super::rows::{change, find};
use super::rules::{self, RequestEvent};
use super::{Shown, quota};
use crate::engine::Command;
use crate::ids::PayoutRequestId;
use crate::payout_links::{self, NewLink, NewToken, Payee};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::users::User;
use crate::world::record::key;
use crate::world::{Halt, World};

/// POST /v2/payout-requests/{payout_request_id}/approve
///
/// Decision and link are one commit, so every approved request has its link, and the engine serializes concurrent
/// approvals (invariant 13). With insufficient funds, the request is unchanged.
#[derive(Clone, Debug)]
pub struct Approve {
    pub scope: Scope,
    pub request: PayoutRequestId,
    /// Drawn for the request's link.
    pub token: NewToken,
}

impl Command for Approve {
    type Reply = Shown;

    fn decide(&self, world: &mut World) -> Result<Shown, Halt> {
        let request = find(world, self.scope, self.request)?;
        let Some(to) = rules::apply(&request, RequestEvent::Approved)? else { return Shown::of(world, request) };
        let user = match request.user_id {
            Some(user) => world.get::<User>(key![self.scope.org, user])?,
            None => None,
        };
        let is_erased = user.is_some_and(|user| user.deleted_at.is_some());
        if is_erased || request.for_user.is_none() && request.payee_phone.is_none() {
            // Without the payee's phone number, anyone could claim the link.
            let message = "The user of this payout request was deleted. Reject the request.";
            return Err(Refusal::new(Code::UserInactive, message).because(Reason::ObjectDeleted).into());
        }
        let link = payout_links::create(world, self.scope, &asked_for(&request), &self.token)?;
        quota::give_back(world, &request)?;

        // From here it must succeed.
        let link = payout_links::deliver_first(world, &link)?;
        change(world, &request, |request| {
            request.status = to;
            request.payout_link = Some(link.id);
        })
    }
}

fn asked_for(request: &PayoutRequest) -> NewLink {
    let phone = request.payee.0.clone();
    // The link of a named user takes the user's current contacts.
    let payee = match request.for_user {
        Some(_) => Payee::default(),
        None => Payee { country_code: phone.country_code, phone_number: phone.phone_number, ..Payee::default() },
    };
    NewLink {
        user: request.for_user,
        payee,
        memo: request.memo.clone(),
        metadata: request.metadata.clone(),
        ..NewLink::of(request.amount)
    }
}
