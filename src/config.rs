//! What `bursar serve` is told: flags, environment variables, a TOML file, defaults, in this order of
//! precedence (docs/decisions.md 15).
//!
//! Invariant: a [`Config`] is safe to run. Production refuses every unsafe setting at once, before
//! anything is opened (docs/decisions.md 2).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::{NonZeroU8, NonZeroU32};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Deserialize;

use crate::dispatch::Network;
use crate::key_file::KeySource;
use crate::program::Environment;
use crate::providers::{GatewaySettings, SmtpSettings};
use crate::screening::SCORE_MIN;
use crate::store::postgres;

/// Requests a second for each app in production, unless it is told otherwise (docs/decisions.md 14).
/// Mebibytes that a sandbox may have unless it is said otherwise: everything in it is invented.
const SANDBOX_QUOTA_MIB: u32 = 20_480;
const REQUESTS_PER_SECOND: NonZeroU32 = NonZeroU32::new(100).expect("100 is not 0");
/// Batches that are under way at once on PostgreSQL, unless it is told otherwise.
const DATABASE_EXECUTORS: NonZeroU8 = NonZeroU8::new(8).expect("8 is not 0");

/// Which environment is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EnvironmentChoice {
    /// For trying out: inbox, movable clock, simulated rails.
    Sandbox,
    /// Real money.
    Production,
}

/// Which part of the work this process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Everything.
    All,
    /// Answers requests; leaves what waits to others.
    Api,
    /// Works off what waits; answers only probes.
    Worker,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    /// For people.
    Human,
    /// One JSON object a line.
    Json,
}

/// The settings as they are given: each a flag, a variable `BURSAR_…` and a key of the file.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    /// Where to listen [default: 127.0.0.1:8080]
    #[arg(long, env = "BURSAR_LISTEN", value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
    /// Where probes and metrics listen; in production apart from the API [default there: 127.0.0.1:9090]
    #[arg(long, env = "BURSAR_ADMIN_LISTEN", value_name = "ADDRESS")]
    pub admin_listen: Option<SocketAddr>,
    /// Folder of the embedded store, the sandbox's key and its credentials [default: ./bursar-data]
    #[arg(long, env = "BURSAR_DATA_DIR", value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
    /// The store: sqlite:<path>, or postgres://user@host:port,host:port/name?sslmode=verify-full [default: sqlite:<data-dir>/bursar.sqlite]
    #[arg(long, env = "BURSAR_DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// File with the password for PostgreSQL, readable by its owner alone [default: what the URL says]
    #[arg(long, env = "BURSAR_DATABASE_PASSWORD_FILE", value_name = "FILE")]
    pub database_password_file: Option<PathBuf>,
    /// Batches under way at once on PostgreSQL, each of one organization [default: 8]
    #[arg(long, env = "BURSAR_DATABASE_EXECUTORS", value_name = "NUMBER")]
    pub database_executors: Option<NonZeroU8>,
    /// A pooler stands before PostgreSQL that gives each transaction another connection: prepare nothing
    #[arg(long, env = "BURSAR_DATABASE_POOLER", num_args = 0..=1, default_missing_value = "true", value_name = "YES")]
    pub database_pooler: Option<bool>,
    /// Mebibytes that the embedded store may have; changes are refused beyond them, 0 for no limit [default: 20480 in the sandbox, 0 in production]
    #[arg(long, env = "BURSAR_STORAGE_QUOTA_MIB", value_name = "MEBIBYTES")]
    pub storage_quota_mib: Option<u32>,
    /// Which environment is served [default: sandbox]
    #[arg(long, env = "BURSAR_ENVIRONMENT", value_name = "NAME")]
    pub environment: Option<EnvironmentChoice>,
    /// Which part of the work this process does [default: all]
    #[arg(long, env = "BURSAR_ROLE", value_name = "ROLE")]
    pub role: Option<Role>,
    /// Where people reach the pages; every claim link begins with it [default: the address listened on]
    #[arg(long, env = "BURSAR_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,
    /// How log lines look [default: human on a terminal, else json]
    #[arg(long, env = "BURSAR_LOG", value_name = "FORMAT")]
    pub log: Option<LogFormat>,
    /// File with the master key, 64 hex digits, readable by its owner alone [sandbox: <data-dir>/master.key, made when missing]
    #[arg(long, env = "BURSAR_KEY_FILE", value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// Program and arguments that unwrap the key file: they get it on standard input and print the keys [default: it is not wrapped]
    #[arg(long, env = "BURSAR_MASTER_KEY_COMMAND", value_name = "COMMAND")]
    pub master_key_command: Option<String>,
    /// URL that unwraps the key file: a POST with {"ciphertext": base64}, answered with {"plaintext": base64}
    #[arg(long, env = "BURSAR_MASTER_KEY_URL", value_name = "URL")]
    pub master_key_url: Option<String>,
    /// File with the bearer token for that URL, readable by its owner alone
    #[arg(long, env = "BURSAR_MASTER_KEY_TOKEN_FILE", value_name = "FILE")]
    pub master_key_token_file: Option<PathBuf>,
    /// Requests a second for each app; 0 for no limit [default: 100 in production, 0 in the sandbox]
    #[arg(long, env = "BURSAR_REQUESTS_PER_SECOND", value_name = "NUMBER")]
    pub requests_per_second: Option<u32>,
    /// Connections at once [default: 8192, as far as the process may open files]
    #[arg(long, env = "BURSAR_MAX_CONNECTIONS", value_name = "NUMBER")]
    pub max_connections: Option<NonZeroU32>,
    /// Connections at once from one IP address; trusted proxies have no such limit [default: 1024, at most a quarter of all]
    #[arg(long, env = "BURSAR_MAX_CONNECTIONS_PER_IP", value_name = "NUMBER")]
    pub max_connections_per_ip: Option<NonZeroU32>,
    /// Networks of the proxies in front, whose X-Forwarded-For is believed: 10.0.0.0/8,::1 [default: none]
    #[arg(long, env = "BURSAR_TRUSTED_PROXIES", value_name = "NETWORKS", value_delimiter = ',')]
    pub trusted_proxies: Option<Vec<Network>>,
    /// The mail server: smtps://host:465, or smtp://host:587 for STARTTLS [sandbox default: the inbox]
    #[arg(long, env = "BURSAR_SMTP_URL", value_name = "URL")]
    pub smtp_url: Option<String>,
    /// Whom mail is from: Example Pay <pay@example.com>
    #[arg(long, env = "BURSAR_SMTP_FROM", value_name = "ADDRESS")]
    pub smtp_from: Option<String>,
    /// Who logs in to the mail server [default: nobody]
    #[arg(long, env = "BURSAR_SMTP_USER", value_name = "NAME")]
    pub smtp_user: Option<String>,
    /// File with that user's password, readable by its owner alone
    #[arg(long, env = "BURSAR_SMTP_PASSWORD_FILE", value_name = "FILE")]
    pub smtp_password_file: Option<PathBuf>,
    /// The gateway to phones, for text messages and calls: https://host [sandbox default: the inbox]
    #[arg(long, env = "BURSAR_SMS_URL", value_name = "URL")]
    pub sms_url: Option<String>,
    /// The id of the account there
    #[arg(long, env = "BURSAR_SMS_ACCOUNT", value_name = "ID")]
    pub sms_account: Option<String>,
    /// File with the account's token, readable by its owner alone
    #[arg(long, env = "BURSAR_SMS_TOKEN_FILE", value_name = "FILE")]
    pub sms_token_file: Option<PathBuf>,
    /// The number that text messages and calls come from: +12125550100
    #[arg(long, env = "BURSAR_SMS_FROM", value_name = "NUMBER")]
    pub sms_from: Option<String>,
    /// Folder with the sanctions list, as OFAC publishes it: SDN.CSV, ALT.CSV, ADD.CSV, SDN_COMMENTS.CSV [default: <data-dir>/sanctions]
    #[arg(long, env = "BURSAR_SANCTIONS_DIR", value_name = "FOLDER")]
    pub sanctions_dir: Option<PathBuf>,
    /// From which score on a name that is like one on the list is reviewed, 70 to 100 [default: 85]
    #[arg(long, env = "BURSAR_SCREENING_SCORE_MIN", value_name = "SCORE")]
    pub screening_score_min: Option<i64>,
    /// Refuse to start on a store that is older than the program, instead of bringing it up to date
    #[arg(long, env = "BURSAR_NO_MIGRATE", num_args = 0..=1, default_missing_value = "true", value_name = "YES")]
    pub no_migrate: Option<bool>,
}

impl Settings {
    /// These settings, and where they say nothing, the file's.
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
        }
    }
}

/// Which store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    /// An embedded one, in this file.
    Sqlite(PathBuf),
    /// A server, which other processes may share.
    Postgres {
        /// Where it is, and how to talk to it.
        settings: Box<postgres::Settings>,
        /// The file with the password.
        password_file: Option<PathBuf>,
        /// Batches under way at once.
        executors: NonZeroU8,
    },
}

/// How many connections there may be, where the configuration says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    /// At once.
    pub total: Option<usize>,
    /// At once from one IP address.
    pub per_address: Option<usize>,
}

/// What the program runs with.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the API listens.
    pub listen: SocketAddr,
    /// Where the probes listen; `None` for beside the API.
    pub admin_listen: Option<SocketAddr>,
    /// The folder for everything.
    pub data_dir: PathBuf,
    /// The store.
    pub database: Database,
    /// Bytes that an embedded store may have; `None` for no limit.
    pub storage_quota_bytes: Option<u64>,
    /// The environment.
    pub environment: Environment,
    /// The part of the work.
    pub role: Role,
    /// Where people reach the pages; `None` for the address listened on. No trailing slash.
    pub public_url: Option<String>,
    /// How log lines look; `None` for what suits where they go.
    pub log: Option<LogFormat>,
    /// Where the master keys come from.
    pub key: KeySource,
    /// The limit of each app.
    pub requests_per_second: Option<NonZeroU32>,
    /// How many connections there may be.
    pub connections: Connections,
    /// The proxies in front that are believed about who calls.
    pub trusted_proxies: Vec<Network>,
    /// The mail server, and the file with the password for it.
    pub mail: Option<(SmtpSettings, Option<PathBuf>)>,
    /// The gateway to phones, and the file with the token for it.
    pub phone: Option<(GatewaySettings, PathBuf)>,
    /// Where the sanctions list is.
    pub sanctions_dir: PathBuf,
    /// From which score on a name is reviewed.
    pub screening_score_min: i64,
    /// Whether an older store is brought up to date.
    pub migrate: bool,
}

/// Settings that nobody can run with: every reason at once. The process exits with 78.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadConfig(pub Vec<String>);

impl fmt::Display for BadConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for BadConfig {}

impl BadConfig {
    /// One reason.
    pub fn one(reason: impl Into<String>) -> Self {
        Self(vec![reason.into()])
    }
}

impl Config {
    /// Reads the file, lets the given settings go before it, and checks the whole.
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
            let reason = "role: an embedded store has one process, which does everything: leave role out, or give a postgres:// database-url";
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

/// The value, or its reasons added to the others.
fn kept<T>(read: Result<T, BadConfig>, reasons: &mut Vec<String>) -> Option<T> {
    read.map_err(|bad| reasons.extend(bad.0)).ok()
}

/// The settings of a file. Each is read apart from the others, so that a bad one hides no other reason.
pub(crate) fn read(file: &Path, reasons: &mut Vec<String>) -> Result<Settings, BadConfig> {
    let name = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| BadConfig::one(format!("cannot read the configuration file {name}: {error}")))?;
    let table: toml::Table = text.parse().map_err(|error| BadConfig::one(format!("{name}: {error}")))?;
    Ok(table.into_iter().fold(Settings::default(), |settings, (key, value)| {
        let alone = toml::Table::from_iter([(key.clone(), value)]).try_into::<Settings>();
        let alone = alone.map_err(|error| BadConfig::one(format!("{name}: {key}: {}", error.message())));
        settings.or(kept(alone, reasons).unwrap_or_default())
    }))
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
                executors: settings.database_executors.unwrap_or(DATABASE_EXECUTORS),
            })
        }
        Some(_) | None => Err(BadConfig::one(format!(
            "database-url must be sqlite:<path> or postgres://…, not {:?}",
            // What follows the scheme may hold a password.
            url.split_once(':').map_or("", |(scheme, _)| scheme)
        ))),
    }
}

/// A score below 70 would review nearly everybody, and one above 100 nobody.
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

/// The mail server, unless nothing speaks of one.
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

/// The gateway to phones, unless nothing speaks of one.
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

/// Every way in which production would be unsafe.
fn check_production(settings: &Settings, has_file: bool, reasons: &mut Vec<String>) {
    let mut refuse = |unsafe_: bool, reason: &str| {
        if unsafe_ {
            reasons.push(format!("production: {reason}"));
        }
    };
    refuse(!has_file, "needs a configuration file: --config <file>");
    match &settings.public_url {
        None => refuse(true, "needs public-url, the https address that claim links begin with"),
        Some(url) => refuse(!url.starts_with("https://"), "public-url must be https: claim links carry money"),
    }
    let make =
        "needs key-file, the file with the master keys; make one with: bursar keys master /etc/bursar/master.key";
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
    // Without them production would have to pretend that it delivers.
    let has_mail = settings.smtp_url.is_some() && settings.smtp_from.is_some();
    refuse(!has_mail, "needs smtp-url and smtp-from, by which e-mail leaves");
    refuse(settings.sms_url.is_none(), "needs sms-url, sms-account, sms-token-file and sms-from, by which texts leave");
}

#[cfg(test)]
mod tests;
