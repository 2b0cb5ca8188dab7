//! Signatures of Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`, with a secret `whsec_<base64>`.

use std::fmt;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use zeroize::Zeroizing;

const PREFIX: &str = "whsec_";
/// The length of a generated secret, in bytes.
const SECRET_BYTES: usize = 32;
/// The permitted lengths of a secret, in bytes (Standard Webhooks).
const SECRET_LENGTHS: std::ops::RangeInclusive<usize> = 24..=64;

#[derive(Clone)]
pub struct Secret(Zeroizing<Vec<u8>>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Secret {
    pub fn new(random: [u8; SECRET_BYTES]) -> Self {
        Self::from_bytes(random.to_vec())
    }

    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Parses a shown secret; `None` if it is malformed.
    pub fn parse(shown: &str) -> Option<Self> {
        let bytes = BASE64_STANDARD.decode(shown.strip_prefix(PREFIX)?).ok()?;
        SECRET_LENGTHS.contains(&bytes.len()).then(|| Self::from_bytes(bytes))
    }

    /// Returns the secret as its owner sees it, once.
    pub fn shown(&self) -> String {
        format!("{PREFIX}{}", BASE64_STANDARD.encode(&*self.0))
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the signature of a message: `v1,<base64>`.
    fn sign(&self, id: &str, timestamp: i64, body: &str) -> String {
        let mut mac = <Hmac<Sha256>>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
        format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()))
    }
}

/// Returns the signature that a sender with this secret gives to a message.
pub fn signature(secret: &Secret, id: &str, timestamp: i64, body: &str) -> String {
    secret.sign(id, timestamp, body)
}

/// Returns the headers of a message. `timestamp` is in seconds; the signatures have the order of the secrets.
pub fn headers(secrets: &[Secret], id: &str, timestamp: i64, body: &str) -> Vec<(&'static str, String)> {
    let signatures: Vec<String> = secrets.iter().map(|secret| secret.sign(id, timestamp, body)).collect();
    vec![
        ("content-type", "application/json".to_owned()),
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", timestamp.to_string()),
        ("webhook-signature", signatures.join(" ")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vector of the reference implementations of Standard Webhooks.
    #[test]
    fn the_published_vector() {
        let secret = Secret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signature = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn every_part_is_signed() {
        let secret = Secret::new([7; 32]);
        let signed = secret.sign("a", 1, "b");
        for other in [secret.sign("x", 1, "b"), secret.sign("a", 2, "b"), secret.sign("a", 1, "x")] {
            assert_ne!(signed, other);
        }
        assert_ne!(signed, Secret::new([8; 32]).sign("a", 1, "b"));
    }

    #[test]
    fn secrets_are_shown_and_read_back_but_not_printed() {
        let secret = Secret::new([7; 32]);
        let again = Secret::parse(&secret.shown()).unwrap();
        assert_eq!(again.bytes(), secret.bytes());
        assert_eq!(format!("{secret:?}"), "Secret(…)");
        for wrong in ["", "whsec_", "whsec_!!!", "sk_sandbox_abc", "whsec_AAAA", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
            assert!(Secret::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn two_secrets_give_two_signatures_the_newer_first() {
        let (new, old) = (Secret::new([1; 32]), Secret::new([2; 32]));
        let expected = format!("{} {}", new.sign("a", 1, "b"), old.sign("a", 1, "b"));
        let headers = headers(&[new, old], "a", 1, "b");
        assert_eq!(headers[3], ("webhook-signature", expected));
        assert_eq!(headers[1..3], [("webhook-id", "a".to_owned()), ("webhook-timestamp", "1".to_owned())]);
    }
}
