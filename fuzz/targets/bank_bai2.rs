//! BAI2 files: an accepted file that the writer accepts reads back with the same accounts and sums.
#![no_main]

use bursar_formats::Profile;
use bursar_formats::bai2::{read, show, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok((file, _)) = read(bytes, Profile::Incoming) else { return };
    let _ = show(&file);
    if let Ok(again) = write(&file) {
        let (again, _) = read(&again, Profile::Incoming).expect("a written file is readable");
        let sums = |file: &bursar_formats::bai2::File| -> Vec<Option<i64>> {
            let accounts = file.groups.iter().flat_map(|group| &group.accounts);
            accounts.flat_map(|account| &account.details).map(|detail| detail.amount).collect()
        };
        assert_eq!(sums(&again), sums(&file));
    }
});
