//! HTTP calls to external servers, within limits. Every outgoing HTTP call uses this module.
//!
//! Invariant: with [`Reach::Public`] no connection is made to an address that is not public. Literal addresses are
//! checked when the URL is parsed ([`Target`]), names after they are resolved, and the checked address is the one that
//! is connected to, so a DNS record that changes in between has no effect. An address of this machine is refused, even
//! a public one.
//!
//! Every call has one deadline, follows no redirect, uses no proxy, and reads at most [`ANSWER_MAX`] bytes.
//! Deliberately absent: retries, because only the caller knows whether a second call is safe.

mod address;
mod target;
mod tokens;
mod turns;

use address::is_own;
pub use address::is_public;
pub use target::{BadTarget, Reach, Target, URL_MAX};
pub use tokens::{TokenKey, Tokens};
pub use turns::Turns;

use std::net::SocketAddr;
use std::sync::Once;
use std::time::{Duration, UNIX_EPOCH};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;

use crate::clock::{Clock, Time};

/// The time limit of a call, from name resolution to the end of the response.
pub const DEADLINE: Duration = Duration::from_secs(15);
/// Bytes of a response body read at most; a longer response closes the connection.
pub const ANSWER_MAX: usize = 64 * 1024;
/// Bytes of the response to a notification that are returned.
pub const BEGINNING_MAX: usize = 1024;
/// The time in which those bytes must arrive after the headers; the status is the result.
const BEGINNING_WITHIN: Duration = Duration::from_millis(500);
/// The time for which an idle connection is kept.
const KEEP_IDLE: Duration = Duration::from_secs(30);
/// Idle connections to one host at most.
const IDLE_MAX: usize = 16;

/// Installs ring as the TLS provider of the process. Every TLS client calls this first, because two providers, or none,
/// cause a panic. Repeated calls are safe.
pub fn install_tls() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // It fails only if a provider is installed already.
        drop(rustls::crypto::ring::default_provider().install_default());
    });
}

/// Calls external servers. Clones are cheap and share their connections.
#[derive(Clone, Debug)]
pub struct Outbound {
    client: reqwest::Client,
    reach: Reach,
}

#[derive(Clone, Debug)]
pub struct Post<'a> {
    pub target: &'a Target,
    /// Headers with lower-case names, including Content-Type.
    pub headers: &'a [(&'static str, String)],
    pub body: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    pub status: u16,
    /// The seconds until `Retry-After`, if it was given and is not in the past.
    pub retry_after_seconds: Option<i64>,
    /// The body, as far as it was read.
    pub body: Vec<u8>,
}

/// Why there is no response. The server may have acted nevertheless, unless the variant says that it was not reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// All addresses of the name are private. Not reached.
    #[error("the address is not public")]
    NotPublic,
    /// The name has no address. Not reached.
    #[error("the name could not be resolved")]
    NotResolved,
    /// No connection, or an untrusted certificate. Not reached.
    #[error("the connection failed")]
    NotConnected,
    #[error("the response did not complete in time")]
    TimedOut,
    /// The response was not valid HTTP, or the connection broke.
    #[error("the response was not valid HTTP, or the connection closed")]
    Broken,
}

impl Outbound {
    /// Creates a client with this reach and this deadline per call. Panics only if the client's fixed settings are
    /// invalid.
    pub fn new(reach: Reach, deadline: Duration) -> Self {
        install_tls();
        let client = reqwest::Client::builder()
            .user_agent(concat!("bursar/", env!("CARGO_PKG_VERSION")))
            .dns_resolver(Resolver { reach })
            .https_only(reach == Reach::Public)
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            // A proxy would resolve the name on its own, and could connect to a private address.
            .no_proxy()
            .timeout(deadline)
            .pool_idle_timeout(KEEP_IDLE)
            .pool_max_idle_per_host(IDLE_MAX)
            .build();
        Self { client: client.expect("there is a TLS provider, and no other setting can be wrong"), reach }
    }

    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// Sends a POST and returns the response, with any status.
    pub async fn post(&self, post: Post<'_>) -> Result<Answered, Unanswered> {
        self.refuse_own(post.target)?;
        self.call(self.client.post(post.target.0.clone()).body(post.body), post.headers).await
    }

    /// Sends a PUT and returns the response, with any status.
    pub async fn put(&self, put: Post<'_>) -> Result<Answered, Unanswered> {
        self.refuse_own(put.target)?;
        self.call(self.client.put(put.target.0.clone()).body(put.body), put.headers).await
    }

    /// Sends a POST and returns its status with the beginning of the body, as far as it arrives soon. The headers decide
    /// the result: a body that is slow or breaks off changes nothing.
    pub async fn notify(&self, post: Post<'_>) -> Result<Answered, Unanswered> {
        self.refuse_own(post.target)?;
        let request = self.client.post(post.target.0.clone()).body(post.body);
        let mut response = self.begin(request, post.headers).await?;
        let (status, retry_after_seconds) = (response.status().as_u16(), retry_after(&response));
        let mut body = Vec::new();
        // What has arrived stays in `body`, however the reading ends.
        drop(tokio::time::timeout(BEGINNING_WITHIN, read(&mut response, &mut body, BEGINNING_MAX)).await);
        Ok(Answered { status, retry_after_seconds, body })
    }

    /// Sends a GET and returns the response, with any status.
    pub async fn get(&self, target: &Target, headers: &[(&'static str, String)]) -> Result<Answered, Unanswered> {
        self.refuse_own(target)?;
        self.call(self.client.get(target.0.clone()), headers).await
    }

    /// A literal address is not resolved, so [`Resolver`] does not check it.
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
        read(&mut response, &mut body, ANSWER_MAX).await?;
        Ok(Answered { status, retry_after_seconds, body })
    }
}

/// Reads the body up to `most` bytes.
async fn read(response: &mut reqwest::Response, body: &mut Vec<u8>, most: usize) -> Result<(), Unanswered> {
    while let Some(chunk) = response.chunk().await.map_err(|error| why(&error))? {
        let left = most - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(left)]);
        if chunk.len() > left {
            break;
        }
    }
    Ok(())
}

/// Returns the seconds until `Retry-After`, which is a number of seconds or an HTTP date. A date is compared with the
/// system clock, not with the sandbox's movable one.
fn retry_after(response: &reqwest::Response) -> Option<i64> {
    let value = response.headers().get("retry-after")?.to_str().ok()?;
    seconds_until(value.trim(), Clock::wall().now())
}

/// Returns `None` for a time in the past, and for any other format.
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

/// Resolves names with the system's resolver, and returns only addresses that may be connected to.
struct Resolver {
    reach: Reach,
}

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
