//! Every route with every credential: whether it is permitted, the refusal if not, and that a refused request changes
//! nothing (docs/decisions.md 2 and 16).
//!
//! The cells come from the table of routes and [`Shown::ALL`]; the expected result follows only from the route's `Who`,
//! by [`expected`]. A new route is tested automatically; it only needs a working request in `tests/samples/table.rs`.

use bursar::http::{Answer, Call, Outcome, Route, Who};
use bursar::members::{Role, may};
use bursar::permission::Permission;
use bursar::refusal::Code;
use serde_json::{Value, json};

use crate::harness::{Asking, Reply, Server};
use crate::samples::{Keys, Person, Sample, Stage, sample, totp_code};

/// The credential of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    NoKey,
    AnotherScheme,
    MalformedToken,
    UnknownClient,
    WrongSecret,
    SecretOfAnother,
    RevokedKey,
    KeyOfDeletedApp,
    AppKeyOfOtherEnvironment,
    OrganizationKeyOfOtherEnvironment,
    ClientSide,
    ClientSideOfSister,
    ClientSideOfOrganization,
    AppKey,
    AppKeyNamingItself,
    AppKeyNamingSister,
    AppKeyNamingNonsense,
    SisterKey,
    /// The sister app's key, after it named the phone of every payee of our app and sent each a link.
    SisterKeyHavingNamed,
    OrganizationKey,
    OrganizationKeyForApp,
    OrganizationKeyForSister,
    OrganizationKeyForForeignApp,
    OrganizationKeyForNonsense,
    ForeignAppKey,
    ForeignOrganizationKey,
    ForeignOrganizationKeyForItsApp,
    ForeignOrganizationKeyForOurApp,
    /// Only the key of an app whose organization set every limit and requires the members' own proof.
    AppKeyUnderLimits,
    UnknownSession,
    EndedSession,
    SessionOfViewer,
    SessionOfPayer,
    SessionOfApprover,
    SessionOfCreator,
    SessionOfAdmin,
    SessionOfAdminForNoApp,
    AppKeyWithSessionOfAdmin,
}

impl Shown {
    const ALL: [Self; 38] = [
        Self::NoKey,
        Self::AnotherScheme,
        Self::MalformedToken,
        Self::UnknownClient,
        Self::WrongSecret,
        Self::SecretOfAnother,
        Self::RevokedKey,
        Self::KeyOfDeletedApp,
        Self::AppKeyOfOtherEnvironment,
        Self::OrganizationKeyOfOtherEnvironment,
        Self::ClientSide,
        Self::ClientSideOfSister,
        Self::ClientSideOfOrganization,
        Self::AppKey,
        Self::AppKeyNamingItself,
        Self::AppKeyNamingSister,
        Self::AppKeyNamingNonsense,
        Self::SisterKey,
        Self::SisterKeyHavingNamed,
        Self::OrganizationKey,
        Self::OrganizationKeyForApp,
        Self::OrganizationKeyForSister,
        Self::OrganizationKeyForForeignApp,
        Self::OrganizationKeyForNonsense,
        Self::ForeignAppKey,
        Self::ForeignOrganizationKey,
        Self::ForeignOrganizationKeyForItsApp,
        Self::ForeignOrganizationKeyForOurApp,
        Self::AppKeyUnderLimits,
        Self::UnknownSession,
        Self::EndedSession,
        Self::SessionOfViewer,
        Self::SessionOfPayer,
        Self::SessionOfApprover,
        Self::SessionOfCreator,
        Self::SessionOfAdmin,
        Self::SessionOfAdminForNoApp,
        Self::AppKeyWithSessionOfAdmin,
    ];

    /// Returns the role of the member whose session is used.
    const fn role(self) -> Option<Role> {
        if matches!(self, Self::SessionOfAdmin | Self::SessionOfAdminForNoApp | Self::AppKeyWithSessionOfAdmin) {
            Some(Role::Admin)
        } else if matches!(self, Self::SessionOfViewer) {
            Some(Role::Viewer)
        } else if matches!(self, Self::SessionOfPayer) {
            Some(Role::Payer)
        } else if matches!(self, Self::SessionOfApprover) {
            Some(Role::ApApprover)
        } else if matches!(self, Self::SessionOfCreator) {
            Some(Role::ApCreator)
        } else {
            None
        }
    }

    /// Adds the credential to a request.
    fn on<'a>(self, asking: Asking<'a>, stage: &Stage) -> Asking<'a> {
        let with = |keys: &Keys| (keys.client_id.clone(), keys.api_key.clone());
        let elsewhere = |keys: &Keys| (keys.client_id.replace("sandbox", "production"), keys.api_key.clone());
        let alone = |keys: &Keys| (keys.client_id.clone(), String::new());
        let (app, organization, sister) = (&stage.app, &stage.organization, &stage.sister);
        let (foreign_app, foreign_organization) = (&stage.foreign_app, &stage.foreign_organization);
        let (key, acts_on) = match self {
            Self::NoKey => return asking,
            Self::AnotherScheme => return asking.header("authorization", format!("Bearer {}", app.api_key)),
            Self::MalformedToken => return asking.header("authorization", "Basic %%%"),
            // As long as a real one, and naming our organization.
            Self::UnknownClient => {
                let client_id: String = app.client_id.chars().take(app.client_id.len() - 8).collect();
                ((client_id + "AAAAAAAA", app.api_key.clone()), None)
            }
            Self::WrongSecret => ((app.client_id.clone(), format!("{}x", app.api_key)), None),
            Self::SecretOfAnother => ((app.client_id.clone(), sister.api_key.clone()), None),
            Self::RevokedKey => (with(&stage.revoked), None),
            Self::KeyOfDeletedApp => (with(&stage.deleted), None),
            Self::AppKeyOfOtherEnvironment => (elsewhere(app), None),
            Self::OrganizationKeyOfOtherEnvironment => (elsewhere(organization), Some(app.id.as_str())),
            Self::ClientSide => (alone(app), None),
            Self::ClientSideOfSister => (alone(sister), None),
            Self::ClientSideOfOrganization => (alone(organization), Some(app.id.as_str())),
            Self::AppKey => (with(app), None),
            Self::AppKeyNamingItself => (with(app), Some(app.id.as_str())),
            Self::AppKeyNamingSister => (with(app), Some(sister.id.as_str())),
            Self::AppKeyNamingNonsense => (with(app), Some("no-uuid")),
            Self::SisterKey | Self::SisterKeyHavingNamed => (with(sister), None),
            Self::OrganizationKey => (with(organization), None),
            Self::OrganizationKeyForApp => (with(organization), Some(app.id.as_str())),
            Self::OrganizationKeyForSister => (with(organization), Some(sister.id.as_str())),
            Self::OrganizationKeyForForeignApp => (with(organization), Some(foreign_app.id.as_str())),
            Self::OrganizationKeyForNonsense => (with(organization), Some("no-uuid")),
            Self::ForeignAppKey => (with(foreign_app), None),
            Self::ForeignOrganizationKey => (with(foreign_organization), None),
            Self::ForeignOrganizationKeyForItsApp => (with(foreign_organization), Some(foreign_app.id.as_str())),
            Self::ForeignOrganizationKeyForOurApp => (with(foreign_organization), Some(app.id.as_str())),
            Self::AppKeyUnderLimits | Self::AppKeyWithSessionOfAdmin => (with(app), None),
            Self::UnknownSession => return asking.by("ms_AAAA").for_app(&app.id),
            Self::SessionOfAdminForNoApp => return asking,
            Self::EndedSession
            | Self::SessionOfViewer
            | Self::SessionOfPayer
            | Self::SessionOfApprover
            | Self::SessionOfCreator
            | Self::SessionOfAdmin => return asking.for_app(&app.id),
        };
        let asking = asking.basic(&key.0, &key.1);
        match acts_on {
            Some(app) => asking.for_app(app),
            None => asking,
        }
    }
}

/// The expected result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Works,
    /// From another app of our organization: it works if it names no object of our app.
    WorksForSister,
    /// From another organization: it works if it names none of our objects.
    WorksForForeigner,
    /// Refused before any other check.
    Refused(Code),
}

/// Operations that need the member's own session in an app that requires it; confirming never accepts only the app's
/// key.
const PROVEN: [&str; 4] = ["submit_payable", "approve_payable", "reject_payable", "pay_payable"];

/// Operations that an app's key may not do while the organization limits the app's outgoing money.
const LIMITED: [&str; 2] = ["set_app_ach_account", "withdraw_from_app"];

/// Returns the expected result with a member's session.
fn of_session(shown: Shown, role: Role, route: &Route) -> Expected {
    let (who, operation) = (route.who, route.documented.operation_id);
    let Some(permission) = route.members else {
        // With an app's key the session has no meaning.
        let by_key =
            || if shown == Shown::AppKeyWithSessionOfAdmin { expected(Shown::AppKey, route) } else { NO_MEMBERS };
        return by_key();
    };
    // The sample ends the session of another member.
    let permission = if operation == "end_member_session" { Permission::Govern } else { permission };
    let of_app = matches!(who, Who::App | Who::AppOrItsClient | Who::OrganizationForApp);
    if !may(role, permission) {
        Expected::Refused(Code::NotPermitted)
    } else if shown == Shown::SessionOfAdminForNoApp && of_app {
        Expected::Refused(Code::AppIdRequired)
    } else {
        Expected::Works
    }
}

const NO_MEMBERS: Expected = Expected::Refused(Code::NotPermitted);

/// Returns the expected result of every cell.
fn expected(shown: Shown, route: &Route) -> Expected {
    use Expected::{Refused, Works, WorksForForeigner, WorksForSister};
    let who = route.who;
    if let Some(role) = shown.role()
        && !matches!(who, Who::Anyone | Who::Provider)
    {
        return of_session(shown, role, route);
    }
    let by_member = who == Who::Member;
    let of_app = matches!(who, Who::App | Who::AppOrItsClient | Who::OrganizationForApp);
    let of_organization = who == Who::Organization;
    let needs_organization = matches!(who, Who::Organization | Who::OrganizationForApp);
    // A provider's signature is compared with the request; `delivery.rs` tests wrong signatures.
    if matches!(who, Who::Anyone | Who::Provider) {
        return Works;
    }
    match shown {
        Shown::NoKey | Shown::AnotherScheme | Shown::MalformedToken => Refused(Code::Unauthorized),
        Shown::UnknownClient | Shown::WrongSecret | Shown::SecretOfAnother => Refused(Code::Unauthorized),
        Shown::RevokedKey | Shown::KeyOfDeletedApp => Refused(Code::Unauthorized),
        Shown::AppKeyOfOtherEnvironment | Shown::OrganizationKeyOfOtherEnvironment => Refused(Code::WrongEnvironment),
        Shown::ClientSide if who == Who::AppOrItsClient => Works,
        Shown::ClientSideOfSister if who == Who::AppOrItsClient => WorksForSister,
        Shown::ClientSide | Shown::ClientSideOfSister | Shown::ClientSideOfOrganization => {
            Refused(Code::SecretKeyRequired)
        }
        Shown::UnknownSession | Shown::EndedSession if route.members.is_none() => NO_MEMBERS,
        Shown::UnknownSession | Shown::EndedSession => Refused(Code::Unauthorized),
        // No key may do the acts that members do for themselves, for any app.
        _ if by_member => Refused(Code::MemberProofRequired),
        Shown::AppKeyUnderLimits if needs_organization => Refused(Code::OrganizationKeyRequired),
        Shown::AppKeyUnderLimits if PROVEN.contains(&route.documented.operation_id) => {
            Refused(Code::MemberProofRequired)
        }
        Shown::AppKeyUnderLimits if LIMITED.contains(&route.documented.operation_id) => {
            Refused(Code::OrganizationKeyRequired)
        }
        Shown::AppKeyUnderLimits => Works,
        Shown::AppKey | Shown::AppKeyNamingItself | Shown::AppKeyNamingSister | Shown::AppKeyNamingNonsense
            if needs_organization =>
        {
            Refused(Code::OrganizationKeyRequired)
        }
        Shown::SisterKey | Shown::SisterKeyHavingNamed | Shown::ForeignAppKey if needs_organization => {
            Refused(Code::OrganizationKeyRequired)
        }
        Shown::AppKey | Shown::AppKeyNamingItself => Works,
        Shown::AppKeyNamingSister => Refused(Code::NotPermitted),
        Shown::AppKeyNamingNonsense | Shown::OrganizationKeyForNonsense => Refused(Code::InvalidInput),
        Shown::SisterKey | Shown::SisterKeyHavingNamed => WorksForSister,
        Shown::OrganizationKey | Shown::ForeignOrganizationKey if of_app => Refused(Code::AppIdRequired),
        Shown::OrganizationKey | Shown::OrganizationKeyForApp => Works,
        // For an object of the organization the named app makes no difference.
        Shown::OrganizationKeyForSister if of_organization => Works,
        Shown::OrganizationKeyForSister => WorksForSister,
        Shown::OrganizationKeyForForeignApp | Shown::ForeignOrganizationKeyForOurApp => Refused(Code::NotFound),
        Shown::ForeignAppKey | Shown::ForeignOrganizationKey | Shown::ForeignOrganizationKeyForItsApp => {
            WorksForForeigner
        }
        Shown::SessionOfViewer
        | Shown::SessionOfPayer
        | Shown::SessionOfApprover
        | Shown::SessionOfCreator
        | Shown::SessionOfAdmin
        | Shown::SessionOfAdminForNoApp
        | Shown::AppKeyWithSessionOfAdmin => unreachable!("they have a role"),
    }
}

/// A request that can be sent with any credential.
struct Cell<'a> {
    stage: &'a Stage,
    route: &'a Route,
    shown: Shown,
    person: Option<Person>,
}

impl<'a> Cell<'a> {
    /// Creates the cell of a credential. Its member exists before the request's objects are created.
    async fn of(stage: &'a Stage, route: &'a Route, shown: Shown) -> Self {
        let person = match shown.role() {
            Some(role) => Some(stage.signed_in(role.as_str()).await),
            None if shown == Shown::EndedSession => {
                let person = stage.signed_in("admin").await;
                let path = format!("/v2/member-sessions/{}", person.session_id);
                stage.server.delete(&path).as_org().send().await.expect(200);
                Some(person)
            }
            None => None,
        };
        Self { stage, route, shown, person }
    }

    /// Returns the request as the holder of the credential sends it, and their session.
    async fn prepared(&self, sample: &Sample) -> (Sample, Option<String>) {
        let mut sample = sample.clone();
        let Some(person) = self.person.clone() else { return (sample, None) };
        sample.headers.remove("member-session");
        if let Some(fields) = sample.body.as_mut().and_then(serde_json::Value::as_object_mut) {
            fields.shift_remove("acting_user_id");
            if self.route.documented.operation_id == "confirm_member_totp" && self.shown.role().is_some() {
                fields["code"] = totp_code(&self.stage.server, &person.session).await.into();
            }
        }
        (sample, Some(person.session))
    }

    /// Sets every limit of our app and requires the members' own proof; or removes both.
    async fn limit(&self, limited: bool) {
        if self.shown != Shown::AppKeyUnderLimits {
            return;
        }
        let settings = if limited {
            json!({"member_proof": "required", "payout_limits": {"per_payout": 50_000, "per_day": 1_000_000}})
        } else {
            json!({"member_proof": null, "payout_limits": null})
        };
        let path = format!("/v2/apps/{}/settings", self.stage.app.id);
        self.stage.server.put(&path).as_org().json(settings).send().await.expect(200);
    }

    async fn send(&self, sample: &Sample, session: Option<&str>) -> Reply {
        let asking = self.stage.server.ask(self.route.method.as_str(), &sample.target(self.route.path));
        let mut asking = self.shown.on(asking, self.stage);
        if let Some(session) = session {
            asking = asking.by(session);
        }
        for (name, value) in &sample.headers {
            asking = asking.header(name, value);
        }
        let fields: Vec<(&str, &str)> = sample.form.iter().map(|(name, value)| (*name, value.as_str())).collect();
        match &sample.body {
            Some(body) => asking.json(body.clone()).send().await,
            None if !fields.is_empty() => asking.form(&fields).send().await,
            None => asking.send().await,
        }
    }

    fn wrong(&self, what: &str, reply: &Reply) -> String {
        let shown: String = reply.text.chars().take(300).collect();
        format!("{} {:?}: {what}: {} {shown}", self.route.documented.operation_id, self.shown, reply.status)
    }

    /// Checks that it is refused with this code, and that the store is unchanged.
    async fn is_refused(&self, sample: &Sample, code: Code) -> Vec<String> {
        let (sample, session) = self.prepared(sample).await;
        self.limit(true).await;
        self.stage.server.store().take_changes();
        let reply = self.send(&sample, session.as_deref()).await;
        let mut wrong = Vec::new();
        if (reply.status, reply.body["error_code"].as_str()) != (code.status(), Some(code.as_str())) {
            wrong.push(self.wrong(&format!("should be {} {}", code.status(), code.as_str()), &reply));
        }
        let changes = self.stage.server.store().take_changes();
        if let Some(change) = changes.first() {
            wrong.push(self.wrong(&format!("was refused and changed {}", change.table.name), &reply));
        }
        let challenged = reply.header("www-authenticate").is_some();
        if challenged != (reply.status == 401) {
            wrong.push(self.wrong("WWW-Authenticate stands with 401 and nowhere else", &reply));
        }
        self.limit(false).await;
        wrong
    }

    /// Checks that it succeeds as the route declares, and returns the expected data.
    async fn works(&self, sample: &Sample) -> Vec<String> {
        let (sample, session) = self.prepared(sample).await;
        self.limit(true).await;
        let reply = self.send(&sample, session.as_deref()).await;
        self.limit(false).await;
        let mut wrong: Vec<String> = self.succeeds(&reply).into_iter().collect();
        for id in sample.shows.iter().filter(|id| !reply.text.contains(*id)) {
            wrong.push(self.wrong(&format!("does not show {id}"), &reply));
        }
        wrong
    }

    fn succeeds(&self, reply: &Reply) -> Option<String> {
        let declared = self.route.documented.answers.iter().any(|(status, ..)| *status == reply.status);
        (!declared || reply.status >= 400).then(|| self.wrong("should succeed as it declares", reply))
    }

    /// Checks that it works for another caller on their own objects, and neither shows nor changes ours.
    async fn works_in_others(&self, sample: &Sample, ours: &[String]) -> Vec<String> {
        let before = self.our_view().await;
        let reply = self.send(sample, None).await;
        let mut wrong: Vec<String> = self.succeeds(&reply).into_iter().collect();
        // The organization's key made ours, and sees its own requests.
        let shows_own_requests = self.shown == Shown::OrganizationKeyForSister
            && self.route.documented.operation_id == "list_sandbox_requests";
        for id in ours.iter().filter(|id| !shows_own_requests && reply.text.contains(*id)) {
            wrong.push(self.wrong(&format!("shows {id}, which is ours"), &reply));
        }
        if self.our_view().await != before {
            wrong.push(self.wrong("changed something of ours", &reply));
        }
        wrong
    }

    /// Returns our app's events and ledger.
    async fn our_view(&self) -> (String, String) {
        let stage = self.stage;
        let mut after = 0;
        loop {
            let page = stage.read(&format!("/v2/events?limit=100&after={after}")).await;
            let newest = page["data"].as_array().and_then(|events| events.last()?["sequence"].as_i64());
            after = newest.unwrap_or(after);
            if page["has_more"] == false {
                let book = stage.read("/v2/ledger/trial-balance").await;
                return (after.to_string(), book["accounts"].to_string());
            }
        }
    }

    /// Sends the request and judges the response. `spare` is a request that has not succeeded yet.
    async fn judge(&self, spare: &Sample) -> Vec<String> {
        let (of_app, of_organization) = self.stage.owned();
        let everything = [of_app.clone(), of_organization].concat();
        let names = |ids: &[String]| ids.iter().any(|id| names(spare, id));
        // A sample of a member's own request includes a session, which only its owner sends.
        let mut keyed = spare.clone();
        keyed.headers.remove("member-session");
        let spare = &keyed;
        match expected(self.shown, self.route) {
            Expected::Refused(code) => self.is_refused(spare, code).await,
            Expected::WorksForSister if names(&of_app) => self.is_refused(spare, Code::NotFound).await,
            Expected::WorksForForeigner if names(&everything) => self.is_refused(spare, Code::NotFound).await,
            Expected::WorksForSister => self.works_in_others(&self.fresh().await, &of_app).await,
            Expected::WorksForForeigner => self.works_in_others(&self.fresh().await, &everything).await,
            Expected::Works => self.works(&self.fresh().await).await,
        }
    }

    async fn fresh(&self) -> Sample {
        sample(self.stage, self.route.documented.operation_id).await.expect("there was one before")
    }
}

/// Returns whether a request names an object, in its path or its body.
fn names(sample: &Sample, id: &String) -> bool {
    let body = sample.body.as_ref().map(ToString::to_string).unwrap_or_default();
    sample.path.contains(id) || sample.query.contains(id) || body.contains(id)
}

/// Checks all cells of a route; returns their number and the errors.
async fn check(stage: &Stage, route: &Route) -> (usize, Vec<String>) {
    let operation = route.documented.operation_id;
    let Some(spare) = sample(stage, operation).await else {
        return (0, vec![format!("{operation} has no sample: add a working request to tests/samples/table.rs")]);
    };
    stage.server.store().watch();
    let mut wrong = Vec::new();
    let (lets_in, turns_away): (Vec<Shown>, Vec<Shown>) =
        Shown::ALL.into_iter().partition(|shown| expected(*shown, route) == Expected::Works);
    for shown in turns_away {
        if shown == Shown::SisterKeyHavingNamed {
            wrong.extend(name_our_payees(stage).await);
        }
        wrong.extend(Cell::of(stage, route, shown).await.judge(&spare).await);
    }
    // The request that was refused so often is valid: it works for its owner.
    let shown = match route.who {
        Who::Organization => Shown::OrganizationKey,
        Who::OrganizationForApp => Shown::OrganizationKeyForApp,
        Who::Anyone | Who::Provider | Who::AppOrItsClient | Who::App | Who::AppOrOrganization => Shown::AppKey,
        // Its sample includes the session.
        Who::Member => Shown::NoKey,
    };
    wrong.extend(Cell { stage, route, shown, person: None }.works(&spare).await);
    for shown in lets_in {
        wrong.extend(Cell::of(stage, route, shown).await.judge(&spare).await);
    }
    (Shown::ALL.len(), wrong)
}

/// Names every payee of our app by phone, as the sister app: it gains nothing.
async fn name_our_payees(stage: &Stage) -> Vec<String> {
    let ours = stage.read("/v2/users?limit=100").await;
    let mut wrong = Vec::new();
    for payee in ours["data"].as_array().expect("a list").iter().filter(|payee| payee["phone_number"].is_object()) {
        let phone = &payee["phone_number"];
        let ask = |path| Shown::SisterKeyHavingNamed.on(stage.server.post(path), stage);
        let person = json!({
            "first_name": "Jane", "last_name": "Doe", "email": "jane@example.com",
            "country_code": phone["country_code"], "phone_number": phone["phone_number"],
        });
        let named = ask("/v2/users").json(person).send().await;
        if named.body["error_code"] != "user-in-another-app" || names_any(&named.text, payee) {
            wrong.push(format!("naming a phone of ours: {}", named.text));
        }
        let link = ask("/v2/payout-links").json(json!({"amount": 1, "payee": phone})).send().await;
        if link.status != 201 {
            wrong.push(format!("a link to a phone of ours: {}", link.text));
        }
    }
    wrong
}

fn names_any(text: &str, payee: &Value) -> bool {
    ["id", "first_name"].iter().filter_map(|field| payee[field].as_str()).any(|known| text.contains(known))
}

/// Checks one part of the table; the parts run in parallel.
async fn check_part(part: usize, parts: usize) {
    let table = bursar::routes::table();
    let routes: Vec<&Route> = table.iter().enumerate().filter(|(at, _)| at % parts == part).map(|(_, r)| r).collect();
    let (mut cells, mut wrong) = (0, Vec::new());
    for route in &routes {
        let stage = if route.who == Who::Provider { Stage::with_gateway().await } else { Stage::set().await };
        let (checked, found) = check(&stage, route).await;
        cells += checked;
        wrong.extend(found);
    }
    assert!(wrong.is_empty(), "{} cells are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(cells, routes.len() * Shown::ALL.len(), "a cell was left out");
}

const PARTS: usize = 4;

#[tokio::test]
async fn every_route_answers_every_credential_as_it_should_first_part() {
    check_part(0, PARTS).await;
}

#[tokio::test]
async fn every_route_answers_every_credential_as_it_should_second_part() {
    check_part(1, PARTS).await;
}

#[tokio::test]
async fn every_route_answers_every_credential_as_it_should_third_part() {
    check_part(2, PARTS).await;
}

#[tokio::test]
async fn every_route_answers_every_credential_as_it_should_fourth_part() {
    check_part(3, PARTS).await;
}

#[test]
fn no_credential_is_listed_twice() {
    for (at, shown) in Shown::ALL.iter().enumerate() {
        assert!(!Shown::ALL[at + 1..].contains(shown), "{shown:?}");
    }
}

/// Shows any link to every permitted caller: an error that the matrix must find.
async fn leak(call: Call) -> Outcome {
    Ok(Answer::ok(&serde_json::json!({"id": call.parameter("payout_link_id")})))
}

#[tokio::test]
async fn a_route_that_leaks_is_found() {
    let get = bursar::routes::table().into_iter().find(|route| route.documented.operation_id == "get_payout_link");
    let mut route = get.expect("links can be read");
    let handler = Route::new(route.method, "/v2/leaks/{payout_link_id}", route.who, "get_payout_link", leak);
    (route.path, route.handler) = (handler.path, handler.handler);
    let server = Server::with_routes(vec![route.clone()], bursar::dispatch::Limits::default()).await;
    let (cells, wrong) = check(&Stage::on(server).await, &route).await;
    assert_eq!(cells, Shown::ALL.len());
    for shown in [
        "SisterKey",
        "SisterKeyHavingNamed",
        "OrganizationKeyForSister",
        "ForeignAppKey",
        "ForeignOrganizationKeyForItsApp",
    ] {
        assert!(wrong.iter().any(|line| line.contains(&format!(" {shown}: should be 404"))), "{shown}: {wrong:?}");
    }
    assert_eq!(wrong.len(), 5, "{wrong:?}");
}
