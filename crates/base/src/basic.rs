//! The `Authorization: Basic …` header (docs/specification.md, Authentication).
//!
//! Invariant: a [`Credential`] has a client id. Every other header is the same error, because naming the wrong part
//! would help an attacker to guess.
//!
//! Deliberately absent: whether the key exists (`apps` knows), and user information in a URL, which clients convert to
//! this header.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use secrecy::SecretString;
use zeroize::Zeroizing;

/// Longest token that is parsed; our tokens are a quarter of this.
const TOKEN_MAX: usize = 1024;

/// Standard Base64, padded or not. URL-safe tokens are converted to this alphabet first.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A caller's credential. Its `Debug` does not show the secret.
#[derive(Debug, Clone)]
pub struct Credential {
    pub client_id: String,
    /// The API key; `None` for client-side callers, who send the client id and a colon.
    pub secret: Option<SecretString>,
}

/// The header is not a Basic credential. Public code `unauthorized`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[error("The Authorization header must be \"Basic\" and the Base64 of \"<client_id>:<api_key>\".")]
pub struct MalformedCredential;

impl Credential {
    /// Parses the header's value. The scheme may be in any case; the token may be URL-safe or standard Base64, padded
    /// or not; its content is split at the first colon.
    pub fn parse(header: &str) -> Result<Credential, MalformedCredential> {
        let (scheme, token) = header.trim().split_once(' ').ok_or(MalformedCredential)?;
        let token = token.trim_start();
        if !scheme.eq_ignore_ascii_case("basic") || token.len() > TOKEN_MAX {
            return Err(MalformedCredential);
        }
        let of_standard = |byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        };
        let standard = Zeroizing::new(token.bytes().map(of_standard).collect::<Vec<u8>>());
        let bytes = BASE64.decode(&*standard).map_err(|_| MalformedCredential)?;
        let bytes = Zeroizing::new(bytes);
        let pair = std::str::from_utf8(&bytes).map_err(|_| MalformedCredential)?;
        let (client_id, secret) = pair.split_once(':').ok_or(MalformedCredential)?;
        // Nearly all pairs are ASCII, whose controls are found without decoding it.
        let has_control = match pair.is_ascii() {
            true => pair.bytes().any(|byte| byte.is_ascii_control()),
            false => pair.contains(char::is_control),
        };
        if client_id.is_empty() || has_control {
            return Err(MalformedCredential);
        }
        Ok(Credential {
            client_id: client_id.to_owned(),
            secret: (!secret.is_empty()).then(|| SecretString::from(secret)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::prelude::*;
    use proptest::prelude::*;
    use secrecy::ExposeSecret as _;

    fn parse(header: &str) -> Option<(String, Option<String>)> {
        let credential = Credential::parse(header).ok()?;
        let secret = credential.secret.map(|secret| secret.expose_secret().to_owned());
        Some((credential.client_id, secret))
    }

    #[test]
    fn the_two_forms_of_the_interface() {
        let both = Some(("pk_sandbox_a".to_owned(), Some("sk:b".to_owned())));
        let token = BASE64_URL_SAFE.encode("pk_sandbox_a:sk:b");
        for scheme in ["Basic", "basic", "BASIC"] {
            assert_eq!(parse(&format!("{scheme} {token}")), both);
        }
        let client_side = BASE64_STANDARD_NO_PAD.encode("pk_sandbox_a:");
        assert_eq!(parse(&format!("Basic {client_side}")), Some(("pk_sandbox_a".to_owned(), None)));
    }

    #[test]
    fn everything_else_is_one_error() {
        let token = |text: &[u8]| format!("Basic {}", BASE64_STANDARD.encode(text));
        for header in [
            "",
            "Basic",
            "Basic ",
            "Bearer YTpi",
            "YTpi",
            "Basic !!!!",
            "Basic YTpi YTpi",
            "Basic YTpi,",
            "Basic Y",
            "BasicYTpi",
            &token(b"no colon"),
            &token(b":secret"),
            &token(b":"),
            &token(b""),
            &token(b"\xff:\xff"),
            &token(b"a\0:b"),
            &token(b"a:b\n"),
            &token(&[b':'; 1024]),
        ] {
            assert_eq!(parse(header), None, "{header}");
        }
    }

    #[test]
    fn debug_hides_the_secret() {
        let credential = Credential::parse("Basic YTpoaWRkZW4").unwrap();
        assert!(!format!("{credential:?}").contains("hidden"));
    }

    proptest! {
        #[test]
        fn all_four_encodings_are_one(id in "[^:\\pC]{1,20}", secret in "\\PC{0,20}") {
            let pair = format!("{id}:{secret}");
            let expected = Some((id, (!secret.is_empty()).then_some(secret)));
            for engine in [BASE64_STANDARD, BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE, BASE64_URL_SAFE_NO_PAD] {
                prop_assert_eq!(parse(&format!("Basic {}", engine.encode(&pair))), expected.clone());
            }
        }
    }
}
