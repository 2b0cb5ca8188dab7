//! Phone numbers and e-mail addresses: an accepted phone number reads back from its E.164 form, an accepted address holds
//! nothing that a mail header or a mail server would read as more than an address.
#![no_main]

use bursar::email::Email;
use bursar::phone::PhoneNumber;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(phone) = PhoneNumber::parse_e164(text) {
        let again = PhoneNumber::parse_e164(&phone.e164()).expect("E.164 reads back");
        assert_eq!(again.e164(), phone.e164());
    }
    let (country_code, number) = text.split_once(' ').unwrap_or(("1", text));
    if let Ok(phone) = PhoneNumber::parse(country_code, number) {
        assert_eq!(phone.e164(), format!("+{}{}", phone.country_code(), phone.national()));
        assert!(!phone.masked().contains(phone.national()));
    }
    if let Ok(email) = Email::parse(text) {
        assert!(!email.as_str().contains(|c: char| c.is_control() || c.is_whitespace() || "<>,;\"".contains(c)));
        assert!(!email.as_str().starts_with('-'), "a relay would read it as an option");
    }
});
