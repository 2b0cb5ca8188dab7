//! A route: its path, permitted callers, inputs, responses and handler. The router, the OpenAPI document and the tests
//! are generated from these rows.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Value as Schema, json};
use utoipa::ToSchema;

use super::call::Call;
use crate::idempotency::{Answer, Outcome};
use crate::input::{Fields, Input, Problems};
use crate::language::Language;
use crate::permission::Permission;
use crate::program::Bursar;
use crate::refusal::{Code, Refusal};
use crate::security_log::SecurityEvent;
use crate::strict_json::Json;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
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

/// The permitted callers of a route (docs/decisions.md 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Who {
    /// Anyone; the path itself carries the credential, if there is one.
    Anyone,
    /// A provider, which signs its posts; the handler verifies the signature over the whole request.
    Provider,
    /// An app: its secret key, the organization's with `Api-App-Id`, or its client id alone.
    AppOrItsClient,
    /// An app: its secret key, or the organization's key with `Api-App-Id`.
    App,
    /// An app or its organization, each for its own data.
    AppOrOrganization,
    /// The organization's key alone.
    Organization,
    /// The organization's key with `Api-App-Id`, for decisions that an app must not make itself.
    OrganizationForApp,
    /// A signed-in member, for their own account; no key may act for them.
    Member,
}

/// An async function from a call to its outcome.
pub type Handler = Arc<dyn Fn(Call) -> Pin<Box<dyn Future<Output = Outcome> + Send>> + Send + Sync>;

/// Checks that the token in the path opens an object, before the body is read: a wrong token must cost at most one
/// read.
pub type TokenLookUp = fn(Arc<Bursar>, String) -> Pin<Box<dyn Future<Output = Result<(), Refusal>> + Send>>;

/// Renders a refusal, including those of the guards. The text is the request's id; the language is the one that the
/// browser asks for.
pub type ErrorRenderer = fn(&Refusal, &str, Option<Language>) -> Answer;

pub type Reader = fn(&Json) -> Result<(), Problems>;

/// Converts a CSV file into the JSON body of the route; the second argument is the query.
pub type CsvReader = fn(&[u8], &[(String, String)]) -> Result<Json, Refusal>;

/// A schema with its name in the document.
pub type NamedSchema = (String, Schema);

/// A route's part of the OpenAPI document.
#[derive(Clone, Debug, Default)]
pub struct Documented {
    /// The handler's name, unique among all routes.
    pub operation_id: &'static str,
    pub tag: &'static str,
    pub summary: &'static str,
    /// Further paragraphs, or empty.
    pub description: &'static str,
    pub body: Option<Schema>,
    /// Checks a body against the schema.
    pub reader: Option<Reader>,
    /// Parameters of the query: name, schema, description, required.
    pub query: Vec<(&'static str, Schema, String, bool)>,
    /// Responses: status, description, and the name and schema of the body, if any.
    pub answers: Vec<(u16, &'static str, Option<NamedSchema>)>,
    /// The statuses of responses with a file, and its content type.
    pub files: Vec<(u16, &'static str)>,
    /// The schemas to which those refer.
    pub schemas: Vec<(String, Schema)>,
    /// Refusals, except those that every route has.
    pub refusals: Vec<Code>,
    pub example: Option<Schema>,
    /// Whether idempotency keys apply although the route has no known caller.
    pub is_keyed: bool,
}

#[derive(Clone)]
pub struct Route {
    pub method: Method,
    /// The path, with placeholders in braces.
    pub path: &'static str,
    pub who: Who,
    /// The permission that signed-in members need, if they may call it. The header `Member-Session` opens such a route
    /// without a key; with an app's key it replaces the organization's.
    pub members: Option<Permission>,
    /// The check of the path's `{token}`, if that is the credential. Wrong tokens are counted by IP address
    /// (docs/decisions.md 14).
    pub opened_by_token: Option<TokenLookUp>,
    /// The security event for a wrong token.
    pub wrong_token: SecurityEvent,
    pub handler: Handler,
    /// Reads a body of `text/csv`, if the route accepts one.
    pub csv: Option<CsvReader>,
    /// Whether the body may contain a large file.
    pub uploads: bool,
    /// Renders a refusal as the error body, or as a page for people.
    pub error_renderer: ErrorRenderer,
    /// Shared, because the table of routes is copied.
    pub documented: Arc<Documented>,
}

impl Route {
    /// Returns a route; `operation_id` is the handler's name.
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
            error_renderer: |refusal, _, _| Answer::from(refusal),
            handler: Arc::new(move |call| Box::pin(handler(call))),
            csv: None,
            uploads: false,
            documented: Arc::new(Documented { operation_id, ..Documented::default() }),
        }
    }

    fn document(&mut self) -> &mut Documented {
        Arc::make_mut(&mut self.documented)
    }

    /// Lets signed-in members with this permission call the route.
    #[must_use]
    pub fn members(mut self, permission: Permission) -> Self {
        self.members = Some(permission);
        self.refuses(&[Code::NotPermitted])
    }

    /// Makes the path's `{token}` the credential. `look_up` returns `not-found` for a wrong token.
    #[must_use]
    pub fn opened_by_token(mut self, look_up: TokenLookUp) -> Self {
        self.opened_by_token = Some(look_up);
        self.refuses(&[Code::RateLimited])
    }

    /// Applies idempotency keys to the route. Every POST of a known caller has them anyway.
    #[must_use]
    pub fn keyed(mut self) -> Self {
        self.document().is_keyed = true;
        self
    }

    /// Renders refusals with this function instead of the error body.
    #[must_use]
    pub fn renders_errors_with(mut self, error_renderer: ErrorRenderer) -> Self {
        self.error_renderer = error_renderer;
        self
    }

    #[must_use]
    pub fn about(mut self, tag: &'static str, summary: &'static str) -> Self {
        self.document().tag = tag;
        self.document().summary = summary;
        self
    }

    #[must_use]
    pub fn describe(mut self, description: &'static str) -> Self {
        self.document().description = description;
        self
    }

    #[must_use]
    pub fn takes<T: Input>(mut self) -> Self {
        self.document().body = Some(T::schema());
        self.document().reader = Some(|body| T::read(body, "").map(|_| ()));
        self
    }

    /// Accepts a CSV file in place of the JSON body.
    #[must_use]
    pub fn or_csv(mut self, reader: CsvReader) -> Self {
        self.csv = Some(reader);
        self
    }

    /// Accepts a body with a large file.
    #[must_use]
    pub fn uploads(mut self) -> Self {
        self.uploads = true;
        self
    }

    #[must_use]
    pub fn example(mut self, example: Schema) -> Self {
        self.document().example = Some(example);
        self
    }

    #[must_use]
    pub fn asks<T: Fields>(mut self) -> Self {
        self.document().query = T::parameters();
        self
    }

    #[must_use]
    pub fn gives<T: ToSchema>(self, status: u16, description: &'static str) -> Self {
        self.answers::<T>(status, description, (T::name().into_owned(), as_json(&T::schema())))
    }

    #[must_use]
    pub fn gives_array<T: ToSchema>(mut self, status: u16, description: &'static str) -> Self {
        let item = T::name().into_owned();
        let array = json!({"type": "array", "items": {"$ref": format!("#/components/schemas/{item}")}});
        self.document().schemas.push((item.clone(), as_json(&T::schema())));
        self.answers::<T>(status, description, (item, array))
    }

    /// Adds a response of this schema, and the schemas of `T`.
    fn answers<T: ToSchema>(mut self, status: u16, description: &'static str, body: NamedSchema) -> Self {
        self.document().answers.push((status, description, Some(body)));
        let mut further = Vec::new();
        T::schemas(&mut further);
        self.document().schemas.extend(further.into_iter().map(|(name, schema)| (name, as_json(&schema))));
        self
    }

    /// Adds a response without a body.
    #[must_use]
    pub fn gives_empty(mut self, status: u16, description: &'static str) -> Self {
        self.document().answers.push((status, description, None));
        self
    }

    /// Adds a response with a file.
    #[must_use]
    pub fn gives_file(mut self, status: u16, description: &'static str, content_type: &'static str) -> Self {
        self.document().files.push((status, content_type));
        self.gives_empty(status, description)
    }

    /// Adds refusals to those that every route has.
    #[must_use]
    pub fn refuses(mut self, codes: &[Code]) -> Self {
        self.document().refusals.extend_from_slice(codes);
        self
    }
}

fn as_json(schema: &impl serde::Serialize) -> Schema {
    serde_json::to_value(schema).expect("schemas are plain data, which always serialize")
}

/// Declares a route, such as `POST "/v2/payout-links" App create`. The handler's name, prefixed by the noun, is the
/// operation id.
macro_rules! route {
    ($method:ident $path:literal $who:ident $operation_id:literal $handler:path) => {
        $crate::http::Route::new($crate::http::Method::$method, $path, $crate::http::Who::$who, $operation_id, $handler)
    };
}
pub(crate) use route;
