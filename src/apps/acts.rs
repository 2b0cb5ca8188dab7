//! Acts of the command line, the server and the setup on organizations and keys.
//!
//! A production server that starts over an empty store draws a token and prints it. The caller who presents it within
//! an hour creates the first organization, once. Only the token's hash is kept, in memory: another start prints another
//! token.

use super::create::CreateApp;
use super::first::{
    AdministratorJson, CreateOrganization, CreatedOrganizationJson, FirstAppJson, FirstOrganization, SetUpLinkJson,
};
use super::inputs::AppName;
use super::json::ShownKeyJson;
use super::keys::{Drawn, Opens};
use super::last_use::NoteUse;
use super::rows::is_empty;
use crate::email::Email;
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::OrgId;
use crate::input::input;
use crate::input::types::Line;
use crate::members::http::hashed;
use crate::members::sign_in::{Kind, NewToken};
use crate::members::{NewMember, NewPassword, Role};
use crate::program::{Bursar, Environment, Setup};
use crate::refusal::{Code, Refusal};
use crate::security_log::Noted;
use crate::security_log::SecurityEvent;
use crate::vault::Purpose;

/// The seconds for which a setup token is valid.
const TOKEN_SECONDS: i64 = 3_600;

input! {
    /// The first organization.
    pub struct SetupInput {
        /// The token that the server printed.
        pub token: Line<100>,
        /// The organization's name.
        pub name: Line<100>,
        /// The e-mail address of its administrator.
        pub admin_email: Email,
        /// The administrator's name; by default the e-mail address.
        pub admin_name: Option<Line<100>>,
        /// The name of a first app: 3 to 60 characters.
        pub app_name: Option<AppName>,
        /// The administrator's password, at least 12 characters; without it, the response has a set-up token.
        pub admin_password: Option<NewPassword>,
    }
}

#[derive(Clone, Debug)]
pub struct OpenedSetup {
    pub token: String,
    /// The page that takes the token.
    pub link: String,
}

/// Draws a setup token, which creates one organization.
#[must_use]
pub fn open_setup(bursar: &Bursar) -> OpenedSetup {
    use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
    let token = BASE64_URL_SAFE_NO_PAD.encode(bursar.entropy().bytes::<32>());
    let expires_at = bursar.clock.now().plus_seconds(TOKEN_SECONDS);
    bursar.setup.open(Setup { hash: hash_of(bursar, &token), expires_at });
    OpenedSetup { link: setup_link(&bursar.public_url, &token), token }
}

/// Returns the page that takes a setup token, of an organization or of a member.
fn setup_link(public_url: &str, token: &str) -> String {
    format!("{public_url}/setup/{token}")
}

fn hash_of(bursar: &Bursar, token: &str) -> [u8; 32] {
    bursar.vault.keyed_hash(Purpose::Session, &[b"setup", token.as_bytes()])
}

/// Checks that a setup token is valid.
///
/// # Errors
///
/// `not-found` if it is not.
pub async fn check_setup(bursar: &Bursar, token: &str) -> Result<(), Refusal> {
    let is_open = bursar.setup.is_open(&hash_of(bursar, token), bursar.clock.now());
    if is_open && is_first(bursar).await? { Ok(()) } else { Err(gone()) }
}

/// In production a setup token creates the first organization only.
async fn is_first(bursar: &Bursar) -> Result<bool, Refusal> {
    Ok(bursar.environment == Environment::Sandbox || bursar.read(is_empty).await?)
}

pub async fn create_first_organization(call: Call) -> Outcome {
    let input: SetupInput = call.body()?;
    let email = input.admin_email.as_str().to_owned();
    let asked = FirstOrganization {
        name: input.name.0,
        admin_name: input.admin_name.map_or_else(|| email.clone(), |name| name.0),
        admin_email: email,
        admin_password_hash: None,
        app_name: input.app_name.map(|name| name.0),
    };
    let made = set_up_organization(&call, &input.token.0, asked, input.admin_password).await?;
    Ok(Answer::created(&made).secret())
}

/// Creates the first organization with a setup token, over the API and on the page.
///
/// # Errors
///
/// `not-found` for an invalid token; `service-unavailable` if the store cannot be written, in which case the token
/// stays valid.
pub async fn set_up_organization(
    call: &Call,
    token: &str,
    mut asked: FirstOrganization,
    password: Option<NewPassword>,
) -> Result<CreatedOrganizationJson, Refusal> {
    let bursar = &call.bursar;
    let refused = |refusal: Refusal| {
        call.log_security(SecurityEvent::SetupTokenRefused, refusal.code.as_str(), None);
        refusal
    };
    // Check the token first: a guess must not cost a password hash.
    check_setup(bursar, token).await.map_err(refused)?;
    if let Some(password) = password {
        asked.admin_password_hash = Some(hashed(call, password).await?);
    }
    // Take the token before any change: only one of two requests with it succeeds.
    let setup = bursar.setup.take(&hash_of(bursar, token), bursar.clock.now()).ok_or_else(|| refused(gone()))?;
    let made = create_organization(bursar, asked).await.inspect_err(|_| bursar.setup.open(setup))?;
    let reason = "organization-created";
    let noted = |event, subject: String| Noted { event, reason, organization: made.id, subject };
    call.log_noted(&[
        noted(SecurityEvent::SetupTokenUsed, made.id.to_string()),
        noted(SecurityEvent::OrganizationCreated, made.id.to_string()),
        noted(SecurityEvent::KeyIssued, made.keys.client_id.clone()),
        noted(SecurityEvent::MemberChanged, made.administrator.id.to_string()),
    ]);
    if let Some(app) = &made.app {
        call.log_noted(&[
            noted(SecurityEvent::AppChanged, app.id.clone()),
            noted(SecurityEvent::KeyIssued, app.keys.client_id.clone()),
        ]);
    }
    Ok(made)
}

fn gone() -> Refusal {
    let message = "The setup token is not valid: it was used, it has expired, or the organization already exists. \
                   Restart the server with an empty store to get another, or run: bursar organizations create";
    Refusal::new(Code::NotFound, message)
}

/// Creates an organization, and returns its secrets.
///
/// # Errors
///
/// `service-unavailable` if the store cannot be written.
pub async fn create_organization(
    bursar: &Bursar,
    asked: FirstOrganization,
) -> Result<CreatedOrganizationJson, Refusal> {
    let (mut entropy, now) = (bursar.entropy(), bursar.clock.now());
    let org: OrgId = entropy.id(now);
    let own = Drawn::draw(&mut entropy, bursar.environment, org, Opens::Organization);
    let apps = asked.app_name.map(|name| (name, Drawn::draw(&mut entropy, bursar.environment, org, Opens::App)));
    let id = entropy.id(now);
    let token = NewToken::draw(&bursar.vault, &mut entropy, Kind::SetUp, org);
    let set_up_hash = asked.admin_password_hash.is_none().then(|| token.hash.clone());
    let administrator = NewMember {
        id,
        name: asked.admin_name,
        email: asked.admin_email.clone(),
        role: Role::Admin,
        password_hash: asked.admin_password_hash,
    };
    let environment: Environment = bursar.environment;
    let app = apps.as_ref().map(|(name, drawn)| CreateApp {
        org,
        environment,
        name: name.clone(),
        metadata: None,
        key: drawn.to_store(&bursar.vault),
    });
    let (name, key) = (asked.name.clone(), own.to_store(&bursar.vault));
    let command = CreateOrganization { org, name, key, administrator, set_up_hash, app };
    let (app_id, expires) = bursar.engine.run(org, command).await?;
    let app = apps.zip(app_id).map(|((name, drawn), id)| FirstAppJson { id, name, keys: ShownKeyJson::from(&drawn) });
    let link = setup_link(&bursar.public_url, &token.shown);
    let set_up = expires.map(|expires| SetUpLinkJson { token: token.shown, link, expires });
    let administrator = AdministratorJson { id, email: asked.admin_email, set_up };
    Ok(CreatedOrganizationJson { id: org, name: asked.name, keys: ShownKeyJson::from(&own), administrator, app })
}

/// Records the keys used since the last call.
///
/// # Errors
///
/// `service-unavailable` if the store cannot be written.
pub async fn write_down_uses(bursar: &Bursar) -> Result<(), Refusal> {
    for (org, client_id, at) in bursar.keys.take_used() {
        bursar.engine.run(org, NoteUse { org, client_id, at }).await?;
    }
    Ok(())
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/setup" Anyone "create_first_organization" create_first_organization)
            .about("Apps", "Create the first organization")
            .describe("Requires the setup token that a production server prints when it starts with an empty store. The token is valid once, for one hour. Only this response shows the keys of the organization and its app. The administrator signs in with admin_password, or sets a password with administrator.set_up. The page /setup/{token} does the same in a browser.")
            .takes::<SetupInput>()
            .example(serde_json::json!({"token": "n7Yw…", "name": "Example Pay", "admin_email": "ada@example.com"}))
            .gives::<CreatedOrganizationJson>(201, "The organization with its secrets.")
            .refuses(&[Code::NotFound]),
    ]
}
