//! What a route is: a path, who may call it, what it takes and gives, and the handler.
//! From the same rows come the router, the OpenAPI document and the tests.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Value as Schema, json};
use utoipa::ToSchema;

use super::answer::{Answer, Outcome};
use super::call::Call;
use super::input::{Fields, Input, Problems};
use crate::permission::Permission;
use crate::program::Bursar;
use crate::refusal::{Code, Refusal};
use crate::security_log::SecurityEvent;
use crate::strict_json::Json;

/// The methods that routes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    /// As HTTP writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// Who may call a route (docs/decisions.md 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Who {
    /// Anyone; the path itself carries the credential, if there is one.
    Anyone,
    /// A carrier of messages, which signs what it posts; its handler holds the signature against the whole request.
    Provider,
    /// An app: its secret key, the organization's with `Api-App-Id`, or its client id alone.
    AppOrItsClient,
    /// An app: its secret key, or the organization's key with `Api-App-Id`.
    App,
    /// An app or its organization, each seeing what is its own.
    AppOrOrganization,
    /// The organization's key alone.
    Organization,
    /// The organization's key, which says with `Api-App-Id` for which app: what a person decides, and no app.
    OrganizationForApp,
    /// A signed-in member, who acts on their own account; no key does that for them.
    Member,
}

/// An async function from a call to its outcome.
pub type Handler = Arc<dyn Fn(Call) -> Pin<Box<dyn Future<Output = Outcome> + Send>> + Send + Sync>;

/// Finds what a token in the path opens, before the body is read: a made-up token must cost no more than one read.
pub type TokenLookUp = fn(Arc<Bursar>, String) -> Pin<Box<dyn Future<Output = Result<(), Refusal>> + Send>>;

/// How a route tells a refusal, its guards' included, to whoever asked. The text is the request's id.
pub type ErrorRenderer = fn(&Refusal, &str) -> Answer;

/// Reads a body, and says what is wrong with it.
pub type Reader = fn(&Json) -> Result<(), Problems>;

/// A schema and the name under which it stands in the document.
pub type NamedSchema = (String, Schema);

/// What the OpenAPI document says of a route.
#[derive(Clone, Debug, Default)]
pub struct Documented {
    /// The handler's name, unique among all.
    pub operation_id: &'static str,
    /// The group it stands in.
    pub tag: &'static str,
    /// One line.
    pub summary: &'static str,
    /// More, where there is more to say.
    pub description: &'static str,
    /// The body's schema.
    pub body: Option<Schema>,
    /// Reads such a body, and says what is wrong with it.
    pub reader: Option<Reader>,
    /// Parameters of the query: name, schema, description, required.
    pub query: Vec<(&'static str, Schema, String, bool)>,
    /// Answers: status, description, the schema's name and schema where there is a body.
    pub answers: Vec<(u16, &'static str, Option<NamedSchema>)>,
    /// Schemas that those refer to.
    pub schemas: Vec<(String, Schema)>,
    /// Refusals besides those that every route has.
    pub refusals: Vec<Code>,
    /// An example body.
    pub example: Option<Schema>,
    /// Whether a repeat under the same idempotency key changes nothing, though nobody is known to the route.
    pub is_keyed: bool,
}

/// One row of the table of routes.
#[derive(Clone)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, placeholders in braces.
    pub path: &'static str,
    /// Which keys open it.
    pub who: Who,
    /// Whether a signed-in member may call it, and what their role must allow. The header `Member-Session` opens such a
    /// route without a key; with an app's key it replaces the organization's.
    pub members: Option<Permission>,
    /// Where the path's `{token}` is the credential: what checks it. Wrong ones are counted by IP address (docs/decisions.md 14).
    pub opened_by_token: Option<TokenLookUp>,
    /// What the security log calls a token that opens nothing.
    pub wrong_token: SecurityEvent,
    /// What runs.
    pub handler: Handler,
    /// How a refusal looks: the error body, or a page for people.
    pub error_renderer: ErrorRenderer,
    /// What the document says.
    pub documented: Documented,
}

impl Route {
    /// A route; `operation_id` is the handler's name.
    pub fn new<F, Run>(method: Method, path: &'static str, who: Who, operation_id: &'static str, handler: F) -> Self
    where
        F: Fn(Call) -> Run + Send + Sync + 'static,
        Run: Future<Output = Outcome> + Send + 'static,
    {
        Self {
            method,
            path,
            who,
            members: None,
            opened_by_token: None,
            wrong_token: SecurityEvent::WrongClaimToken,
            error_renderer: |refusal, _| Answer::from(refusal),
            handler: Arc::new(move |call| Box::pin(handler(call))),
            documented: Documented { operation_id, ..Documented::default() },
        }
    }

    /// Lets signed-in members call it whose role allows this.
    #[must_use]
    pub fn members(mut self, permission: Permission) -> Self {
        self.members = Some(permission);
        self.refuses(&[Code::NotPermitted])
    }

    /// Makes the path's `{token}` the credential. `look_up` refuses a token that opens nothing with `not-found`.
    #[must_use]
    pub fn opened_by_token(mut self, look_up: TokenLookUp) -> Self {
        self.opened_by_token = Some(look_up);
        self.refuses(&[Code::RateLimited])
    }

    /// Says that a repeat under the same idempotency key changes nothing; so it is with every POST of a known caller.
    #[must_use]
    pub fn keyed(mut self) -> Self {
        self.documented.is_keyed = true;
        self
    }

    /// Tells refusals otherwise than by the error body.
    #[must_use]
    pub fn renders_errors_with(mut self, error_renderer: ErrorRenderer) -> Self {
        self.error_renderer = error_renderer;
        self
    }

    /// The group it stands in and one line about it.
    #[must_use]
    pub fn about(mut self, tag: &'static str, summary: &'static str) -> Self {
        self.documented.tag = tag;
        self.documented.summary = summary;
        self
    }

    /// More to say: rules, limits, where they come from.
    #[must_use]
    pub fn describe(mut self, description: &'static str) -> Self {
        self.documented.description = description;
        self
    }

    /// The body it takes.
    #[must_use]
    pub fn takes<T: Input>(mut self) -> Self {
        self.documented.body = Some(T::schema());
        self.documented.reader = Some(|body| T::read(body, "").map(|_| ()));
        self
    }

    /// An example of the body.
    #[must_use]
    pub fn example(mut self, example: Schema) -> Self {
        self.documented.example = Some(example);
        self
    }

    /// The query it takes.
    #[must_use]
    pub fn asks<T: Fields>(mut self) -> Self {
        self.documented.query = T::parameters();
        self
    }

    /// An answer with a JSON body.
    #[must_use]
    pub fn gives<T: ToSchema>(self, status: u16, description: &'static str) -> Self {
        self.answers::<T>(status, description, (T::name().into_owned(), as_json(&T::schema())))
    }

    /// An answer that is a plain array of these.
    #[must_use]
    pub fn gives_array<T: ToSchema>(mut self, status: u16, description: &'static str) -> Self {
        let item = T::name().into_owned();
        let array = json!({"type": "array", "items": {"$ref": format!("#/components/schemas/{item}")}});
        self.documented.schemas.push((item.clone(), as_json(&T::schema())));
        self.answers::<T>(status, description, (item, array))
    }

    /// An answer of this schema, which refers to what `T` is made of.
    fn answers<T: ToSchema>(mut self, status: u16, description: &'static str, body: NamedSchema) -> Self {
        self.documented.answers.push((status, description, Some(body)));
        let mut further = Vec::new();
        T::schemas(&mut further);
        self.documented.schemas.extend(further.into_iter().map(|(name, schema)| (name, as_json(&schema))));
        self
    }

    /// An answer without a body, or with one that is no JSON.
    #[must_use]
    pub fn gives_empty(mut self, status: u16, description: &'static str) -> Self {
        self.documented.answers.push((status, description, None));
        self
    }

    /// Refusals besides those that every route has.
    #[must_use]
    pub fn refuses(mut self, codes: &[Code]) -> Self {
        self.documented.refusals.extend_from_slice(codes);
        self
    }
}

fn as_json(schema: &impl serde::Serialize) -> Schema {
    serde_json::to_value(schema).expect("schemas are plain data, which always serialize")
}

/// Declares routes in the form `POST "/v2/payout-links" App create`: the handler's
/// name becomes the operation id, prefixed by the noun.
macro_rules! route {
    ($method:ident $path:literal $who:ident $operation_id:literal $handler:path) => {
        $crate::http::Route::new($crate::http::Method::$method, $path, $crate::http::Who::$who, $operation_id, $handler)
    };
}
pub(crate) use route;
