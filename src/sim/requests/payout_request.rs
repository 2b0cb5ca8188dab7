//! Payout requests: people ask, the app decides.

use std::sync::Arc;

use super::super::system::Batch;
use super::{Request, RequestKind, Said, Who};
use crate::http::Answer;
use crate::ids::{Entropy, PayoutRequestId};
use crate::payout_links::NewToken;
use crate::payout_requests::{Approve, NewRequest, Reject, Shown, Submit};
use crate::vault::Vault;

#[derive(Clone, Debug)]
pub(in crate::sim) enum Asking {
    Submit(Box<NewRequest>),
    Approve(PayoutRequestId),
    Reject(PayoutRequestId),
}

impl Asking {
    pub(super) fn request_kind(&self) -> RequestKind {
        let (target, harmless_twice, names_object) = match self {
            Self::Submit(new) => ("POST /v2/payout-requests?", false, new.names_user()),
            Self::Approve(_) => ("POST /v2/payout-requests/approve?", true, true),
            Self::Reject(_) => ("POST /v2/payout-requests/reject?", true, true),
        };
        RequestKind { target, takes_key: true, harmless_twice, names_object }
    }
}

impl Request {
    pub(super) fn send_asking(
        &self,
        asking: Asking,
        batch: &mut Batch<Who, Said>,
        vault: &Arc<Vault>,
        mut entropy: Entropy,
    ) {
        let scope = self.scope;
        match asking {
            Asking::Submit(new) => self.once(batch, vault, Submit { scope, new: *new, by_client: false }, shown),
            Asking::Approve(request) => {
                let token = NewToken::draw(vault, &mut entropy);
                self.once(batch, vault, Approve { scope, request, token }, shown);
            }
            Asking::Reject(request) => self.once(batch, vault, Reject { scope, request, comment: None }, shown),
        }
    }
}

fn shown(shown: &Shown) -> Answer {
    let request = &shown.request;
    Answer::ok(&serde_json::json!({"id": request.id, "status": request.status, "payout_link": request.payout_link}))
}
