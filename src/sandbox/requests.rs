//! The requests that a sandbox answered, for the developers who sent them.

use serde::Serialize;
use uuid::Uuid;

use crate::clock::Time;
use crate::http::lists::{ListEnvelope, list_query, page_of};
use crate::http::route::route;
use crate::http::{Answer, Call, Caller, Outcome, Route};
use crate::ids::AppId;
use crate::input::types::Text;
use crate::program::{Environment, SeenRequest};
use crate::refusal::{Code, Refusal};

/// Characters of a request id.
const REQUEST_ID_MAX: usize = 128;

list_query! {
    /// The filters of the list of requests.
    pub struct SandboxRequestsQuery {
        /// Return only requests with an error, status 400 or higher (true), or only those without (false).
        pub errors: Option<bool>,
        /// Return only requests with this id, as the header X-Request-Id had it.
        pub request_id: Option<Text<REQUEST_ID_MAX>>,
    }
}

/// A request that the sandbox answered.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct SandboxRequestJson {
    /// The place in this list. The request's own id is `request_id`.
    pub id: Uuid,
    /// When it was answered, by the sandbox's clock.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The method.
    pub method: String,
    /// The path, without the query string. A claim token is shown as `{token}`.
    pub path: String,
    /// The operation id, as in this document. Null if there is no such path or method.
    #[schema(required)]
    pub operation_id: Option<&'static str>,
    /// The status of the response.
    pub http_status: u16,
    /// The `error_code` of the response. Null without an error.
    #[schema(required)]
    pub error_code: Option<String>,
    /// The `message` of the response, at most 500 characters. Null without an error.
    #[schema(required)]
    pub message: Option<String>,
    /// The header `X-Request-Id` of the response, and `request_id` of an error body.
    pub request_id: String,
    /// The client id of the key. Null without a key, as in a claim.
    #[schema(required)]
    pub client_id: Option<String>,
    /// The app. Null if the key names none.
    #[schema(required)]
    pub app_id: Option<AppId>,
    /// How long the service took, in milliseconds.
    pub duration_ms: u64,
}

impl SandboxRequestJson {
    fn of(request: &SeenRequest) -> Self {
        let (error_code, message) = request.error.clone().unzip();
        Self {
            id: request.id,
            created: request.answered_at,
            method: request.method.clone(),
            path: request.path.clone(),
            operation_id: request.operation,
            http_status: request.status,
            error_code,
            message,
            request_id: request.request_id.clone(),
            client_id: request.client_id.clone(),
            app_id: request.app,
            duration_ms: u64::try_from(request.took.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// Returns whether a caller may see a request: one of its app or organization. A request that was refused before its
/// key was compared has no app, only the client id.
fn is_of(request: &SeenRequest, caller: &Caller) -> bool {
    let is_of_app = |app| match request.app {
        Some(of_request) => of_request == app,
        None => request.client_id.as_ref() == Some(&caller.client_id),
    };
    request.org == Some(caller.org) && caller.app.is_none_or(is_of_app)
}

/// GET /v2/sandbox/requests
pub async fn list(call: Call) -> Outcome {
    if call.bursar.environment != Environment::Sandbox {
        return Err(Refusal::not_found("path outside the sandbox"));
    }
    let query: SandboxRequestsQuery = call.query()?;
    let mine = call.bursar.requests.newest(|request| is_of(request, &call.caller));
    let is_asked_for = |request: &SeenRequest| {
        query.errors.is_none_or(|errors| (request.status >= 400) == errors)
            && query.request_id.as_ref().is_none_or(|id| id.0 == request.request_id)
    };
    let found = page_of(mine, &query.asked(), |request| (request.id, request.answered_at), is_asked_for)?;
    let list: ListEnvelope<SandboxRequestJson> = found.envelope(SandboxRequestJson::of);
    Ok(Answer::ok(&list))
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/sandbox/requests" AppOrOrganization "list_sandbox_requests" list)
            .about("Sandbox", "List recent requests")
            .describe(
                "Lists the newest requests to the API, newest first: those of the app, or with an organization key \
                 those of the organization with its claims. The process that answers keeps its newest 1,000 requests \
                 in memory, without bodies and query strings; a restart deletes them. Requests for this list are not \
                 listed. Returns 404 in production.",
            )
            .asks::<SandboxRequestsQuery>()
            .gives::<ListEnvelope<SandboxRequestJson>>(200, "One page of the list.")
            .refuses(&[Code::NotFound]),
    ]
}
