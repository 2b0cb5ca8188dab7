//! NACHA files: an accepted file is one that the writer writes again, and it reads back as itself.
#![no_main]

use bursar_formats::Profile;
use bursar_formats::nacha::{LineEnd, check, read, show, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = check(bytes, Profile::Incoming);
    if let Ok((file, _)) = read(bytes, Profile::Incoming) {
        let _ = show(&file);
    }
    let Ok((file, _)) = read(bytes, Profile::Strict) else { return };
    // The writer refuses addenda of types that bursar does not send.
    if let Ok(again) = write(&file, LineEnd::Lf) {
        let (again, _) = read(&again, Profile::Incoming).expect("a written file is readable");
        assert_eq!(again.batches.len(), file.batches.len());
        assert_eq!(again.header, file.header);
    }
});
