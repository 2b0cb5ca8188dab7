//! `bursar probe`

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

use super::terminal::{Configured, Failed, say};

/// The time limit for each step of the request.
const WITHIN: Duration = Duration::from_secs(4);

/// Asks the configured server on this machine whether it is ready, for supervisors without an HTTP client.
pub(super) fn run(configured: Configured) -> Result<(), Failed> {
    let config = configured.load()?;
    let address = reachable(config.admin_listen.unwrap_or(config.listen));
    let failed = |error| Failed::Work(format!("{address} does not respond: {error}"));
    let response = ask(address).map_err(failed)?;
    let (head, body) = response.split_once("\r\n\r\n").unwrap_or((&response, ""));
    if head.starts_with("HTTP/1.1 200 ") {
        return say("ready");
    }
    let status = head.lines().next().unwrap_or_default();
    Err(Failed::Work(format!("{address} is not ready: {status} {}", body.trim())))
}

/// Returns the address for calls from this machine.
pub(super) fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V4(given) if given.ip().is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        SocketAddr::V6(given) if given.ip().is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        SocketAddr::V4(_) | SocketAddr::V6(_) => {}
    }
    address
}

pub(super) fn ask(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, WITHIN)?;
    stream.set_read_timeout(Some(WITHIN))?;
    stream.set_write_timeout(Some(WITHIN))?;
    let request = format!("GET /readyz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wildcard_is_called_on_this_machine() {
        for (given, called) in
            [("0.0.0.0:8080", "127.0.0.1:8080"), ("[::]:9090", "[::1]:9090"), ("10.0.0.1:80", "10.0.0.1:80")]
        {
            assert_eq!(reachable(given.parse().unwrap()).to_string(), called);
        }
    }
}
