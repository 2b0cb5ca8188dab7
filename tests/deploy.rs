//! The files of `deploy/`, checked with the programs that read them: the unit, the alerts, the dashboard, the image.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use regex::Regex;
use serde_json::Value;

use crate::harness::{Process, bursar};

/// Exposure of the unit as `systemd-analyze security` rates it, in tenths. It may only fall.
const EXPOSURE_MAX: &str = "15";

fn file_name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn file(name: &str) -> PathBuf {
    root().join("deploy").join(name)
}

pub fn text(name: &str) -> String {
    fs::read_to_string(file(name)).unwrap()
}

/// Runs a program; returns what it printed, and fails with that if it fails.
pub fn done(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
    assert!(status.success(), "{command:?}: {said}");
    said
}

fn exposure(unit: &Path) -> Output {
    let arguments = ["security", "--offline=yes", "--no-pager", "--threshold", EXPOSURE_MAX];
    Command::new("systemd-analyze").args(arguments).arg(unit).output().unwrap()
}

#[test]
fn the_unit_is_valid_and_confined() {
    let folder = tempfile::tempdir().unwrap();
    let unit = folder.path().join("bursar.service");
    let installed = text("systemd/bursar.service").replace("ExecStart=/usr/local/bin/bursar", "ExecStart=/bin/true");
    fs::write(&unit, &installed).unwrap();
    assert_eq!(done(Command::new("systemd-analyze").arg("verify").arg(&unit)), "");
    let rated = exposure(&unit);
    assert!(rated.status.success(), "{}", String::from_utf8_lossy(&rated.stdout));
    // The controls: a misspelled directive is found, and a unit without confinement is rated as exposed.
    fs::write(&unit, installed.replace("ProtectClock", "ProtectClocks")).unwrap();
    assert!(done(Command::new("systemd-analyze").arg("verify").arg(&unit)).contains("ProtectClocks"));
    fs::write(&unit, "[Service]\nExecStart=/bin/true\n").unwrap();
    assert!(!exposure(&unit).status.success());
    let users = folder.path().join("root");
    fs::create_dir_all(users.join("etc")).unwrap();
    let mut sysusers = Command::new("systemd-sysusers");
    let configuration = fs::File::open(file("systemd/bursar.sysusers.conf")).unwrap();
    done(sysusers.arg("--root").arg(&users).arg("-").stdin(configuration));
    assert!(fs::read_to_string(users.join("etc/passwd")).unwrap().contains("bursar:"));
}

/// systemd may grant the service's user access by an access control list, which shows as a bit of the group.
#[test]
fn a_credential_of_systemd_may_be_readable_by_its_group_and_another_file_may_not() {
    let folder = tempfile::tempdir().unwrap();
    let (credentials, data_dir) = (folder.path().join("credentials"), folder.path().join("data"));
    fs::create_dir(&credentials).unwrap();
    let key = credentials.join("master.key");
    done(&mut bursar(&["keys", "master", key.to_str().unwrap()]));
    let mode = |mode| fs::set_permissions(&key, fs::Permissions::from_mode(mode)).unwrap();
    let flags = ["--key-file", key.to_str().unwrap()];
    mode(0o440);
    let process = Process::start_with_credentials(&data_dir, &flags, &credentials);
    assert_eq!(process.get("/readyz").0, 200);
    drop(process);
    let refused = |folder: &Path, mode_now: u32| {
        mode(mode_now);
        let mut serve = bursar(&["serve", "--listen", "127.0.0.1:0", "--data-dir", data_dir.to_str().unwrap()]);
        let output = serve.args(flags).env("CREDENTIALS_DIRECTORY", folder).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(78) && said.contains("set its mode to 600"), "{said}");
    };
    refused(folder.path(), 0o440);
    refused(&credentials, 0o460);
    refused(&credentials, 0o444);
}

#[test]
fn probe_reports_whether_the_server_is_ready() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(&folder.path().join("data"));
    let probe = || bursar(&["probe", "--listen", &process.address]).output().unwrap();
    let ready = probe();
    assert_eq!((ready.status.code(), ready.stdout.as_slice()), (Some(0), b"ready\n".as_slice()));
    let unused = bursar(&["probe", "--listen", "127.0.0.1:1"]).output().unwrap();
    let said = String::from_utf8_lossy(&unused.stderr).into_owned();
    assert!(unused.status.code() == Some(1) && said.contains("127.0.0.1:1 does not respond"), "{said}");
    let admin = Process::start_with(&folder.path().join("other"), &["--admin-listen", &crate::deploy_proxies::free()]);
    // Without admin-listen the probe asks the API's listener, which has no probes.
    let missing = bursar(&["probe", "--listen", &admin.address]).output().unwrap();
    assert!(String::from_utf8_lossy(&missing.stderr).contains("is not ready: HTTP/1.1 404"));
}

/// The names of the alerts, in order.
fn alerts() -> Vec<String> {
    text("prometheus/alerts.yml")
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_alert_fires_and_does_not_and_has_a_section_in_the_runbook() {
    done(Command::new("promtool").args(["check", "config"]).arg(file("prometheus/prometheus.yml")));
    done(Command::new("promtool").args(["test", "rules"]).arg(file("prometheus/alerts_test.yml")));
    let tests = text("prometheus/alerts_test.yml");
    let blocks: Vec<&str> = tests.split("alertname: ").skip(1).collect();
    let runbook = fs::read_to_string(root().join("docs/guide/runbook.md")).unwrap();
    let sections: Vec<&str> = runbook.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let rules = text("prometheus/alerts.yml");
    for alert in alerts() {
        let of_alert = |block: &&&str| block.lines().next() == Some(alert.as_str());
        let (quiet, fires): (Vec<&str>, Vec<&str>) =
            blocks.iter().filter(of_alert).copied().partition(|block| block.contains("exp_alerts: []"));
        assert!(!quiet.is_empty() && !fires.is_empty(), "{alert} has {} and {}", fires.len(), quiet.len());
        let link = format!("/guide/runbook#{}\n", alert.to_lowercase());
        assert!(rules.contains(&link), "{alert} has no link to its section");
    }
    assert_eq!(sections, alerts(), "the runbook has one section for each alert, in the same order");
    // The control: with another limit a test fails.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("alerts.yml"), rules.replace("bursar_storage_full == 1", "bursar_storage_full == 2"))
        .unwrap();
    fs::write(folder.path().join("alerts_test.yml"), &tests).unwrap();
    let changed =
        Command::new("promtool").args(["test", "rules", "alerts_test.yml"]).current_dir(folder.path()).output();
    assert!(!changed.unwrap().status.success());
}

/// The expressions of the dashboard, with the variables of Grafana replaced.
fn expressions() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(&text("grafana/bursar.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().filter_map(|panel| panel["targets"].as_array()).flatten();
    targets.map(|target| target["expr"].as_str().unwrap().replace("$__rate_interval", "5m").replace('$', "")).collect()
}

fn metrics_in(text: &str) -> BTreeSet<String> {
    let name = Regex::new(r"\b(?:bursar|process)_[a-z_]*[a-z]\b").unwrap();
    name.find_iter(text).map(|found| found.as_str().to_owned()).collect()
}

/// Waits for the first measurement, and returns the metrics after a request.
fn exported() -> String {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    assert_eq!(process.get("/livez").0, 200);
    let begun = Instant::now();
    loop {
        let text = process.get("/metrics").1;
        if text.contains("\nbursar_ready 1\n") {
            return text.split_once("\r\n\r\n").unwrap().1.to_owned();
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{text}");
        std::thread::park_timeout(Duration::from_millis(50));
    }
}

#[test]
fn alerts_and_dashboard_use_metrics_that_the_program_exports() {
    let exported = exported();
    let series: BTreeSet<String> = exported
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .filter_map(|line| line.split(['{', ' ']).next().map(str::to_owned))
        .collect();
    let rules: String = text("prometheus/alerts.yml")
        .lines()
        .filter(|line| !line.contains("summary:") && !line.contains("url:"))
        .collect();
    for (name, used) in [("alerts", metrics_in(&rules)), ("dashboard", metrics_in(&expressions().join(" ")))] {
        let missing: Vec<&String> = used.difference(&series).collect();
        assert!(missing.is_empty() && used.len() > 15, "{name}: {missing:?} of {used:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let written = folder.path().join("metrics");
    fs::write(&written, &exported).unwrap();
    done(Command::new("promtool").args(["check", "metrics"]).stdin(fs::File::open(written).unwrap()));
    for metric in series.iter().map(|name| Regex::new("_(bucket|sum|count)$").unwrap().replace(name, "").into_owned()) {
        assert!(exported.contains(&format!("# HELP {metric} ")), "{metric} has no text");
    }
    let process: Vec<&String> = series.iter().filter(|name| name.starts_with("process_")).collect();
    assert_eq!(process.len(), 6, "{process:?}");
    for line in
        ["process_threads 0\n", "process_resident_memory_bytes 0\n", "process_open_fds 0\n", "bursar_storage_bytes 0\n"]
    {
        assert!(!exported.contains(line), "{line}");
    }
    for zero in ["bursar_commits_unknown_total 0\n", "bursar_transfers_odd_total{kind=\"late\"} 0\n"] {
        assert!(exported.contains(zero), "{zero} is exported before the first event");
    }
}

#[test]
fn the_dashboard_is_sound() {
    let dashboard: Value = serde_json::from_str(&text("grafana/bursar.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let ids: BTreeSet<i64> = panels.iter().map(|panel| panel["id"].as_i64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len());
    assert!(panels.iter().all(|panel| panel["title"].is_string()));
    // promtool parses each expression as that of a rule.
    let rules: String = expressions()
        .iter()
        .enumerate()
        .map(|(number, expr)| {
            format!("      - record: dashboard:panel_{number}\n        expr: {}\n", Value::from(expr.as_str()))
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let written = folder.path().join("rules.yml");
    fs::write(&written, format!("groups:\n  - name: dashboard\n    rules:\n{rules}")).unwrap();
    let said = done(Command::new("promtool").args(["check", "rules"]).arg(&written));
    assert!(said.contains(&format!("SUCCESS: {} rules found", expressions().len())), "{said}");
}

#[test]
fn the_image_is_built_from_every_file_that_the_program_contains() {
    let hadolint = root().join("tests/deploy/.venv/bin/hadolint");
    done(Command::new(hadolint).arg("--failure-threshold=style").arg(file("Containerfile")));
    let containerfile = text("Containerfile");
    let last = containerfile.rsplit("\nFROM ").next().unwrap();
    for line in ["scratch\n", "\nUSER 65532:65532\n", "\nVOLUME /var/lib/bursar\n", "\nHEALTHCHECK ", "\"probe\"]"] {
        assert!(last.contains(line), "{line}");
    }
    let ignore = fs::read_to_string(root().join(".dockerignore")).unwrap();
    let kept: Vec<&str> = ignore.lines().filter_map(|line| line.strip_prefix('!')).collect();
    // The compiler lists the files of each crate, also of earlier builds, and clippy its settings.
    let built = Path::new(env!("CARGO_BIN_EXE_bursar")).with_file_name("deps");
    let lists: Vec<String> = fs::read_dir(built)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "d"))
        .filter(|path| file_name(path).starts_with("bursar-") || file_name(path).starts_with("bursar_"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let inputs: BTreeSet<&Path> = lists
        .iter()
        .flat_map(|list| list.split_whitespace())
        .map(|path| Path::new(path.trim_end_matches(':')))
        .map(|path| path.strip_prefix(root()).unwrap_or(path))
        .filter(|path| path.is_relative() && !path.starts_with("target") && *path != Path::new("clippy.toml"))
        .filter(|path| root().join(path).is_file())
        .collect();
    assert!(inputs.len() > 300 && inputs.contains(Path::new("crates/engine/src/lib.rs")), "{}", inputs.len());
    let is_kept = |path: &Path| kept.iter().any(|kept| path.starts_with(kept));
    let missing: Vec<&&Path> = inputs.iter().filter(|path| !is_kept(path)).collect();
    assert!(missing.is_empty(), ".dockerignore leaves out {missing:?}");
    assert!(!is_kept(Path::new("bursar-data/master.key")) && !is_kept(Path::new("target/debug/bursar")));
}

#[test]
fn the_compose_file_is_valid_and_confines_the_server() {
    let config = |password: Option<&str>| {
        let mut compose = Command::new("docker-compose");
        compose.arg("-f").arg(file("compose/compose.yaml")).arg("config").stdin(Stdio::null());
        compose.env_remove("DATABASE_PASSWORD").envs(password.map(|password| ("DATABASE_PASSWORD", password)));
        compose
    };
    let said = done(&mut config(Some("secret-of-a-test")));
    let server = said.split("\n  database:").next().unwrap();
    for line in [
        "read_only: true",
        "cap_drop:\n    - ALL",
        "no-new-privileges:true",
        "- 127.0.0.1:8080:8080",
        "stop_grace_period: 45s",
    ] {
        assert!(server.contains(line), "{line}: {said}");
    }
    let without = config(None).output().unwrap();
    assert!(!without.status.success(), "a password is required");
}
