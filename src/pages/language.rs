//! The language of a page, in this order: the one that the payee chose in its menu, which a cookie of the link keeps;
//! the language of the payee's last visit; those that the browser asks for; the app's; English.

use super::origin::{must_be_ours, see_other};
use crate::http::{Call, Outcome};
use crate::language::{LANGUAGE_COOKIE, Language};
use crate::program::Bursar;
use crate::strict_json::Json;

/// How long a browser keeps the choice.
const KEPT_SECONDS: i64 = 31_536_000;

/// Returns the language of a page. `known` is that of the payee's last visit, `app` that of the sender.
pub(super) fn of(call: &Call, known: Option<Language>, app: Option<Language>) -> Language {
    let chosen = call.header("cookie").and_then(Language::chosen);
    let accepted = || call.header("accept-language").and_then(Language::accepted);
    chosen.or(known).or_else(accepted).or(app).unwrap_or_default()
}

/// Returns the language of a posted menu.
pub(super) fn posted(call: &Call) -> Option<Language> {
    match call.body.get("language") {
        Some(Json::Text(code)) => Language::from_code(code),
        _ => None,
    }
}

/// Keeps the posted choice for the pages below `path`, and redirects to it. An unknown language changes nothing.
pub(super) fn keep(call: &Call, path: &str) -> Outcome {
    must_be_ours(call)?;
    let answer = see_other(path.to_owned());
    Ok(match posted(call) {
        Some(language) => answer.header("set-cookie", cookie(&call.bursar, path, language)),
        None => answer,
    })
}

fn cookie(bursar: &Bursar, path: &str, language: Language) -> String {
    let secure = if bursar.public_url.starts_with("https://") { "; Secure" } else { "" };
    format!("{LANGUAGE_COOKIE}={language}; Path={path}; Max-Age={KEPT_SECONDS}; HttpOnly; SameSite=Lax{secure}")
}
