//! `bursar rails check`, with the real program: against the reference adapter, and against adapters that break a rule.

use std::process::Output;

use serde_json::Value;

use crate::harness::{ADAPTER_TOKEN, Adapter, bursar};

fn check(adapter: &Adapter, flags: &[&str]) -> Output {
    let arguments = ["rails", "check", adapter.url(), "--token", ADAPTER_TOKEN];
    bursar(&[&arguments, flags].concat()).output().unwrap()
}

#[test]
fn the_reference_adapter_keeps_the_protocol() {
    let adapter = Adapter::with(&["--settle-seconds", "0.5"]);
    let output = check(&adapter, &["--every", "3"]);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}\n{}", String::from_utf8_lossy(&output.stderr));
    let rules: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix("ok     ")?.split(':').next()).collect();
    let expected = [
        "capabilities",
        "authorization",
        "unknown",
        "repeated",
        "different",
        "refused",
        "at-once",
        "dropped-requests",
        "dropped-answers",
        "cancel",
        "remembered",
        "statement",
    ];
    assert_eq!(rules, expected, "{printed}");
}

/// The control: each adapter breaks one rule, and the check that is named finds it.
#[test]
fn an_adapter_that_breaks_a_rule_is_found() {
    for (broken, rule) in [
        ("accepts-twice", "statement"),
        ("ignores-content", "different"),
        ("forgets", "remembered"),
        ("knows-everything", "unknown"),
        ("wrong-balance", "statement"),
        ("cancels-anything", "cancel"),
        ("races", "at-once"),
        ("accepts-truncated", "dropped-requests"),
        ("changes-its-mind", "refused"),
        ("lets-all-in", "authorization"),
    ] {
        let adapter = Adapter::with(&["--settle-seconds", "0.5", "--broken", broken]);
        let output = check(&adapter, &["--every", "40", "--json"]);
        assert_eq!(output.status.code(), Some(1), "{broken}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let found = report["checks"].as_array().unwrap().iter().find(|checked| checked["rule"] == rule).unwrap();
        assert!(found["findings"].as_array().is_some_and(|findings| !findings.is_empty()), "{broken}: {report}");
    }
}

#[test]
fn an_adapter_is_refused_with_a_wrong_token_and_without_an_address() {
    let adapter = Adapter::start();
    let output = bursar(&["rails", "check", adapter.url(), "--token", "wrong"]).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(printed.contains("GET /capabilities answered 401 unauthorized. Check the URL and the token."), "{printed}");
    let output = bursar(&["rails", "check", "127.0.0.1:1", "--token", "x"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}
