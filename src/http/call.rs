//! One request, after it was let in: who calls, with what, and the means to answer.

use std::net::IpAddr;
use std::sync::Arc;

use uuid::Uuid;

use super::answer::{Answer, Outcome};
use super::idempotency::{self, Keyed, Once};
use super::input::{Fields, Input};
use crate::engine::Command;
use crate::ids::{AppId, MemberId, MemberSessionId, OrgId};
use crate::permission::Permission;
use crate::program::Bursar;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::security_log::{self, Noted, Origin, SecurityEvent};
use crate::strict_json::Json;
use crate::world::{Halt, Want, World};

/// Which credential a caller showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialKind {
    /// Nobody needed to.
    None,
    /// A client id alone, public by nature.
    Client,
    /// An app's key.
    App,
    /// An organization's key.
    Organization,
    /// A member's session without a key.
    Member,
}

/// A member whose session came with the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// The member.
    pub member: MemberId,
    /// Their session.
    pub session: MemberSessionId,
    /// What the route asks of their role.
    pub permission: Permission,
}

/// Who calls.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The organization.
    pub org: OrgId,
    /// The app it acts as, if any.
    pub app: Option<AppId>,
    /// By which kind of credential.
    pub kind: CredentialKind,
    /// The member whose session came along, where the route takes one.
    pub member: Option<SignedIn>,
    /// The credential's client id, for the log.
    pub client_id: String,
    /// What let them in.
    pub admission: Admission,
}

/// What let a caller in, asked once more in the commit of what they want: a deletion may have come in between. The gate
/// hands it in, because apps are listed after this module.
#[derive(Clone, Copy, Debug)]
pub struct Admission {
    /// Rows that [`Admission::refuse_gone`] asks for.
    pub needs: fn(&Caller) -> Vec<Want>,
    /// Refuses when what they act as is gone.
    pub refuse_gone: fn(&World, &Caller) -> Result<(), Halt>,
}

/// A command of a caller who must not be gone when it commits.
struct Admitted<C> {
    caller: Caller,
    command: C,
}

impl<C: Command> Command for Admitted<C> {
    type Reply = C::Reply;

    fn organization(&self) -> OrgId {
        self.command.organization()
    }

    fn needs(&self) -> Vec<Want> {
        let mut needs = self.command.needs();
        needs.extend((self.caller.admission.needs)(&self.caller));
        needs
    }

    fn decide(&self, world: &mut World) -> Result<C::Reply, Halt> {
        (self.caller.admission.refuse_gone)(world, &self.caller)?;
        match self.caller.member {
            Some(signed_in) => world.called_by(format!("member {}", signed_in.member).into()),
            None => world.called_by(self.caller.client_id.as_str().into()),
        }
        self.command.decide(world)
    }
}

/// One request that was let in.
#[derive(Debug)]
pub struct Call {
    /// The running program.
    pub bursar: Arc<Bursar>,
    /// Who calls.
    pub caller: Caller,
    /// Method and concrete path, `POST /v2/payout-links`.
    pub target: String,
    /// Names and values of the path's placeholders.
    pub path: Vec<(String, String)>,
    /// Names and values of the query string, decoded.
    pub query: Vec<(String, String)>,
    /// The body without `idempotency_key`; an empty object where there was none.
    pub body: Json,
    /// The idempotency key, from the header or the body.
    pub idempotency_key: Option<String>,
    /// The request's other headers that a handler may ask for, by lower-case name.
    pub headers: Vec<(String, String)>,
    /// The address that the request came from; `None` where no connection carried it.
    pub peer: Option<IpAddr>,
}

impl Call {
    /// The app that is acted as.
    ///
    /// # Errors
    /// `app-id-required` when an organization key did not say which.
    pub fn scope(&self) -> Result<Scope, Refusal> {
        match self.caller.app {
            Some(app) => Ok(Scope { org: self.caller.org, app }),
            None => Err(app_id_required()),
        }
    }

    /// A placeholder of the path.
    pub fn parameter(&self, name: &str) -> &str {
        self.path.iter().find(|(given, _)| given == name).map_or("", |(_, value)| value)
    }

    /// A header by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// An id in the path. What is no id is an unknown one (docs/decisions.md 1).
    pub fn id<I: From<Uuid>>(&self, name: &str, what: &str) -> Result<I, Refusal> {
        let text = self.parameter(name);
        let id = if text.len() == 36 { Uuid::try_parse(text).ok() } else { None };
        id.map(I::from).ok_or_else(|| Refusal::not_found(what))
    }

    /// The body as the handler's input.
    pub fn body<T: Input>(&self) -> Result<T, Refusal> {
        T::read(&self.body, "").map_err(Refusal::fields)
    }

    /// The query string as the handler's input.
    pub fn query<T: Fields>(&self) -> Result<T, Refusal> {
        T::read_query(&self.query).map_err(Refusal::fields)
    }

    /// Looks at the store.
    pub async fn read<T: Send + 'static>(
        &self,
        query: impl Fn(&mut World) -> Result<T, Halt> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.bursar.read(query).await
    }

    /// Runs a command at most once for the request's idempotency key, and keeps the answer with it.
    ///
    /// `command` may be a refusal of the input already: the key is looked up first all the same, because a
    /// key that was used is a clearer answer than a wrong field (docs/decisions.md 3).
    pub async fn once<C: Command>(
        &self,
        command: Result<C, Refusal>,
        answer: impl Fn(&C::Reply) -> Answer + Send + 'static,
    ) -> Outcome {
        self.once_in(self.caller.org, self.key_space(), command, answer).await
    }

    /// Whose keys the request's is one of: the acting app's, or the organization's. What a client id alone sends
    /// has a space of its own: that credential is public, and must neither be told what the server side was
    /// answered under a key, nor use up its keys.
    fn key_space(&self) -> Uuid {
        let whose = self.caller.app.map_or(self.caller.org.0, |app| app.0);
        if let Some(signed_in) = self.caller.member {
            // Two members may send the same body under the same key, and each must act: the keys are the member's own.
            return Uuid::from_u128(whose.as_u128().rotate_left(64) ^ signed_in.member.0.as_u128());
        }
        match self.caller.kind {
            CredentialKind::Client => Uuid::from_u128(!whose.as_u128()),
            CredentialKind::None | CredentialKind::App | CredentialKind::Organization | CredentialKind::Member => whose,
        }
    }

    /// The same for a tenant that the path names, with keys in a scope of their own.
    pub async fn once_in<C: Command>(
        &self,
        org: OrgId,
        scope: Uuid,
        command: Result<C, Refusal>,
        answer: impl Fn(&C::Reply) -> Answer + Send + 'static,
    ) -> Outcome {
        let keyed = self.idempotency_key.as_ref().map(|key| self.keyed(scope, key));
        if keyed.is_none()
            && let Err(refusal) = command
        {
            return Err(refusal);
        }
        let answer = self.run(Once { org, keyed, command, answer: Box::new(answer) }).await?;
        self.log_noted(&answer.noted);
        Ok(answer)
    }

    /// Runs a command that changes nothing more when it is run again, and so needs no idempotency key.
    ///
    /// # Errors
    /// Those of the command; before them 401 or 404 when the app that the caller acts as is gone.
    pub async fn run<C: Command>(&self, command: C) -> Result<C::Reply, Refusal> {
        // What room is left belongs to work in progress, which does not come this way.
        if self.bursar.reads.is_full() {
            return Err(Refusal::storage_full());
        }
        self.bursar.engine.run(Admitted { caller: self.caller.clone(), command }).await
    }

    /// Writes the security log's line for something that this call has done, after its commit. `subject` is the id of what
    /// it is about.
    pub fn log_security(&self, event: SecurityEvent, reason: &'static str, subject: Option<&str>) {
        // Where anyone may call, the caller has the organization of all zeroes, which is none.
        let organization = Some(self.caller.org).filter(|_| self.caller.kind != CredentialKind::None);
        self.log_security_of(organization, event, reason, subject);
    }

    /// The same for what a committed command has noted.
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
            // Where nobody shows a credential the path is one, and must not lie open in the store.
            CredentialKind::None => idempotency::print(&self.bursar.vault, &target),
            CredentialKind::Client | CredentialKind::App | CredentialKind::Organization | CredentialKind::Member => {
                target
            }
        };
        Keyed::of(&self.bursar.vault, scope, key, target, &self.body)
    }
}

/// The refusal of an organization key that did not say for which app it acts.
pub fn app_id_required() -> Refusal {
    let message = "This route acts on an app. Send the app's id in the header Api-App-Id.";
    Refusal::field(Code::AppIdRequired, "Api-App-Id", message)
}
