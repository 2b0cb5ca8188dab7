//! A validated URL for an outgoing call.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

use reqwest::Url;

use super::address::{is_inside_name, is_public};

/// Longest URL, in characters.
pub const URL_MAX: usize = 2_048;

/// The networks that calls may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only the public internet, over https: the rule of production.
    Public,
    /// This machine and its network too, and plain http: for the sandbox, and for addresses that an operator has
    /// configured.
    Anywhere,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Target(pub(super) Url);

/// Omits the path and the query, which may hold a secret.
impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({}://{})", self.0.scheme(), self.0.host_str().unwrap_or_default())
    }
}

/// Why a URL may not be called. Its text says what the URL must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTarget {
    #[error("must be a complete URL of at most 2048 characters, such as https://example.com/hooks")]
    NoUrl,
    #[error("must begin with https://")]
    NotHttps,
    #[error("must begin with https:// or http://")]
    NotHttp,
    #[error("must not contain a user name or a password")]
    Credentials,
    #[error("must not have a fragment")]
    Fragment,
    /// It leads to this machine or its network.
    #[error("must resolve to a public address")]
    NotPublic,
}

impl Target {
    /// Parses a URL. A literal address is checked here, a name when it is connected to.
    pub fn parse(text: &str, reach: Reach) -> Result<Self, BadTarget> {
        // The parser drops blanks and line breaks, but the stored and shown URL must be the one that is called.
        if text.len() > URL_MAX || text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(BadTarget::NoUrl);
        }
        let url = Url::parse(text).map_err(|_| BadTarget::NoUrl)?;
        match (url.scheme(), reach) {
            ("https", _) | ("http", Reach::Anywhere) => {}
            (_, Reach::Public) => return Err(BadTarget::NotHttps),
            (_, Reach::Anywhere) => return Err(BadTarget::NotHttp),
        }
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(BadTarget::NoUrl)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(BadTarget::Credentials);
        }
        if url.fragment().is_some() {
            return Err(BadTarget::Fragment);
        }
        if reach == Reach::Public && leads_inside(host) {
            return Err(BadTarget::NotPublic);
        }
        Ok(Self(url))
    }

    /// Returns the literal address in the URL, if its host is not a name.
    pub(super) fn address(&self) -> Option<IpAddr> {
        self.0.host_str().and_then(written_address)
    }
}

/// Parses a literal address. The URL parser has already normalized every notation of an IPv4 address.
fn written_address(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inner) => inner.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => host.parse().ok(),
    }
}

/// Returns whether a host is a private address, or a name that never leads to a public one.
fn leads_inside(host: &str) -> bool {
    written_address(host).map_or_else(|| is_inside_name(host), |address| !is_public(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn production_calls_public_https_only() {
        let check = |url: &str, why: BadTarget| assert_eq!(Target::parse(url, Reach::Public).err(), Some(why), "{url}");
        for url in
            ["https://example.com", "https://example.com:8443/a?b=c", "https://1.1.1.1/", "https://münchen.example"]
        {
            assert!(Target::parse(url, Reach::Public).is_ok(), "{url}");
        }
        for url in ["http://example.com", "ftp://example.com", "file:///etc/passwd", "data:,x", "javascript:1"] {
            check(url, BadTarget::NotHttps);
        }
        for url in [
            "",
            "example.com",
            "//example.com",
            "https://",
            "https:// example.com",
            "https://a\tb.example",
            "https://[::1",
        ] {
            check(url, BadTarget::NoUrl);
        }
        check(&format!("https://example.com/{}", "a".repeat(URL_MAX)), BadTarget::NoUrl);
        check("https://user:pass@example.com", BadTarget::Credentials);
        check("https://user@example.com", BadTarget::Credentials);
        check("https://example.com/#top", BadTarget::Fragment);
    }

    #[test]
    fn however_an_address_is_written_it_is_seen() {
        for url in [
            "https://127.0.0.1",
            "https://127.1",
            "https://0x7f.0.0.1",
            "https://0177.0.0.1",
            "https://2130706433",
            "https://0",
            "https://127.0.0.1.",
            "https://１２７.0.0.1",
            "https://10.0.0.7:8443",
            "https://169.254.169.254/latest/meta-data",
            "https://[::1]",
            "https://[::ffff:10.0.0.1]",
            "https://[fd00::1]",
            "https://localhost",
            "https://LOCALHOST.",
            "https://a.localhost",
            "https://168.63.129.16",
            "https://metadata.google.internal/computeMetadata/v1/",
            "https://metadata",
            "https://instance-data.ec2.internal.",
        ] {
            assert_eq!(Target::parse(url, Reach::Public), Err(BadTarget::NotPublic), "{url}");
        }
    }

    #[test]
    fn the_sandbox_calls_this_machine_too() {
        for url in ["http://127.0.0.1:4000/hooks", "http://localhost", "https://[::1]:8443"] {
            assert!(Target::parse(url, Reach::Anywhere).is_ok(), "{url}");
        }
        assert_eq!(Target::parse("ftp://localhost", Reach::Anywhere), Err(BadTarget::NotHttp));
        let target = Target::parse("http://localhost/secret?token=secret", Reach::Anywhere).unwrap();
        assert_eq!(format!("{target:?}"), "Target(http://localhost)");
    }
}
