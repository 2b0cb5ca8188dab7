//! The one way out over HTTP: calls to other people's servers, within bounds.
//!
//! Invariant: with [`Reach::Public`] no connection is made to an address that is not public. Addresses that are
//! written out are checked when the URL is read ([`Target`]), names after they were resolved, and what was checked
//! is what is connected to (an address of this machine is refused, even a public one), so that a name whose answer changes in between gains nothing. Every call has one
//! deadline for all of it, follows no redirect, uses no proxy, and reads no more than [`ANSWER_MAX`] bytes.
//! Deliberately absent: retries. Whoever calls knows whether a second call does harm.

mod address;
mod target;

use address::is_own;
pub use address::is_public;
pub use target::{BadTarget, Reach, Target, URL_MAX};

use std::net::SocketAddr;
use std::sync::Once;
use std::time::{Duration, UNIX_EPOCH};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;

use crate::clock::{Clock, Time};

/// How long a call may take in all, from the look-up of the name to the end of the answer (docs/decisions.md 12).
pub const DEADLINE: Duration = Duration::from_secs(15);
/// Bytes of an answer's body that are read at most; the connection is given up when there are more.
pub const ANSWER_MAX: usize = 64 * 1024;
/// How long a connection is kept for the next call.
const KEEP_IDLE: Duration = Duration::from_secs(30);
/// Idle connections to one host at most.
const IDLE_MAX: usize = 16;

/// Makes ring the process's TLS provider. May be called as often as one likes; every client of TLS calls it first,
/// because two providers, or none, are a panic.
pub fn install_tls() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // It fails when there is one already, which will do as well.
        drop(rustls::crypto::ring::default_provider().install_default());
    });
}

/// Calls other people's servers. Cheap to clone; clones share their connections.
#[derive(Clone, Debug)]
pub struct Outbound {
    client: reqwest::Client,
    reach: Reach,
}

/// A POST to be made.
#[derive(Clone, Debug)]
pub struct Post<'a> {
    /// Where to.
    pub target: &'a Target,
    /// Headers, by lower-case names. Content-Type is one of them.
    pub headers: &'a [(&'static str, String)],
    /// The body.
    pub body: Vec<u8>,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The status.
    pub status: u16,
    /// The whole seconds until `Retry-After`, where it was given and is not in the past.
    pub retry_after_seconds: Option<i64>,
    /// The body, as far as it was read.
    pub body: Vec<u8>,
}

/// Why there is no answer. The other side may have acted all the same, unless the variant says that it was not reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// The name leads to addresses that are not public only. Not reached.
    #[error("the address is not public")]
    NotPublic,
    /// The name leads nowhere. Not reached.
    #[error("the name could not be resolved")]
    NotResolved,
    /// No connection, or no trust in the other's certificate. Not reached.
    #[error("the connection failed")]
    NotConnected,
    /// The deadline passed.
    #[error("the response did not complete in time")]
    TimedOut,
    /// What came was no HTTP, or the connection broke off.
    #[error("the response was not valid HTTP, or the connection closed")]
    Broken,
}

impl Outbound {
    /// A client with this reach, whose calls take no longer than `deadline`.
    ///
    /// # Panics
    /// Never in practice: with a TLS provider and no settings of ours that could be wrong, a client is always made.
    pub fn new(reach: Reach, deadline: Duration) -> Self {
        install_tls();
        let client = reqwest::Client::builder()
            .user_agent(concat!("bursar/", env!("CARGO_PKG_VERSION")))
            .dns_resolver(Resolver { reach })
            .https_only(reach == Reach::Public)
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            // A proxy would look the name up by itself, and connect where we would not.
            .no_proxy()
            .timeout(deadline)
            .pool_idle_timeout(KEEP_IDLE)
            .pool_max_idle_per_host(IDLE_MAX)
            .build();
        Self { client: client.expect("there is a TLS provider, and no other setting can be wrong"), reach }
    }

    /// How far it reaches.
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// Makes a POST and waits for its answer, whatever its status.
    ///
    /// # Errors
    /// [`Unanswered`].
    pub async fn post(&self, post: Post<'_>) -> Result<Answered, Unanswered> {
        self.refuse_own(post.target)?;
        self.call(self.client.post(post.target.0.clone()).body(post.body), post.headers).await
    }

    /// Makes a POST and waits for the status alone: the body is not read, however slowly it arrives.
    ///
    /// # Errors
    /// [`Unanswered`].
    pub async fn notify(&self, post: Post<'_>) -> Result<Answered, Unanswered> {
        self.refuse_own(post.target)?;
        let request = self.client.post(post.target.0.clone()).body(post.body);
        let response = self.begin(request, post.headers).await?;
        Ok(Answered {
            status: response.status().as_u16(),
            retry_after_seconds: retry_after(&response),
            body: Vec::new(),
        })
    }

    /// Makes a GET and waits for its answer, whatever its status.
    ///
    /// # Errors
    /// [`Unanswered`].
    pub async fn get(&self, target: &Target, headers: &[(&'static str, String)]) -> Result<Answered, Unanswered> {
        self.refuse_own(target)?;
        self.call(self.client.get(target.0.clone()), headers).await
    }

    /// An address that is written out is not resolved, so [`Resolver`] does not see it.
    fn refuse_own(&self, target: &Target) -> Result<(), Unanswered> {
        match target.address() {
            Some(address) if self.reach == Reach::Public && is_own(address) => Err(Unanswered::NotPublic),
            Some(_) | None => Ok(()),
        }
    }

    async fn begin(
        &self,
        mut request: reqwest::RequestBuilder,
        headers: &[(&'static str, String)],
    ) -> Result<reqwest::Response, Unanswered> {
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        request.send().await.map_err(|error| why(&error))
    }

    async fn call(
        &self,
        request: reqwest::RequestBuilder,
        headers: &[(&'static str, String)],
    ) -> Result<Answered, Unanswered> {
        let mut response = self.begin(request, headers).await?;
        let (status, retry_after_seconds) = (response.status().as_u16(), retry_after(&response));
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| why(&error))? {
            let left = ANSWER_MAX - body.len();
            body.extend_from_slice(&chunk[..chunk.len().min(left)]);
            if chunk.len() > left {
                break;
            }
        }
        Ok(Answered { status, retry_after_seconds, body })
    }
}

/// The seconds until `Retry-After`, which is a number of seconds or an HTTP date. A date is compared with the system clock,
/// not with a sandbox's movable one.
fn retry_after(response: &reqwest::Response) -> Option<i64> {
    let value = response.headers().get("retry-after")?.to_str().ok()?;
    seconds_until(value.trim(), Clock::wall().now())
}

/// `None` for a moment in the past, and for what is neither form.
fn seconds_until(retry_after: &str, now: Time) -> Option<i64> {
    let date = || {
        let since_1970 = httpdate::parse_http_date(retry_after).ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(i64::try_from(since_1970.as_secs()).ok()?.saturating_sub(now.seconds()))
    };
    retry_after.parse().ok().or_else(date).filter(|seconds| *seconds >= 0)
}

fn why(error: &reqwest::Error) -> Unanswered {
    if causes(error).any(|cause| cause.is::<NoneIsPublic>()) {
        Unanswered::NotPublic
    } else if error.is_timeout() {
        Unanswered::TimedOut
    } else if error.is_dns() {
        Unanswered::NotResolved
    } else if error.is_connect() {
        Unanswered::NotConnected
    } else {
        Unanswered::Broken
    }
}

fn causes<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| error.source())
}

/// Resolves names as the system does, and gives on only where we may connect to.
struct Resolver {
    reach: Reach,
}

/// A name has addresses, and none is public.
#[derive(Debug, thiserror::Error)]
#[error("none of the name's addresses is public")]
struct NoneIsPublic;

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.reach;
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let allowed: Vec<SocketAddr> = match reach {
                Reach::Anywhere => found,
                Reach::Public => {
                    found.into_iter().filter(|found| is_public(found.ip()) && !is_own(found.ip())).collect()
                }
            };
            if allowed.is_empty() {
                return Err(NoneIsPublic.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests;
