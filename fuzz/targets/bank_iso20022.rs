//! ISO 20022 messages: an accepted message that the writer accepts is readable again.
#![no_main]

use bursar_formats::Profile;
use bursar_formats::iso20022::{Message, camt, pain001, pain002, read, show};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok((message, _)) = read(bytes, Profile::Incoming) else { return };
    let _ = show(&message);
    let again = match &message {
        Message::CreditTransfers(message) => pain001::write(message),
        Message::StatusReport(report) => pain002::write(report),
        Message::Report(report) => camt::write(report),
    };
    if let Ok(again) = again {
        read(&again, Profile::Incoming).expect("a written message is readable");
    }
});
