//! What `bursar serve` is told: flags, environment variables, a TOML file, defaults, in this order of
//! precedence (decisions.md 15).
//!
//! Invariant: a [`Config`] is safe to run. Production refuses every unsafe setting at once, before
//! anything is opened (decisions.md 2).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::{NonZeroU8, NonZeroU32};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Deserialize;

use crate::carriers::{GatewaySettings, SmtpSettings};
use crate::dispatch::Network;
use crate::http::Environment;
use crate::screening::SCORE_MIN;
use crate::store::postgres;

/// Requests a second for each app in production, unless it is told otherwise (decisions.md 14).
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
    /// Requests a second for each app; 0 for no limit [default: 100 in production, 0 in the sandbox]
    #[arg(long, env = "BURSAR_REQUESTS_PER_SECOND", value_name = "NUMBER")]
    pub requests_per_second: Option<u32>,
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
            environment: self.environment.or(file.environment),
            role: self.role.or(file.role),
            public_url: self.public_url.or(file.public_url),
            log: self.log.or(file.log),
            key_file: self.key_file.or(file.key_file),
            requests_per_second: self.requests_per_second.or(file.requests_per_second),
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
    /// The environment.
    pub environment: Environment,
    /// The part of the work.
    pub role: Role,
    /// Where people reach the pages; `None` for the address listened on. No trailing slash.
    pub public_url: Option<String>,
    /// How log lines look; `None` for what suits where they go.
    pub log: Option<LogFormat>,
    /// Where the master key is.
    pub key_file: PathBuf,
    /// The limit of each app.
    pub requests_per_second: Option<NonZeroU32>,
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
        let settings = match file {
            Some(file) => given.or(read(file)?),
            None => given,
        };
        let config = Self::of(&settings)?;
        if config.environment == Environment::Production {
            check_production(&settings, &config, file.is_some())?;
        }
        Ok(config)
    }

    fn of(settings: &Settings) -> Result<Self, BadConfig> {
        let environment = match settings.environment {
            None | Some(EnvironmentChoice::Sandbox) => Environment::Sandbox,
            Some(EnvironmentChoice::Production) => Environment::Production,
        };
        let production = environment == Environment::Production;
        let local = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
        let data_dir = settings.data_dir.clone().unwrap_or_else(|| PathBuf::from("bursar-data"));
        let database = match &settings.database_url {
            Some(url) => database(url, settings)?,
            None => Database::Sqlite(data_dir.join("bursar.sqlite")),
        };
        let role = settings.role.unwrap_or(Role::All);
        if role != Role::All && matches!(database, Database::Sqlite(_)) {
            let reason = "role: an embedded store has one process, which does everything: leave role out, or give a postgres:// database-url";
            return Err(BadConfig::one(reason));
        }
        let requests_per_second = match settings.requests_per_second {
            Some(number) => NonZeroU32::new(number),
            None => production.then_some(REQUESTS_PER_SECOND),
        };
        Ok(Self {
            listen: settings.listen.unwrap_or_else(|| local(8080)),
            admin_listen: settings.admin_listen.or_else(|| production.then(|| local(9090))),
            database,
            environment,
            role,
            public_url: settings.public_url.as_deref().map(public_url).transpose()?,
            log: settings.log,
            key_file: settings.key_file.clone().unwrap_or_else(|| data_dir.join("master.key")),
            requests_per_second,
            trusted_proxies: settings.trusted_proxies.clone().unwrap_or_default(),
            mail: mail(settings)?,
            phone: phone(settings)?,
            sanctions_dir: settings.sanctions_dir.clone().unwrap_or_else(|| data_dir.join("sanctions")),
            screening_score_min: score_min(settings.screening_score_min)?,
            migrate: !settings.no_migrate.unwrap_or(false),
            data_dir,
        })
    }
}

fn read(file: &Path) -> Result<Settings, BadConfig> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| BadConfig::one(format!("cannot read the configuration file {}: {error}", file.display())))?;
    toml::from_str(&text).map_err(|error| BadConfig::one(format!("{}: {error}", file.display())))
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
fn check_production(settings: &Settings, config: &Config, has_file: bool) -> Result<(), BadConfig> {
    let mut reasons = Vec::new();
    let mut refuse = |unsafe_: bool, reason: &str| {
        if unsafe_ {
            reasons.push(format!("production: {reason}"));
        }
    };
    refuse(!has_file, "needs a configuration file: --config <file>");
    match &config.public_url {
        None => refuse(true, "needs public-url, the https address that claim links begin with"),
        Some(url) => refuse(!url.starts_with("https://"), "public-url must be https: claim links carry money"),
    }
    refuse(settings.key_file.is_none(), "needs key-file, the master key; it is never made by itself");
    refuse(config.admin_listen == Some(config.listen), "admin-listen must differ from listen");
    match &config.database {
        Database::Sqlite(_) => {}
        Database::Postgres { settings, .. } => refuse(
            !settings.is_private(),
            "database-url must say sslmode=verify-full, unless the server is on this machine",
        ),
    }
    // Without them production would have to pretend that it delivers.
    refuse(config.mail.is_none(), "needs smtp-url and smtp-from, by which e-mail leaves");
    refuse(config.phone.is_none(), "needs sms-url, sms-account, sms-token-file and sms-from, by which texts leave");
    if reasons.is_empty() { Ok(()) } else { Err(BadConfig(reasons)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn nothing_at_all_is_a_sandbox_on_this_machine() {
        let config = Config::load(Settings::default(), None).unwrap();
        assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(config.database, Database::Sqlite("bursar-data/bursar.sqlite".into()));
        assert_eq!(config.key_file, Path::new("bursar-data/master.key"));
        assert_eq!((config.environment, config.requests_per_second), (Environment::Sandbox, None));
        assert!(config.migrate && config.admin_listen.is_none());
    }

    #[test]
    fn what_is_given_goes_before_the_file() {
        let file = file("listen = '127.0.0.1:1'\nrole = 'all'\ndatabase-url = 'sqlite:/x/y'\nno-migrate = true");
        let given = Settings { listen: Some("127.0.0.1:2".parse().unwrap()), ..Settings::default() };
        let config = Config::load(given, Some(file.path())).unwrap();
        assert_eq!((config.listen.port(), config.role), (2, Role::All));
        assert_eq!(config.database, Database::Sqlite("/x/y".into()));
        assert!(!config.migrate);
    }

    #[test]
    fn an_embedded_store_has_one_process_for_everything() {
        for (role, database_url, well) in [
            (Role::All, "sqlite:/x/y", true),
            (Role::Api, "sqlite:/x/y", false),
            (Role::Worker, "sqlite:/x/y", false),
            (Role::Worker, "postgres://bursar@127.0.0.1/bursar", true),
        ] {
            let (role, database_url) = (Some(role), Some(database_url.to_owned()));
            let loaded = Config::load(Settings { role, database_url, ..Settings::default() }, None);
            assert_eq!(loaded.is_ok(), well, "{role:?}");
        }
    }

    #[test]
    fn a_misspelled_key_is_no_setting() {
        let file = file("lissten = '127.0.0.1:1'");
        let wrong = Config::load(Settings::default(), Some(file.path())).unwrap_err();
        assert!(wrong.to_string().contains("unknown field `lissten`"), "{wrong}");
        let gone = Config::load(Settings::default(), Some(Path::new("/no/such/file"))).unwrap_err();
        assert!(gone.to_string().contains("cannot read"), "{gone}");
    }

    #[test]
    fn trusted_proxies_are_networks() {
        let proxies = |text: &str| Config::load(Settings::default(), Some(file(text).path()));
        let config = proxies("trusted-proxies = ['10.0.0.0/8', '::1']").unwrap();
        assert_eq!(
            config.trusted_proxies.iter().map(Network::to_string).collect::<Vec<_>>(),
            ["10.0.0.0/8", "::1/128"]
        );
        let wrong = proxies("trusted-proxies = ['10.0.0.0/99']").unwrap_err().to_string();
        assert!(wrong.contains("trusted-proxies") && wrong.contains("10.0.0.0/99"), "{wrong}");
    }

    const CARRIERS: &str = "smtp-url = 'smtps://mail.example'\nsmtp-from = 'pay@example.com'\n\
        sms-url = 'https://sms.example'\nsms-account = 'AC1'\nsms-token-file = '/t'\nsms-from = '+12125550100'";

    #[test]
    fn production_does_not_pretend_to_deliver() {
        let production = Settings { environment: Some(EnvironmentChoice::Production), ..Settings::default() };
        let none = file("public-url = 'https://pay.example'\nkey-file = '/etc/bursar/key'");
        let refused = Config::load(production, Some(none.path())).unwrap_err();
        assert!(refused.0[0].contains("needs smtp-url and smtp-from"), "{refused}");
        assert!(refused.0[1].contains("needs sms-url, sms-account, sms-token-file and sms-from"), "{refused}");
    }

    #[test]
    fn carriers_are_given_whole_or_not_at_all() {
        let lines: Vec<&str> = CARRIERS.lines().collect();
        for missing in 0..lines.len() {
            let rest: Vec<&str> = (0..lines.len()).filter(|at| *at != missing).map(|at| lines[at]).collect();
            let wrong = Config::load(Settings::default(), Some(file(&rest.join("\n")).path())).unwrap_err();
            assert!(wrong.to_string().contains("need"), "{wrong}");
        }
        for alone in ["smtp-user = 'me'", "smtp-password-file = '/p'"] {
            assert!(Config::load(Settings::default(), Some(file(alone).path())).is_err(), "{alone}");
            let beside = file(&format!("{CARRIERS}\n{alone}"));
            let wrong = Config::load(Settings::default(), Some(beside.path())).unwrap_err().to_string();
            assert!(wrong.contains("must be given together"), "{wrong}");
        }
        let none = Config::load(Settings::default(), None).unwrap();
        assert!(none.mail.is_none() && none.phone.is_none(), "a sandbox has its inbox");
    }

    #[test]
    fn production_refuses_every_unsafe_setting_at_once() {
        let production = Settings { environment: Some(EnvironmentChoice::Production), ..Settings::default() };
        assert_eq!(Config::load(production.clone(), None).unwrap_err().0.len(), 5);
        let of =
            |public_url: &str| file(&format!("public-url = '{public_url}'\nkey-file = '/etc/bursar/key'\n{CARRIERS}"));
        let plain = of("http://pay.example");
        let refused = Config::load(production.clone(), Some(plain.path())).unwrap_err();
        assert_eq!(refused.0, ["production: public-url must be https: claim links carry money"]);
        let safe = of("https://pay.example/");
        let config = Config::load(production, Some(safe.path())).unwrap();
        assert_eq!(config.public_url.as_deref(), Some("https://pay.example"));
        assert_eq!(config.admin_listen.map(|address| address.port()), Some(9090));
        assert_eq!(config.requests_per_second, Some(REQUESTS_PER_SECOND));
    }

    #[test]
    fn production_does_not_talk_to_a_database_in_the_open() {
        let of = |url: &str| {
            let text = format!(
                "public-url = 'https://pay.example'\nkey-file = '/etc/bursar/key'\n{CARRIERS}\ndatabase-url = '{url}'"
            );
            let production = Settings { environment: Some(EnvironmentChoice::Production), ..Settings::default() };
            Config::load(production, Some(file(&text).path()))
        };
        assert!(of("postgres://db.example/pay?sslmode=verify-full").is_ok());
        assert!(of("postgres:///pay?host=/run/postgresql").is_ok());
        for open in ["postgres://db.example/pay", "postgres://db.example/pay?sslmode=require"] {
            assert!(of(open).unwrap_err().0[0].contains("sslmode=verify-full"), "{open}");
        }
    }

    #[test]
    fn only_known_stores_and_addresses() {
        let of = |url: &str| database(url, &Settings::default());
        assert_eq!(of("sqlite:data/x"), Ok(Database::Sqlite("data/x".into())));
        assert_eq!(of("sqlite:///var/x"), Ok(Database::Sqlite("/var/x".into())));
        for url in ["", "sqlite:", "mysql://root:secret@db", "x"] {
            assert!(of(url).is_err_and(|error| !error.to_string().contains("secret")), "{url}");
        }
        let shared = of("postgres://me:secret@a,b/pay?sslmode=require").unwrap();
        assert!(matches!(&shared, Database::Postgres { executors: DATABASE_EXECUTORS, .. }), "{shared:?}");
        assert!(!format!("{shared:?}").contains("secret"));
        assert!(of("postgres://me:secret@a/x?sslmode=maybe").is_err_and(|error| !error.to_string().contains("secret")));
        assert_eq!((score_min(None), score_min(Some(100))), (Ok(SCORE_MIN), Ok(100)));
        assert!(score_min(Some(69)).is_err() && score_min(Some(101)).is_err());
        assert!(public_url("pay.example").is_err() && public_url("https://").is_err());
    }
}
