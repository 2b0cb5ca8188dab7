//! Time-based one-time passwords (RFC 6238: SHA-1, six digits, thirty seconds), and their secrets in Base32. Pure.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha1::Sha1;
use subtle::ConstantTimeEq as _;

use crate::clock::Time;

/// As long as the hash.
pub const SECRET_BYTES: usize = 20;
const STEP_SECONDS: i64 = 30;
/// Accepted steps before and after, for inexact clocks and slow typing.
const DRIFT_STEPS: i64 = 1;
/// One more than the largest code.
const CODES: u32 = 1_000_000;

/// Returns the time step of a code, near this moment.
pub fn step_of(secret: &[u8], code: &str, now: Time) -> Option<i64> {
    let step = now.seconds().div_euclid(STEP_SECONDS);
    let steps = step - DRIFT_STEPS..=step + DRIFT_STEPS;
    // Compare every step, so that the time does not reveal which one matched.
    let mut found = None;
    for step in steps {
        if bool::from(code_at(secret, step).as_bytes().ct_eq(code.as_bytes())) {
            found = Some(step);
        }
    }
    found
}

pub fn code_at(secret: &[u8], step: i64) -> String {
    let mut mac = Hmac::<Sha1>::new_from_slice(secret).expect("HMAC takes a key of any length");
    mac.update(&step.to_be_bytes());
    let hash = mac.finalize().into_bytes();
    let offset = usize::from(hash[hash.len() - 1] & 0x0f);
    let word = [hash[offset] & 0x7f, hash[offset + 1], hash[offset + 2], hash[offset + 3]];
    format!("{:06}", u32::from_be_bytes(word) % CODES)
}

pub fn code_now(secret: &[u8], now: Time) -> String {
    code_at(secret, now.seconds().div_euclid(STEP_SECONDS))
}

/// Base32 of RFC 4648 without padding, as authenticator apps read it.
pub fn base32(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let bits: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
    let letter = |five: &[u8]| {
        let value = (0..5).fold(0_u8, |value, at| value << 1 | five.get(at).copied().unwrap_or(0));
        char::from(ALPHABET[usize::from(value)])
    };
    bits.chunks(5).map(letter).collect()
}

/// Returns the content of a QR code for authenticator apps.
pub fn uri(secret: &[u8], email: &str) -> String {
    let account: String = email
        .bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect();
    format!("otpauth://totp/bursar:{account}?secret={}&issuer=bursar", base32(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"12345678901234567890";

    /// The last six digits of the table in RFC 6238, appendix B.
    #[test]
    fn codes_are_those_of_the_rfc() {
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
        ] {
            assert_eq!(code_now(SECRET, Time::from_micros(seconds * 1_000_000)), code);
        }
    }

    #[test]
    fn a_code_is_right_for_its_step_and_the_adjacent_ones() {
        let at = |seconds: i64| Time::from_micros(seconds * 1_000_000);
        let code = code_now(SECRET, at(3_000));
        assert_eq!(step_of(SECRET, &code, at(3_000)), Some(100));
        assert_eq!(step_of(SECRET, &code, at(3_059)), Some(100));
        assert_eq!(step_of(SECRET, &code, at(2_970)), Some(100));
        assert_eq!(step_of(SECRET, &code, at(3_060)), None);
        assert_eq!(step_of(SECRET, &code, at(2_969)), None);
        assert_eq!(step_of(SECRET, "", at(3_000)), None);
    }

    #[test]
    fn secrets_are_base32_as_in_rfc_4648() {
        for (bytes, text) in [("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foobar", "MZXW6YTBOI")] {
            assert_eq!(base32(bytes.as_bytes()), text);
        }
        assert_eq!(uri(b"foobar", "ada@x.org"), "otpauth://totp/bursar:ada%40x.org?secret=MZXW6YTBOI&issuer=bursar");
    }
}
