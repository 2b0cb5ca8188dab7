//! The sender's part of pages: its view, its public page, its logo, and the style sheet of its color.

use super::draw::page;
use super::language;
use super::views::{self, Website, WhyPage};
use crate::apps::{self, brand};
use crate::color::{BLACK, Color, WHITE};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::{AppId, OrgId};
use crate::program::Environment;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;

/// The seconds for which a browser may keep a logo. Its path does not change with the file.
const LOGO_KEPT_SECONDS: u32 = 3_600;
/// A style sheet follows from its name, so that it never changes.
const STYLE_KEPT_SECONDS: u32 = 31_536_000;

/// The backgrounds of `bursar.css` on which the color of links and badges must be readable: the darkest of the light
/// scheme, the lightest of the dark one.
const LIGHT_PAPER: Color = Color::new(0xf1, 0xf0, 0xe9);
const DARK_CARD: Color = Color::new(0x19, 0x1f, 0x1b);
/// Text on a light button of the dark scheme.
const DARK_INK: Color = Color::new(0x0b, 0x0f, 0x0d);
/// Parts of 256 of the color in the background of its badges.
const WASH: u32 = 24;
/// Parts of 256 by which a button under the pointer differs.
const DEEPER: u32 = 48;

/// Returns the sender as a page shows it. `why` is the path of the page that explains the message.
pub(super) fn view(sender: &brand::Sender, why: String) -> views::Sender {
    let brand = sender.brand.clone();
    let color = brand.color.as_deref().and_then(Color::parse);
    views::Sender {
        name: sender.name.clone(),
        logo: brand.logo.map(|_| sender.logo_path()),
        stylesheet: color.map(|color| format!("/assets/color-{}.css", color.digits())),
        website: brand.website.map(|href| Website { host: host(&href).to_owned(), href }),
        support_email: brand.support_email,
        support_phone: brand.support_phone,
        terms: brand.terms_url,
        privacy: brand.privacy_url,
        greeting: brand.greeting,
        note: brand.note,
        footer: brand.footer,
        why,
    }
}

fn host(link: &str) -> &str {
    let rest = link.split_once("://").map_or(link, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    host.strip_prefix("www.").unwrap_or(host)
}

/// Returns the style sheet of `color-14634a.css`.
pub(super) fn style(name: &str) -> Option<Answer> {
    let digits = name.strip_prefix("color-")?.strip_suffix(".css")?;
    let color = Color::of_digits(digits)?;
    let kept = format!("public, max-age={STYLE_KEPT_SECONDS}, immutable");
    Some(Answer::file("text/css; charset=utf-8", style_sheet(color)).header("cache-control", kept))
}

/// Buttons have the color itself; links, badges and marks a shade of it that can be read on their background.
pub(super) fn style_sheet(color: Color) -> String {
    let button = color.toward(&BLACK, &WHITE);
    let wash = LIGHT_PAPER.mixed(&color, WASH);
    let darkest = if wash.contrast(&WHITE) > LIGHT_PAPER.contrast(&WHITE) { wash } else { LIGHT_PAPER };
    let text = button.toward(&BLACK, &darkest);
    let dark_wash = DARK_CARD.mixed(&color, WASH);
    let lightest = if dark_wash.contrast(&BLACK) > DARK_CARD.contrast(&BLACK) { dark_wash } else { DARK_CARD };
    let bright = color.toward(&WHITE, &lightest);
    format!(
        ":root {{\n  --button: {button};\n  --button-deep: {};\n  --on-button: {WHITE};\n  --green: {text};\n  \
         --green-deep: {};\n  --on-green: {WHITE};\n  --green-wash: {wash};\n}}\n\n\
         @media (prefers-color-scheme: dark) {{\n  :root {{\n    --button: {bright};\n    --button-deep: {};\n    \
         --on-button: {DARK_INK};\n    --green: {bright};\n    --green-deep: {};\n    --on-green: {DARK_INK};\n    \
         --green-wash: {dark_wash};\n  }}\n}}\n",
        button.mixed(&BLACK, DEEPER),
        text.mixed(&BLACK, DEEPER),
        bright.mixed(&WHITE, DEEPER),
        bright.mixed(&WHITE, DEEPER),
    )
}

fn scope(call: &Call) -> Result<Scope, Refusal> {
    let (org, app): (OrgId, AppId) = (call.id("org_id", "sender")?, call.id("app_id", "sender")?);
    Ok(Scope { org, app })
}

/// GET /senders/{org_id}/{app_id}
pub async fn show_sender(call: Call) -> Outcome {
    let scope = scope(&call)?;
    let sender = call.read(move |world| Ok(brand::Sender::from(&*apps::find_even_deleted(world, scope)?))).await?;
    let view = WhyPage {
        language: language::of(&call, None, sender.brand.language),
        languages: None,
        sender: view(&sender, sender.path()),
        payment: None,
        address: call.bursar.public_url.clone(),
        back: None,
        sandbox: call.bursar.environment == Environment::Sandbox,
    };
    page(200, &view)
}

/// GET /senders/{org_id}/{app_id}/logo
pub async fn get_sender_logo(call: Call) -> Outcome {
    let scope = scope(&call)?;
    let found = call
        .read(move |world| {
            let kind = apps::find_even_deleted(world, scope)?.settings.0.brand.logo.map(|logo| logo.kind);
            Ok(kind.zip(brand::logo(world, scope)?))
        })
        .await?;
    let Some((kind, logo)) = found else { return Err(Refusal::not_found("logo")) };
    let answer = Answer::file(kind.content_type(), logo.bytes.clone())
        .header("cache-control", format!("public, max-age={LOGO_KEPT_SECONDS}"))
        // Opened as a page, the file may load and run nothing.
        .header("content-security-policy", "default-src 'none'; sandbox");
    Ok(answer)
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(Get "/senders/{org_id}/{app_id}" Anyone "show_sender" show_sender)
            .about("Pages", "Explain to a payee who a sender is")
            .renders_errors_with(super::claim::render_error)
            .gives_empty(200, "The page.")
            .refuses(&[Code::NotFound]),
        route!(Get "/senders/{org_id}/{app_id}/logo" Anyone "get_sender_logo" get_sender_logo)
            .about("Pages", "Get the logo of a sender")
            .gives_empty(200, "The file.")
            .refuses(&[Code::NotFound]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of a custom property, for the light scheme and the dark one.
    fn values(sheet: &str, property: &str) -> Vec<Color> {
        let lines = sheet.lines().filter_map(|line| line.trim().strip_prefix(property)?.strip_prefix(": "));
        lines.map(|value| Color::parse(value.trim_end_matches(';')).unwrap()).collect()
    }

    #[test]
    fn every_pair_of_colors_can_be_read() {
        for red in (0..=255).step_by(51) {
            for (green, blue) in [(0, 0), (255, 0), (90, 200), (255, 255), (128, 128), (20, 20), (0, 255)] {
                let own = Color::new(red, green, blue);
                let sheet = style_sheet(own);
                let of = |property| values(&sheet, property);
                let (button, on) = (of("--button"), of("--on-button"));
                let (text, wash, on_text) = (of("--green"), of("--green-wash"), of("--on-green"));
                let papers = [LIGHT_PAPER, DARK_CARD];
                for scheme in 0..2 {
                    for (front, back) in [
                        (on[scheme], button[scheme]),
                        (on_text[scheme], text[scheme]),
                        (text[scheme], wash[scheme]),
                        (text[scheme], papers[scheme]),
                        (of("--green-deep")[scheme], papers[scheme]),
                        (on[scheme], of("--button-deep")[scheme]),
                    ] {
                        assert!(front.contrast(&back) >= 450, "{own}, scheme {scheme}: {front} on {back}\n{sheet}");
                    }
                }
            }
        }
    }

    #[test]
    fn only_a_color_has_a_style_sheet() {
        assert!(style("color-14634a.css").is_some());
        for name in ["color-14634.css", "color-14634a", "color-;}a{}.css", "colour-14634a.css", "bursar.css"] {
            assert!(style(name).is_none(), "{name}");
        }
    }

    #[test]
    fn a_website_is_shown_by_its_host() {
        for (link, shown) in [
            ("https://example.com", "example.com"),
            ("https://www.example.com/a?b", "example.com"),
            ("https://pay.example.com/", "pay.example.com"),
        ] {
            assert_eq!(host(link), shown);
        }
    }
}
