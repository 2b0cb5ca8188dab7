//! A payee's browser at one link: its cookie, the origin of its posts and its redirects.

use super::closed;
use crate::claims::acts::Payee;
use crate::claims::{SESSION_SECONDS, StepName};
use crate::http::{Answer, Call, Outcome};
use crate::program::Environment;
use crate::refusal::{Code, Refusal};

/// The cookie with the session's secret. Its path limits it to its own link.
const COOKIE: &str = "bursar_claim";

pub(super) struct Visit {
    pub call: Call,
    pub token: String,
    pub payee: Payee,
}

impl Visit {
    /// # Errors
    /// `not-found` when the token cannot be one.
    pub fn new(call: Call) -> Result<Self, Refusal> {
        let token = call.parameter("token").to_owned();
        let payee = Payee::new(&call.bursar, &token, cookie(&call))?;
        Ok(Self { call, token, payee })
    }

    pub fn is_sandbox(&self) -> bool {
        self.call.bursar.environment == Environment::Sandbox
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
        // The page names the sender even if the link is closed.
        let sender = self.payee.sender().await.ok();
        closed::page(&refusal, sender, Some(format!("/claim/{}", self.token)), None)
    }

    /// Rejects a form posted by another site's page. It is the third protection, after the cookie, which is not sent
    /// with such a form, and the secret token in the address. An origin of `null` proves nothing: our own pages send
    /// it, because they send no referrer. Error: `not-permitted`.
    pub fn must_be_ours(&self) -> Result<(), Refusal> {
        let foreign = match (self.call.header("sec-fetch-site"), self.call.header("origin")) {
            (Some(site), _) => !matches!(site, "same-origin" | "none"),
            (None, Some("null") | None) => false,
            (None, Some(origin)) => !self.is_own_origin(origin),
        };
        if foreign {
            return Err(Refusal::new(Code::NotPermitted, "This form was sent from another site. Open the link again."));
        }
        Ok(())
    }

    fn is_own_origin(&self, origin: &str) -> bool {
        let host = origin.split_once("://").map_or("", |(_, host)| host);
        self.call.header("host") == Some(host) || self.call.bursar.public_url == origin
    }
}

fn see_other(location: String) -> Answer {
    Answer::empty(303).header("location", location).header("referrer-policy", "no-referrer")
}

fn cookie(call: &Call) -> Option<&str> {
    let pairs = call.header("cookie")?.split(';');
    pairs.filter_map(|pair| pair.trim().split_once('=')).find(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}
