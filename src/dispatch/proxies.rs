//! Determines the client's IP address behind proxies, for limits by address.
//!
//! Invariant: clients cannot choose their address. `X-Forwarded-For` is trusted only as far as each hop that wrote it
//! is a trusted proxy; the right-most untrusted address is the client.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use axum::http::HeaderMap;
use serde::Deserialize;

/// A range of addresses: `10.0.0.0/8`, `2001:db8::/32`, or a single address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Network {
    first: IpAddr,
    prefix: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no network such as 10.0.0.0/8 or 2001:db8::/32, and no address")]
pub struct NotANetwork(String);

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let wrong = || NotANetwork(text.to_owned());
        let (address, prefix) = text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
        let address: IpAddr = address.trim().parse().map_err(|_| wrong())?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(longest), |prefix| prefix.trim().parse().map_err(|_| wrong()))?;
        if prefix > longest {
            return Err(wrong());
        }
        let network = Self { first: address, prefix };
        // 10.1.2.3/8 is most likely a mistake.
        if network.bits(address) != widened(address) {
            return Err(wrong());
        }
        Ok(network)
    }
}

impl TryFrom<String> for Network {
    type Error = NotANetwork;

    fn try_from(text: String) -> Result<Self, NotANetwork> {
        text.parse()
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.prefix)
    }
}

impl Network {
    pub fn contains(self, address: IpAddr) -> bool {
        self.first.is_ipv4() == address.is_ipv4() && self.bits(address) == widened(self.first)
    }

    /// Returns an address with the bits outside the prefix set to zero.
    fn bits(self, address: IpAddr) -> u128 {
        // The prefix counts from the left; an IPv4 address fills the lowest 32 bits.
        let free = if self.first.is_ipv4() { 32 } else { 128 } - u32::from(self.prefix);
        widened(address) & u128::MAX.checked_shl(free).unwrap_or(0)
    }
}

fn widened(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// Returns the client's address. If `peer` is a trusted proxy, reads `X-Forwarded-For` from the right past further
/// trusted proxies. An unreadable hop ends the search, and the proxy that forwarded it is the client.
pub fn origin(peer: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> IpAddr {
    let ours = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut caller = peer.to_canonical();
    if !ours(caller) {
        return caller;
    }
    let lines: Vec<&str> = headers.get_all("x-forwarded-for").iter().map(|line| line.to_str().unwrap_or("?")).collect();
    // Several lines are one list, in order (RFC 9110, 5.3).
    let mut hops = lines.iter().rev().flat_map(|line| line.rsplit(',')).map(hop);
    while ours(caller) {
        match hops.next() {
            Some(Some(address)) => caller = address,
            Some(None) | None => break,
        }
    }
    caller
}

/// Parses an address as proxies write it: bare, with a port, or in brackets.
fn hop(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = || text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let address = text.parse::<std::net::SocketAddr>().map(|address| address.ip());
    address.ok().or_else(|| bare().parse().ok()).map(|address: IpAddr| address.to_canonical())
}

/// Maps an IPv6 address to its 64-bit network, because one subscriber has all its addresses.
pub fn neighbourhood(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn seen(peer: &str, lines: &[&str], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("x-forwarded-for", line.parse().unwrap());
        }
        let trusted: Vec<Network> = trusted.iter().map(|text| text.parse().unwrap()).collect();
        origin(ip(peer), &headers, &trusted).to_string()
    }

    #[test]
    fn only_a_trusted_proxy_is_believed_and_only_up_to_the_first_stranger() {
        let ours = ["10.0.0.0/8", "2001:db8::/32"];
        for (peer, lines, expected) in [
            // Without a proxy, the header is the client's own invention.
            ("198.51.100.1", vec!["1.1.1.1"], "198.51.100.1"),
            ("10.0.0.1", vec![], "10.0.0.1"),
            ("10.0.0.1", vec!["203.0.113.9"], "203.0.113.9"),
            // Values from the client are left of the one that our proxy added.
            ("10.0.0.1", vec!["1.1.1.1, 203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1", vec!["203.0.113.9, 10.0.0.2"], "203.0.113.9"),
            ("10.0.0.1", vec!["1.1.1.1", "203.0.113.9, 10.0.0.2"], "203.0.113.9"),
            ("2001:db8::1", vec!["2001:db9::2"], "2001:db9::2"),
            // With ports, in brackets, and IPv4 in IPv6.
            ("10.0.0.1", vec!["203.0.113.9:4711"], "203.0.113.9"),
            ("10.0.0.1", vec!["[2001:db9::2]:4711"], "2001:db9::2"),
            ("10.0.0.1", vec!["[2001:db9::2]"], "2001:db9::2"),
            ("::ffff:10.0.0.1", vec!["::ffff:203.0.113.9"], "203.0.113.9"),
            // Unreadable: the proxy that forwarded it.
            ("10.0.0.1", vec!["203.0.113.9, unknown"], "10.0.0.1"),
            ("10.0.0.1", vec!["203.0.113.9, , 10.0.0.2"], "10.0.0.2"),
        ] {
            assert_eq!(seen(peer, &lines, &ours), expected, "{peer} {lines:?}");
        }
        assert_eq!(seen("10.0.0.1", &["1.1.1.1"], &[]), "10.0.0.1", "without proxies nothing is believed");
        assert_eq!(seen("10.0.0.1", &["1.1.1.1"], &["0.0.0.0/0"]), "1.1.1.1", "even if every address is a proxy");
    }

    #[test]
    fn a_network_is_an_address_and_a_prefix() {
        let network = |text: &str| text.parse::<Network>().map(|network| network.to_string());
        assert_eq!(network("10.0.0.0/8").unwrap(), "10.0.0.0/8");
        assert_eq!(network("127.0.0.1").unwrap(), "127.0.0.1/32");
        assert_eq!(network("::1").unwrap(), "::1/128");
        assert_eq!(network("::/0").unwrap(), "::/0");
        for wrong in ["", "10.0.0.0/33", "10.1.0.0/8", "2001:db8::/129", "proxy", "10.0.0.0/", "10.0.0.0/-1"] {
            assert!(network(wrong).is_err(), "{wrong}");
        }
        let ten: Network = "10.0.0.0/8".parse().unwrap();
        assert!(ten.contains(ip("10.255.0.1")) && !ten.contains(ip("11.0.0.0")) && !ten.contains(ip("::a00:1")));
    }

    #[test]
    fn the_addresses_of_one_network_count_together() {
        assert_eq!(neighbourhood(ip("2001:db8::1")), neighbourhood(ip("2001:db8::ffff:2")));
        assert_ne!(neighbourhood(ip("2001:db8::1")), neighbourhood(ip("2001:db8:0:1::1")));
        assert_ne!(neighbourhood(ip("192.0.2.1")), neighbourhood(ip("192.0.2.2")));
    }
}
