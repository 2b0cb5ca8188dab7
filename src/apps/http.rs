use super::create::CreateApp;
use super::fee_tables::{FeeTableJson, FeeTableVersion};
use super::inputs::{CreateAppInput, CreateKeyInput, UpdateAppInput};
use super::json::{AppJson, CreatedAppJson, KeyJson, OrganizationJson, ShownKeyJson, organization, shown};
use super::keys::{Drawn, Opens};
use super::model::{App, Organization};
use super::rotate::{IssueKey, Owner, RevokeKey};
use super::rows::find;
use super::settings_input::{SettingsInput, SettingsJson};
use super::update::{UpdateApp, UpdateSettings};
use crate::http::lists::{ListEnvelope, list_query, of_app, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::AppId;
use crate::permission::Permission;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::security_log::SecurityEvent;
use crate::world::record::key;

list_query! {
    /// Selects versions of a fee table. A cursor is a version.
    pub struct FeeTablesQuery by i64 {}
}

/// Returns the app in the path. An app key finds no app but its own.
///
/// # Errors
///
/// `not-found`.
pub fn app_in_path(call: &Call) -> Result<Scope, Refusal> {
    let app: AppId = call.id("app_id", "app")?;
    if call.caller.app.is_some_and(|own| own != app) {
        return Err(Refusal::not_found("app"));
    }
    Ok(Scope { org: call.caller.org, app })
}

/// Draws a key; only this response shows its secret.
fn draw(call: &Call) -> Drawn {
    Drawn::draw(&mut call.bursar.entropy(), call.bursar.environment, call.caller.org, Opens::App)
}

pub async fn create(call: Call) -> Outcome {
    let drawn = draw(&call);
    let key = drawn.to_store(&call.bursar.vault);
    let command = call.body::<CreateAppInput>().map(|body| CreateApp {
        org: call.caller.org,
        environment: call.bursar.environment,
        name: body.name.0,
        metadata: body.metadata.map(|metadata| metadata.0),
        key,
    });
    let client_id = drawn.client_id.clone();
    let created = call
        .once(command, move |app| {
            Answer::created(&CreatedAppJson { app: app.clone(), keys: ShownKeyJson::from(&drawn) }).secret()
        })
        .await?;
    if created.is_new() {
        call.log_security(SecurityEvent::AppChanged, "created", None);
        call.log_security(SecurityEvent::KeyIssued, "app-created", Some(&client_id));
    }
    Ok(created)
}

pub async fn list(call: Call) -> Outcome {
    let caller = call.caller.clone();
    let apps: Vec<AppJson> = call
        .read(move |world| {
            let apps = match caller.app {
                Some(app) => vec![find(world, Scope { org: caller.org, app })?],
                None => world.all::<App>(App::OF_ORG, key![caller.org])?,
            };
            // Newest first, as in every list.
            apps.iter().rev().filter(|app| app.deleted_at.is_none()).map(|app| shown(world, app)).collect()
        })
        .await?;
    Ok(Answer::ok(&apps))
}

pub async fn read(call: Call) -> Outcome {
    let scope = app_in_path(&call)?;
    let app = call
        .read(move |world| {
            let app = find(world, scope)?;
            shown(world, &app)
        })
        .await?;
    Ok(Answer::ok(&app))
}

pub async fn update(call: Call) -> Outcome {
    let scope = app_in_path(&call)?;
    let body: UpdateAppInput = call.body()?;
    let metadata = body.metadata.map(|metadata| metadata.0);
    let command = UpdateApp { scope, name: body.name.0.map(|name| name.0), metadata };
    let updated = call.run(command).await?;
    call.log_security(SecurityEvent::AppChanged, "updated", Some(&scope.app.to_string()));
    Ok(Answer::ok(&updated))
}

pub async fn create_key(call: Call) -> Outcome {
    let drawn = draw(&call);
    let key = drawn.to_store(&call.bursar.vault);
    let command = call
        .body::<CreateKeyInput>()
        .and_then(|body| Ok(IssueKey { owner: Owner::App(app_in_path(&call)?), key, expires_at: body.expires_at }));
    let client_id = drawn.client_id.clone();
    let expires_at = command.as_ref().ok().and_then(|command| command.expires_at);
    let shown = ShownKeyJson { expires_at, ..ShownKeyJson::from(&drawn) };
    let issued = call.once(command, move |()| Answer::created(&shown).secret()).await?;
    if issued.is_new() {
        call.log_security(SecurityEvent::KeyIssued, "issued", Some(&client_id));
    }
    Ok(issued)
}

pub async fn list_keys(call: Call) -> Outcome {
    let scope = app_in_path(&call)?;
    let mut data: Vec<KeyJson> = call
        .read(move |world| {
            let keys = Owner::App(scope).keys(world)?;
            Ok(keys.iter().map(|key| KeyJson::from(&**key)).collect())
        })
        .await?;
    data.sort_by_key(|key| std::cmp::Reverse(key.created));
    Ok(Answer::ok(&ListEnvelope { has_more: false, data }))
}

pub async fn delete_key(call: Call) -> Outcome {
    let scope = app_in_path(&call)?;
    let command = RevokeKey { owner: Owner::App(scope), client_id: call.parameter("client_id").to_owned() };
    let client_id = command.client_id.clone();
    let revoked = call.run(command).await?;
    call.bursar.keys.forget_all();
    call.log_security(SecurityEvent::KeyRevoked, "revoked", Some(&client_id));
    Ok(Answer::ok(&revoked))
}

pub async fn read_settings(call: Call) -> Outcome {
    let scope = app_in_path(&call)?;
    let environment = call.bursar.environment;
    let settings =
        call.read(move |world| Ok(SettingsJson::at(&find(world, scope)?.settings.0, world.now(), environment))).await?;
    Ok(Answer::ok(&settings))
}

pub async fn update_settings(call: Call) -> Outcome {
    let scope = app_in_path(&call)?;
    let changes: SettingsInput = call.body()?;
    let settings = call.run(UpdateSettings { scope, changes }).await?;
    call.log_security(SecurityEvent::SettingChanged, "updated", Some(&scope.app.to_string()));
    Ok(Answer::ok(&SettingsJson::at(&settings, call.bursar.clock.now(), call.bursar.environment)))
}

pub async fn list_fee_tables(call: Call) -> Outcome {
    let scope = app_in_path(&call)?;
    let asked: FeeTablesQuery = call.query()?;
    let list = call
        .read(move |world| {
            let settings = find(world, scope)?.settings.0.clone();
            let now = world.now();
            let mine = of_app::<FeeTableVersion>(scope, "version");
            let found = page::<FeeTableVersion>(world, mine, &asked.asked(), |versions| versions)?;
            Ok(found.envelope(|version| FeeTableJson::at(version, &settings, now)))
        })
        .await?;
    Ok(Answer::ok(&list))
}

pub async fn list_organizations(call: Call) -> Outcome {
    let org = call.caller.org;
    let data: Vec<OrganizationJson> = call
        .read(move |world| {
            let own = world.get::<Organization>(key![org])?;
            own.iter().map(|own| organization(world, own)).collect()
        })
        .await?;
    Ok(Answer::ok(&ListEnvelope { has_more: false, data }))
}

pub fn routes() -> Vec<Route> {
    [app_routes(), key_routes(), super::acts::routes()].concat()
}

fn app_routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/apps" Organization "create_app" create)
            .about("Apps", "Create an app")
            .describe("Only this response shows the keys. The sandbox approves the app immediately.")
            .takes::<CreateAppInput>()
            .example(serde_json::json!({"name": "Corner Shop"}))
            .gives::<CreatedAppJson>(201, "The app with its first key."),
        route!(Get "/v2/apps" AppOrOrganization "list_apps" list)
            .about("Apps", "List apps")
            .describe("Lists the organization's apps, newest first. An app's key lists its own app only.")
            .gives_array::<AppJson>(200, "The apps."),
        route!(Get "/v2/apps/{app_id}" AppOrOrganization "get_app" read)
            .about("Apps", "Get an app")
            .describe("Returns one app. An app's key reads its own app only.")
            .gives::<AppJson>(200, "The app.")
            .refuses(&[Code::NotFound]),
        route!(Patch "/v2/apps/{app_id}" Organization "update_app" update)
            .about("Apps", "Update an app's name or metadata")
            .describe("Changes only the fields that are sent. The new name is in pages and messages from then on.")
            .takes::<UpdateAppInput>()
            .gives::<AppJson>(200, "The app.")
            .refuses(&[Code::NotFound]),
        route!(Get "/v2/apps/{app_id}/settings" AppOrOrganization "get_app_settings" read_settings)
            .members(Permission::View)
            .about("Apps", "Get an app's settings")
            .describe("Returns all settings of the app.")
            .gives::<SettingsJson>(200, "The app's settings.")
            .refuses(&[Code::NotFound]),
        route!(Put "/v2/apps/{app_id}/settings" Organization "update_app_settings" update_settings)
            .members(Permission::Govern)
            .about("Apps", "Update an app's settings")
            .describe("Updates the settings that are sent; null restores a default. If fees is sent, it becomes a new version of the fee table, in force immediately or from fees_effective_at. Requires an organization key or an admin's session, so that an app cannot raise its own limits.")
            .takes::<SettingsInput>()
            .example(serde_json::json!({"payout_fee_party": "platform", "fees": {"ach": {"fixed": 25}}}))
            .gives::<SettingsJson>(200, "The app's settings.")
            .refuses(&[Code::NotFound, Code::LimitExceeded]),
        route!(Get "/v2/apps/{app_id}/fee-tables" AppOrOrganization "list_app_fee_tables" list_fee_tables)
            .about("Apps", "List the versions of an app's fee table")
            .describe("Lists the versions, newest first. Each change of the setting fees creates a version. The version in force is the one with the latest start time that is not in the future.")
            .asks::<FeeTablesQuery>()
            .gives::<ListEnvelope<FeeTableJson>>(200, "The versions of the fee table.")
            .refuses(&[Code::NotFound]),
        route!(Get "/v2/organizations" Organization "list_organizations" list_organizations)
            .about("Apps", "Get your organization")
            .describe("Returns a list with the organization of the key.")
            .gives::<ListEnvelope<OrganizationJson>>(200, "The organization."),
    ]
}

fn key_routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/apps/{app_id}/keys" Organization "create_app_key" create_key)
            .about("Apps", "Create a key for an app")
            .describe("An app can have two active keys at a time, so that a rotation can overlap. Only this response shows the secret. From expires_at on, requests with the key get status 401.")
            .takes::<CreateKeyInput>()
            .gives::<ShownKeyJson>(201, "The client id and the secret.")
            .refuses(&[Code::NotFound, Code::LimitExceeded]),
        route!(Get "/v2/apps/{app_id}/keys" Organization "list_app_keys" list_keys)
            .about("Apps", "List an app's keys")
            .describe("Lists the app's keys, also those that were revoked, without their secrets.")
            .gives::<ListEnvelope<KeyJson>>(200, "The keys, revoked keys included, without their secrets.")
            .refuses(&[Code::NotFound]),
        route!(Delete "/v2/apps/{app_id}/keys/{client_id}" Organization "delete_app_key" delete_key)
            .about("Apps", "Revoke a key")
            .describe("The key stops working within five seconds. A repeated call changes nothing.")
            .gives::<KeyJson>(200, "The key.")
            .refuses(&[Code::NotFound]),
    ]
}
