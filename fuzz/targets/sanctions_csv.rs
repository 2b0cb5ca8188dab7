//! The CSV files of a sanctions list: a file is read whole or refused, and the same bytes give the same entries.
#![no_main]

use bursar::screening::ofac::{Files, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.split(|byte| *byte == 0).map(<[u8]>::to_vec);
    let mut next = || parts.next().unwrap_or_default();
    let files = Files { sdn: next(), alt: next(), add: next(), comments: parts.next() };
    if let Ok(entries) = read(&files) {
        assert!(!entries.is_empty());
        assert_eq!(read(&files).map(|again| again.len()), Ok(entries.len()));
    }
});
