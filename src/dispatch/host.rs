//! The header `Host`: one of it, and in a sandbox one of its own names.
//!
//! A sandbox shows its inbox, pages and metrics to anyone on the machine. Without this rule a web page could read them: its
//! name in the DNS changes to 127.0.0.1 after the page was loaded, and the browser takes the sandbox for the page's own server
//! (DNS rebinding). The browser sends that name as `Host`, so a name that is not ours is refused. An IP address as `Host` is
//! safe: no DNS is involved.

use std::net::IpAddr;

use axum::http::Version;
use axum::http::request::Parts;
use axum::http::uri::Authority;

use super::is_api;
use crate::http::Route;
use crate::http::input::wrong;
use crate::refusal::{Code, Refusal};

/// Paths of the sandbox's API.
const SANDBOX: &str = "/v2/sandbox/";
/// Probes tell nothing, and those who call them know a process by all kinds of names.
const PROBES: [&str; 2] = ["/livez", "/readyz"];

/// Refuses a request that does not name its host once (RFC 9112, 3.2): a proxy before us may have read another one.
pub(super) fn check_header(parts: &Parts) -> Result<(), Refusal> {
    let mut given = parts.headers.get_all("host").iter();
    let refuse = |message: &str| Err(Refusal::fields(wrong("Host", message)));
    match (given.next(), given.next()) {
        (Some(_), Some(_)) => refuse("must be sent only once"),
        (None, _) if parts.version == Version::HTTP_11 => refuse("is required in HTTP/1.1"),
        (None, _) => Ok(()),
        (Some(host), None) if host.as_bytes().iter().copied().all(is_of_host) => Ok(()),
        (Some(_), None) => refuse("must be a host name or an IP address, with an optional port"),
    }
}

/// Whether a byte can stand in a host name or an IP address with a port. Every request is asked this, so it costs nothing more.
const fn is_of_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'~' | b'%' | b':' | b'[' | b']')
}

/// The name in a `Host`, in lower case and without its port; `None` when it is malformed.
fn name_of(host: &[u8]) -> Option<String> {
    let authority = Authority::try_from(host).ok().filter(|authority| !authority.as_str().contains('@'))?;
    Some(authority.host().trim_end_matches('.').to_ascii_lowercase())
}

/// The names by which a sandbox may be called, besides those of this machine.
pub(super) struct OwnNames {
    public: String,
}

impl OwnNames {
    pub(super) fn new(public_url: &str) -> Self {
        let authority = public_url.split_once("://").map_or(public_url, |(_, rest)| rest);
        let authority = authority.split('/').next().unwrap_or_default();
        Self { public: name_of(authority.as_bytes()).unwrap_or_default() }
    }

    /// Refuses to show what only this machine may see under a name that is not ours.
    ///
    /// # Errors
    /// `not-permitted`, with the way out.
    pub(super) fn check(&self, route: &Route, parts: &Parts) -> Result<(), Refusal> {
        let guarded = route.path.starts_with(SANDBOX) || (!is_api(route) && !PROBES.contains(&route.path));
        // A browser always sends it.
        let Some(host) = parts.headers.get("host").filter(|_| guarded) else { return Ok(()) };
        if name_of(host.as_bytes()).is_some_and(|name| self.are(&name)) {
            return Ok(());
        }
        let message = "This sandbox does not serve that host name. Use 127.0.0.1 or localhost, or start the sandbox \
                       with public-url set to your URL.";
        Err(Refusal::field(Code::NotPermitted, "Host", message))
    }

    fn are(&self, name: &str) -> bool {
        let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
        address.parse::<IpAddr>().is_ok() || name == "localhost" || name.ends_with(".localhost") || name == self.public
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_names_and_addresses_are_answered() {
        let names = OwnNames::new("https://pay.example:8443/");
        for own in
            ["localhost", "LOCALHOST:8080", "app.localhost", "127.0.0.1:80", "[::1]:8080", "192.0.2.7", "pay.example"]
        {
            assert!(names.are(&name_of(own.as_bytes()).unwrap()), "{own}");
        }
        for other in
            ["evil.example", "localhost.evil.example", "evil-localhost", "pay.example.evil.example", "127.0.0.1.evil"]
        {
            assert!(!names.are(&name_of(other.as_bytes()).unwrap()), "{other}");
        }
        for malformed in ["user@localhost", "a b", "a/b", "a:b:c"] {
            assert_eq!(name_of(malformed.as_bytes()), None, "{malformed}");
        }
        assert!(!OwnNames::new("").are("evil.example"));
    }
}
