use super::rows;
use serde_json::json;

use super::model::{PayoutRequest, RequestStatus};
use super::quota;
use super::{Approve, Asker, NewRequest, PayoutRequestJson, Reject, Shown, Submit};
use crate::email::Email;
use crate::http::lists::{ListEnvelope, list_query, of_app, page};
use crate::http::route::route;
use crate::http::{Answer, Call, CredentialKind, Outcome, Route};
use crate::ids::UserId;
use crate::input::input;
use crate::input::types::{Amount, LongText, Metadata, NoFields, Phone, PhoneFilter, word_input};
use crate::payout_links::NewToken;
use crate::refusal::{Code, Refusal};
use crate::world::Query;

word_input!(RequestStatus);

input! {
    /// A person's request to be paid.
    pub struct NewPayoutRequest {
        /// Cents.
        pub amount: Amount,
        /// The phone number of the person; excludes user_id.
        pub payee: Option<Phone>,
        /// The user; excludes payee.
        pub user_id: Option<UserId>,
        /// The memo, copied to the link.
        pub memo: Option<LongText>,
        /// A string or an object, returned as a string and copied to the link.
        pub metadata: Option<Metadata>,
    }
}

impl NewPayoutRequest {
    fn into_new_request(self) -> Result<NewRequest, Refusal> {
        let asker = match (self.payee, self.user_id) {
            (Some(phone), None) => Asker::Phone(phone.0),
            (None, Some(user)) => Asker::User(user),
            (Some(_), Some(_)) => {
                return Err(Refusal::field(
                    Code::InvalidInput,
                    "/payee",
                    "cannot be combined with user_id; send only one of them",
                ));
            }
            (None, None) => {
                let message = "is required unless user_id is sent; send payee {country_code, phone_number}";
                return Err(Refusal::field(Code::InvalidInput, "/payee", message));
            }
        };
        Ok(NewRequest {
            amount: self.amount.0,
            asker,
            memo: self.memo.map(|memo| memo.0),
            metadata: self.metadata.map(|metadata| metadata.0),
        })
    }
}

input! {
    /// The rejection of a request.
    pub struct Rejection {
        /// For your own records; not sent to the person.
        pub comment: Option<LongText>,
    }
}

list_query! {
    /// The filters of the list of payout requests.
    pub struct PayoutRequestsQuery {
        /// Return only this status.
        pub status: Option<RequestStatus>,
        /// Return only requests from this phone number, `+12127361234` or its digits.
        pub phone_number: Option<PhoneFilter>,
        /// Return only requests from users with this e-mail address.
        pub email: Option<Email>,
        /// Return only requests from this user.
        pub user_id: Option<UserId>,
    }
}

impl PayoutRequestsQuery {
    fn narrow(&self, query: Query) -> Query {
        query
            .matching("status", self.status)
            .matching("payee_phone", self.phone_number.as_ref().map(|phone| phone.0.e164()))
            .matching("payee_email", self.email.as_ref().map(|email| email.as_str().to_lowercase()))
            .matching("user_id", self.user_id)
    }
}

/// Renders a request. The link's address is secret, so stored responses must not contain it.
fn answer(call: &Call, status: u16) -> impl Fn(&Shown) -> Answer + Send + 'static {
    let (bursar, kind) = (call.bursar.clone(), call.caller.kind);
    move |shown| match kind {
        CredentialKind::App | CredentialKind::Organization | CredentialKind::Member => {
            Answer::json(status, &shown.json(&bursar)).secret()
        }
        CredentialKind::Client | CredentialKind::None => Answer::json(status, &shown.for_the_public()),
    }
}

/// POST /v2/payout-requests
pub async fn submit(call: Call) -> Outcome {
    let scope = call.scope()?;
    let by_client = call.caller.kind == CredentialKind::Client;
    let new = call.body::<NewPayoutRequest>().and_then(NewPayoutRequest::into_new_request);
    let new = new.and_then(|new| if by_client { quota::check(&new).map(|()| new) } else { Ok(new) });
    call.once(new.map(|new| Submit { scope, new, by_client }), answer(&call, 201)).await
}

/// GET /v2/payout-requests
pub async fn list(call: Call) -> Outcome {
    let scope = call.scope()?;
    let asked: PayoutRequestsQuery = call.query()?;
    let bursar = call.bursar.clone();
    let found = call
        .read(move |world| {
            let mine = of_app::<PayoutRequest>(scope, "id");
            let page = page::<PayoutRequest>(world, mine, &asked.asked(), |query| asked.narrow(query))?;
            let data = world.each(page.records, Shown::of)?;
            let data = data.iter().map(|shown| shown.json(&bursar)).collect();
            Ok(ListEnvelope::<PayoutRequestJson> { has_more: page.has_more, data })
        })
        .await?;
    Ok(Answer::ok(&found))
}

/// GET /v2/payout-requests/{payout_request_id}
pub async fn show(call: Call) -> Outcome {
    let (scope, id) = (call.scope()?, call.id("payout_request_id", "payout request")?);
    let found = call
        .read(move |world| {
            let request = rows::find(world, scope, id)?;
            Shown::of(world, request)
        })
        .await?;
    Ok(answer(&call, 200)(&found))
}

/// POST /v2/payout-requests/{payout_request_id}/approve
pub async fn approve(call: Call) -> Outcome {
    let (scope, request) = (call.scope()?, call.id("payout_request_id", "payout request")?);
    let token = NewToken::draw(&call.bursar.vault, &mut call.bursar.entropy());
    let command = call.body::<NoFields>().map(|_| Approve { scope, request, token });
    call.once(command, answer(&call, 200)).await
}

/// POST /v2/payout-requests/{payout_request_id}/reject
pub async fn reject(call: Call) -> Outcome {
    let (scope, request) = (call.scope()?, call.id("payout_request_id", "payout request")?);
    let command = call.body::<Rejection>().map(|rejection| Reject {
        scope,
        request,
        comment: rejection.comment.map(|comment| comment.0),
    });
    call.once(command, answer(&call, 200)).await
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/payout-requests" AppOrItsClient "submit_payout_request" submit)
            .about("Payout requests", "Submit a payout request")
            .describe(
                "No money moves until the app approves the request, so a client id alone can submit one. A client id \
                 alone sees no user and no link, and has its own idempotency keys.",
            )
            .takes::<NewPayoutRequest>()
            .example(json!({
                "amount": 1000,
                "payee": {"country_code": "1", "phone_number": "2127361234"},
                "memo": "Invoice 17"
            }))
            .gives::<PayoutRequestJson>(201, "The payout request.")
            .refuses(&[Code::NotFound, Code::UserInactive, Code::InvalidPhoneNumber, Code::LimitExceeded]),
        route!(Get "/v2/payout-requests" App "list_payout_requests" list)
            .about("Payout requests", "List payout requests")
            .describe("Lists the app's payout requests, newest first.")
            .asks::<PayoutRequestsQuery>()
            .gives::<ListEnvelope<PayoutRequestJson>>(200, "One page of the list."),
        route!(Get "/v2/payout-requests/{payout_request_id}" App "get_payout_request" show)
            .about("Payout requests", "Get a payout request")
            .describe("Returns one payout request with its current status.")
            .gives::<PayoutRequestJson>(200, "The payout request.")
            .refuses(&[Code::NotFound]),
        route!(Post "/v2/payout-requests/{payout_request_id}/approve" App "approve_payout_request" approve)
            .about("Payout requests", "Approve a payout request")
            .describe(
                "Creates exactly one payout link and delivers it to the payee. If the wallet does not cover the \
                 amount, the request is refused and stays open. A repeated call changes nothing.",
            )
            .takes::<NoFields>()
            .gives::<PayoutRequestJson>(200, "The payout request with its link.")
            .refuses(&[
                Code::NotFound,
                Code::InvalidState,
                Code::InsufficientFunds,
                Code::UserInactive,
                Code::LimitExceeded,
            ]),
        route!(Post "/v2/payout-requests/{payout_request_id}/reject" App "reject_payout_request" reject)
            .about("Payout requests", "Reject a payout request")
            .describe("The decision is final. A repeated call changes nothing.")
            .takes::<Rejection>()
            .gives::<PayoutRequestJson>(200, "The payout request.")
            .refuses(&[Code::NotFound, Code::InvalidState]),
    ]
}
