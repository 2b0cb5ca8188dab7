//! One admitted request: its caller, its input and the methods to run commands and reads.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use uuid::Uuid;

use crate::caller::{Caller, CredentialKind};
use crate::engine::Command;
use crate::idempotency::{self, Admitted, Answer, Answering, Keyed, Once, Outcome};
use crate::ids::OrgId;
use crate::input::{Fields, Input};
use crate::program::Bursar;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::security_log::{self, Noted, Origin, SecurityEvent};
use crate::strict_json::Json;
use crate::world::{Halt, World};

#[derive(Debug)]
pub struct Call {
    pub bursar: Arc<Bursar>,
    pub caller: Caller,
    /// Method and concrete path, `POST /v2/payout-links`.
    pub target: String,
    /// Names and values of the path's placeholders.
    pub path: Vec<(String, String)>,
    /// Names and values of the query string, decoded.
    pub query: Vec<(String, String)>,
    /// The body without `idempotency_key`; an empty object if there was none.
    pub body: Json,
    /// The body as it was sent, on a route of a provider, which signs it; else empty.
    pub signed_bytes: Bytes,
    /// Whether the body was sent as a CSV file.
    pub is_csv: bool,
    /// The idempotency key, from the header or the body.
    pub idempotency_key: Option<String>,
    /// The other headers that handlers may read, by lower-case name.
    pub headers: Vec<(&'static str, String)>,
    /// The address of the client; `None` without a connection.
    pub peer: Option<IpAddr>,
    /// The id of the request.
    pub request_id: String,
}

impl Call {
    /// Returns the app for which the caller acts.
    ///
    /// # Errors
    /// `app-id-required` when an organization key did not name an app.
    pub fn scope(&self) -> Result<Scope, Refusal> {
        match self.caller.app {
            Some(app) => Ok(Scope { org: self.caller.org, app }),
            None => Err(app_id_required()),
        }
    }

    /// Returns a placeholder of the path, or an empty text.
    pub fn parameter(&self, name: &str) -> &str {
        self.path.iter().find(|(given, _)| given == name).map_or("", |(_, value)| value)
    }

    /// Returns a header by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| *given == name).map(|(_, value)| value.as_str())
    }

    /// Returns the texts of a form.
    pub fn form_fields(&self) -> Vec<(String, String)> {
        let Json::Object(fields) = &self.body else { return Vec::new() };
        let text = |(name, value): &(String, Json)| match value {
            Json::Text(text) => Some((name.clone(), text.clone())),
            Json::Null | Json::Bool(_) | Json::Int(_) | Json::Decimal(_) | Json::List(_) | Json::Object(_) => None,
        };
        fields.iter().filter_map(text).collect()
    }

    /// Returns an id in the path. A malformed id is an unknown one (docs/decisions.md 1).
    pub fn id<I: From<Uuid>>(&self, name: &str, what: &str) -> Result<I, Refusal> {
        let text = self.parameter(name);
        let id = if text.len() == 36 { Uuid::try_parse(text).ok() } else { None };
        id.map(I::from).ok_or_else(|| Refusal::not_found(what))
    }

    pub fn body<T: Input>(&self) -> Result<T, Refusal> {
        T::read(&self.body, "").map_err(Refusal::fields)
    }

    pub fn query<T: Fields>(&self) -> Result<T, Refusal> {
        T::read_query(&self.query).map_err(Refusal::fields)
    }

    pub async fn read<T: Send + 'static>(
        &self,
        query: impl Fn(&mut World) -> Result<T, Halt> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.bursar.read(query).await
    }

    /// Runs a command at most once for the request's idempotency key, and stores the response with it.
    ///
    /// Even if `command` is a refusal of the input, the key is checked first: a used key is a clearer error than a
    /// wrong field (docs/decisions.md 3).
    pub fn once<C: Command>(
        &self,
        command: Result<C, Refusal>,
        answer: impl Fn(&C::Reply) -> Answer + Send + 'static,
    ) -> impl Future<Output = Outcome> + Send {
        self.once_in(self.caller.org, self.key_space(), command, answer)
    }

    /// Returns the scope of the request's idempotency key: the acting app or the organization. A client id alone has a
    /// separate scope: it is public, and must neither replay the server's responses nor use up its keys.
    fn key_space(&self) -> Uuid {
        let whose = self.caller.app.map_or(self.caller.org.0, |app| app.0);
        if let Some(signed_in) = self.caller.member {
            // Two members may each send one body under one key, and both must act. So each member has a scope of their
            // own.
            return Uuid::from_u128(whose.as_u128().rotate_left(64) ^ signed_in.member.0.as_u128());
        }
        match self.caller.kind {
            CredentialKind::Client => Uuid::from_u128(!whose.as_u128()),
            CredentialKind::None | CredentialKind::App | CredentialKind::Organization | CredentialKind::Member => whose,
        }
    }

    /// Runs a command once for a tenant that the path names, with a separate key scope.
    pub fn once_in<C: Command>(
        &self,
        org: OrgId,
        scope: Uuid,
        command: Result<C, Refusal>,
        answer: impl Fn(&C::Reply) -> Answer + Send + 'static,
    ) -> impl Future<Output = Outcome> + Send {
        self.once_of(org, scope, command.map(|command| idempotency::answering(command, answer)))
    }

    /// The same of a command whose type is erased.
    async fn once_of(&self, org: OrgId, scope: Uuid, command: Result<Box<dyn Answering>, Refusal>) -> Outcome {
        let keyed = self.idempotency_key.as_ref().map(|key| self.keyed(scope, key));
        if keyed.is_none()
            && let Err(refusal) = command
        {
            return Err(refusal);
        }
        let answer = self.run_for(org, Once { org, keyed, command }).await?;
        self.log_noted(&answer.noted);
        Ok(answer)
    }

    /// Runs an idempotent command, which needs no key.
    ///
    /// # Errors
    /// Those of the command; before them 401 or 404 when the caller's app is gone.
    pub async fn run<C: Command>(&self, command: C) -> Result<C::Reply, Refusal> {
        self.run_for(self.caller.org, command).await
    }

    /// Runs an idempotent command for a tenant that the path names.
    pub async fn run_for<C: Command>(&self, org: OrgId, command: C) -> Result<C::Reply, Refusal> {
        // The remaining space is reserved for work in progress, which does not use this function.
        if self.bursar.reads.is_full() {
            return Err(Refusal::storage_full());
        }
        self.bursar.engine.run(org, Admitted { caller: self.caller.clone(), command }).await
    }

    /// Writes an event of this call to the security log, after its commit. `subject` is the id of the affected object.
    pub fn log_security(&self, event: SecurityEvent, reason: &'static str, subject: Option<&str>) {
        // Without a credential the caller's organization is the nil id, which names none.
        let organization = Some(self.caller.org).filter(|_| self.caller.kind != CredentialKind::None);
        self.log_security_of(organization, event, reason, subject);
    }

    /// Writes the entries of a committed command to the security log.
    pub fn log_noted(&self, noted: &[Noted]) {
        for Noted { event, reason, organization, subject } in noted {
            self.log_security_of(Some(*organization), *event, reason, Some(subject));
        }
    }

    fn log_security_of(
        &self,
        organization: Option<OrgId>,
        event: SecurityEvent,
        reason: &'static str,
        subject: Option<&str>,
    ) {
        let organization = organization.map(|organization| organization.to_string());
        let app = self.caller.app.map(|app| app.to_string());
        let client_id = Some(self.caller.client_id.as_str());
        let member = self.caller.member.map(|signed_in| signed_in.member.to_string());
        let (organization, app, member) = (organization.as_deref(), app.as_deref(), member.as_deref());
        let origin = Origin { ip: self.peer, client_id, organization, app, member, subject, ..Origin::default() };
        security_log::record(event, reason, origin);
    }

    fn keyed(&self, scope: Uuid, key: &str) -> Keyed {
        let target = idempotency::target(&self.target, &self.query);
        let target = match self.caller.kind {
            // Without a credential the path contains one, so it is stored as a hash.
            CredentialKind::None => idempotency::print(&self.bursar.vault, &target),
            CredentialKind::Client | CredentialKind::App | CredentialKind::Organization | CredentialKind::Member => {
                target
            }
        };
        let context = self.bursar.error_context(Some(self.request_id.clone()));
        let keyed = Keyed::of(&self.bursar.vault, self.bursar.originals, scope, key, target, &self.body);
        Keyed { context, ..keyed }
    }
}

/// Returns the refusal of an organization key or member session that did not name an app.
pub fn app_id_required() -> Refusal {
    let message = "This route acts on an app. Send the app's id in the header Api-App-Id.";
    Refusal::field(Code::AppIdRequired, "Api-App-Id", message)
}
