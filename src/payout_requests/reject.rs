use super::rows::{change, find};
use super::rules::{self, RequestEvent};
use super::{Shown, quota};
use crate::engine::Command;
use crate::ids::PayoutRequestId;
use crate::scope::Scope;
use crate::world::{Halt, World};

/// POST /v2/payout-requests/{payout_request_id}/reject
#[derive(Clone, Debug)]
pub struct Reject {
    pub scope: Scope,
    pub request: PayoutRequestId,
    /// Stored with the first rejection; a repeat changes nothing.
    pub comment: Option<String>,
}

impl Command for Reject {
    type Reply = Shown;

    fn decide(&self, world: &mut World) -> Result<Shown, Halt> {
        let request = find(world, self.scope, self.request)?;
        let Some(to) = rules::apply(&request, RequestEvent::Rejected)? else { return Shown::of(world, request) };

        quota::give_back(world, &request)?;

        // From here it must succeed.
        change(world, &request, |request| {
            request.status = to;
            request.comment.clone_from(&self.comment);
        })
    }
}
