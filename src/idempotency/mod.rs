//! Idempotency keys (docs/decisions.md 4).
//!
//! Invariant: a key is executed at most once, permanently. The key's row, the effect and the stored response commit
//! together, so no key can get stuck in progress.
//!
//! A response whose bytes an event of its command has is not stored again: its row names the event
//! (docs/internals/adr/0043-stored-responses-point-at-events.md).

mod answer;
mod pipeline;

pub use answer::{Answer, Content, Outcome};
pub use pipeline::{Admitted, Answering, Once, answering};

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use uuid::Uuid;

use crate::clock::Time;
use crate::engine::Command;
use crate::ids::{AppId, EventId, OrgId};
use crate::program::{Lost, Original, Originals};
use crate::reason::Reason;
use crate::refusal::{Code, ErrorContext, FieldError, Refusal};
use crate::scope::Scope;
use crate::strict_json::Json;
use crate::vault::{KeyedHasher, Purpose, SealContext, Vault};
use crate::world::query::{Compare, Condition, Direction};
use crate::world::record::Cell;
use crate::world::record::{Document, key, record};
use crate::world::{Halt, Query, Record, World};

/// How long a response is stored. After that a tombstone remains, which refuses the key.
pub const ANSWER_KEPT_SECONDS: i64 = 30 * crate::clock::DAY_SECONDS;

/// The status of a tombstone; no response has it.
const BURIED: i64 = 0;

record! {
    /// A used key with its request and its response.
    pub struct StoredAnswer in "stored_answers" {
        key (org, scope, idempotency_key);
        pub org: OrgId,
        /// The acting app, or the organization itself.
        pub scope: Uuid,
        pub idempotency_key: String,
        /// Method, path and query of the request; their hash if the path is the credential.
        pub target: String,
        /// A short hash of each field of its body.
        pub fields: Document<BTreeMap<String, String>>,
        /// The status of the response; [`BURIED`] for a tombstone.
        pub status: i64,
        /// The response's body, byte for byte, or [`SEALED`] and its seal if it contains a secret; empty for none, and
        /// for a tombstone and for a response with an event.
        pub body: Option<String>,
        /// The id in the body, so that a caller can find the created object.
        pub object_id: Option<String>,
        pub created_at: Time,
        /// The event in the scope's log whose object is the response's body.
        pub event: Option<EventId>,
        /// See [`Original::address_start`].
        pub address_start: Option<String>,
    }
}

#[derive(Clone, Debug)]
pub struct Keyed {
    /// The acting app, or the organization.
    pub scope: Uuid,
    pub key: String,
    /// Method, path and query; their hash if the path is the credential.
    pub target: String,
    /// A short hash of each field.
    pub fields: BTreeMap<String, String>,
    pub vault: Arc<Vault>,
    pub originals: Originals,
    /// The request, for the body of a refusal.
    pub context: ErrorContext,
}

impl Keyed {
    /// Returns a keyed request for `target`: method, path and query as [`target`] writes them. Its refusals name no
    /// request.
    pub fn of(vault: &Arc<Vault>, originals: Originals, scope: Uuid, key: &str, target: String, body: &Json) -> Self {
        let fields = if let Json::Object(fields) = body { fields.as_slice() } else { &[] };
        let hasher = vault.keyed_hasher(Purpose::Fingerprint);
        // A null field of a new object equals a missing one.
        let fields = fields
            .iter()
            .filter(|(_, value)| *value != Json::Null)
            .map(|(name, value)| (name.clone(), print_by(&hasher, &value.canonical())))
            .collect();
        let (key, context) = (key.to_owned(), ErrorContext::default());
        Self { scope, key, target, fields, vault: vault.clone(), originals, context }
    }
}

/// Returns method, path and query as they are stored with a key.
pub fn target(method_and_path: &str, query: &[(String, String)]) -> String {
    let query: String = query.iter().map(|(name, value)| format!("{name}={value}&")).collect();
    format!("{method_and_path}?{query}")
}

/// Returns a short keyed hash of a field's value, which allows only a comparison.
pub(crate) fn print(vault: &Vault, canonical: &str) -> String {
    print_by(&vault.keyed_hasher(Purpose::Fingerprint), canonical)
}

fn print_by(hasher: &KeyedHasher, canonical: &str) -> String {
    let hash = hasher.hash(&[canonical.as_bytes()]);
    let first = hash.first_chunk().expect("a hash has 32 bytes");
    format!("{:016x}", u64::from_be_bytes(*first))
}

fn keep(world: &mut World, org: OrgId, keyed: &Keyed, answer: &Answer) {
    let body = match &answer.content {
        Content::Json(body) | Content::Csv(body) => Some(body.as_str()),
        Content::Empty | Content::Refusal(_) | Content::Html(_) | Content::File { .. } => None,
    };
    let find = |body| (keyed.originals.find)(world, &keyed.vault, log_of(org, keyed.scope), body);
    let original = body.and_then(find);
    let stored = body.filter(|_| original.is_none());
    let object_id = stored.and_then(object_id);
    let body = stored.map(|body| if answer.secret { seal(world, org, keyed, body) } else { body.to_owned() });
    let (event, address_start) = original.map_or((None, None), |found| (Some(found.event), found.address_start));
    world.add(StoredAnswer {
        org,
        scope: keyed.scope,
        idempotency_key: keyed.key.clone(),
        target: keyed.target.clone(),
        fields: Document(keyed.fields.clone()),
        status: i64::from(answer.status),
        object_id,
        body,
        created_at: world.now(),
        event,
        address_start,
    });
}

/// Returns the scope of the log in which originals are searched. Scopes of members and of links have no log.
const fn log_of(org: OrgId, scope: Uuid) -> Scope {
    Scope { org, app: AppId(scope) }
}

/// The field of a response that identifies the created object.
#[derive(serde::Deserialize)]
struct Identified {
    id: Option<String>,
}

fn object_id(body: &str) -> Option<String> {
    serde_json::from_str::<Identified>(body).ok()?.id
}

/// The prefix of a sealed body; no JSON document begins with it.
const SEALED: &str = "sealed:";

/// Seals a body that contains a secret, because the store keeps it for 30 days.
fn seal(world: &mut World, org: OrgId, keyed: &Keyed, body: &str) -> String {
    let sealed = keyed.vault.seal(&place_of(org, keyed.scope, &keyed.key), body.as_bytes(), world.random());
    format!("{SEALED}{}", BASE64_STANDARD.encode(sealed))
}

/// Returns the body of a stored response; `Ok(None)` if it has none, or is a tombstone.
pub fn body_of(
    world: &World,
    vault: &Vault,
    originals: Originals,
    stored: &StoredAnswer,
) -> Result<Result<Option<String>, Lost>, Halt> {
    match stored.original() {
        Some(original) => Ok((originals.read)(world, vault, log_of(stored.org, stored.scope), &original)?.map(Some)),
        None if stored.body.is_none() => Ok(Ok(None)),
        None => Ok(shown(stored, vault).map(Some).ok_or(Lost::Damaged)),
    }
}

fn place_of(org: OrgId, scope: Uuid, key: &str) -> SealContext {
    let row = [scope.as_bytes().as_slice(), key.as_bytes()].concat();
    let formerly = [org.0.as_bytes().as_slice(), row.as_slice()].concat();
    SealContext::new(Purpose::ApiSecret, org, <StoredAnswer as Record>::TABLE.name, row, "body").formerly(formerly)
}

/// Returns the body that is stored with its key, empty if there is none; `None` if its seal does not open.
pub fn shown(stored: &StoredAnswer, vault: &Vault) -> Option<String> {
    let Some(body) = &stored.body else { return Some(String::new()) };
    let Some(sealed) = body.strip_prefix(SEALED) else { return Some(body.clone()) };
    let bytes = BASE64_STANDARD.decode(sealed).ok()?;
    let opened = vault.open(&place_of(stored.org, stored.scope, &stored.idempotency_key), &bytes).ok()?;
    String::from_utf8(opened).ok()
}

impl StoredAnswer {
    pub fn original(&self) -> Option<Original> {
        Some(Original { event: self.event?, address_start: self.address_start.clone() })
    }

    /// Returns the scope of the log with the original.
    pub const fn log(&self) -> Scope {
        log_of(self.org, self.scope)
    }

    /// Returns the sealed body and its context; `None` if the body has no secret.
    pub fn seal(&self) -> Option<(SealContext, Vec<u8>)> {
        let sealed = self.body.as_ref()?.strip_prefix(SEALED)?;
        let seal_context = place_of(self.org, self.scope, &self.idempotency_key);
        Some((seal_context, BASE64_STANDARD.decode(sealed).unwrap_or_default()))
    }

    pub fn replace_seal(&mut self, sealed: &[u8]) {
        self.body = Some(format!("{SEALED}{}", BASE64_STANDARD.encode(sealed)));
    }

    pub fn that_are_sealed(query: Query) -> Query {
        let end = "sealed;".to_owned();
        query.filter("body", Compare::AtLeast, SEALED.to_owned().to_value()).filter(
            "body",
            Compare::Less,
            end.to_value(),
        )
    }

    /// Replaces the response by a tombstone.
    pub fn bury(&mut self) {
        (self.body, self.event, self.address_start) = (None, None, None);
        self.status = BURIED;
    }

    pub const fn is_buried(&self) -> bool {
        self.status == BURIED
    }

    /// Returns whether the response has expired, removed or not; see [`outlived`].
    fn is_over(&self, now: Time) -> bool {
        // Independent of the time, because the clocks of several processes may differ.
        self.status == BURIED || (self.status < 300 && self.created_at < now.plus_seconds(-ANSWER_KEPT_SECONDS))
    }
}

/// Returns expired responses of all organizations, oldest first. Refusals are never removed: they are as short as a
/// tombstone and say more.
pub fn outlived(now: Time, limit: usize) -> Query {
    let table = <StoredAnswer as Record>::TABLE;
    let column = |name| table.position(name).expect("a column of stored responses");
    let condition = |name, compare, value| Condition { column: column(name), compare, value };
    Query {
        table,
        conditions: vec![
            condition("created_at", Compare::Less, now.plus_seconds(-ANSWER_KEPT_SECONDS).to_value()),
            // Only rows with a body: a comparison never matches an empty cell.
            condition("body", Compare::AtLeast, String::new().to_value()),
            condition("status", Compare::Less, 300_i64.to_value()),
        ],
        through: None,
        order: column("created_at"),
        direction: Direction::Ascending,
        after: None,
        limit,
    }
}

/// Replaces a stored response by a tombstone; the key stays used permanently.
#[derive(Clone, Debug)]
pub struct MakeTombstone {
    pub org: OrgId,
    pub scope: Uuid,
    pub key: String,
}

impl Command for MakeTombstone {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        if let Some(stored) = world.get::<StoredAnswer>(key![self.org, self.scope, self.key])? {
            world.change(&stored, StoredAnswer::bury);
        }
        Ok(())
    }
}

/// Returns the stored response for an equal request; else a refusal that names the differing fields.
fn replay(world: &World, stored: &StoredAnswer, keyed: &Keyed) -> Result<Answer, Halt> {
    let body = body_of(world, &keyed.vault, keyed.originals, stored)?;
    let id = stored.object_id.clone().or_else(|| object_id(body.as_ref().ok()?.as_ref()?));
    let of = id.map(|id| format!(" It created {id}.")).unwrap_or_default();
    let differing = differences(stored, keyed);
    if !differing.is_empty() {
        let names: Vec<&str> = differing.iter().map(|error| error.field.as_str()).collect();
        let message =
            format!("This idempotency key was used for another request, which differs in: {}.{of}", names.join(", "));
        let refusal = Refusal::new(Code::IdempotencyKeyReused, message).because(Reason::RequestDiffers);
        return Err(Refusal { errors: differing, ..refusal }.into());
    }
    if stored.is_over(world.now()) {
        let message = format!(
            "This request was made more than 30 days ago, and its response is no longer stored.{of} Fetch the result, and \
             send the request with a new key only if it must take effect a second time."
        );
        return Err(Refusal::new(Code::IdempotencyKeyReused, message).because(Reason::ResponseExpired).into());
    }
    let status = u16::try_from(stored.status).unwrap_or(200);
    let body = body.map_err(|lost| match lost {
        Lost::Erased { object } => {
            let message = format!(
                "The response of this idempotency key was deleted, because it contained data of an erased payee. The \
                 request took effect: fetch {object} for its result, or use a new key for a new request."
            );
            Refusal::new(Code::IdempotencyKeyReused, message).because(Reason::ResponseErased)
        }
        Lost::Damaged => Refusal::new(Code::InternalError, "The stored response of this idempotency key is damaged."),
    })?;
    let content = body.map_or(Content::Empty, Content::Json);
    Ok(Answer { content, replayed: true, ..Answer::empty(status) })
}

fn differences(stored: &StoredAnswer, keyed: &Keyed) -> Vec<FieldError> {
    let differs = |field: String| FieldError {
        field,
        code: Code::IdempotencyKeyReused.as_str(),
        reason: None,
        message: "differs from the first request with this key".to_owned(),
    };
    let mut errors = Vec::new();
    if stored.target != keyed.target {
        errors.push(differs("path".to_owned()));
    }
    let before = &stored.fields.0;
    // Earlier versions also stored the hash of a null.
    let null = print(&keyed.vault, &Json::Null.canonical());
    let first = |name: &String| before.get(name).filter(|print| **print != null);
    let names: std::collections::BTreeSet<&String> = before.keys().chain(keyed.fields.keys()).collect();
    errors.extend(
        names.into_iter().filter(|name| first(name) != keyed.fields.get(*name)).map(|name| differs(format!("/{name}"))),
    );
    errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Bursar, Environment};
    use crate::world::Query;

    const ORG: OrgId = OrgId(Uuid::from_u128(1));

    /// Returns a secret that differs in each run.
    struct Echo(&'static str);

    impl Command for Echo {
        type Reply = &'static str;
        fn decide(&self, _: &mut World) -> Result<&'static str, Halt> {
            Ok(self.0)
        }
    }

    fn once(bursar: &Bursar, secret: &'static str) -> Once {
        let keyed = Keyed {
            scope: ORG.0,
            key: "k".to_owned(),
            target: "POST /".to_owned(),
            fields: BTreeMap::new(),
            vault: bursar.vault.clone(),
            originals: Originals::NONE,
            context: ErrorContext::default(),
        };
        let answer = |reported: &&str| Answer::created(&serde_json::json!({"id": "7", "api_key": reported})).secret();
        Once { org: ORG, keyed: Some(keyed), command: Ok(answering(Echo(secret), answer)) }
    }

    #[tokio::test]
    async fn a_secret_is_repeated_but_never_stored_open() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        let first = bursar.engine.run(ORG, once(&bursar, "hush")).await.unwrap();
        let again = bursar.engine.run(ORG, once(&bursar, "another")).await.unwrap();
        assert_eq!((again.status, &again.content, again.replayed), (201, &first.content, true));

        let all = Query::of::<StoredAnswer>(ORG.to_value(), "scope", 10);
        let stored = bursar.read(move |world| world.page::<StoredAnswer>(&all)).await.unwrap();
        assert_eq!(stored[0].object_id.as_deref(), Some("7"));
        let body = stored[0].body.clone().unwrap();
        assert!(body.starts_with(SEALED) && !body.contains("hush"), "{body}");
    }

    /// Stored hashes must remain comparable: a change of their form fails this test.
    #[test]
    fn the_stored_form_of_a_field_is_fixed() {
        let body =
            r#"{"amount": 100, "memo": null, "payee": {"phone_number": "2127361234", "country_code": "1"}, "x": "x"}"#;
        let vault = Arc::new(Vault::new([7; 32]));
        let body = Json::parse(body.as_bytes()).unwrap();
        let keyed = Keyed::of(&vault, Originals::NONE, ORG.0, "k", String::new(), &body);
        let fields = [("amount", "cc21d02897436b40"), ("payee", "706818b9f9c208d1"), ("x", "be9d17764481a4ce")];
        let fields = fields.map(|(name, print)| (name.to_owned(), print.to_owned()));
        assert_eq!(keyed.fields, BTreeMap::from(fields));
        assert_eq!(print(&vault, "null"), "9a9893ee6fbcc77a");
    }

    /// An earlier version stored the hash of a null, and its callers may retry with this version.
    #[tokio::test]
    async fn a_null_that_was_kept_is_nothing() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        let with = |fields: &[(&str, &str)]| {
            let mut once = once(&bursar, "hush");
            let prints = fields.iter().map(|(name, value)| ((*name).to_owned(), print(&bursar.vault, value)));
            once.keyed.as_mut().unwrap().fields = prints.collect();
            once
        };
        bursar.engine.run(ORG, with(&[("amount", "1"), ("memo", "null")])).await.unwrap();
        assert!(bursar.engine.run(ORG, with(&[("amount", "1")])).await.unwrap().replayed);
        let refusal = bursar.engine.run(ORG, with(&[("amount", "1"), ("memo", "\"x\"")])).await.unwrap_err();
        assert_eq!(refusal.errors[0].field, "/memo");
    }

    /// The cleanup runs once a minute of real time; the sandbox's clock may have moved by a year.
    #[tokio::test]
    async fn an_answer_is_over_after_thirty_days_whether_it_was_cleared_away_or_not() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        bursar.engine.run(ORG, once(&bursar, "hush")).await.unwrap();
        bursar.clock.advance(ANSWER_KEPT_SECONDS);
        assert!(bursar.engine.run(ORG, once(&bursar, "hush")).await.unwrap().replayed);
        bursar.clock.advance(1);
        let refusal = bursar.engine.run(ORG, once(&bursar, "hush")).await.unwrap_err();
        assert_eq!(refusal.code, Code::IdempotencyKeyReused);
        assert!(refusal.message.contains("It created 7."), "{}", refusal.message);
    }

    /// Another process with a faster clock may have removed the response.
    #[tokio::test]
    async fn a_tombstone_is_never_an_answer() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        bursar.engine.run(ORG, once(&bursar, "hush")).await.unwrap();
        bursar.engine.run(ORG, MakeTombstone { org: ORG, scope: ORG.0, key: "k".to_owned() }).await.unwrap();
        let refusal = bursar.engine.run(ORG, once(&bursar, "hush")).await.unwrap_err();
        assert_eq!(refusal.code, Code::IdempotencyKeyReused);
    }
}
