//! The landing page and the assets.

use super::assets::{ASSET_KEPT_SECONDS, asset};
use super::draw::page;
use super::inbox::show_inbox;
use super::requests::show_requests;
use super::sandbox::{self, Local};
use super::views::LandingPage;
use crate::apps::bootstrap::curl_commands;
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::program::Environment;
use crate::refusal::{Code, Refusal};

/// GET / of a sandbox
pub async fn show_landing(call: Call) -> Outcome {
    if call.bursar.environment == Environment::Production {
        return Err(Refusal::not_found("page"));
    }
    let glance = match Local::of(&call).await {
        // The page is useful without it, for example while the store is busy.
        Some(local) => local.glance().await.ok(),
        None => None,
    };
    let own = glance.as_ref().map(|glance| format!("{}:{}", glance.client_id, glance.api_key));
    let user = own.unwrap_or_else(|| "<client_id>:<api_key>".to_owned());
    let view = LandingPage {
        glance,
        commands: curl_commands(&user, &call.bursar.public_url, " \\\n  "),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        is_sandbox: true,
    };
    page(200, &view)
}

/// GET /assets/{name}
pub async fn get_asset(call: Call) -> Outcome {
    let name = call.parameter("name");
    if let Some(style) = super::sender::style(name) {
        return Ok(style);
    }
    file(name)
}

/// GET /favicon.ico, which browsers request for a response that is not a page
pub async fn get_icon(_call: Call) -> Outcome {
    file("bursar.svg")
}

fn file(name: &str) -> Outcome {
    let asset = asset(name).ok_or_else(|| Refusal::not_found("file"))?;
    let kept = format!("public, max-age={ASSET_KEPT_SECONDS}");
    Ok(Answer::file(asset.content_type, asset.bytes).header("cache-control", kept))
}

/// Returns the routes of the pages, except the reference, which is generated from all other routes.
pub fn routes() -> Vec<Route> {
    let own = vec![
        route!(Get "/" Anyone "show_landing" show_landing)
            .about("Pages", "Show the start page")
            .gives_empty(200, "The page."),
        route!(Get "/inbox" Anyone "show_inbox" show_inbox)
            .about("Pages", "Show the simulated messages of all apps, in the sandbox only")
            .gives_empty(200, "The page.")
            .refuses(&[Code::NotFound]),
        route!(Get "/requests" Anyone "show_requests" show_requests)
            .about("Pages", "Show the newest requests of all apps, in the sandbox only")
            .gives_empty(200, "The page.")
            .refuses(&[Code::NotFound]),
        route!(Get "/assets/{name}" Anyone "get_asset" get_asset)
            .about("Pages", "Get a static file of the pages")
            .gives_empty(200, "The file.")
            .refuses(&[Code::NotFound]),
        route!(Get "/favicon.ico" Anyone "get_icon" get_icon)
            .about("Pages", "Get the icon of the pages")
            .gives_empty(200, "The file."),
    ];
    [
        own,
        super::guide::routes(),
        super::claim::routes(),
        super::notice::routes(),
        super::sender::routes(),
        super::setup::routes(),
        sandbox::routes(),
    ]
    .concat()
}
