//! `bursar doctor`

use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _};
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use super::probe;
use super::terminal::{Configured, Failed, counted, say};
use crate::clock::{Clock, Time};
use crate::config::{Config, Database};
use crate::program::Environment;
use crate::verify::Contents;
use crate::{instance, preflight, sanctions};

/// The time limit of a connection to a provider.
const WITHIN: Duration = Duration::from_secs(4);
/// The build is later than this time, so a clock before it is wrong.
const BUILT_AFTER: &str = "2026-01-01T00:00:00Z";
/// The seconds by which an event may be ahead of this machine's clock.
const AHEAD_MAX_SECONDS: i64 = 60;

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    Warning,
    Failed,
}

#[derive(Serialize)]
struct Finding {
    check: &'static str,
    state: State,
    message: String,
}

#[derive(Default, Serialize)]
struct Report {
    checks: Vec<Finding>,
}

impl Report {
    fn add(&mut self, check: &'static str, state: State, message: impl Into<String>) {
        self.checks.push(Finding { check, state, message: message.into() });
    }

    fn result(&mut self, check: &'static str, result: Result<String, String>) {
        match result {
            Ok(message) => self.add(check, State::Ok, message),
            Err(message) => self.add(check, State::Failed, message),
        }
    }

    fn failures(&self) -> usize {
        self.checks.iter().filter(|finding| finding.state == State::Failed).count()
    }

    fn table(&self) -> String {
        let line = |finding: &Finding| {
            let state = match finding.state {
                State::Ok => "ok",
                State::Warning => "warning",
                State::Failed => "FAILED",
            };
            let message = finding.message.replace('\n', "\n                      ");
            format!("{state:<8} {:<12} {message}", finding.check)
        };
        self.checks.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// Runs every check, and changes nothing. Fails if a server could not start, or could not work.
pub(super) fn run(configured: Configured, as_json: bool) -> Result<(), Failed> {
    let mut report = Report::default();
    let Configured { config: file, settings } = configured;
    match preflight::load(settings, file.as_deref()) {
        Ok(config) => {
            let environment = config.environment.as_str();
            report.add("settings", State::Ok, format!("valid; the environment is {environment}"));
            check(&config, &mut report);
        }
        Err(bad) => bad.0.into_iter().for_each(|reason| report.add("settings", State::Failed, reason)),
    }
    let printed = if as_json {
        serde_json::to_string(&report).expect("a report is plain data, which always serializes")
    } else {
        report.table()
    };
    say(&printed)?;
    match report.failures() {
        0 => Ok(()),
        failures => Err(Failed::Work(format!("{} failed", counted(failures, "check")))),
    }
}

fn check(config: &Config, report: &mut Report) {
    permissions(config, report);
    store(config, report);
    listens(config, report);
    providers(config, report);
    list(config, report);
}

fn permissions(config: &Config, report: &mut Report) {
    match preflight::open_to_others(&config.data_dir) {
        Some(reason) => report.add("permissions", State::Warning, reason),
        None if config.data_dir.exists() => {
            report.add("permissions", State::Ok, "only the owner can read the data folder");
        }
        None => {
            let folder = config.data_dir.display();
            report.add("permissions", State::Ok, format!("{folder} is not there; `bursar serve` creates it"));
        }
    }
    let is_created = config.environment == Environment::Sandbox && !config.key.file.exists();
    let keys = if is_created {
        Ok("the first start of the sandbox creates it".to_owned())
    } else {
        config.key.read().map(|_| format!("{} opens", config.key.file.display()))
    };
    report.result("key file", keys);
}

fn store(config: &Config, report: &mut Report) {
    if let Database::Sqlite(path) = &config.database
        && !path.exists()
    {
        let message = format!("{} is not there; `bursar serve` creates it", path.display());
        report.add("store", State::Ok, message);
        return clock(config, None, report);
    }
    let opened = instance::read_only(config).map_err(|error| error.to_string());
    match opened.and_then(|reads| Contents::of(&reads).map_err(|error| error.to_string())) {
        Ok(contents) => {
            report.add("store", State::Ok, format!("opens, and its schema is up to date: {contents}"));
            clock(config, contents.last_event.map(|event| event.created_at), report);
        }
        Err(reason) => {
            report.add("store", State::Failed, format!("{reason}\n`bursar migrate` updates an older schema"));
            clock(config, None, report);
        }
    }
}

/// The clock of a sandbox may be ahead of the machine's.
fn clock(config: &Config, last_event: Option<Time>, report: &mut Report) {
    let now = Clock::wall().now();
    let built = Time::parse(BUILT_AFTER).unwrap_or(Time::from_micros(0));
    let ahead = last_event.filter(|_| config.environment == Environment::Production).map(|at| at.seconds_since(now));
    report.result(
        "clock",
        match ahead {
            _ if now < built => Err(format!("this machine's clock is at {now}; set it, for example with NTP")),
            Some(ahead) if ahead > AHEAD_MAX_SECONDS => {
                Err(format!("the last event is {ahead} seconds in the future; set this machine's clock"))
            }
            Some(_) | None => Ok(format!("{now}")),
        },
    );
}

/// A free port, or one at which a server of ours answers, is in order.
fn listens(config: &Config, report: &mut Report) {
    for address in [Some(config.listen), config.admin_listen].into_iter().flatten() {
        let state = match TcpListener::bind(address) {
            Ok(_) => Ok(format!("{address} is free")),
            Err(error) => match probe::ask(probe::reachable(config.admin_listen.unwrap_or(config.listen))) {
                Ok(answer) if answer.starts_with("HTTP/1.1 200 ") => Ok(format!("a server is ready at {address}")),
                Ok(_) | Err(_) => Err(format!("{address}: {error}; choose another with --listen")),
            },
        };
        report.result("port", state);
    }
}

fn providers(config: &Config, report: &mut Report) {
    let mail = config.mail.as_ref().map(|(settings, _)| ("mail", settings.address()));
    let phone = config.phone.as_ref().map(|(settings, _)| ("texts", settings.address()));
    if mail.is_none() && phone.is_none() {
        report.add("providers", State::Ok, "none: messages go to the sandbox's inbox");
    }
    for (check, address) in [mail, phone].into_iter().flatten() {
        report.result(check, connected(&address));
    }
}

fn connected((host, port): &(String, u16)) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("{host}:{port} cannot be reached: {error}");
    let addresses: Vec<SocketAddr> = (host.as_str(), *port).to_socket_addrs().map_err(failed)?.collect();
    let mut last = None;
    for address in addresses {
        match TcpStream::connect_timeout(&address, WITHIN) {
            Ok(_) => return Ok(format!("{host}:{port} accepts connections")),
            Err(error) => last = Some(error),
        }
    }
    Err(last.map_or_else(|| format!("{host} has no address"), failed))
}

fn list(config: &Config, report: &mut Report) {
    let folder: &Path = &config.sanctions_dir;
    if !folder.exists() && config.environment == Environment::Sandbox {
        return report.add("sanctions", State::Ok, "no list is loaded: the sandbox screens against invented names");
    }
    let loaded = sanctions::in_use(config, false).map_err(|bad| bad.to_string());
    let version = loaded.map(|list| list.version().clone());
    let said = version.map(|version| format!("{} entries of {}", version.entries, version.published));
    report.result("sanctions", said);
}
