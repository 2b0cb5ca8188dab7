//! Connection settings from a `postgres://` URL.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres_rustls::MakeRustlsConnect;

const CONNECT_DEADLINE: Duration = Duration::from_secs(2);

/// How the server's identity is verified, by `sslmode`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Trust {
    /// `disable`: no TLS.
    Plain,
    /// `prefer`, the default: TLS if the server offers it, without verification.
    Preferred,
    /// `require`: TLS without verification.
    Anybody,
    /// `verify-full`: TLS with a verified host name, by the root certificates of a file or of the system.
    Named(Option<PathBuf>),
}

#[derive(Clone)]
pub struct Settings {
    /// One for each host, in the order of the URL.
    hosts: Vec<tokio_postgres::Config>,
    /// The URL without user and password.
    shown: String,
    trust: Trust,
    /// Whether a transaction pooler is in use.
    pub(super) pooled: bool,
    pub(super) locks: bool,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Settings({}, {:?}, pooled: {})", self.shown, self.trust, self.pooled)
    }
}

impl PartialEq for Settings {
    fn eq(&self, other: &Self) -> bool {
        (&self.hosts, &self.shown, &self.trust, self.pooled) == (&other.hosts, &other.shown, &other.trust, other.pooled)
    }
}

impl Eq for Settings {}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Settings {
    /// Parses `postgres://user:password@host:port,host:port/database?sslmode=verify-full`. Supports
    /// `sslmode=verify-full` and `sslrootcert=<file>` in addition to the driver's parameters. Of several hosts the one
    /// that accepts writes is used. Error messages contain no password.
    pub fn parse(url: &str) -> Result<Self, String> {
        let rest = url.strip_prefix("postgres://").or_else(|| url.strip_prefix("postgresql://"));
        let rest = rest.ok_or("must begin with postgres://")?;
        let (front, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = front.split_once('/').unwrap_or((front, ""));
        let (login, hosts) = match authority.rsplit_once('@') {
            Some((login, hosts)) => (format!("{login}@"), hosts),
            None => (String::new(), authority),
        };
        let (trust, query) = trust(query)?;
        let read = |host: &str| {
            let one: tokio_postgres::Config = format!("postgres://{login}{host}/{path}{query}")
                .parse()
                .map_err(|error: tokio_postgres::Error| with_cause(&error))?;
            Ok::<_, String>(completed(one, &trust))
        };
        let hosts: Vec<tokio_postgres::Config> = hosts.split(',').map(read).collect::<Result<_, _>>()?;
        if hosts.iter().any(|config| config.get_hosts().is_empty() && config.get_hostaddrs().is_empty()) {
            return Err("has no host".to_owned());
        }
        let shown = format!("postgres://{}/{path}", front.split_once('/').map_or(authority, |(_, _)| authority));
        let shown = shown.replace(&login, "");
        if let Trust::Named(Some(file)) = &trust {
            // Read again for each connection, so that certificates can be replaced; this call reports a wrong file name
            // early.
            roots(Some(file))?;
        }
        Ok(Self { hosts, shown, trust, pooled: false, locks: true })
    }

    /// Adds a password that is not in the URL.
    #[must_use]
    pub fn with_password(mut self, password: &str) -> Self {
        for host in &mut self.hosts {
            host.password(password);
        }
        self
    }

    /// Uses a transaction pooler: nothing is prepared, and settings apply to one transaction only.
    #[must_use]
    pub fn through_pooler(mut self, pooled: bool) -> Self {
        self.pooled = pooled;
        self
    }

    /// Removes the lock that serializes an organization. The negative control of tests, which must detect the effects.
    #[must_use]
    pub fn without_locks(mut self) -> Self {
        self.locks = false;
        self
    }

    /// Returns whether the connection is private: TLS with a verified host name, or a local server.
    pub fn is_private(&self) -> bool {
        let local = |host: &Host| match host {
            Host::Unix(_) => true,
            Host::Tcp(name) => is_here(name),
        };
        matches!(self.trust, Trust::Named(_)) || self.hosts.iter().all(|config| config.get_hosts().iter().all(local))
    }

    /// Returns whether a connection to another server of the cluster is as private as the one of the URL.
    pub(super) fn may_go_to(&self, host: &str) -> bool {
        matches!(self.trust, Trust::Named(_)) || is_here(host) || !self.is_private()
    }

    pub(super) fn hosts(&self) -> &[tokio_postgres::Config] {
        &self.hosts
    }

    /// Returns the settings for another server of the cluster, with the same user and verification.
    pub(super) fn of_node(&self, host: &str, port: u16) -> tokio_postgres::Config {
        let known = &self.hosts[0];
        let mut config = tokio_postgres::Config::new();
        config.host(host).port(port).channel_binding(known.get_channel_binding());
        let text = |value: Option<&str>| value.map(str::to_owned);
        text(known.get_user()).map(|user| config.user(user));
        known.get_password().map(|password| config.password(password));
        text(known.get_dbname()).map(|name| config.dbname(name));
        text(known.get_options()).map(|options| config.options(options));
        text(known.get_application_name()).map(|name| config.application_name(name));
        known.get_connect_timeout().map(|timeout| config.connect_timeout(*timeout));
        completed(config, &self.trust)
    }

    /// Returns the TLS configuration. Fails without root certificates.
    pub(super) fn tls(&self) -> Result<MakeRustlsConnect, String> {
        // Named explicitly, so that it does not depend on the providers that other dependencies enable.
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let config = match &self.trust {
            Trust::Plain | Trust::Preferred | Trust::Anybody => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
                .with_no_client_auth(),
            Trust::Named(file) => builder.with_root_certificates(roots(file.as_ref())?).with_no_client_auth(),
        };
        Ok(MakeRustlsConnect::new(config))
    }
}

/// Removes `sslmode` and `sslrootcert` from a query string; returns the rest for the driver, with its question mark.
fn trust(query: &str) -> Result<(Trust, String), String> {
    let (mut mode, mut roots, mut rest) = (None, None, Vec::new());
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("sslmode", value)) => mode = Some(value),
            Some(("sslrootcert", file)) => roots = Some(PathBuf::from(file)),
            Some(("target_session_attrs", "read-write")) => {}
            Some(("target_session_attrs", _)) => {
                return Err("target_session_attrs must be read-write, because bursar reads from the primary".to_owned());
            }
            Some(_) | None => rest.push(pair),
        }
    }
    let trust = match (mode, roots) {
        (Some("verify-full"), roots) => Trust::Named(roots),
        (_, Some(_)) => return Err("sslrootcert requires sslmode=verify-full".to_owned()),
        (None | Some("prefer"), None) => Trust::Preferred,
        (Some("disable"), None) => Trust::Plain,
        (Some("require"), None) => Trust::Anybody,
        (Some(_), None) => return Err("sslmode must be disable, prefer, require or verify-full".to_owned()),
    };
    let rest = if rest.is_empty() { String::new() } else { format!("?{}", rest.join("&")) };
    Ok((trust, rest))
}

/// Completes a configuration with defaults that the URL does not set.
fn completed(mut config: tokio_postgres::Config, trust: &Trust) -> tokio_postgres::Config {
    // A Unix socket is local, and servers offer no TLS on it.
    let by_socket = config.get_hosts().iter().any(|host| matches!(host, Host::Unix(_)));
    config.ssl_mode(match trust {
        Trust::Plain => SslMode::Disable,
        Trust::Preferred | Trust::Anybody | Trust::Named(_) if by_socket => SslMode::Disable,
        Trust::Preferred => SslMode::Prefer,
        Trust::Anybody | Trust::Named(_) => SslMode::Require,
    });
    config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_DEADLINE);
    }
    if config.get_application_name().is_none() {
        config.application_name("bursar");
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(Duration::from_secs(10));
    }
    // A vanished host is detected within 15 seconds, also during a commit.
    config.keepalives_idle(Duration::from_secs(5)).keepalives_interval(Duration::from_secs(3)).keepalives_retries(3);
    config
}

fn is_here(name: &str) -> bool {
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn roots(file: Option<&PathBuf>) -> Result<RootCertStore, String> {
    let mut store = RootCertStore::empty();
    let certificates: Vec<CertificateDer<'static>> = match file {
        Some(file) => CertificateDer::pem_file_iter(file)
            .and_then(Iterator::collect)
            .map_err(|error| format!("sslrootcert {}: {error}", file.display()))?,
        None => rustls_native_certs::load_native_certs().certs,
    };
    store.add_parsable_certificates(certificates);
    if store.is_empty() { Err("there are no root certificates to verify the server".to_owned()) } else { Ok(store) }
}

pub(super) fn with_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut reported = error.to_string();
    let mut cause = error.source();
    while let Some(behind) = cause {
        reported = format!("{reported}: {behind}");
        cause = behind.source();
    }
    reported
}

/// Accepts every certificate, as `sslmode=require` defines: it protects from passive listeners. Protection from active
/// attackers needs `verify-full`.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_with_many_hosts_is_one_target_for_each() {
        let settings = Settings::parse("postgres://me:secret@a:5433,b,[::1]:7/pay?application_name=x").unwrap();
        let ports: Vec<&[u16]> = settings.hosts().iter().map(tokio_postgres::Config::get_ports).collect();
        assert_eq!(ports, [&[5433][..], &[5432][..], &[7][..]]);
        for host in settings.hosts() {
            assert_eq!(host.get_user(), Some("me"));
            assert_eq!(host.get_password(), Some(&b"secret"[..]));
            assert_eq!(host.get_dbname(), Some("pay"));
            assert_eq!(host.get_application_name(), Some("x"));
            assert_eq!(host.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
        }
        assert_eq!(settings.to_string(), "postgres://a:5433,b,[::1]:7/pay");
        assert!(!format!("{settings:?}").contains("secret"));
    }

    #[test]
    fn a_socket_is_a_host() {
        let settings = Settings::parse("postgres:///pay?host=/run/postgresql&user=me").unwrap();
        assert_eq!(settings.hosts().len(), 1);
        assert!(settings.is_private());
    }

    #[test]
    fn what_may_be_read_on_the_way_is_not_private() {
        for (url, private) in [
            ("postgres://a/x", false),
            ("postgres://a/x?sslmode=require", false),
            ("postgres://a/x?sslmode=verify-full", true),
            ("postgres://127.0.0.1,localhost,[::1]/x?sslmode=disable", true),
            ("postgres://localhost,a/x", false),
        ] {
            assert_eq!(Settings::parse(url).unwrap().is_private(), private, "{url}");
        }
    }

    #[test]
    fn a_node_connection_is_as_private_as_the_url() {
        for (url, host, may) in [
            ("postgres://127.0.0.1/x", "127.0.0.2", true),
            ("postgres://127.0.0.1/x", "10.0.0.5", false),
            ("postgres:///x?host=/run/postgresql&user=me&sslmode=require", "db1", false),
            ("postgres://localhost/x?sslmode=verify-full", "db1", true),
            ("postgres://db1/x?sslmode=require", "db2", true),
        ] {
            assert_eq!(Settings::parse(url).unwrap().may_go_to(host), may, "{url} {host}");
        }
    }

    #[test]
    fn wrong_urls_are_refused_without_their_passwords() {
        for (url, wrong) in [
            ("mysql://me:secret@a/x", "must begin with postgres://"),
            ("postgres://me:secret@/x", "has no host"),
            ("postgres://me:secret@a/x?sslmode=verify-ca", "sslmode must be"),
            ("postgres://me:secret@a/x?sslmode=require&sslrootcert=/x", "requires sslmode=verify-full"),
            ("postgres://me:secret@a/x?sslmode=verify-full&sslrootcert=/nowhere", "sslrootcert /nowhere"),
            ("postgres://me:secret@a/x?sslmode=verify-full&sslrootcert=/dev/null", "no root certificates"),
            ("postgres://me:secret@a/x?target_session_attrs=any", "must be read-write"),
            ("postgres://me:secret@a:port/x", "port"),
            ("postgres://me:secret@a/x?colour=red", "colour"),
        ] {
            let refused = Settings::parse(url).unwrap_err();
            assert!(refused.contains(wrong) && !refused.contains("secret"), "{url}: {refused}");
        }
    }
}
