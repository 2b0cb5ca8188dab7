//! Administrative acts: who changed a key, a member, a setting or a policy, when, and how.
//!
//! An act is an event of the organization's own log, whose app id is the organization's id. Acts are therefore chained,
//! anchored and verified like all events, and committed with their change. No webhook endpoint receives them.
//! Deliberately absent: secrets, and names and contacts of people; an act names the changed fields.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use super::emit::{NewEvent, emit};
use super::event::Event;
use super::head::HeadJson;
use super::log::{Filter, Page, head_of};
use super::names::EventName;
use crate::clock::Time;
use crate::http::lists::LIMIT_MAX;
use crate::http::{Answer, Call, Outcome};
use crate::ids::{AppId, EventId, MemberId, OrgId};
use crate::input::input;
use crate::input::types::Integer;
use crate::scope::Scope;
use crate::world::query::Direction;
use crate::world::record::words;
use crate::world::{Halt, World};

words! {
    /// The kind of act.
    pub enum ActKind {
        OrganizationCreated = "organization.created",
        AppCreated = "app.created",
        /// Its name or metadata changed.
        AppChanged = "app.changed",
        /// Its keys were revoked too.
        AppDeleted = "app.deleted",
        SettingsChanged = "settings.changed",
        KeyIssued = "key.issued",
        KeyRevoked = "key.revoked",
        MemberCreated = "member.created",
        MemberChanged = "member.changed",
        MemberRemoved = "member.removed",
        PolicyCreated = "policy.created",
        PolicyChanged = "policy.changed",
        PolicyDeleted = "policy.deleted",
        UserErased = "user.erased",
        VerificationUnlocked = "verification.unlocked",
        UserExported = "user.exported",
        BankConnectionCreated = "bank_connection.created",
        BankConnectionChanged = "bank_connection.changed",
        BankConnectionTested = "bank_connection.tested",
        BankConnectionApproved = "bank_connection.approved",
        BankConnectionPaused = "bank_connection.paused",
        BankConnectionResumed = "bank_connection.resumed",
        OriginatorAdded = "originator.added",
        OriginatorApproved = "originator.approved",
        OriginatorEnded = "originator.ended",
        SettlementAccountAdded = "settlement_account.added",
        SettlementAccountApproved = "settlement_account.approved",
        SettlementAccountEnded = "settlement_account.ended",
        RailProviderAdded = "rail_provider.added",
        RailProviderApproved = "rail_provider.approved",
        RailProviderRotated = "rail_provider.secret_rotated",
        RailProviderEnded = "rail_provider.ended",
        /// By the program: the balance at the provider is too low.
        RailProviderShort = "rail_provider.short_of_funds",
        /// By the program: the provider accepts payments again.
        RailProviderFunded = "rail_provider.funded",
        RailPaymentDecisionProposed = "rail_payment.decision_proposed",
        RailPaymentDecided = "rail_payment.decided",
        RailRouteAdded = "rail_route.added",
        RailRouteApproved = "rail_route.approved",
        RailRouteEnded = "rail_route.ended",
        BankFileReleased = "bank_file.released",
        BankFileMarkedSent = "bank_file.marked_sent",
        BankFileMarkedUnsent = "bank_file.marked_unsent",
        BankFileDecisionProposed = "bank_file.decision_proposed",
        BankFileDecided = "bank_file.decided",
        BankFileRedated = "bank_file.redated",
        BankFileCanceled = "bank_file.canceled",
        BankReversalProposed = "bank_reversal.proposed",
        BankReversalApproved = "bank_reversal.approved",
        BankReversalDismissed = "bank_reversal.dismissed",
        InboundFileUploaded = "inbound_file.uploaded",
        InboundFileReplayed = "inbound_file.replayed",
        InboundFileDiscarded = "inbound_file.discarded",
        BankItemMatched = "bank_item.matched",
        BankItemApproved = "bank_item.approved",
        BankItemIgnored = "bank_item.ignored",
        BankItemWrittenOff = "bank_item.written_off",
        BankItemExplained = "bank_item.explained",
        BankStatementConfirmed = "bank_statement.confirmed",
        BankStatementDiscarded = "bank_statement.discarded",
        BankStatementRestored = "bank_statement.restored",
    }
}

#[derive(Clone, Debug)]
pub struct NewAct {
    pub kind: ActKind,
    pub app: Option<AppId>,
    /// A client id, or an object's id.
    pub subject: String,
    pub member: Option<MemberId>,
    /// The changed fields before the act.
    pub before: Map<String, Value>,
    /// The changed fields after the act.
    pub after: Map<String, Value>,
}

impl NewAct {
    pub fn of(kind: ActKind, app: Option<AppId>, subject: impl ToString) -> Self {
        let (before, after) = (Map::new(), Map::new());
        Self { kind, app, subject: subject.to_string(), member: None, before, after }
    }

    #[must_use]
    pub fn by(self, member: Option<MemberId>) -> Self {
        Self { member, ..self }
    }

    /// Adds the fields that differ.
    #[must_use]
    pub fn changing(mut self, before: &impl Serialize, after: &impl Serialize) -> Self {
        let fields = |object: Option<Value>| match object {
            Some(Value::Object(fields)) => fields,
            Some(_) | None => Map::new(),
        };
        let (before, after) = (fields(serde_json::to_value(before).ok()), fields(serde_json::to_value(after).ok()));
        for name in before.keys().chain(after.keys()) {
            let (was, is) = (before.get(name), after.get(name));
            if was != is {
                self.before.insert(name.clone(), was.cloned().unwrap_or_default());
                self.after.insert(name.clone(), is.cloned().unwrap_or_default());
            }
        }
        self
    }
}

#[derive(Serialize, Deserialize)]
struct Kept {
    act: String,
    by: Option<String>,
    member_id: Option<MemberId>,
    app_id: Option<AppId>,
    subject: String,
    before: Map<String, Value>,
    after: Map<String, Value>,
}

/// Returns the scope of an organization's acts; no app has the organization's id.
const fn log_of(org: OrgId) -> Scope {
    Scope { org, app: AppId(org.0) }
}

pub fn record(world: &mut World, org: OrgId, act: NewAct) -> Result<(), Halt> {
    let by = world.caller().map(|caller| caller.to_string()).filter(|caller| !caller.is_empty());
    let NewAct { kind, app: app_id, subject, member: member_id, before, after } = act;
    let act = kind.as_str().to_owned();
    let kept = Kept { act, by, member_id, app_id, subject, before, after };
    let id: Uuid = world.id();
    emit(world, log_of(org), NewEvent::of(EventName::AdministrativeAct, id, 1, &kept))
}

input! {
    /// The parameters of the list of acts.
    pub struct ActsQuery {
        /// Return only acts after this sequence number; all if 0 or not given.
        pub after: Option<Integer<0, { i64::MAX }>>,
        /// Acts per page, 1 to 100; 100 if not given.
        pub limit: Option<Integer<1, LIMIT_MAX>>,
    }
}

/// A change by a person with authority.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AdministrativeActJson {
    /// The act's id.
    pub id: EventId,
    /// The act's position in the organization's log: 1 for the first, then counted up without gaps.
    pub sequence: i64,
    /// When the act was recorded.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The kind of act, for example settings.changed.
    #[schema(example = "settings.changed")]
    pub act: String,
    /// The client id of the key that was used; null if bursar or its command line made the change.
    #[schema(required)]
    pub by: Option<String>,
    /// The member who made the change, if known.
    #[schema(required)]
    pub member_id: Option<MemberId>,
    /// The app that the act concerns, if any.
    #[schema(required)]
    pub app_id: Option<AppId>,
    /// The changed object: a client id or an object's id.
    pub subject: String,
    /// The changed fields before the act, without secrets.
    #[schema(value_type = Object)]
    pub before: Map<String, Value>,
    /// The changed fields after the act.
    #[schema(value_type = Object)]
    pub after: Map<String, Value>,
}

impl AdministrativeActJson {
    fn of(event: &Event) -> Option<Self> {
        let Kept { act, by, member_id, app_id, subject, before, after } = serde_json::from_str(&event.object).ok()?;
        let Event { id, sequence, created_at: created, .. } = *event;
        Some(Self { id, sequence, created, act, by, member_id, app_id, subject, before, after })
    }
}

/// A page of acts, and the signed head of their log.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ActsJson {
    /// Whether more acts exist after this page.
    pub has_more: bool,
    /// The acts, oldest first.
    pub data: Vec<AdministrativeActJson>,
    /// The signed head of the log; null if the log is empty.
    #[schema(required)]
    pub head: Option<HeadJson>,
}

/// GET /v2/administrative-acts
pub async fn list(call: Call) -> Outcome {
    let scope = log_of(call.caller.org);
    let asked: ActsQuery = call.query()?;
    let after = asked.after.map_or(0, |after| after.0);
    let limit = usize::try_from(asked.limit.map_or(LIMIT_MAX, |limit| limit.0)).unwrap_or(1);
    let (direction, filter) = (Direction::Ascending, Filter::default());
    let page = Page { scope, filter, direction, after: Some(after), limit: limit + 1 };
    let (mut events, head) = call.read(move |world| Ok((page.events(world)?, head_of(world, scope)?))).await?;
    let has_more = events.len() > limit;
    events.truncate(limit);
    let data = events.iter().filter_map(|event| AdministrativeActJson::of(event)).collect();
    Ok(Answer::ok(&ActsJson { has_more, data, head: head.map(|head| HeadJson::of(&call.bursar.history, &head)) }))
}
