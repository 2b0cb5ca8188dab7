//! Authentication and authorization of every request (docs/decisions.md 2 and 16).

use std::sync::Arc;

use secrecy::ExposeSecret as _;
use uuid::Uuid;

use super::keys::{self, KeyOwner};
use super::model::Key;
use super::rows;
use crate::basic::Credential;
use crate::http::{Admission, Caller, CredentialKind, SignedIn, Who};
use crate::ids::{AppId, OrgId};
use crate::members::sign_in::{self, Kind, Token, rules};
use crate::members::{self, Member};
use crate::permission::Permission;
use crate::program::{Bursar, KnownKey};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// The headers with a caller's credentials.
#[derive(Clone, Copy, Debug, Default)]
pub struct Presented<'a> {
    pub authorization: Option<&'a str>,
    pub api_app_id: Option<&'a str>,
    pub member_session: Option<&'a str>,
}

/// Authenticates a caller and checks that they may call the route. `who` names the keys that open the route, `members`
/// the permission that a signed-in member needs. Without a key, a member session acts like the organization's key; with
/// an app's key, it opens routes that the app's key alone does not.
///
/// On routes for anyone, or for a provider that signs, no header is read and the caller has the nil organization: the
/// handler finds the tenant in the path.
///
/// # Errors
///
/// In this order: 401 `unauthorized`, `wrong-environment`; 403 `secret-key-required`, `organization-key-required`,
/// `member-proof-required`; 401 for an ended session; 403 `not-permitted` for a role that the route does not allow; 400
/// `invalid-input` for an `Api-App-Id` that is no id; 400 `app-id-required`; 403 `not-permitted` for an app's key with
/// another app's id; 404 for an app that the organization does not have.
pub async fn authenticate(
    bursar: &Bursar,
    presented: Presented<'_>,
    who: Who,
    members: Option<Permission>,
) -> Result<Caller, Refusal> {
    match who {
        Who::Anyone | Who::Provider => return Ok(anyone()),
        Who::App
        | Who::AppOrItsClient
        | Who::AppOrOrganization
        | Who::Organization
        | Who::OrganizationForApp
        | Who::Member => {}
    }
    if let (None, Some(session)) = (presented.authorization, presented.member_session) {
        return by_session_alone(bursar, session, presented.api_app_id, who, members).await;
    }
    let credential = credential(presented.authorization)?;
    let client_id = credential.client_id;
    let known = known_key(bursar, &client_id).await?;
    let shown = match (&credential.secret, known.app) {
        (None, app) => Shown::ClientIdAlone(app),
        (Some(secret), app)
            if !keys::is_secret(
                &bursar.vault,
                KeyOwner { org: known.org, app, client_id: &client_id },
                secret.expose_secret(),
                &known.secret_hash,
            ) =>
        {
            return Err(keys::unauthorized());
        }
        (Some(_), Some(app)) => Shown::AppKey(app),
        (Some(_), None) => Shown::OrganizationKey,
    };
    let now = bursar.clock.now();
    if known.expires_at.is_some_and(|at| at <= now) {
        let message = "This key has expired. Create another one with an organization key.";
        return Err(Refusal::new(Code::Unauthorized, message).because(Reason::KeyExpired));
    }
    if shown.kind() != CredentialKind::Client {
        bursar.keys.note_use(&client_id, known.org, now);
    }
    // On a route without members the header is ignored.
    let session = members.and_then(|permission| Some((presented.member_session?, permission)));
    may_call(shown, who, session.is_some())?;
    let member = match session {
        Some((session, permission)) => Some(signed_in(bursar, session, permission, Some(known.org)).await?.1),
        None => None,
    };
    let asked = asked_app(presented.api_app_id)?;
    let app = acting_app(bursar, known.org, acts_as(shown, who, asked)?).await?;
    Ok(Caller { org: known.org, app, kind: shown.kind(), member, client_id, admission: ADMISSION })
}

/// Authenticates a member without a key, who acts like the organization's key within their role.
async fn by_session_alone(
    bursar: &Bursar,
    session: &str,
    api_app_id: Option<&str>,
    who: Who,
    members: Option<Permission>,
) -> Result<Caller, Refusal> {
    let Some(permission) = members else {
        // A route without members must not reveal whether the session is live.
        let message = "This route does not accept a member session. Send a key in the header Authorization.";
        return Err(Refusal::new(Code::NotPermitted, message).because(Reason::MembersNotAccepted));
    };
    let (org, member) = signed_in(bursar, session, permission, None).await?;
    let app = acting_app(bursar, org, acts_as(Shown::Session, who, asked_app(api_app_id)?)?).await?;
    let client_id = format!("member {}", member.member);
    let kind = CredentialKind::Member;
    Ok(Caller { org, app, kind, member: Some(member), client_id, admission: ADMISSION })
}

/// Returns the member of a live session whose role has the permission, in the organization of the key, if any.
async fn signed_in(
    bursar: &Bursar,
    session: &str,
    permission: Permission,
    of: Option<OrgId>,
) -> Result<(OrgId, SignedIn), Refusal> {
    let token =
        Token::read(&bursar.vault, Kind::Session, session).filter(|token| of.is_none_or(|org| org == token.org));
    let Token { org, hash } = token.ok_or_else(sign_in::ended)?;
    let (session, member) = bursar.read(move |world| sign_in::by_secret(world, org, &hash)).await?;
    refuse_role(&member, permission)?;
    if rules::is_due(&session, bursar.clock.now()) {
        // A failure is ignored: the session then only seems idle for longer than it was.
        drop(bursar.engine.run(org, sign_in::Touch { org, session: session.id }).await);
    }
    Ok((org, SignedIn { member: member.id, session: session.id, permission }))
}

fn refuse_role(member: &Member, permission: Permission) -> Result<(), Refusal> {
    if members::may(member.role, permission) {
        return Ok(());
    }
    let roles = members::roles_that_may(permission);
    Err(Refusal::new(
        Code::NotPermitted,
        format!("{} has the role {}. This call requires one of the roles: {roles}.", member.name, member.role),
    )
    .because(Reason::RoleNotAllowed))
}

async fn acting_app(bursar: &Bursar, org: OrgId, acts_as: ActsAs) -> Result<Option<AppId>, Refusal> {
    Ok(match acts_as {
        ActsAs::Itself => None,
        ActsAs::Own(app) => Some(app),
        ActsAs::Claimed(app) => Some(owned_app(bursar, org, app).await?),
        ActsAs::ItselfBeside(app) => {
            owned_app(bursar, org, app).await?;
            None
        }
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// A live client id without its secret; of an app, or of an organization.
    ClientIdAlone(Option<AppId>),
    /// Both halves of an app's key.
    AppKey(AppId),
    /// Both halves of an organization's key.
    OrganizationKey,
    /// A member's session and no key.
    Session,
}

impl Shown {
    const fn kind(self) -> CredentialKind {
        match self {
            Self::ClientIdAlone(_) => CredentialKind::Client,
            Self::AppKey(_) => CredentialKind::App,
            Self::OrganizationKey => CredentialKind::Organization,
            Self::Session => CredentialKind::Member,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ActsAs {
    /// The organization.
    Itself,
    /// The organization; the request names an app, which must belong to it.
    ItselfBeside(AppId),
    /// The app of the key.
    Own(AppId),
    /// An app that the request names, not yet found.
    Claimed(AppId),
}

/// Whether the credential opens the route. `with_session`: the request has a session, and the route takes one.
fn may_call(shown: Shown, who: Who, with_session: bool) -> Result<(), Refusal> {
    match (shown, who) {
        (Shown::ClientIdAlone(Some(_)), Who::AppOrItsClient) => Ok(()),
        (_, Who::Anyone | Who::Provider) => Ok(()),
        (
            Shown::ClientIdAlone(_),
            Who::AppOrItsClient
            | Who::App
            | Who::AppOrOrganization
            | Who::Organization
            | Who::OrganizationForApp
            | Who::Member,
        ) => Err(Refusal::new(
            Code::SecretKeyRequired,
            "A client id alone can only submit payout requests. Send <client_id>:<api_key> from your server.",
        )),
        (Shown::AppKey(_), Who::Organization | Who::OrganizationForApp) if !with_session => Err(Refusal::new(
            Code::OrganizationKeyRequired,
            "This call requires an organization key, or a member session if the route accepts one.",
        )),
        (Shown::AppKey(_) | Shown::OrganizationKey, Who::Member) if !with_session => Err(Refusal::new(
            Code::MemberProofRequired,
            "Only the member can make this call. Sign in and send the session in the header Member-Session.",
        )),
        (
            Shown::AppKey(_) | Shown::OrganizationKey | Shown::Session,
            Who::AppOrItsClient
            | Who::App
            | Who::AppOrOrganization
            | Who::Organization
            | Who::OrganizationForApp
            | Who::Member,
        ) => Ok(()),
    }
}

/// Returns the actor of an admitted caller.
fn acts_as(shown: Shown, who: Who, asked: Option<AppId>) -> Result<ActsAs, Refusal> {
    match shown {
        Shown::ClientIdAlone(Some(own)) | Shown::AppKey(own) => {
            if asked.is_some_and(|asked| asked != own) {
                let message =
                    "The key belongs to another app than Api-App-Id. Omit the header, or use an organization key.";
                return Err(Refusal::field(Code::NotPermitted, "Api-App-Id", message).because(Reason::OtherApp));
            }
            Ok(ActsAs::Own(own))
        }
        Shown::ClientIdAlone(None) | Shown::OrganizationKey | Shown::Session => match (who, asked) {
            (Who::App | Who::AppOrItsClient | Who::OrganizationForApp, None) => Err(crate::http::app_id_required()),
            (Who::App | Who::AppOrItsClient | Who::AppOrOrganization | Who::OrganizationForApp, Some(app)) => {
                Ok(ActsAs::Claimed(app))
            }
            (Who::AppOrOrganization | Who::Organization | Who::Member | Who::Anyone | Who::Provider, None) => {
                Ok(ActsAs::Itself)
            }
            // The header has no effect on these routes, but a foreign id must not be accepted.
            (Who::Organization | Who::Member | Who::Anyone | Who::Provider, Some(app)) => Ok(ActsAs::ItselfBeside(app)),
        },
    }
}

fn anyone() -> Caller {
    let (org, kind) = (OrgId(Uuid::nil()), CredentialKind::None);
    Caller { org, app: None, kind, member: None, client_id: String::new(), admission: ADMISSION }
}

/// The app may be deleted between authentication and commit, so the commit checks it again. It also checks the member's
/// session and role.
const ADMISSION: Admission = Admission {
    needs: |caller| acts_for(caller).map(rows::want).into_iter().chain(session_rows(caller)).collect(),
    refuse_gone: |world, caller| {
        if let Some(SignedIn { member, session, permission }) = caller.member {
            let (_, member) = sign_in::of_member(world, caller.org, session, member)?;
            refuse_role(&member, permission)?;
        }
        let Some(scope) = acts_for(caller) else { return Ok(()) };
        if rows::find_even_deleted(world, scope)?.deleted_at.is_none() {
            return Ok(());
        }
        Err(match caller.kind {
            CredentialKind::Client | CredentialKind::App => keys::unauthorized(),
            CredentialKind::None | CredentialKind::Organization | CredentialKind::Member => Refusal::not_found("app"),
        }
        .into())
    },
};

fn acts_for(caller: &Caller) -> Option<Scope> {
    caller.app.map(|app| Scope { org: caller.org, app })
}

fn session_rows(caller: &Caller) -> Vec<Want> {
    let rows = |signed_in: SignedIn| {
        let session = Want::row::<sign_in::MemberSession>(key![caller.org, signed_in.session]);
        vec![session, Want::row::<Member>(key![caller.org, signed_in.member])]
    };
    caller.member.map_or_else(Vec::new, rows)
}

fn credential(header: Option<&str>) -> Result<Credential, Refusal> {
    let missing =
        "The credentials are missing. Send the header Authorization: Basic with the Base64 of <client_id>:<api_key>.";
    let header = header.ok_or_else(|| Refusal::new(Code::Unauthorized, missing).because(Reason::CredentialsMissing))?;
    Credential::parse(header)
        .map_err(|reason| Refusal::new(Code::Unauthorized, reason.to_string()).because(Reason::CredentialsMalformed))
}

fn asked_app(api_app_id: Option<&str>) -> Result<Option<AppId>, Refusal> {
    let Some(text) = api_app_id.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let id = if text.len() == 36 { Uuid::try_parse(text).ok() } else { None };
    match id {
        Some(id) => Ok(Some(AppId(id))),
        None => Err(Refusal::field(Code::InvalidInput, "Api-App-Id", "must be a UUID")),
    }
}

/// Returns the live key with this client id.
async fn known_key(bursar: &Bursar, client_id: &str) -> Result<Arc<KnownKey>, Refusal> {
    // Only keys of this environment are remembered.
    if let Some(known) = bursar.keys.get(client_id) {
        return Ok(known);
    }
    let org = keys::organization_in(client_id, bursar.environment)?;
    let asked = bursar.keys.ask();
    let wanted = client_id.to_owned();
    let known = Arc::new(bursar.read(move |world| live_key(world, org, &wanted)).await?);
    bursar.keys.remember(client_id, known.clone(), asked);
    Ok(known)
}

fn live_key(world: &mut World, org: OrgId, client_id: &str) -> Result<KnownKey, Halt> {
    let Some(key) = world.get::<Key>(key![org, client_id.to_owned()])?.filter(|key| key.revoked_at.is_none()) else {
        return Err(keys::unauthorized().into());
    };
    if !keys::agrees(client_id, key.app) {
        return Err(keys::unauthorized().into());
    }
    Ok(KnownKey { org, app: key.app, secret_hash: key.secret_hash.clone(), expires_at: key.expires_at })
}

async fn owned_app(bursar: &Bursar, org: OrgId, app: AppId) -> Result<AppId, Refusal> {
    bursar.read(move |world| Ok(rows::find(world, Scope { org, app })?.id)).await
}

#[cfg(test)]
mod tests {
    use base64::prelude::{BASE64_STANDARD, Engine as _};

    use super::*;
    use crate::apps::{CreateDemonstration, Credentials};
    use crate::engine::Command;
    use crate::http::{Answer, Call};
    use crate::program::Environment;
    use crate::strict_json::Json;

    const OWN: AppId = AppId(Uuid::from_u128(1));
    const OTHER: AppId = AppId(Uuid::from_u128(2));

    /// Authenticates with a key or a session alone.
    async fn authenticate(
        bursar: &Bursar,
        authorization: Option<&str>,
        api_app_id: Option<&str>,
        who: Who,
    ) -> Result<Caller, Refusal> {
        let presented = Presented { authorization, api_app_id, member_session: None };
        super::authenticate(bursar, presented, who, None).await
    }

    fn decided(shown: Shown, who: Who, asked: Option<AppId>) -> Result<ActsAs, Code> {
        may_call(shown, who, false).and_then(|()| acts_as(shown, who, asked)).map_err(|refusal| refusal.code)
    }

    /// Every credential on every kind of route, with every kind of `Api-App-Id`.
    #[test]
    fn who_may_call_what() {
        use ActsAs::{Claimed, Itself, ItselfBeside, Own};
        let no_secret = Err(Code::SecretKeyRequired);
        let no_organization = Err(Code::OrganizationKeyRequired);
        let own = [Ok(Own(OWN)), Ok(Own(OWN)), Err(Code::NotPermitted)];
        let claimed = [Err(Code::AppIdRequired), Ok(Claimed(OWN)), Ok(Claimed(OTHER))];
        let client = Shown::ClientIdAlone(Some(OWN));
        let organization_client = Shown::ClientIdAlone(None);
        let (app, organization, session) = (Shown::AppKey(OWN), Shown::OrganizationKey, Shown::Session);
        let no_member = Err(Code::MemberProofRequired);
        let itself = [Ok(Itself), Ok(ItselfBeside(OWN)), Ok(ItselfBeside(OTHER))];
        // The columns: without Api-App-Id, with the key's own app, with another.
        let table = [
            (client, Who::AppOrItsClient, own),
            (client, Who::App, [no_secret; 3]),
            (client, Who::AppOrOrganization, [no_secret; 3]),
            (client, Who::Organization, [no_secret; 3]),
            (client, Who::OrganizationForApp, [no_secret; 3]),
            (organization_client, Who::AppOrItsClient, [no_secret; 3]),
            (organization_client, Who::App, [no_secret; 3]),
            (organization_client, Who::AppOrOrganization, [no_secret; 3]),
            (organization_client, Who::Organization, [no_secret; 3]),
            (app, Who::AppOrItsClient, own),
            (app, Who::App, own),
            (app, Who::AppOrOrganization, own),
            (app, Who::Organization, [no_organization; 3]),
            (app, Who::OrganizationForApp, [no_organization; 3]),
            (organization, Who::OrganizationForApp, claimed),
            (organization, Who::AppOrItsClient, claimed),
            (organization, Who::App, claimed),
            (organization, Who::AppOrOrganization, [Ok(Itself), Ok(Claimed(OWN)), Ok(Claimed(OTHER))]),
            (organization, Who::Organization, itself),
            (client, Who::Member, [no_secret; 3]),
            (app, Who::Member, [no_member; 3]),
            (organization, Who::Member, [no_member; 3]),
            (session, Who::Member, itself),
            (session, Who::App, claimed),
            (session, Who::AppOrItsClient, claimed),
            (session, Who::OrganizationForApp, claimed),
            (session, Who::AppOrOrganization, [Ok(Itself), Ok(Claimed(OWN)), Ok(Claimed(OTHER))]),
            (session, Who::Organization, itself),
        ];
        for (shown, who, outcomes) in table {
            let asked = [None, Some(OWN), Some(OTHER)];
            assert_eq!(asked.map(|asked| decided(shown, who, asked)), outcomes, "{shown:?} on {who:?}");
        }
    }

    async fn demonstration(bursar: &Bursar) -> Credentials {
        let now = bursar.clock.now();
        let credentials = Credentials::draw(&mut bursar.entropy(), now, bursar.environment, &bursar.public_url);
        let command = CreateDemonstration::of(&credentials, &bursar.vault, &mut bursar.entropy());
        assert_eq!(bursar.engine.run(command.org, command).await, Ok(true));
        credentials
    }

    fn basic(client_id: &str, secret: &str) -> String {
        format!("Basic {}", BASE64_STANDARD.encode(format!("{client_id}:{secret}")))
    }

    #[tokio::test]
    async fn keys_open_their_own_organization() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        let ours = demonstration(&bursar).await;
        let theirs = demonstration(&bursar).await;
        let app_key = basic(&ours.app.client_id, &ours.app.api_key);
        let organization_key = basic(&ours.organization.client_id, &ours.organization.api_key);
        let (own, foreign) = (ours.app.id.to_string(), theirs.app.id.to_string());

        let caller = authenticate(&bursar, Some(&app_key), None, Who::App).await.unwrap();
        assert_eq!((caller.org, caller.app), (ours.organization.id, Some(ours.app.id)));
        assert_eq!((caller.kind, caller.client_id), (CredentialKind::App, ours.app.client_id.clone()));
        let caller = authenticate(&bursar, Some(&organization_key), Some(&own), Who::App).await.unwrap();
        assert_eq!((caller.app, caller.kind), (Some(ours.app.id), CredentialKind::Organization));
        let caller = authenticate(&bursar, Some(&organization_key), Some(&own), Who::Organization).await.unwrap();
        assert_eq!(caller.app, None);

        for (header, api_app_id, code) in [
            (&organization_key, foreign.as_str(), Code::NotFound),
            (&organization_key, "7", Code::InvalidInput),
            (&organization_key, " ", Code::AppIdRequired),
            (&app_key, foreign.as_str(), Code::NotPermitted),
        ] {
            let refusal = authenticate(&bursar, Some(header), Some(api_app_id), Who::App).await.unwrap_err();
            assert_eq!(refusal.code, code, "{api_app_id}");
        }
        let foreign = authenticate(&bursar, Some(&organization_key), Some(&foreign), Who::Organization).await;
        assert_eq!(foreign.unwrap_err().code, Code::NotFound);
    }

    /// Commits without an effect.
    struct Anything;

    impl Command for Anything {
        type Reply = ();
        fn decide(&self, _: &mut World) -> Result<(), Halt> {
            Ok(())
        }
    }

    /// A call that was admitted before the deletion and commits after it.
    #[tokio::test]
    async fn an_admitted_call_does_nothing_for_a_deleted_app() {
        let bursar = Arc::new(Bursar::in_memory(Environment::Sandbox).unwrap());
        let ours = demonstration(&bursar).await;
        let scope = Scope { org: ours.organization.id, app: ours.app.id };
        let (app_key, own) = (basic(&ours.app.client_id, &ours.app.api_key), ours.app.id.to_string());
        let organization_key = basic(&ours.organization.client_id, &ours.organization.api_key);
        let callers = [
            authenticate(&bursar, Some(&app_key), None, Who::App).await.unwrap(),
            authenticate(&bursar, Some(&app_key[..]), None, Who::AppOrItsClient).await.unwrap(),
            authenticate(&bursar, Some(&organization_key), Some(&own), Who::App).await.unwrap(),
            authenticate(&bursar, Some(&organization_key), None, Who::Organization).await.unwrap(),
        ];
        let calls = callers.map(|caller| Call {
            bursar: bursar.clone(),
            caller,
            target: "POST /v2/anything".to_owned(),
            path: Vec::new(),
            query: Vec::new(),
            signed_bytes: bytes::Bytes::new(),
            is_csv: false,
            body: Json::Object(Vec::new()),
            idempotency_key: Some("k".to_owned()),
            headers: Vec::new(),
            peer: None,
            request_id: "r".to_owned(),
        });
        for call in &calls {
            call.run(Anything).await.unwrap();
        }
        bursar.engine.run(scope.org, Gone(scope)).await.unwrap();
        let mut codes = Vec::new();
        for call in &calls {
            let run = call.run(Anything).await.err().map(|refusal| refusal.code);
            let once = call.once(Ok(Anything), |()| Answer::empty(200)).await.err().map(|refusal| refusal.code);
            assert_eq!(run, once);
            codes.push(run);
        }
        let (unauthorized, not_found) = (Some(Code::Unauthorized), Some(Code::NotFound));
        assert_eq!(codes, [unauthorized, unauthorized, not_found, None]);
    }

    /// Deletes an app without any check.
    struct Gone(Scope);

    impl Command for Gone {
        type Reply = ();
        fn decide(&self, world: &mut World) -> Result<(), Halt> {
            let app = rows::find(world, self.0)?;
            let now = world.now();
            world.change(&app, |app| app.deleted_at = Some(now));
            Ok(())
        }
    }

    #[tokio::test]
    async fn what_is_no_live_key_is_unauthorized() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        let ours = demonstration(&bursar).await;
        let theirs = demonstration(&bursar).await;
        let elsewhere = ours.app.client_id.replace("sandbox", "production");
        for (header, code) in [
            (None, Code::Unauthorized),
            (Some("Bearer x".to_owned()), Code::Unauthorized),
            (Some(basic(&ours.app.client_id, "wrong")), Code::Unauthorized),
            (Some(basic(&ours.app.client_id, &theirs.app.api_key)), Code::Unauthorized),
            (Some(basic(&ours.organization.client_id, &ours.app.api_key)), Code::Unauthorized),
            (Some(basic("pk_sandbox_x", &ours.app.api_key)), Code::Unauthorized),
            (Some(basic(&elsewhere, &ours.app.api_key)), Code::WrongEnvironment),
        ] {
            for who in [Who::AppOrItsClient, Who::App, Who::AppOrOrganization, Who::Organization] {
                let refusal = authenticate(&bursar, header.as_deref(), None, who).await.unwrap_err();
                assert_eq!(refusal.code, code, "{header:?} on {who:?}");
            }
        }
    }

    #[tokio::test]
    async fn a_public_route_ignores_the_credential_header() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        let caller = authenticate(&bursar, Some("nonsense"), Some("nonsense"), Who::Anyone).await.unwrap();
        assert_eq!((caller.org.0, caller.app, caller.kind), (Uuid::nil(), None, CredentialKind::None));
    }
}
