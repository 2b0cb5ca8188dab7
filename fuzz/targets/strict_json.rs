//! Request bodies: whatever is accepted has one canonical text, and reading that text gives the same value.
#![no_main]

use bursar::strict_json::Json;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(body) = Json::parse(bytes) else { return };
    let canonical = body.canonical();
    let again = Json::parse(canonical.as_bytes()).expect("canonical text is acceptable JSON");
    assert_eq!(again.canonical(), canonical, "canonical text changes when it is read again");
    drop(body.to_serde());
});
