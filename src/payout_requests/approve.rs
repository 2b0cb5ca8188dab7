//! The app grants a request: the person is sent a payout link.

use super::model::PayoutRequest;
use super::rules::{self, Happening};
use super::{Shown, change, find};
use crate::engine::Command;
use crate::http::Scope;
use crate::ids::{OrgId, PayoutRequestId};
use crate::payout_links::{self, NewLink, NewToken, Payee};
use crate::refusal::{Code, Refusal};
use crate::world::{Halt, World};

/// POST /v2/payout-requests/{payout_request_id}/approve
///
/// The decision and the link are one commit, so there is no approved request without its link, and approvals that
/// come at once meet in the engine one after the other (invariant 13). Short of funds the request stays as it was.
#[derive(Clone, Debug)]
pub struct Approve {
    /// The app.
    pub scope: Scope,
    /// The request.
    pub request: PayoutRequestId,
    /// The token that was drawn for its link.
    pub token: NewToken,
}

impl Command for Approve {
    type Reply = Shown;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<Shown, Halt> {
        let request = find(world, self.scope, self.request)?;
        let Some(to) = rules::next(&request, Happening::Approved)? else { return Shown::of(world, request) };
        if request.for_user.is_none() && request.payee_phone.is_none() {
            // The phone of whoever asks is gone only with the person: a link without it would be anybody's.
            let message = "The user who asks was deleted. Reject the request.";
            return Err(Refusal::new(Code::UserInactive, message).into());
        }
        let link = payout_links::create(world, self.scope, &asked_for(&request), &self.token)?;

        // From here it must succeed.
        let link = payout_links::deliver_first(world, &link)?;
        change(world, &request, |request| {
            request.status = to;
            request.payout_link = Some(link.id);
        })
    }
}

/// The link that a request asks for.
fn asked_for(request: &PayoutRequest) -> NewLink {
    let phone = request.payee.0.clone();
    // Of a user that was named the link takes phone and address as they are now.
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
