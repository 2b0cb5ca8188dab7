//! Webhook secrets and signatures, and what an SMS provider reports: a secret reads back as it is shown, and headers hold no
//! line break.
#![no_main]

use bursar::providers::Report;
use bursar::webhooks::signature::{Secret, headers};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Some(secret) = Secret::parse(text) {
        let again = Secret::parse(&secret.shown()).expect("a secret reads back");
        assert_eq!(again.bytes(), secret.bytes());
    }
    let (id, body) = text.split_once('\n').unwrap_or(("id", text));
    for (_, value) in headers(&[Secret::new([7; 32])], "id", 1_790_000_000, body) {
        assert!(!value.contains(['\r', '\n']));
    }
    let fields: Vec<(String, String)> =
        body.lines().filter_map(|line| line.split_once('=')).map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let _ = (id, Report::of(&fields));
});
