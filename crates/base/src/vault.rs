//! Protects secrets: seals for values that must be read again, keyed hashes for values that must only be recognized.
//!
//! Invariant: a seal opens only in its [`SealContext`]: the same organization, table, row, column and purpose, and the
//! same values of the columns to which it is bound. There is no other way to seal or to open. Each [`Purpose`] has its
//! own keys.
//!
//! Commands draw no random numbers, and only they know the id of a new row. So a handler passes an [`Unsealed`] value
//! with a nonce, and the command seals it into the row that it adds.
//!
//! The master keys form a [`Ring`]: the active key seals, and all of them open. A seal's header holds the key's id.
//! Keyed hashes for finding rows need a key that never changes, the hashing key; hashes of guessable values use the
//! active key and are rewritten with the seals ([ADR 39](../docs/internals/adr/0039-key-ring.md)).
//!
//! Password hashing, which must be slow, is elsewhere.

use chacha20poly1305::{
    KeyInit as _, XChaCha20Poly1305,
    aead::{Aead as _, Payload},
};
use hmac::{Hmac, Mac as _};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use crate::ids::OrgId;

/// The first byte of a seal: version, key id (2 bytes), nonce, ciphertext with its tag.
const VERSION: u8 = 2;
/// Layout 1: version, nonce, ciphertext with its tag; bound to a context that each noun chose.
const VERSION_1: u8 = 1;
/// Random nonces of this length do not repeat.
const NONCE_BYTES: usize = 24;
const HEADER_BYTES: usize = 3;

/// The use of a secret. Each has its own keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    ApiSecret,
    ClaimToken,
    BankAccount,
    TaxId,
    Code,
    Session,
    /// Fingerprints that find equal secrets without opening them.
    Fingerprint,
    Webhook,
    /// Members' second factors, recovery codes and setup tokens.
    Login,
    /// Tokens of notice links, such as the one that freezes automatic payouts.
    Notice,
    /// The chain over the history, and the key that signs its head.
    History,
    /// Records of this program about its own seals.
    Seals,
    /// Credentials at providers of rails, and requests to them.
    Provider,
    /// Refused forms, in the address of the page that shows them.
    Form,
}

impl Purpose {
    const ALL: [Purpose; 14] = [
        Purpose::ApiSecret,
        Purpose::ClaimToken,
        Purpose::BankAccount,
        Purpose::TaxId,
        Purpose::Code,
        Purpose::Session,
        Purpose::Fingerprint,
        Purpose::Webhook,
        Purpose::Login,
        Purpose::Notice,
        Purpose::History,
        Purpose::Seals,
        Purpose::Provider,
        Purpose::Form,
    ];

    /// The word in the key derivation. Changing it makes all stored values of the purpose unreadable.
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
            Purpose::Login => "login",
            Purpose::Notice => "notice",
            Purpose::History => "history",
            Purpose::Seals => "seals",
            Purpose::Provider => "provider",
            Purpose::Form => "form",
        }
    }
}

/// Sealed bytes that do not open: changed, truncated, or sealed for another context or under another master key. The
/// reason is not given, because it would help attackers only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[error("the sealed bytes cannot be decrypted")]
pub struct Tampered;

/// The associated data of a seal: the location and the purpose of the value.
#[derive(Clone)]
pub struct SealContext {
    purpose: Purpose,
    bound: Vec<u8>,
    formerly: Option<Vec<u8>>,
}

impl SealContext {
    /// Names the column of one row. `row` identifies the row within its organization, usually by its id.
    #[must_use]
    pub fn new(purpose: Purpose, org: OrgId, table: &str, row: impl AsRef<[u8]>, column: &str) -> Self {
        let context = Self { purpose, bound: Vec::with_capacity(128), formerly: None };
        let label = purpose.label().as_bytes();
        [org.0.as_bytes(), table.as_bytes(), row.as_ref(), column.as_bytes(), label]
            .into_iter()
            .fold(context, |context, part| context.bound_to(part))
    }

    /// Binds the seal to the value of another column of the row too, such as its owner.
    #[must_use]
    pub fn bound_to(mut self, value: impl AsRef<[u8]>) -> Self {
        let value = value.as_ref();
        self.bound.extend_from_slice(&length(value));
        self.bound.extend_from_slice(value);
        self
    }

    /// Sets the context that layout 1 used for this column. Values that were first sealed in layout 2 have none.
    #[must_use]
    pub fn formerly(mut self, context: impl AsRef<[u8]>) -> Self {
        self.formerly = Some(context.as_ref().to_vec());
        self
    }
}

/// A secret that a command will seal into its row. It carries the vault and a nonce, because only the command knows the
/// row.
#[derive(Clone)]
pub struct Unsealed {
    vault: Vault,
    plain: Zeroizing<Vec<u8>>,
    nonce: [u8; NONCE_BYTES],
}

impl Unsealed {
    /// `nonce` must be random and unique.
    #[must_use]
    pub fn new(vault: &Vault, plain: impl Into<Vec<u8>>, nonce: [u8; NONCE_BYTES]) -> Self {
        Self { vault: vault.clone(), plain: Zeroizing::new(plain.into()), nonce }
    }

    /// Seals the secret in its context. A command that runs again produces the same bytes.
    #[must_use]
    pub fn seal(&self, context: &SealContext) -> Vec<u8> {
        self.vault.seal(context, &self.plain, self.nonce)
    }

    /// Reseals an existing secret in another context with the same nonce: for the value that this one replaces.
    pub fn moved(&self, sealed: &[u8], from: &SealContext, to: &SealContext) -> Result<Vec<u8>, Tampered> {
        let plain = Zeroizing::new(self.vault.open(from, sealed)?);
        Ok(self.vault.seal(to, &plain, self.nonce))
    }
}

impl fmt::Debug for Unsealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unsealed(***)")
    }
}

impl PartialEq for Unsealed {
    fn eq(&self, other: &Self) -> bool {
        self.plain.ct_eq(&other.plain).into()
    }
}

impl Eq for Unsealed {}

/// The subkeys of one key, one for each [`Purpose`], in that order. Wiped from memory on drop.
type Subkeys = Zeroizing<[[u8; 32]; Purpose::ALL.len()]>;

struct Keys {
    sealing: Subkeys,
    guessable: Subkeys,
}

/// The master keys with their ids, the active one, and the hashing key.
pub struct Ring {
    active: u16,
    keys: BTreeMap<u16, Keys>,
    hashing: Subkeys,
}

impl Ring {
    /// Makes a ring of keys of 256 random bits each; `None` if the active one is missing.
    #[must_use]
    pub fn new(hashing: &[u8; 32], keys: &BTreeMap<u16, Zeroizing<[u8; 32]>>, active: u16) -> Option<Self> {
        let derive =
            |master: &[u8; 32], use_| Zeroizing::new(Purpose::ALL.map(|purpose| subkey(master, use_, purpose)));
        let keys: BTreeMap<u16, Keys> = keys
            .iter()
            .map(|(id, key)| (*id, Keys { sealing: derive(key, "seal"), guessable: derive(key, "hash") }))
            .collect();
        keys.contains_key(&active).then(|| Self { active, keys, hashing: derive(hashing, "hash") })
    }

    #[must_use]
    pub const fn active(&self) -> u16 {
        self.active
    }

    #[must_use]
    pub fn hashes_as(&self, other: &Self) -> bool {
        *self.hashing == *other.hashing
    }

    /// Returns whether this ring opens and recognizes everything that the other does.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        let same = |id: &u16, keys: &Keys| self.keys.get(id).is_some_and(|own| *own.sealing == *keys.sealing);
        self.hashes_as(other) && other.keys.iter().all(|(id, keys)| same(id, keys))
    }
}

/// Returns the id of the key that made a seal; `None` for layout 1 and for other bytes.
#[must_use]
pub fn key_of(sealed: &[u8]) -> Option<u16> {
    match sealed {
        [VERSION, high, low, ..] => Some(u16::from_be_bytes([*high, *low])),
        _ => None,
    }
}

#[must_use]
pub fn is_layout_1(sealed: &[u8]) -> bool {
    sealed.first() == Some(&VERSION_1)
}

/// Holds the keys. All clones share one ring, which can be replaced during use.
#[derive(Clone)]
pub struct Vault {
    ring: Arc<RwLock<Arc<Ring>>>,
    reads_layout_1: Arc<AtomicBool>,
}

impl Vault {
    /// The key's id in a ring with one key.
    pub const FIRST_KEY: u16 = 1;

    /// Makes a vault of one master key of 256 random bits.
    #[must_use]
    pub fn new(master: [u8; 32]) -> Vault {
        let master = Zeroizing::new(master);
        let keys = BTreeMap::from([(Self::FIRST_KEY, master.clone())]);
        Self::of(Ring::new(&master, &keys, Self::FIRST_KEY).expect("the ring has its active key"))
    }

    #[must_use]
    pub fn of(ring: Ring) -> Vault {
        Vault { ring: Arc::new(RwLock::new(Arc::new(ring))), reads_layout_1: Arc::new(AtomicBool::new(true)) }
    }

    #[must_use]
    pub fn ring(&self) -> Arc<Ring> {
        self.ring.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the ring in all clones.
    pub fn replace(&self, ring: Ring) {
        *self.ring.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(ring);
    }

    /// Rejects seals and hashes of layout 1 from now on, in all clones.
    pub fn refuse_layout_1(&self) {
        self.reads_layout_1.store(false, Ordering::Release);
    }

    #[must_use]
    pub fn reads_layout_1(&self) -> bool {
        self.reads_layout_1.load(Ordering::Acquire)
    }

    /// Encrypts `plain` so that it opens in this context only. `nonce` must be random. It may be reused for other
    /// contexts, because the context is mixed into it, but not for two values of one context.
    #[must_use]
    pub fn seal(&self, context: &SealContext, plain: &[u8], mut nonce: [u8; NONCE_BYTES]) -> Vec<u8> {
        for (byte, of_context) in nonce.iter_mut().zip(Sha256::digest(&context.bound)) {
            *byte ^= of_context;
        }
        let ring = self.ring();
        let [high, low] = ring.active.to_be_bytes();
        let header = [VERSION, high, low];
        let keys = ring.keys.get(&ring.active).expect("a ring has its active key");
        let aad = &[&header, context.bound.as_slice()].concat();
        let sealed = cipher(keys, context.purpose)
            .encrypt(&nonce.into(), Payload { msg: plain, aad })
            .expect("XChaCha20-Poly1305 refuses nothing below 256 GiB");
        [header.as_slice(), &nonce, &sealed].concat()
    }

    pub fn open(&self, context: &SealContext, sealed: &[u8]) -> Result<Vec<u8>, Tampered> {
        let ring = self.ring();
        match key_of(sealed) {
            Some(id) => {
                let (header, rest) = sealed.split_at(HEADER_BYTES);
                let aad = [header, context.bound.as_slice()].concat();
                decrypt(ring.keys.get(&id), context.purpose, &aad, rest)
            }
            None => match (sealed, &context.formerly) {
                ([VERSION_1, rest @ ..], Some(former)) if self.reads_layout_1() => {
                    let aad = [&[VERSION_1], former.as_slice()].concat();
                    decrypt(ring.keys.get(&Self::FIRST_KEY), context.purpose, &aad, rest)
                }
                _ => Err(Tampered),
            },
        }
    }

    /// Returns whether the ring has the key of these bytes. If it does and they do not open, they were changed or
    /// moved.
    #[must_use]
    pub fn has_key_of(&self, sealed: &[u8]) -> bool {
        let id = if is_layout_1(sealed) { Some(Self::FIRST_KEY) } else { key_of(sealed) };
        !sealed.is_empty() && id.is_none_or(|id| self.ring().keys.contains_key(&id))
    }

    /// Computes HMAC-SHA256 of the parts under the purpose's hashing key, which never changes. Each part follows its
    /// length, so that `["ab", "c"]` and `["a", "bc"]` differ.
    #[must_use]
    pub fn keyed_hash(&self, purpose: Purpose, parts: &[&[u8]]) -> [u8; 32] {
        self.keyed_hasher(purpose).hash(parts)
    }

    /// Returns the same hash for several values: the key is taken in once, which is half of the work for a short value.
    #[must_use]
    pub fn keyed_hasher(&self, purpose: Purpose) -> KeyedHasher {
        KeyedHasher::of(&self.ring().hashing, purpose)
    }

    /// Computes the hash under the active key, for guessable values with long retention, such as account numbers: a
    /// leaked older key does not reveal them. `bursar rekey` recomputes them.
    #[must_use]
    pub fn guessable_hash(&self, purpose: Purpose, parts: &[&[u8]]) -> [u8; 32] {
        let ring = self.ring();
        let keys = ring.keys.get(&ring.active).expect("a ring has its active key");
        KeyedHasher::of(&keys.guessable, purpose).hash(parts)
    }

    /// Compares in constant time.
    #[must_use]
    pub fn verify_hash(&self, purpose: Purpose, parts: &[&[u8]], hash: &[u8]) -> bool {
        self.keyed_hash(purpose, parts).ct_eq(hash).into()
    }
}

fn cipher(keys: &Keys, purpose: Purpose) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new((&keys.sealing[purpose as usize]).into())
}

fn decrypt(keys: Option<&Keys>, purpose: Purpose, aad: &[u8], rest: &[u8]) -> Result<Vec<u8>, Tampered> {
    let keys = keys.ok_or(Tampered)?;
    let (nonce, msg) = rest.split_first_chunk::<NONCE_BYTES>().ok_or(Tampered)?;
    cipher(keys, purpose).decrypt(&(*nonce).into(), Payload { msg, aad }).map_err(|_| Tampered)
}

/// A keyed hash of one purpose that has taken in its key.
pub struct KeyedHasher(Hmac<Sha256>);

impl KeyedHasher {
    fn of(keys: &Subkeys, purpose: Purpose) -> Self {
        Self(hmac(&keys[purpose as usize]))
    }

    #[must_use]
    pub fn hash(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = self.0.clone();
        for part in parts {
            mac.update(&length(part));
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

/// Derives a key with one block of HMAC: the master key is random, so no extraction is needed, and a key is as long as
/// a hash, so no expansion is needed.
fn subkey(master: &[u8; 32], use_: &str, purpose: Purpose) -> [u8; 32] {
    let mut mac = hmac(master);
    mac.update(format!("bursar/v1/{use_}/{}", purpose.label()).as_bytes());
    mac.finalize().into_bytes().into()
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Vault(***)")
    }
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
    use uuid::Uuid;

    const ORG: OrgId = OrgId(Uuid::from_u128(5));

    fn vault() -> Vault {
        Vault::new([7; 32])
    }

    fn context(row: &[u8]) -> SealContext {
        SealContext::new(Purpose::TaxId, ORG, "users", row, "sealed_tax_form")
    }

    fn ring(keys: &[(u16, u8)], active: u16) -> Ring {
        let keys = keys.iter().map(|(id, byte)| (*id, Zeroizing::new([*byte; 32]))).collect();
        Ring::new(&[7; 32], &keys, active).unwrap()
    }

    #[test]
    fn a_seal_opens_in_its_place_only() {
        let vault = vault();
        let sealed = vault.seal(&context(b"row 1").bound_to("ach"), b"123456789", [3; 24]);
        let opens = |context: SealContext| vault.open(&context.bound_to("ach"), &sealed).is_ok();
        assert!(opens(context(b"row 1")));
        assert!(!opens(context(b"row 2")));
        assert!(!opens(SealContext::new(Purpose::BankAccount, ORG, "users", b"row 1", "sealed_tax_form")));
        assert!(!opens(SealContext::new(Purpose::TaxId, OrgId(Uuid::nil()), "users", b"row 1", "sealed_tax_form")));
        assert!(!opens(SealContext::new(Purpose::TaxId, ORG, "user", b"srow 1", "sealed_tax_form")));
        assert!(!opens(SealContext::new(Purpose::TaxId, ORG, "users", b"row 1", "sealed_address")));
        assert_eq!(vault.open(&context(b"row 1").bound_to("sepa"), &sealed), Err(Tampered), "another bound value");
        assert_eq!(Vault::new([8; 32]).open(&context(b"row 1").bound_to("ach"), &sealed), Err(Tampered));
    }

    #[test]
    fn one_nonce_seals_in_two_places_with_two_nonces() {
        let (one, two) = (vault().seal(&context(b"1"), b"x", [3; 24]), vault().seal(&context(b"2"), b"x", [3; 24]));
        assert_ne!(one[HEADER_BYTES..HEADER_BYTES + NONCE_BYTES], two[HEADER_BYTES..HEADER_BYTES + NONCE_BYTES]);
    }

    #[test]
    fn every_key_of_the_ring_opens_and_the_active_one_seals() {
        let vault = Vault::of(ring(&[(1, 7)], 1));
        let old = vault.seal(&context(b"row"), b"secret", [3; 24]);
        let (hash, guessable) =
            (vault.keyed_hash(Purpose::Code, &[b"x"]), vault.guessable_hash(Purpose::TaxId, &[b"x"]));
        vault.replace(ring(&[(1, 7), (2, 8)], 2));
        let new = vault.clone().seal(&context(b"row"), b"secret", [3; 24]);
        assert_eq!((key_of(&old), key_of(&new)), (Some(1), Some(2)));
        assert!(vault.open(&context(b"row"), &old).is_ok() && vault.open(&context(b"row"), &new).is_ok());
        assert_eq!(vault.keyed_hash(Purpose::Code, &[b"x"]), hash, "rows are looked up by it");
        assert_ne!(vault.guessable_hash(Purpose::TaxId, &[b"x"]), guessable);
        vault.replace(ring(&[(2, 8)], 2));
        assert_eq!(vault.open(&context(b"row"), &old), Err(Tampered));
        assert!(Ring::new(&[7; 32], &BTreeMap::new(), 1).is_none());
        assert!(ring(&[(1, 7), (2, 8)], 2).contains(&ring(&[(1, 7)], 1)));
        assert!(!ring(&[(1, 9), (2, 8)], 2).contains(&ring(&[(1, 7)], 1)));
    }

    #[test]
    fn every_purpose_has_keys_of_its_own() {
        let (mut seen, ring) = (HashSet::new(), vault().ring());
        for purpose in Purpose::ALL {
            assert!(seen.insert(vault().keyed_hash(purpose, &[b"x"])), "{purpose:?}");
            let (sealing, hashing) = (ring.keys[&1].sealing[purpose as usize], ring.hashing[purpose as usize]);
            assert!(seen.insert(sealing) && seen.insert(hashing), "{purpose:?}");
            assert_eq!(Purpose::ALL[purpose as usize], purpose, "keys are found by the purpose's position");
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

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Stored values must remain readable: a change of labels or layout fails this test.
    #[test]
    fn the_stored_form_is_fixed() {
        assert_eq!(
            hex(&vault().keyed_hash(Purpose::ApiSecret, &[b"secret"])),
            "1bfedab47f55f628f193298aba39a8160081576250c5ee6a0b2e1fa39c572b17"
        );
        let hasher = vault().keyed_hasher(Purpose::ApiSecret);
        for value in [b"secret".as_slice(), b"", b"secret", &[0; 200]] {
            assert_eq!(hasher.hash(&[value]), vault().keyed_hash(Purpose::ApiSecret, &[value]), "{value:?}");
        }
        assert_eq!(
            hex(&vault().guessable_hash(Purpose::ApiSecret, &[b"secret"])),
            "1bfedab47f55f628f193298aba39a8160081576250c5ee6a0b2e1fa39c572b17",
            "a store with one key keeps the fingerprints it has"
        );
        assert_eq!(
            hex(&vault().seal(&context(b"row"), b"123", [0; 24])),
            "0200015f8f69ecbb140c4f2b238d62aae5d051ef9c4bc605fc640dd3d47fd318d0e4c2fee44db38132a0f353869e"
        );
    }

    #[test]
    fn layout_1_is_read_with_its_context_until_it_is_refused() {
        let old = "01000000000000000000000000000000000000000000000000fce7faf494367ab98a00eea0f7e4db9d8768e5";
        let old: Vec<u8> =
            (0..old.len()).step_by(2).map(|at| u8::from_str_radix(&old[at..at + 2], 16).unwrap()).collect();
        let vault = vault();
        assert!(is_layout_1(&old) && key_of(&old).is_none());
        assert_eq!(vault.open(&context(b"row").formerly("row"), &old), Ok(b"123".to_vec()));
        assert_eq!(vault.open(&context(b"row").formerly("other"), &old), Err(Tampered));
        assert_eq!(vault.open(&context(b"row"), &old), Err(Tampered));
        vault.clone().refuse_layout_1();
        assert_eq!(vault.open(&context(b"row").formerly("row"), &old), Err(Tampered));
    }

    #[test]
    fn debug_shows_nothing() {
        assert_eq!(format!("{:?} {:?}", vault(), Unsealed::new(&vault(), "x", [0; 24])), "Vault(***) Unsealed(***)");
    }

    proptest! {
        #[test]
        fn what_is_sealed_opens_and_no_changed_byte_does(
            plain in prop::collection::vec(any::<u8>(), 0..64), row: [u8; 4], nonce: [u8; 24], at: prop::sample::Index, bit in 0u8..8,
        ) {
            let sealed = vault().seal(&context(&row), &plain, nonce);
            prop_assert_eq!(vault().open(&context(&row), &sealed), Ok(plain));
            let mut changed = sealed.clone();
            changed[at.index(sealed.len())] ^= 1 << bit;
            prop_assert_eq!(vault().open(&context(&row), &changed), Err(Tampered));
            prop_assert_eq!(vault().open(&context(&row), &sealed[..at.index(sealed.len())]), Err(Tampered));
        }
    }
}
