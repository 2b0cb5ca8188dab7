//! A refused form on the page that follows it. The browser is redirected to a GET (Post/Redirect/Get), so that Back works
//! and a reload sends nothing again. The errors and the typed values are in the address of that page, sealed.
//!
//! Invariants: only this server writes such an address, and it is valid for one page, for the claim session of one
//! browser, and for ten minutes, so no other text reaches a page. It has no code, no account number and no tax number.
//!
//! Start at [`Refused::redirect`] and [`Refused::of`].

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use super::origin::see_other;
use super::views::{FieldError, Form};
use crate::clock::Time;
use crate::http::{Answer, Call};
use crate::ids::OrgId;
use crate::refusal::{Code, Refusal};
use crate::vault::{Purpose, SealContext};

/// The parameter of the address. The script of the pages removes it.
const PARAMETER: &str = "refused";
const VALID_SECONDS: i64 = 600;
/// The longest value that is kept: an e-mail address.
const VALUE_MAX: usize = 254;
/// Bytes before they are sealed. An address has at most 8 KiB.
const BYTES_MAX: usize = 4_000;

/// A refusal, and the form as its page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub code: Code,
    pub retry_after_seconds: Option<u32>,
    pub form: Form,
}

/// The page that shows a refused form.
pub(super) struct Place<'a> {
    pub org: OrgId,
    pub path: String,
    /// The hash of the session's secret, if the browser has one.
    pub session: Option<&'a [u8]>,
}

impl Place<'_> {
    fn context(&self) -> SealContext {
        let context = SealContext::new(Purpose::Form, self.org, "pages", &self.path, PARAMETER);
        context.bound_to(self.session.unwrap_or_default())
    }
}

#[derive(Serialize, Deserialize)]
struct Kept {
    at: Time,
    code: String,
    wait: Option<u32>,
    values: Vec<(String, String)>,
    withheld: Vec<String>,
    errors: Vec<(String, String)>,
}

impl Refused {
    pub fn new(refusal: &Refusal, form: Form) -> Self {
        Self { code: refusal.code, retry_after_seconds: refusal.retry_after_seconds, form }
    }

    /// Returns the status of the page: that of the refusal.
    pub fn status(&self) -> u16 {
        self.code.status()
    }

    /// Redirects the browser to the page. `query` has its other parameters: `?account=later`.
    pub fn redirect(self, call: &Call, place: &Place<'_>, query: &str) -> Answer {
        let (vault, nonce) = (&call.bursar.vault, call.bursar.entropy().bytes());
        let sealed = vault.seal(&place.context(), &self.bytes(call.bursar.clock.now()), nonce);
        let sign = if query.is_empty() { '?' } else { '&' };
        see_other(format!("{}{query}{sign}{PARAMETER}={}", place.path, URL_SAFE_NO_PAD.encode(sealed)))
    }

    /// Returns the bytes to seal. A form that is too long for an address loses its longest values, then its last errors.
    fn bytes(self, at: Time) -> Vec<u8> {
        let Self { code, retry_after_seconds: wait, form } = self;
        let errors = form.errors.into_iter().map(|error| (error.field, error.message)).collect();
        let code = code.as_str().to_owned();
        let mut kept = Kept { at, code, wait, values: form.values, withheld: form.withheld, errors };
        kept.values.retain(|(_, value)| value.len() <= VALUE_MAX);
        loop {
            let bytes = serde_json::to_vec(&kept).unwrap_or_default();
            if bytes.len() <= BYTES_MAX {
                return bytes;
            }
            let longest = kept.values.iter().enumerate().max_by_key(|(_, (_, value))| value.len());
            match longest.map(|(index, _)| index) {
                Some(index) => drop(kept.values.remove(index)),
                None if kept.errors.len() > 1 => drop(kept.errors.pop()),
                None => return bytes,
            }
        }
    }

    /// Returns the refused form in the address of this page; `None` for an address without one, for a changed or expired
    /// one, and for one of another page or browser.
    pub fn of(call: &Call, place: &Place<'_>) -> Option<Self> {
        let (_, text) = call.query.iter().find(|(name, _)| name == PARAMETER)?;
        let sealed = URL_SAFE_NO_PAD.decode(text).ok()?;
        let bytes = call.bursar.vault.open(&place.context(), &sealed).ok()?;
        let kept: Kept = serde_json::from_slice(&bytes).ok()?;
        let age = call.bursar.clock.now().seconds_since(kept.at);
        let code = Code::ALL.iter().copied().find(|code| code.as_str() == kept.code)?;
        let errors = kept.errors.into_iter().map(|(field, message)| FieldError { field, message }).collect();
        let form = Form { values: kept.values, errors, withheld: kept.withheld };
        (age <= VALID_SECONDS).then_some(Self { code, retry_after_seconds: kept.wait, form })
    }
}
