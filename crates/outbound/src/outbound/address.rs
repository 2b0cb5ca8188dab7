//! Decides which addresses are on the public internet: all except those of this machine, its network, and unassigned
//! ranges.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not public, with the length of their prefix (IANA's registry of special addresses).
const NOT_PUBLIC_V4: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),        // this host
    (Ipv4Addr::new(10, 0, 0, 0), 8),       // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),    // behind a carrier's NAT
    (Ipv4Addr::new(127, 0, 0, 0), 8),      // loopback
    (Ipv4Addr::new(168, 63, 129, 16), 32), // the host agent of Azure, which gives out credentials
    (Ipv4Addr::new(169, 254, 0, 0), 16),   // link-local; clouds answer there with credentials
    (Ipv4Addr::new(172, 16, 0, 0), 12),    // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),     // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),     // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),   // relays from IPv6
    (Ipv4Addr::new(192, 168, 0, 0), 16),   // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),    // measurements
    (Ipv4Addr::new(198, 51, 100, 0), 24),  // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),   // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),      // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),      // reserved, and broadcast
];

/// IPv6 networks inside 2000::/3 that are not public.
const NOT_PUBLIC_V6: [(Ipv6Addr, u32); 3] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments, tunnels among them
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// Names of private networks and of cloud services that give out credentials. Names below them are refused too.
const INSIDE_NAMES: [&str; 14] = [
    "localhost",
    "local",
    "localdomain",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "home.arpa",
    "metadata.goog",
    "metadata.azure.com",
    "metadata.tencentyun.com",
    "cluster.local",
];

/// Returns whether the name alone shows that a host is private. The resolver completes a name without a dot with the
/// domain of this machine.
pub(super) fn is_inside_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let is_or_below =
        |inside: &str| name.strip_suffix(inside).is_some_and(|before| before.is_empty() || before.ends_with('.'));
    !name.contains('.') || INSIDE_NAMES.iter().any(|inside| is_or_below(inside))
}

/// Returns whether an address belongs to this machine: only such an address can be bound. On a system that binds any
/// address the answer is false, because the check proves nothing.
pub(super) fn is_own(address: IpAddr) -> bool {
    const OF_NO_MACHINE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    let binds = |address: IpAddr| std::net::UdpSocket::bind((address, 0)).is_ok();
    binds(address) && !binds(OF_NO_MACHINE)
}

pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match inner_v4(address) {
            Some(inner) => is_public_v4(inner),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    !NOT_PUBLIC_V4.iter().any(|(network, prefix)| (bits ^ network.to_bits()) >> (32 - prefix) == 0)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits = address.to_bits();
    let within = |network: Ipv6Addr, prefix: u32| (bits ^ network.to_bits()) >> (128 - prefix) == 0;
    // Only 2000::/3 is assigned: loopback, link-local, unique-local and multicast are outside of it.
    within(Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3)
        && !NOT_PUBLIC_V6.iter().any(|(network, prefix)| within(*network, *prefix))
}

/// Returns the IPv4 address that an IPv6 address leads to: mapped, translated (NAT64), or by 6to4.
fn inner_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let of = |high: u16, low: u16| Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)));
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => of(high, low),
        [0x2002, high, low, ..] => of(high, low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_lead_inside_are_not_public() {
        for inside in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "::ffff:168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:a00:1::1",
            "2002:7f00:1::",
            "3fff::1",
            "fc00::1",
            "fd12:3456:789a::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(inside.parse().unwrap()), "{inside}");
        }
    }

    #[test]
    fn names_that_lead_inside() {
        for name in [
            "metadata.google.internal",
            "METADATA.GOOGLE.INTERNAL.",
            "metadata",
            "metadata.goog",
            "instance-data",
            "instance-data.ec2.internal",
            "db.corp",
            "printer.local",
            "api.svc.cluster.local",
            "localhost",
            "a.localhost",
        ] {
            assert!(is_inside_name(name), "{name}");
        }
        for name in
            ["example.com", "internal.example.com", "mylocal.example", "metadata.goog.example.com", "notlocal.io"]
        {
            assert!(!is_inside_name(name), "{name}");
        }
    }

    #[test]
    fn this_machine_knows_its_own_addresses() {
        for own in ["127.0.0.1", "127.0.0.9"] {
            assert!(is_own(own.parse().unwrap()), "{own}");
        }
        for other in ["192.0.2.7", "1.1.1.1", "2606:4700:4700::1111"] {
            assert!(!is_own(other.parse().unwrap()), "{other}");
        }
    }

    #[test]
    fn neighbours_of_those_are_public() {
        for outside in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.1",
            "168.63.129.15",
            "168.63.129.17",
            "169.253.255.255",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
            "2001:200::1",
            "2606:4700:4700::1111",
            "2002:101:101::1",
        ] {
            assert!(is_public(outside.parse().unwrap()), "{outside}");
        }
    }
}
