//! The Authorization header: an accepted credential holds no control character and a client id.
#![no_main]

use bursar::basic::Credential;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(credential) = Credential::parse(text) else { return };
    assert!(!credential.client_id.is_empty());
    assert!(!credential.client_id.contains(|c: char| c.is_control() || c == ':'));
});
