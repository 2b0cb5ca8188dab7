//! Who calls, and may they: the one gate before every route (decisions.md 2 and 16).

use std::sync::Arc;

use secrecy::ExposeSecret as _;
use uuid::Uuid;

use super::keys;
use super::model::{self, Key};
use crate::basic::Credential;
use crate::http::{Admission, Bursar, Caller, CredentialKind, KnownKey, Scope, Who};
use crate::ids::{AppId, OrgId};
use crate::refusal::{Code, Refusal};
use crate::world::Halt;
use crate::world::World;
use crate::world::record::key;

/// Lets a caller in, or says why not. `header` is the value of `Authorization`, `api_app_id` that
/// of `Api-App-Id`.
///
/// Where anyone may call, or a carrier that signs, no header is looked at here and the caller has the organization
/// of all zeroes: the handler finds the tenant in the path.
///
/// # Errors
/// In this order: 401 `unauthorized`, `wrong-environment`; 403 `secret-key-required`,
/// `organization-key-required`; 400 `invalid-input` for an `Api-App-Id` that is no id; 400
/// `app-id-required`; 403 `not-permitted` for an app's key with another app's id; 404 for an app
/// that the organization does not have.
pub async fn authenticate(
    bursar: &Bursar,
    header: Option<&str>,
    api_app_id: Option<&str>,
    who: Who,
) -> Result<Caller, Refusal> {
    match who {
        Who::Anyone | Who::Carrier => return Ok(anyone()),
        Who::App | Who::AppOrItsClient | Who::AppOrOrganization | Who::Organization | Who::OrganizationForApp => {}
    }
    let credential = credential(header)?;
    let client_id = credential.client_id;
    let known = known_key(bursar, &client_id).await?;
    let shown = match (&credential.secret, known.app) {
        (None, app) => Shown::ClientIdAlone(app),
        (Some(secret), _)
            if !keys::is_secret(&bursar.vault, &client_id, secret.expose_secret(), &known.secret_hash) =>
        {
            return Err(keys::unauthorized());
        }
        (Some(_), Some(app)) => Shown::AppKey(app),
        (Some(_), None) => Shown::OrganizationKey,
    };
    may_call(shown, who)?;
    let app = acts_as(shown, who, asked_app(api_app_id)?)?;
    let app = match app {
        ActsAs::Itself => None,
        ActsAs::Own(app) => Some(app),
        ActsAs::Claimed(app) => Some(owned_app(bursar, known.org, app).await?),
        ActsAs::ItselfBeside(app) => {
            owned_app(bursar, known.org, app).await?;
            None
        }
    };
    Ok(Caller { org: known.org, app, kind: shown.kind(), client_id, admission: ADMISSION })
}

/// What a caller has shown, once its secret was found right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// A live client id without its secret; of an app, or of an organization.
    ClientIdAlone(Option<AppId>),
    /// Both halves of an app's key.
    AppKey(AppId),
    /// Both halves of an organization's key.
    OrganizationKey,
}

impl Shown {
    const fn kind(self) -> CredentialKind {
        match self {
            Self::ClientIdAlone(_) => CredentialKind::Client,
            Self::AppKey(_) => CredentialKind::App,
            Self::OrganizationKey => CredentialKind::Organization,
        }
    }
}

/// As whom a caller acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ActsAs {
    /// The organization.
    Itself,
    /// The organization; an app was named beside, which must be its own all the same.
    ItselfBeside(AppId),
    /// The app whose key was shown.
    Own(AppId),
    /// An app that an organization's key has named and that must be found yet.
    Claimed(AppId),
}

/// Whether such a credential opens such a route at all.
fn may_call(shown: Shown, who: Who) -> Result<(), Refusal> {
    match (shown, who) {
        (Shown::ClientIdAlone(Some(_)), Who::AppOrItsClient) => Ok(()),
        (_, Who::Anyone | Who::Carrier) => Ok(()),
        (
            Shown::ClientIdAlone(_),
            Who::AppOrItsClient | Who::App | Who::AppOrOrganization | Who::Organization | Who::OrganizationForApp,
        ) => Err(Refusal::new(
            Code::SecretKeyRequired,
            "A client id alone may only submit payout requests. Send <client_id>:<api_key>, from your server.",
        )),
        (Shown::AppKey(_), Who::Organization | Who::OrganizationForApp) => {
            Err(Refusal::new(Code::OrganizationKeyRequired, "This needs a key of the organization, not of an app."))
        }
        (Shown::AppKey(_), Who::AppOrItsClient | Who::App | Who::AppOrOrganization) => Ok(()),
        (
            Shown::OrganizationKey,
            Who::AppOrItsClient | Who::App | Who::AppOrOrganization | Who::Organization | Who::OrganizationForApp,
        ) => Ok(()),
    }
}

/// As whom the caller acts, who may call the route.
fn acts_as(shown: Shown, who: Who, asked: Option<AppId>) -> Result<ActsAs, Refusal> {
    match shown {
        Shown::ClientIdAlone(Some(own)) | Shown::AppKey(own) => {
            if asked.is_some_and(|asked| asked != own) {
                let message = "This key is another app's: leave Api-App-Id out, or use the organization's key.";
                return Err(Refusal::field(Code::NotPermitted, "Api-App-Id", message));
            }
            Ok(ActsAs::Own(own))
        }
        Shown::ClientIdAlone(None) | Shown::OrganizationKey => match (who, asked) {
            (Who::App | Who::AppOrItsClient | Who::OrganizationForApp, None) => Err(crate::http::app_id_required()),
            (Who::App | Who::AppOrItsClient | Who::AppOrOrganization | Who::OrganizationForApp, Some(app)) => {
                Ok(ActsAs::Claimed(app))
            }
            (Who::AppOrOrganization | Who::Organization | Who::Anyone | Who::Carrier, None) => Ok(ActsAs::Itself),
            // The header has no meaning there, but an id of somebody else's must not pass for right.
            (Who::Organization | Who::Anyone | Who::Carrier, Some(app)) => Ok(ActsAs::ItselfBeside(app)),
        },
    }
}

fn anyone() -> Caller {
    let (org, kind) = (OrgId(Uuid::nil()), CredentialKind::None);
    Caller { org, app: None, kind, client_id: String::new(), admission: ADMISSION }
}

/// Who acts as an app is let in while it is there. It may be deleted between that and the commit: then exactly one of
/// the two is done.
const ADMISSION: Admission = Admission {
    needs: |caller| acts_for(caller).map(model::want).into_iter().collect(),
    refuse_gone: |world, caller| {
        let Some(scope) = acts_for(caller) else { return Ok(()) };
        if model::find_even_deleted(world, scope)?.deleted_at.is_none() {
            return Ok(());
        }
        Err(match caller.kind {
            CredentialKind::Client | CredentialKind::App => keys::unauthorized(),
            CredentialKind::None | CredentialKind::Organization => Refusal::not_found("app"),
        }
        .into())
    },
};

fn acts_for(caller: &Caller) -> Option<Scope> {
    caller.app.map(|app| Scope { org: caller.org, app })
}

fn credential(header: Option<&str>) -> Result<Credential, Refusal> {
    let missing = "Send the header Authorization: Basic with the Base64 of <client_id>:<api_key>.";
    let header = header.ok_or_else(|| Refusal::new(Code::Unauthorized, missing))?;
    Credential::parse(header).map_err(|reason| Refusal::new(Code::Unauthorized, format!("{reason}.")))
}

fn asked_app(api_app_id: Option<&str>) -> Result<Option<AppId>, Refusal> {
    let Some(text) = api_app_id.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let id = if text.len() == 36 { Uuid::try_parse(text).ok() } else { None };
    match id {
        Some(id) => Ok(Some(AppId(id))),
        None => Err(Refusal::field(Code::InvalidInput, "Api-App-Id", "must be a UUID")),
    }
}

/// The live key with this client id.
async fn known_key(bursar: &Bursar, client_id: &str) -> Result<Arc<KnownKey>, Refusal> {
    let org = keys::organization_in(client_id, bursar.environment)?;
    if let Some(known) = bursar.keys.get(client_id) {
        return Ok(known);
    }
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
    Ok(KnownKey { org, app: key.app, secret_hash: key.secret_hash.clone() })
}

async fn owned_app(bursar: &Bursar, org: OrgId, app: AppId) -> Result<AppId, Refusal> {
    bursar.read(move |world| Ok(model::find(world, Scope { org, app })?.id)).await
}

#[cfg(test)]
mod tests {
    use base64::prelude::{BASE64_STANDARD, Engine as _};

    use super::*;
    use crate::apps::{CreateDemonstration, Credentials};
    use crate::engine::Command;
    use crate::http::{Answer, Call, Environment};
    use crate::strict_json::Json;

    const OWN: AppId = AppId(Uuid::from_u128(1));
    const OTHER: AppId = AppId(Uuid::from_u128(2));

    fn decided(shown: Shown, who: Who, asked: Option<AppId>) -> Result<ActsAs, Code> {
        may_call(shown, who).and_then(|()| acts_as(shown, who, asked)).map_err(|refusal| refusal.code)
    }

    /// Every credential on every kind of route, with every kind of `Api-App-Id`.
    #[test]
    fn who_may_call_what_as_whom() {
        use ActsAs::{Claimed, Itself, ItselfBeside, Own};
        let no_secret = Err(Code::SecretKeyRequired);
        let no_organization = Err(Code::OrganizationKeyRequired);
        let own = [Ok(Own(OWN)), Ok(Own(OWN)), Err(Code::NotPermitted)];
        let claimed = [Err(Code::AppIdRequired), Ok(Claimed(OWN)), Ok(Claimed(OTHER))];
        let client = Shown::ClientIdAlone(Some(OWN));
        let organization_client = Shown::ClientIdAlone(None);
        let (app, organization) = (Shown::AppKey(OWN), Shown::OrganizationKey);
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
            (organization, Who::Organization, [Ok(Itself), Ok(ItselfBeside(OWN)), Ok(ItselfBeside(OTHER))]),
        ];
        for (shown, who, outcomes) in table {
            let asked = [None, Some(OWN), Some(OTHER)];
            assert_eq!(asked.map(|asked| decided(shown, who, asked)), outcomes, "{shown:?} on {who:?}");
        }
    }

    /// A program with its demonstration organization.
    async fn demonstration(bursar: &Bursar) -> Credentials {
        let now = bursar.clock.now();
        let credentials = Credentials::draw(&mut bursar.entropy(), now, bursar.environment, &bursar.public_url);
        let command = CreateDemonstration::of(&credentials, &bursar.vault, &mut bursar.entropy());
        assert_eq!(bursar.engine.run(command).await, Ok(true));
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

    /// Does nothing, but it commits.
    struct Anything;

    impl Command for Anything {
        type Reply = ();
        fn organization(&self) -> OrgId {
            OrgId(Uuid::nil())
        }
        fn decide(&self, _: &mut World) -> Result<(), Halt> {
            Ok(())
        }
    }

    /// What was let in before an app was deleted, and commits after it.
    #[tokio::test]
    async fn who_was_let_in_does_nothing_for_an_app_that_is_deleted_meanwhile() {
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
            body: Json::Object(Vec::new()),
            idempotency_key: Some("k".to_owned()),
            headers: Vec::new(),
            peer: None,
        });
        for call in &calls {
            call.run(Anything).await.unwrap();
        }
        bursar.engine.run(Gone(scope)).await.unwrap();
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

    /// Deletes an app, whatever it holds.
    struct Gone(Scope);

    impl Command for Gone {
        type Reply = ();
        fn organization(&self) -> OrgId {
            self.0.org
        }
        fn decide(&self, world: &mut World) -> Result<(), Halt> {
            let app = model::find(world, self.0)?;
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
    async fn where_anyone_may_call_no_header_is_looked_at() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        let caller = authenticate(&bursar, Some("nonsense"), Some("nonsense"), Who::Anyone).await.unwrap();
        assert_eq!((caller.org.0, caller.app, caller.kind), (Uuid::nil(), None, CredentialKind::None));
    }
}
