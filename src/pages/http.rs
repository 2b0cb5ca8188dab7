//! The landing page and the assets.

use super::assets::{CONTENT_SECURITY_POLICY, asset};
use super::inbox::show_inbox;
use super::views::LandingPage;
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::program::Environment;
use crate::refusal::{Code, Refusal};

/// How long a browser may keep an asset, in seconds. Short, because the names do not change with the contents.
pub(super) const ASSET_KEPT_SECONDS: u32 = 3_600;

/// Returns a drawn page with the headers of all pages.
///
/// # Errors
/// `internal-error` when the template fails, which is a bug.
pub fn page(status: u16, view: &impl askama::Template) -> Outcome {
    let html = view.render().map_err(|error| {
        tracing::error!(%error, "a page cannot be rendered");
        Refusal::new(Code::InternalError, "A bug stopped this request.")
    })?;
    let answer = Answer::html(status, html)
        .header("content-security-policy", CONTENT_SECURITY_POLICY)
        // The policy says the same; this is for browsers that do not support it.
        .header("x-frame-options", "DENY")
        // A claim link is a credential: the pages that it links to must not receive it.
        .header("referrer-policy", "no-referrer");
    Ok(answer)
}

/// GET / of a sandbox
pub async fn show_landing(call: Call) -> Outcome {
    if call.bursar.environment == Environment::Production {
        return Err(Refusal::not_found("page"));
    }
    let view = LandingPage {
        base_url: call.bursar.public_url.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        is_sandbox: true,
    };
    page(200, &view)
}

/// GET /assets/{name}
pub async fn get_asset(call: Call) -> Outcome {
    let asset = asset(call.parameter("name")).ok_or_else(|| Refusal::not_found("file"))?;
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
        route!(Get "/assets/{name}" Anyone "get_asset" get_asset)
            .about("Pages", "Get a static file of the pages")
            .gives_empty(200, "The file.")
            .refuses(&[Code::NotFound]),
    ];
    [own, super::guide::routes(), super::claim::routes(), super::notice::routes(), super::setup::routes()].concat()
}
