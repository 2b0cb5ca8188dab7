//! `bursar organizations`

use clap::{Args, Subcommand};

use super::logging;
use super::terminal::{Configured, Failed, say};
use crate::apps::acts::create_organization;
use crate::apps::first::{CreatedOrganizationJson, FirstOrganization, SetUpLinkJson};
use crate::clock::Clock;
use crate::email::Email;
use crate::ids::Seeds;
use crate::instance::{self, Dependencies};
use crate::outbound;
use crate::preflight;
use crate::screening::Watchlist;
use crate::security_log::{self, Origin, SecurityEvent};

/// What to do with organizations.
#[derive(Subcommand)]
pub(super) enum Options {
    /// Create an organization with its administrator and its key, and print the secrets once
    Create(Box<Create>),
}

/// A new organization.
#[derive(Args)]
pub(super) struct Create {
    #[command(flatten)]
    configured: Configured,
    /// Its name
    #[arg(long, value_name = "NAME")]
    name: String,
    /// The e-mail address of its administrator
    #[arg(long, value_name = "ADDRESS")]
    admin_email: String,
    /// The administrator's name [default: the address]
    #[arg(long, value_name = "NAME")]
    admin_name: Option<String>,
    /// The name of a first app: 3 to 60 characters [default: no app]
    #[arg(long, value_name = "NAME")]
    app_name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Creates one. Over an embedded store the server must not run.
pub(super) fn run(asked: Options) -> Result<(), Failed> {
    let Options::Create(create) = asked;
    let Create { configured, name, admin_email, admin_name, app_name, json } = *create;
    let wrong = |flag: &str, what: &str| Failed::Work(format!("{flag}: {what}"));
    if name.trim().is_empty() || name.chars().count() > 100 {
        return Err(wrong("--name", "must have 1 to 100 characters"));
    }
    if Email::parse(&admin_email).is_err() {
        return Err(wrong("--admin-email", "must be an e-mail address"));
    }
    if app_name.as_ref().is_some_and(|name| !(3..=60).contains(&name.trim().chars().count())) {
        return Err(wrong("--app-name", "must have 3 to 60 characters"));
    }
    let admin_name = admin_name.unwrap_or_else(|| admin_email.clone());
    let asked = FirstOrganization { name, admin_name, admin_email, admin_password_hash: None, app_name };
    logging::start_for_command(configured.settings.log)?;
    let config = preflight::load(configured.settings, configured.config.as_deref())?;
    let (store, vault) = instance::with_vault(&config)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let made = runtime.block_on(async {
        let dependencies = Dependencies {
            clock: Clock::wall(),
            command_seeds: Seeds::System,
            request_seeds: Seeds::System,
            vault,
            environment: config.environment,
            live: config.environment.is_live(),
            public_url: config.public_url.clone().unwrap_or_default(),
            providers: crate::providers::Providers::default(),
            transports: crate::bank_transports::Transports::default(),
            call_deadline: outbound::DEADLINE,
            watchlist: Watchlist::of_sandbox(),
        };
        let (bursar, guards) = store.start(dependencies)?;
        instance::must_belong(&bursar, &config).await?;
        let made = create_organization(&bursar, asked).await.map_err(|refusal| Failed::Work(refusal.message));
        drop((bursar, guards));
        made
    })?;
    let organization = made.id.to_string();
    let origin = |subject| Origin { organization: Some(&organization), subject: Some(subject), ..Origin::default() };
    security_log::record(SecurityEvent::OrganizationCreated, "command-line", origin(&organization));
    security_log::record(SecurityEvent::KeyIssued, "command-line", origin(&made.keys.client_id));
    if let Some(app) = &made.app {
        security_log::record(SecurityEvent::KeyIssued, "command-line", origin(&app.keys.client_id));
    }
    if json {
        return say(&serde_json::to_string(&made).expect("it is plain data, which always serializes"));
    }
    say(&reported(&made))
}

fn reported(made: &CreatedOrganizationJson) -> String {
    let CreatedOrganizationJson { id, name, keys, administrator, app } = made;
    let mut lines = vec![
        format!("Organization {name}: {id}"),
        "These secrets are shown once. Keep them in a password manager.".to_owned(),
        format!("  organization key  {}:{}", keys.client_id, keys.api_key),
        format!("  administrator     {} (member {})", administrator.email, administrator.id),
    ];
    if let Some(SetUpLinkJson { token, link, expires }) = &administrator.set_up {
        // Without a public URL the link is a path.
        let at = if link.starts_with('/') { format!("<url>{link}") } else { link.clone() };
        lines.push(format!("  password          set at {at}"));
        lines.push(format!(
            "                    until {expires}, once, or with POST /v2/member-set-ups and the token {token}"
        ));
    }
    match app {
        Some(app) => lines.extend([
            format!("  app               {} ({})", app.name, app.id),
            format!("  app key           {}:{}", app.keys.client_id, app.keys.api_key),
        ]),
        None => lines.push(
            "Create an app next: curl -u '<organization key>' -H 'Content-Type: application/json' -d '{\"name\": \"…\"}' \
             <url>/v2/apps"
                .to_owned(),
        ),
    }
    lines.join("\n")
}
