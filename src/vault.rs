//! What keeps secrets: sealing for what must be read again, keyed hashes for what must only be
//! recognized.
//!
//! Invariant: each [`Purpose`] has two keys of its own, one to seal and one to hash, so that what is
//! stored for one purpose is worthless for another; and what is sealed opens only beside the same
//! context, so that a row's secret moved to another row does not open.
//!
//! Deliberately absent: random numbers (nonces are handed in), key rotation (the first byte of what is
//! sealed is a version, to make room for it), and password hashing, which must be slow and is not.

use chacha20poly1305::{
    KeyInit as _, XChaCha20Poly1305,
    aead::{Aead as _, Payload},
};
use hmac::{Hmac, Mac as _};
use sha2::Sha256;
use std::fmt;
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

/// First byte of everything sealed in this layout: version, nonce, ciphertext with its tag.
const VERSION: u8 = 1;
/// Bytes of a nonce; long enough that random ones never meet.
const NONCE_BYTES: usize = 24;

/// What a secret is for. Each has keys of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The secret half of an API key.
    ApiSecret,
    /// The token in a payout link.
    ClaimToken,
    /// Account numbers of people and vendors.
    BankAccount,
    /// SSN and EIN.
    TaxId,
    /// Six-digit verification codes.
    Code,
    /// Sessions of claim pages and of the dashboard.
    Session,
    /// Fingerprints that find equal secrets without reading them.
    Fingerprint,
    /// Signing secrets of webhook endpoints.
    Webhook,
}

impl Purpose {
    /// All of them, in their order.
    const ALL: [Purpose; 8] = [
        Purpose::ApiSecret,
        Purpose::ClaimToken,
        Purpose::BankAccount,
        Purpose::TaxId,
        Purpose::Code,
        Purpose::Session,
        Purpose::Fingerprint,
        Purpose::Webhook,
    ];

    /// The word that goes into the key derivation. Changing one loses all that was stored under it.
    const fn label(self) -> &'static str {
        match self {
            Purpose::ApiSecret => "api-secret",
            Purpose::ClaimToken => "claim-token",
            Purpose::BankAccount => "bank-account",
            Purpose::TaxId => "tax-id",
            Purpose::Code => "code",
            Purpose::Session => "session",
            Purpose::Fingerprint => "fingerprint",
            Purpose::Webhook => "webhook",
        }
    }
}

/// Sealed bytes that do not open: changed, cut, or sealed for another purpose, context or master key.
/// Which of these it was is not told, because it helps only those who try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[error("the sealed bytes do not open")]
pub struct Tampered;

/// Holds the keys that were derived from the master key. They are wiped from memory when the vault goes.
#[derive(Clone)]
pub struct Vault {
    /// For each [`Purpose`], in their order, what seals.
    sealing: Zeroizing<[[u8; 32]; Purpose::ALL.len()]>,
    /// And what hashes.
    hashing: Zeroizing<[[u8; 32]; Purpose::ALL.len()]>,
}

impl Vault {
    /// A vault over a master key of 256 random bits.
    #[must_use]
    pub fn new(master: [u8; 32]) -> Vault {
        let master = Zeroizing::new(master);
        let keys = |use_| Zeroizing::new(Purpose::ALL.map(|purpose| subkey(&master, use_, purpose)));
        Vault { sealing: keys("seal"), hashing: keys("hash") }
    }

    /// Encrypts `plain` so that only the same purpose and context open it. `context` names the place
    /// it is stored in, such as the row's id. One nonce must never seal twice; 24 random bytes do not.
    #[must_use]
    pub fn seal(&self, purpose: Purpose, context: &[u8], plain: &[u8], nonce: [u8; NONCE_BYTES]) -> Vec<u8> {
        let aad = &associated(context);
        let payload = Payload { msg: plain, aad };
        let sealed = self
            .cipher(purpose)
            .encrypt(&nonce.into(), payload)
            .expect("XChaCha20-Poly1305 refuses nothing below 256 GiB");
        [&[VERSION], nonce.as_slice(), &sealed].concat()
    }

    /// Gives back what was sealed for this purpose and context.
    ///
    /// # Errors
    /// [`Tampered`].
    pub fn open(&self, purpose: Purpose, context: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Tampered> {
        let (&version, rest) = sealed.split_first().ok_or(Tampered)?;
        if version != VERSION {
            return Err(Tampered);
        }
        let (nonce, msg) = rest.split_first_chunk::<NONCE_BYTES>().ok_or(Tampered)?;
        let aad = &associated(context);
        self.cipher(purpose).decrypt(&(*nonce).into(), Payload { msg, aad }).map_err(|_| Tampered)
    }

    /// HMAC-SHA256 of the parts under the purpose's own key. Each part is preceded by its length, so
    /// that `["ab", "c"]` and `["a", "bc"]` differ.
    #[must_use]
    pub fn keyed_hash(&self, purpose: Purpose, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = hmac(&self.hashing[purpose as usize]);
        for part in parts {
            mac.update(&length(part));
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    /// Whether the parts have this hash, in a time that does not depend on where they differ.
    #[must_use]
    pub fn verify_hash(&self, purpose: Purpose, parts: &[&[u8]], hash: &[u8]) -> bool {
        self.keyed_hash(purpose, parts).ct_eq(hash).into()
    }

    fn cipher(&self, purpose: Purpose) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new((&self.sealing[purpose as usize]).into())
    }
}

/// One block of HMAC as a key derivation: the master key is random, so there is nothing to extract,
/// and a key is as long as a hash, so there is nothing to expand.
fn subkey(master: &[u8; 32], use_: &str, purpose: Purpose) -> [u8; 32] {
    let mut mac = hmac(master);
    mac.update(format!("bursar/v1/{use_}/{}", purpose.label()).as_bytes());
    mac.finalize().into_bytes().into()
}

/// Never a byte of the key.
impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Vault(***)")
    }
}

/// What a seal is bound to beside its key: the version, so that no other layout reads it, and the context.
fn associated(context: &[u8]) -> Vec<u8> {
    [&[VERSION], context].concat()
}

fn hmac(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("HMAC takes a key of any length")
}

fn length(part: &[u8]) -> [u8; 8] {
    u64::try_from(part.len()).expect("no memory holds 2^64 bytes").to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn vault() -> Vault {
        Vault::new([7; 32])
    }

    #[test]
    fn only_the_same_purpose_context_and_master_open() {
        let sealed = vault().seal(Purpose::TaxId, b"row 1", b"123456789", [3; 24]);
        assert_eq!(vault().open(Purpose::TaxId, b"row 1", &sealed), Ok(b"123456789".to_vec()));
        assert_eq!(vault().open(Purpose::TaxId, b"row 2", &sealed), Err(Tampered));
        assert_eq!(vault().open(Purpose::BankAccount, b"row 1", &sealed), Err(Tampered));
        assert_eq!(Vault::new([8; 32]).open(Purpose::TaxId, b"row 1", &sealed), Err(Tampered));
    }

    #[test]
    fn every_purpose_has_keys_of_its_own() {
        let mut seen = HashSet::new();
        for purpose in Purpose::ALL {
            assert!(seen.insert(vault().keyed_hash(purpose, &[b"x"])), "{purpose:?}");
            let (sealing, hashing) = (vault().sealing[purpose as usize], vault().hashing[purpose as usize]);
            assert!(seen.insert(sealing) && seen.insert(hashing), "{purpose:?}");
            assert_eq!(Purpose::ALL[purpose as usize], purpose, "keys are found by the purpose's place");
        }
    }

    #[test]
    fn hashes_know_where_parts_end() {
        let hash = vault().keyed_hash(Purpose::Code, &[b"ab", b"c"]);
        assert!(vault().verify_hash(Purpose::Code, &[b"ab", b"c"], &hash));
        for parts in [&[b"a".as_slice(), b"bc"][..], &[b"abc"], &[b"ab", b"c", b""], &[]] {
            assert!(!vault().verify_hash(Purpose::Code, parts, &hash));
        }
        assert!(!vault().verify_hash(Purpose::Code, &[b"ab", b"c"], &hash[..31]));
        assert!(!vault().verify_hash(Purpose::Code, &[b"ab", b"c"], b""));
    }

    /// What is stored today must open tomorrow: a change of labels or layout turns this red.
    #[test]
    fn the_stored_form_is_fixed() {
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(
            hex(&vault().keyed_hash(Purpose::ApiSecret, &[b"secret"])),
            "1bfedab47f55f628f193298aba39a8160081576250c5ee6a0b2e1fa39c572b17"
        );
        assert_eq!(
            hex(&vault().seal(Purpose::TaxId, b"row", b"123", [0; 24])),
            "01000000000000000000000000000000000000000000000000fce7faf494367ab98a00eea0f7e4db9d8768e5"
        );
    }

    #[test]
    fn debug_shows_nothing() {
        assert_eq!(format!("{:?}", vault()), "Vault(***)");
    }

    proptest! {
        #[test]
        fn what_is_sealed_opens_and_no_changed_byte_does(
            plain in prop::collection::vec(any::<u8>(), 0..64), context: [u8; 4], nonce: [u8; 24], at: prop::sample::Index, bit in 0u8..8,
        ) {
            let sealed = vault().seal(Purpose::BankAccount, &context, &plain, nonce);
            prop_assert_eq!(vault().open(Purpose::BankAccount, &context, &sealed), Ok(plain));
            let mut changed = sealed.clone();
            changed[at.index(sealed.len())] ^= 1 << bit;
            prop_assert_eq!(vault().open(Purpose::BankAccount, &context, &changed), Err(Tampered));
            prop_assert_eq!(vault().open(Purpose::BankAccount, &context, &sealed[..at.index(sealed.len())]), Err(Tampered));
        }
    }
}
