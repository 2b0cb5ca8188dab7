//! The configuration: flags, environment variables, a TOML file, defaults, in this order of precedence
//! (docs/decisions.md 15).
//!
//! Invariant: a [`Config`] is safe to run. Production refuses every unsafe setting at once, before
//! anything is opened (docs/decisions.md 2).

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::{NonZeroU8, NonZeroU32};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Deserialize;

use crate::bank_transports::{TransportSettings, Transports};
use crate::dispatch::Network;
use crate::key_file::KeySource;
use crate::program::Environment;
use crate::providers::{GatewaySettings, SmtpSettings};
use crate::screening::SCORE_MIN;
use crate::store::postgres;
use crate::text::did_you_mean;

/// Mebibytes of a sandbox store by default.
const SANDBOX_QUOTA_MIB: u32 = 20_480;
/// Requests per second for each app in production by default (docs/decisions.md 14).
const REQUESTS_PER_SECOND: NonZeroU32 = NonZeroU32::new(100).expect("100 is not 0");

/// The key of the tables of transports.
const TRANSPORTS: &str = "transports";

/// The environment of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EnvironmentChoice {
    /// For tests: inbox, movable clock, simulated rails.
    Sandbox,
    /// Real messages and rails: a rail without a route is refused.
    Production,
}

/// The work of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Everything.
    All,
    /// Answers requests; other processes do the background work.
    Api,
    /// Does the background work; answers only probes.
    Worker,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    /// For people.
    Human,
    /// One JSON object a line.
    Json,
}

/// The settings as given: each is a flag, a variable `BURSAR_…` and a key of the file.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    /// Address of the API and the pages: IP address or localhost, and port [default: 127.0.0.1:8080]
    #[arg(long, env = "BURSAR_LISTEN", value_name = "ADDRESS", value_parser = address)]
    pub listen: Option<SocketAddr>,
    /// Address of probes and metrics [default: in production 127.0.0.1:9090, in the sandbox the address of the API]
    #[arg(long, env = "BURSAR_ADMIN_LISTEN", value_name = "ADDRESS", value_parser = address)]
    pub admin_listen: Option<SocketAddr>,
    /// Folder of the embedded store and of the sandbox's key and credentials [default: ./bursar-data]
    #[arg(long, env = "BURSAR_DATA_DIR", value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
    /// The store: sqlite:<path>, or postgres://user@host:port,host:port/name?sslmode=verify-full [default: sqlite:<data-dir>/bursar.sqlite]
    #[arg(long, env = "BURSAR_DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// File with the password for PostgreSQL, readable only by its owner [default: the password of the URL]
    #[arg(long, env = "BURSAR_DATABASE_PASSWORD_FILE", value_name = "FILE")]
    pub database_password_file: Option<PathBuf>,
    /// Parallel batches on PostgreSQL, each of up to 32 organizations, or of one on Citus [default: 2, or 8 on Citus]
    #[arg(long, env = "BURSAR_DATABASE_EXECUTORS", value_name = "NUMBER")]
    pub database_executors: Option<NonZeroU8>,
    /// Use no prepared statements: a pooler in front of PostgreSQL may give each transaction another connection
    #[arg(long, env = "BURSAR_DATABASE_POOLER", num_args = 0..=1, default_missing_value = "true", value_name = "YES")]
    pub database_pooler: Option<bool>,
    /// Maximum size of the embedded store in mebibytes; beyond it changes are refused, 0 for no limit [default: 20480 in the sandbox, 0 in production]
    #[arg(long, env = "BURSAR_STORAGE_QUOTA_MIB", value_name = "MEBIBYTES")]
    pub storage_quota_mib: Option<u32>,
    /// Environment of the server [default: sandbox]
    #[arg(long, env = "BURSAR_ENVIRONMENT", value_name = "NAME")]
    pub environment: Option<EnvironmentChoice>,
    /// Work of this process [default: all]
    #[arg(long, env = "BURSAR_ROLE", value_name = "ROLE")]
    pub role: Option<Role>,
    /// URL of the pages for payees; every claim link begins with it [default: the address of the API]
    #[arg(long, env = "BURSAR_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,
    /// Format of the log [default: human on a terminal, else json]
    #[arg(long, env = "BURSAR_LOG", value_name = "FORMAT")]
    pub log: Option<LogFormat>,
    /// File with the master keys, readable only by its owner [sandbox: <data-dir>/master.key, created if missing]
    #[arg(long, env = "BURSAR_KEY_FILE", value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// Command that unwraps the key file: reads it from standard input and prints the keys [default: the file is not wrapped]
    #[arg(long, env = "BURSAR_MASTER_KEY_COMMAND", value_name = "COMMAND")]
    pub master_key_command: Option<String>,
    /// URL that unwraps the key file: receives {"ciphertext": base64}, returns {"plaintext": base64}
    #[arg(long, env = "BURSAR_MASTER_KEY_URL", value_name = "URL")]
    pub master_key_url: Option<String>,
    /// File with the bearer token for that URL, readable only by its owner
    #[arg(long, env = "BURSAR_MASTER_KEY_TOKEN_FILE", value_name = "FILE")]
    pub master_key_token_file: Option<PathBuf>,
    /// Requests per second for each app; 0 for no limit [default: 100 in production, 0 in the sandbox]
    #[arg(long, env = "BURSAR_REQUESTS_PER_SECOND", value_name = "NUMBER")]
    pub requests_per_second: Option<u32>,
    /// Maximum number of connections [default: 8192, less if the process may open fewer files]
    #[arg(long, env = "BURSAR_MAX_CONNECTIONS", value_name = "NUMBER")]
    pub max_connections: Option<NonZeroU32>,
    /// Maximum number of connections from one IP address; trusted proxies are exempt [default: 1024, at most a quarter of all]
    #[arg(long, env = "BURSAR_MAX_CONNECTIONS_PER_IP", value_name = "NUMBER")]
    pub max_connections_per_ip: Option<NonZeroU32>,
    /// Networks of trusted proxies, for example 10.0.0.0/8,::1; their X-Forwarded-For names the client [default: none]
    #[arg(long, env = "BURSAR_TRUSTED_PROXIES", value_name = "NETWORKS", value_delimiter = ',')]
    pub trusted_proxies: Option<Vec<Network>>,
    /// Mail server: smtps://host:465, or smtp://host:587 for STARTTLS [sandbox: the inbox]
    #[arg(long, env = "BURSAR_SMTP_URL", value_name = "URL")]
    pub smtp_url: Option<String>,
    /// From address for outgoing e-mail: Example Pay <pay@example.com>
    #[arg(long, env = "BURSAR_SMTP_FROM", value_name = "ADDRESS")]
    pub smtp_from: Option<String>,
    /// User name for the mail server [default: no login]
    #[arg(long, env = "BURSAR_SMTP_USER", value_name = "NAME")]
    pub smtp_user: Option<String>,
    /// File with the password for the mail server, readable only by its owner
    #[arg(long, env = "BURSAR_SMTP_PASSWORD_FILE", value_name = "FILE")]
    pub smtp_password_file: Option<PathBuf>,
    /// Gateway for text messages and calls: https://host [sandbox: the inbox]
    #[arg(long, env = "BURSAR_SMS_URL", value_name = "URL")]
    pub sms_url: Option<String>,
    /// Account id at the gateway
    #[arg(long, env = "BURSAR_SMS_ACCOUNT", value_name = "ID")]
    pub sms_account: Option<String>,
    /// File with the token of that account, readable only by its owner
    #[arg(long, env = "BURSAR_SMS_TOKEN_FILE", value_name = "FILE")]
    pub sms_token_file: Option<PathBuf>,
    /// Sender number of text messages and calls: +12125550100
    #[arg(long, env = "BURSAR_SMS_FROM", value_name = "NUMBER")]
    pub sms_from: Option<String>,
    /// Folder with the sanctions list as published by OFAC: SDN.CSV, ALT.CSV, ADD.CSV, SDN_COMMENTS.CSV [default: <data-dir>/sanctions]
    #[arg(long, env = "BURSAR_SANCTIONS_DIR", value_name = "FOLDER")]
    pub sanctions_dir: Option<PathBuf>,
    /// Lowest match score that needs a review, 70 to 100 [default: 85]
    #[arg(long, env = "BURSAR_SCREENING_SCORE_MIN", value_name = "SCORE")]
    pub screening_score_min: Option<i64>,
    /// Refuse to start on a store with an older schema, instead of updating it
    #[arg(long, env = "BURSAR_NO_MIGRATE", num_args = 0..=1, default_missing_value = "true", value_name = "YES")]
    pub no_migrate: Option<bool>,
    /// The tables `[transports.<name>]`, which only a file can have.
    #[arg(skip)]
    pub transports: Option<BTreeMap<String, TransportSettings>>,
}

/// Reads an address to listen on.
fn address(text: &str) -> Result<SocketAddr, String> {
    let local = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let address = local.as_deref().unwrap_or(text).parse();
    address.map_err(|_| "must be an IP address and a port, for example 127.0.0.1:8080, or localhost:8080".to_owned())
}

impl Settings {
    /// Returns these settings, completed by those of the file.
    #[must_use]
    pub fn or(self, file: Self) -> Self {
        Self {
            listen: self.listen.or(file.listen),
            admin_listen: self.admin_listen.or(file.admin_listen),
            data_dir: self.data_dir.or(file.data_dir),
            database_url: self.database_url.or(file.database_url),
            database_password_file: self.database_password_file.or(file.database_password_file),
            database_executors: self.database_executors.or(file.database_executors),
            database_pooler: self.database_pooler.or(file.database_pooler),
            storage_quota_mib: self.storage_quota_mib.or(file.storage_quota_mib),
            environment: self.environment.or(file.environment),
            role: self.role.or(file.role),
            public_url: self.public_url.or(file.public_url),
            log: self.log.or(file.log),
            key_file: self.key_file.or(file.key_file),
            master_key_command: self.master_key_command.or(file.master_key_command),
            master_key_url: self.master_key_url.or(file.master_key_url),
            master_key_token_file: self.master_key_token_file.or(file.master_key_token_file),
            requests_per_second: self.requests_per_second.or(file.requests_per_second),
            max_connections: self.max_connections.or(file.max_connections),
            max_connections_per_ip: self.max_connections_per_ip.or(file.max_connections_per_ip),
            trusted_proxies: self.trusted_proxies.or(file.trusted_proxies),
            smtp_url: self.smtp_url.or(file.smtp_url),
            smtp_from: self.smtp_from.or(file.smtp_from),
            smtp_user: self.smtp_user.or(file.smtp_user),
            smtp_password_file: self.smtp_password_file.or(file.smtp_password_file),
            sms_url: self.sms_url.or(file.sms_url),
            sms_account: self.sms_account.or(file.sms_account),
            sms_token_file: self.sms_token_file.or(file.sms_token_file),
            sms_from: self.sms_from.or(file.sms_from),
            sanctions_dir: self.sanctions_dir.or(file.sanctions_dir),
            screening_score_min: self.screening_score_min.or(file.screening_score_min),
            no_migrate: self.no_migrate.or(file.no_migrate),
            transports: self.transports.or(file.transports),
        }
    }
}

/// The store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    /// Embedded, in this file.
    Sqlite(PathBuf),
    /// A PostgreSQL server, which several processes may share.
    Postgres { settings: Box<postgres::Settings>, password_file: Option<PathBuf>, executors: Option<NonZeroU8> },
}

/// Limits of connections; `None` for the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    pub total: Option<usize>,
    pub per_address: Option<usize>,
}

/// The checked configuration.
#[derive(Clone, Debug)]
pub struct Config {
    pub listen: SocketAddr,
    /// `None`: probes share the address of the API.
    pub admin_listen: Option<SocketAddr>,
    pub data_dir: PathBuf,
    pub database: Database,
    /// Maximum size of an embedded store; `None` for no limit.
    pub storage_quota_bytes: Option<u64>,
    pub environment: Environment,
    pub role: Role,
    /// Without a trailing slash; `None` for the address of the API.
    pub public_url: Option<String>,
    /// `None`: human on a terminal, else JSON.
    pub log: Option<LogFormat>,
    pub key: KeySource,
    /// For each app; `None` for no limit.
    pub requests_per_second: Option<NonZeroU32>,
    pub connections: Connections,
    pub trusted_proxies: Vec<Network>,
    /// The mail server, and the file with its password.
    pub mail: Option<(SmtpSettings, Option<PathBuf>)>,
    /// The SMS gateway, and the file with its token.
    pub phone: Option<(GatewaySettings, PathBuf)>,
    pub sanctions_dir: PathBuf,
    /// Lowest match score that needs a review.
    pub screening_score_min: i64,
    /// Whether an older schema is updated.
    pub migrate: bool,
    /// The ways to banks.
    pub transports: Transports,
}

/// Invalid settings: every reason at once. The process exits with 78.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadConfig(pub Vec<String>);

impl fmt::Display for BadConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for BadConfig {}

impl BadConfig {
    pub fn one(reason: impl Into<String>) -> Self {
        Self(vec![reason.into()])
    }
}

impl Config {
    /// Reads the file, completes the given settings with it, and checks all of them.
    ///
    /// # Errors
    /// [`BadConfig`] with every reason.
    pub fn load(given: Settings, file: Option<&Path>) -> Result<Self, BadConfig> {
        let mut reasons = Vec::new();
        let settings = match file {
            Some(file) => given.or(read(file, &mut reasons)?),
            None => given,
        };
        let config = Self::of(&settings, &mut reasons);
        if settings.environment == Some(EnvironmentChoice::Production) {
            check_production(&settings, file.is_some(), &mut reasons);
        }
        match config {
            Some(config) if reasons.is_empty() => Ok(config),
            Some(_) | None => Err(BadConfig(reasons)),
        }
    }

    fn of(settings: &Settings, reasons: &mut Vec<String>) -> Option<Self> {
        let environment = match settings.environment {
            None | Some(EnvironmentChoice::Sandbox) => Environment::Sandbox,
            Some(EnvironmentChoice::Production) => Environment::Production,
        };
        let production = environment == Environment::Production;
        let local = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
        let data_dir = settings.data_dir.clone().unwrap_or_else(|| PathBuf::from("bursar-data"));
        let database = match &settings.database_url {
            Some(url) => kept(database(url, settings), reasons),
            None => Some(Database::Sqlite(data_dir.join("bursar.sqlite"))),
        };
        let role = settings.role.unwrap_or(Role::All);
        if role != Role::All && matches!(database, Some(Database::Sqlite(_))) {
            let reason = "role: an embedded store has one process, which does all the work: remove role, or set a postgres:// database-url";
            reasons.push(reason.to_owned());
        }
        let public_url = kept(settings.public_url.as_deref().map(public_url).transpose(), reasons);
        let (mail, phone) = (kept(mail(settings), reasons), kept(phone(settings), reasons));
        let key = KeySource {
            file: settings.key_file.clone().unwrap_or_else(|| data_dir.join("master.key")),
            command: settings.master_key_command.clone(),
            url: settings.master_key_url.clone(),
            token_file: settings.master_key_token_file.clone(),
        };
        let key = kept(key.checked().map_err(BadConfig::one), reasons);
        let score = kept(score_min(settings.screening_score_min), reasons);
        let transports = Transports::read(settings.transports.clone().unwrap_or_default()).map_err(BadConfig);
        let transports = kept(transports, reasons);
        let requests_per_second = match settings.requests_per_second {
            Some(number) => NonZeroU32::new(number),
            None => production.then_some(REQUESTS_PER_SECOND),
        };
        Some(Self {
            listen: settings.listen.unwrap_or_else(|| local(8080)),
            admin_listen: settings.admin_listen.or_else(|| production.then(|| local(9090))),
            database: database?,
            storage_quota_bytes: quota(settings.storage_quota_mib, production),
            environment,
            role,
            public_url: public_url?,
            log: settings.log,
            key: key?,
            requests_per_second,
            connections: Connections {
                total: settings.max_connections.map(number),
                per_address: settings.max_connections_per_ip.map(number),
            },
            trusted_proxies: settings.trusted_proxies.clone().unwrap_or_default(),
            mail: mail?,
            phone: phone?,
            sanctions_dir: settings.sanctions_dir.clone().unwrap_or_else(|| data_dir.join("sanctions")),
            screening_score_min: score?,
            migrate: !settings.no_migrate.unwrap_or(false),
            transports: transports?,
            data_dir,
        })
    }
}

fn quota(mebibytes: Option<u32>, production: bool) -> Option<u64> {
    let mebibytes = mebibytes.unwrap_or(if production { 0 } else { SANDBOX_QUOTA_MIB });
    (mebibytes > 0).then(|| u64::from(mebibytes) * 1024 * 1024)
}

fn number(number: NonZeroU32) -> usize {
    usize::try_from(number.get()).unwrap_or(usize::MAX)
}

/// Returns the value, or adds its reasons to the others.
fn kept<T>(read: Result<T, BadConfig>, reasons: &mut Vec<String>) -> Option<T> {
    read.map_err(|bad| reasons.extend(bad.0)).ok()
}

/// Reads the settings of a file one by one, so that a bad one hides no other reason.
pub(crate) fn read(file: &Path, reasons: &mut Vec<String>) -> Result<Settings, BadConfig> {
    let name = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| BadConfig::one(format!("cannot read the configuration file {name}: {error}")))?;
    let table: toml::Table = text.parse().map_err(|error| BadConfig::one(format!("{name}: {error}")))?;
    Ok(table.into_iter().fold(Settings::default(), |settings, (key, value)| {
        if let Some(problem) = unknown(&key) {
            reasons.push(format!("{name}: {key}: {problem}"));
            return settings;
        }
        let alone = toml::Table::from_iter([(key.clone(), value)]).try_into::<Settings>();
        let alone = alone.map_err(|error| BadConfig::one(format!("{name}: {key}: {}", error.message())));
        settings.or(kept(alone, reasons).unwrap_or_default())
    }))
}

/// What is wrong with the name of a setting; `None` if it exists.
fn unknown(key: &str) -> Option<String> {
    let settings = Settings::augment_args(clap::Command::new("settings"));
    let names: Vec<&str> = settings.get_arguments().filter_map(|argument| argument.get_long()).collect();
    if names.contains(&key) || key == TRANSPORTS {
        return None;
    }
    let way_out = match did_you_mean(key, names) {
        Some(name) => format!("did you mean {name}?"),
        None => "`bursar serve --help` lists all settings".to_owned(),
    };
    Some(format!("unknown setting; {way_out}"))
}

fn database(url: &str, settings: &Settings) -> Result<Database, BadConfig> {
    match url.split_once(':') {
        Some(("sqlite", path)) if !path.is_empty() => {
            Ok(Database::Sqlite(PathBuf::from(path.strip_prefix("//").unwrap_or(path))))
        }
        Some(("postgres" | "postgresql", _)) => {
            let read = postgres::Settings::parse(url);
            let read = read.map_err(|reason| BadConfig::one(format!("database-url: {reason}")))?;
            Ok(Database::Postgres {
                settings: Box::new(read.through_pooler(settings.database_pooler.unwrap_or(false))),
                password_file: settings.database_password_file.clone(),
                executors: settings.database_executors,
            })
        }
        Some(_) | None => Err(BadConfig::one(format!(
            "database-url must be sqlite:<path> or postgres://…, not {:?}",
            // The rest of the URL may contain a password.
            url.split_once(':').map_or("", |(scheme, _)| scheme)
        ))),
    }
}

/// A score below 70 would send nearly every name to review, one above 100 none.
fn score_min(given: Option<i64>) -> Result<i64, BadConfig> {
    match given.unwrap_or(SCORE_MIN) {
        score @ 70..=100 => Ok(score),
        score => Err(BadConfig::one(format!("screening-score-min must be from 70 to 100, not {score}"))),
    }
}

fn public_url(url: &str) -> Result<String, BadConfig> {
    let url = url.trim_end_matches('/');
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains(['?', '#', ' ']) => Ok(url.to_owned()),
        Some(_) | None => Err(BadConfig::one("public-url must begin with https:// or http:// and have no query")),
    }
}

/// Returns the mail server, if any setting names one.
fn mail(settings: &Settings) -> Result<Option<(SmtpSettings, Option<PathBuf>)>, BadConfig> {
    let Settings { smtp_url, smtp_from, smtp_user, smtp_password_file, .. } = settings;
    match (smtp_url, smtp_from) {
        (Some(url), Some(from)) => {
            if smtp_user.is_some() != smtp_password_file.is_some() {
                return Err(BadConfig::one("smtp-user and smtp-password-file must be given together"));
            }
            let read = SmtpSettings::parse(url, from, smtp_user.clone()).map_err(BadConfig::one)?;
            Ok(Some((read, smtp_password_file.clone())))
        }
        (None, None) if smtp_user.is_none() && smtp_password_file.is_none() => Ok(None),
        (_, _) => Err(BadConfig::one("e-mail needs both smtp-url and smtp-from")),
    }
}

/// Returns the SMS gateway, if any setting names one.
fn phone(settings: &Settings) -> Result<Option<(GatewaySettings, PathBuf)>, BadConfig> {
    let Settings { sms_url, sms_account, sms_token_file, sms_from, .. } = settings;
    match (sms_url, sms_account, sms_token_file, sms_from) {
        (Some(url), Some(account), Some(token_file), Some(from)) => {
            let read = GatewaySettings::parse(url, account, from).map_err(BadConfig::one)?;
            Ok(Some((read, token_file.clone())))
        }
        (None, None, None, None) => Ok(None),
        (_, _, _, _) => {
            Err(BadConfig::one("text messages need all of sms-url, sms-account, sms-token-file and sms-from"))
        }
    }
}

/// Refuses every unsafe setting of production.
fn check_production(settings: &Settings, has_file: bool, reasons: &mut Vec<String>) {
    let mut refuse = |unsafe_: bool, reason: &str| {
        if unsafe_ {
            reasons.push(format!("production: {reason}"));
        }
    };
    refuse(!has_file, "needs a configuration file: --config <file>");
    match &settings.public_url {
        None => refuse(true, "needs public-url, the https address at the start of every claim link"),
        Some(url) => refuse(
            !url.starts_with("https://"),
            "public-url must begin with https://, because claim links give access to money",
        ),
    }
    let make =
        "needs key-file, the file with the master keys; create it with: bursar keys master /etc/bursar/master.key";
    refuse(settings.key_file.is_none(), make);
    refuse(
        settings.admin_listen.is_some() && settings.admin_listen == settings.listen,
        "admin-listen must differ from listen",
    );
    if let Some(Ok(Database::Postgres { settings, .. })) =
        settings.database_url.as_ref().map(|url| database(url, settings))
    {
        refuse(
            !settings.is_private(),
            "database-url must say sslmode=verify-full, unless the server is on this machine",
        );
    }
    // Production must deliver messages.
    let has_mail = settings.smtp_url.is_some() && settings.smtp_from.is_some();
    refuse(!has_mail, "needs smtp-url and smtp-from, to send e-mail");
    refuse(
        settings.sms_url.is_none(),
        "needs sms-url, sms-account, sms-token-file and sms-from, to send text messages",
    );
}

#[cfg(test)]
mod tests;
