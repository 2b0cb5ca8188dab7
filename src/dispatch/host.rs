//! Validates the header `Host`: exactly one, and in a sandbox one of its own names.
//!
//! A sandbox shows its inbox, pages and metrics to any program on the machine. DNS rebinding could give them to a web
//! page: the page's DNS name changes to 127.0.0.1, and the browser then treats the sandbox as the page's own server.
//! The browser sends that name as `Host`, so foreign names are refused. An IP address is safe, because it involves no
//! DNS.

use std::net::IpAddr;

use axum::http::Version;
use axum::http::request::Parts;
use axum::http::uri::Authority;

use crate::http::Route;
use crate::input::wrong;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};

const SANDBOX: &str = "/v2/sandbox/";
/// Probes reveal nothing, and monitoring systems use many names for a process.
const PROBES: [&str; 2] = ["/livez", "/readyz"];

/// Rejects a request without exactly one `Host` (RFC 9112, 3.2), because a proxy may have used a different one.
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

/// Returns whether a byte is valid in a host name or IP address with a port. It runs for every request and must be
/// cheap.
const fn is_of_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'~' | b'%' | b':' | b'[' | b']')
}

/// Returns the name in lower case without its port; `None` if it is malformed.
fn name_of(host: &[u8]) -> Option<String> {
    let authority = Authority::try_from(host).ok().filter(|authority| !authority.as_str().contains('@'))?;
    Some(authority.host().trim_end_matches('.').to_ascii_lowercase())
}

/// The allowed names of a sandbox, in addition to those of the local machine.
pub(super) struct OwnNames {
    public: String,
}

impl OwnNames {
    pub(super) fn new(public_url: &str) -> Self {
        let authority = public_url.split_once("://").map_or(public_url, |(_, rest)| rest);
        let authority = authority.split('/').next().unwrap_or_default();
        Self { public: name_of(authority.as_bytes()).unwrap_or_default() }
    }

    /// Refuses local-only paths under a foreign host name.
    ///
    /// # Errors
    /// `not-permitted`, with the solution.
    pub(super) fn check(&self, route: &Route, parts: &Parts) -> Result<(), Refusal> {
        let guarded = route.path.starts_with(SANDBOX) || (!is_api(route) && !PROBES.contains(&route.path));
        // Browsers always send it.
        let Some(host) = parts.headers.get("host").filter(|_| guarded) else { return Ok(()) };
        if name_of(host.as_bytes()).is_some_and(|name| self.are(&name)) {
            return Ok(());
        }
        let message = "This sandbox does not serve that host name. Use 127.0.0.1 or localhost, or start the sandbox \
                       with public-url set to your URL.";
        Err(Refusal::field(Code::NotPermitted, "Host", message).because(Reason::OtherSite))
    }

    fn are(&self, name: &str) -> bool {
        let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
        address.parse::<IpAddr>().is_ok() || name == "localhost" || name.ends_with(".localhost") || name == self.public
    }
}

/// Returns whether the route belongs to the JSON API; the others are pages and probes.
pub(super) fn is_api(route: &Route) -> bool {
    route.path.starts_with("/v2/")
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
