//! Posted forms: an accepted form has each name once.
#![no_main]

use bursar::dispatch::form_fields;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(fields) = form_fields(bytes) else { return };
    let mut names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "a name occurs twice");
});
