//! A payee's browser at one link: its cookie, the origin of its posts and its redirects.

use super::closed::{self, Known};
use super::{form, wording};
use crate::apps::brand;
use crate::claims::acts::Payee;
use crate::claims::{SESSION_SECONDS, StepName};
use crate::http::{Answer, Call, Outcome};
use crate::language::Language;
use crate::pages::language;
use crate::pages::origin::{must_be_ours, see_other};
use crate::pages::refused::{Place, Refused};
use crate::pages::sender;
use crate::pages::views::Sender;
use crate::program::Environment;
use crate::refusal::{Code, Refusal};

/// The cookie with the session's secret. Its path limits it to its own link.
const COOKIE: &str = "bursar_claim";

pub(super) struct Visit {
    pub call: Call,
    pub token: String,
    pub payee: Payee,
    pub language: Language,
    session_hash: Option<Vec<u8>>,
}

impl Visit {
    /// # Errors
    /// `not-found` when the token cannot be one.
    pub async fn new(call: Call) -> Result<Self, Refusal> {
        let token = call.parameter("token").to_owned();
        let payee = Payee::new(&call.bursar, &token, cookie(&call))?;
        // Links that do not exist have a page too.
        let (known, app) = payee.languages().await.unwrap_or_default();
        let language = language::of(&call, known, app);
        let session_hash = payee.session_hash();
        Ok(Self { call, token, payee: payee.in_language(language), language, session_hash })
    }

    pub fn is_sandbox(&self) -> bool {
        self.call.bursar.environment == Environment::Sandbox
    }

    /// Returns the sender as the pages of this link show it.
    pub fn sender(&self, sender: &brand::Sender) -> Sender {
        sender::view(sender, format!("/claim/{}/why", self.token))
    }

    /// Returns the path to which the menu of languages posts.
    pub fn language_menu(&self) -> String {
        format!("/claim/{}/language", self.token)
    }

    /// Redirects the browser to the page of the next step.
    pub fn onward(&self) -> Answer {
        see_other(format!("/claim/{}", self.token))
    }

    /// Redirects the browser to a page of the claim that is not a step.
    pub fn to(&self, page: &str) -> Answer {
        see_other(format!("/claim/{}/{page}", self.token))
    }

    pub fn to_step(&self, step: StepName, query: &str) -> Answer {
        see_other(format!("/claim/{}/{step}{query}", self.token))
    }

    /// Returns the place of a page of the claim: "code", or "" for the page of the link.
    fn place(&self, page: &str) -> Place<'_> {
        let separator = if page.is_empty() { "" } else { "/" };
        let path = format!("/claim/{}{separator}{page}", self.token);
        Place { org: self.payee.token().org, path, session: self.session_hash.as_deref() }
    }

    /// Returns the refused form that the address of this page has.
    pub fn refused(&self, page: &str) -> Option<Refused> {
        Refused::of(&self.call, &self.place(page))
    }

    /// Redirects the browser to the page that shows a refused form.
    pub fn refuse(&self, page: &str, query: &str, refused: Refused) -> Answer {
        refused.redirect(&self.call, &self.place(page), query)
    }

    pub fn cookie(&self, secret: &str) -> String {
        let secure = if self.call.bursar.public_url.starts_with("https://") { "; Secure" } else { "" };
        let path = format!("/claim/{}", self.token);
        format!("{COOKIE}={secret}; Path={path}; Max-Age={SESSION_SECONDS}; HttpOnly; SameSite=Lax{secure}")
    }

    pub fn no_cookie(&self) -> String {
        format!("{COOKIE}=; Path=/claim/{}; Max-Age=0; HttpOnly; SameSite=Lax", self.token)
    }

    /// Turns a refusal into the page that says why the claim cannot continue. A browser without a session starts again.
    pub async fn or_closed(&self, outcome: Outcome) -> Outcome {
        let Err(refusal) = outcome else { return outcome };
        if refusal.code == Code::Unauthorized {
            return Ok(self.onward());
        }
        self.closed(&self.as_closed(&refusal)).await
    }

    /// Redirects a form whose refusal closes the claim to the page that says so. A failure of the service is the answer
    /// to the form: the payee may send it again.
    pub async fn or_refused(&self, outcome: Outcome) -> Outcome {
        let Err(refusal) = outcome else { return outcome };
        let is_failure = refusal.code.status() >= 500;
        if refusal.code == Code::Unauthorized || is_failure || self.payee.offer().await.is_err() {
            return self.or_closed(Err(refusal)).await;
        }
        Ok(self.refuse("", "", self.as_closed(&refusal)))
    }

    fn as_closed(&self, refusal: &Refusal) -> Refused {
        Refused::new(refusal, form::says(wording::refused(self.language, refusal)))
    }

    /// Draws the page that says why the claim cannot continue.
    pub async fn closed(&self, refused: &Refused) -> Outcome {
        // The page names the sender even if the link is closed.
        let known = self.payee.offer().await.ok().map(|offer| Known {
            sender: self.sender(&offer.sender),
            amount: self.language.money(offer.amount),
            is_sandbox: self.is_sandbox(),
            is_requested_again: offer.is_requested_again,
        });
        closed::page(self.language, refused, known, Some(format!("/claim/{}", self.token)), None)
    }

    /// Rejects a form posted by another site's page. It is the third protection, after the cookie, which is not sent
    /// with such a form, and the secret token in the address. Error: `not-permitted`.
    pub fn must_be_ours(&self) -> Result<(), Refusal> {
        must_be_ours(&self.call)
    }
}

fn cookie(call: &Call) -> Option<&str> {
    let pairs = call.header("cookie")?.split(';');
    pairs.filter_map(|pair| pair.trim().split_once('=')).find(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}
