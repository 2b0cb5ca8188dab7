//! The keyed chain of the history, and its signed heads.
//!
//! Invariant: a link cannot be computed without the store's chain key. A signed head names one log, a position in it
//! and the hash at that position; a history that was rewritten or truncated before that position does not contain the
//! head.
//!
//! `history` keeps the seed; `events` and `ledger` define the chained records.

use std::fmt;
use std::sync::LazyLock;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, KeyInit as _, Mac as _};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use sha2::Sha256;
use uuid::Uuid;

use crate::clock::Time;

/// The chain key of worlds that write nothing, and of tests.
pub static UNKEYED: LazyLock<ChainKey> = LazyLock::new(|| ChainKey::new(&[0; 32]));

/// The key under which links are computed. The key's own blocks are hashed once, in advance.
#[derive(Clone)]
pub struct ChainKey(Hmac<Sha256>);

impl ChainKey {
    /// `key` must be 256 random bits.
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        Self(Hmac::new_from_slice(key).expect("HMAC takes a key of any length"))
    }

    /// Starts a link. `kind` separates the kinds of links, so that they cannot be confused.
    #[must_use]
    pub fn begin(&self, kind: &str) -> Link {
        Link(self.0.clone()).part(kind.as_bytes())
    }
}

impl fmt::Debug for ChainKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChainKey(***)")
    }
}

/// A link under computation. Each part follows its length, so different links have different input.
pub struct Link(Hmac<Sha256>);

impl Link {
    #[must_use]
    pub fn part(mut self, bytes: &[u8]) -> Self {
        self.0.update(&u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
        self.0.update(bytes);
        self
    }

    #[must_use]
    pub fn number(mut self, number: i64) -> Self {
        self.0.update(&number.to_be_bytes());
        self
    }

    #[must_use]
    pub fn id(mut self, id: Uuid) -> Self {
        self.0.update(id.as_bytes());
        self
    }

    #[must_use]
    pub fn maybe(self, bytes: Option<&[u8]>) -> Self {
        match bytes {
            Some(bytes) => self.number(1).part(bytes),
            None => self.number(0),
        }
    }

    #[must_use]
    pub fn end(self) -> Vec<u8> {
        self.0.finalize().into_bytes().to_vec()
    }
}

/// Chains the history and signs its heads. Derived from the store's seed, so a new master key changes neither.
pub struct HistoryKeys {
    pub chain: ChainKey,
    signer: Ed25519KeyPair,
}

impl HistoryKeys {
    /// `seed` must be 256 random bits.
    #[must_use]
    pub fn of_seed(seed: &[u8; 32]) -> Self {
        let derived = |what: &str| -> [u8; 32] {
            let mut mac = Hmac::<Sha256>::new_from_slice(seed).expect("HMAC takes a key of any length");
            mac.update(format!("bursar/history/v1/{what}").as_bytes());
            mac.finalize().into_bytes().into()
        };
        let signer = Ed25519KeyPair::from_seed_unchecked(&derived("sign")).expect("any 32 bytes are a seed of Ed25519");
        Self { chain: ChainKey::new(&derived("chain")), signer }
    }

    /// In Base64.
    #[must_use]
    pub fn public_key(&self) -> String {
        BASE64_STANDARD.encode(self.signer.public_key().as_ref())
    }

    /// In Base64.
    #[must_use]
    pub fn sign(&self, head: &Head) -> String {
        BASE64_STANDARD.encode(self.signer.sign(head.statement().as_bytes()).as_ref())
    }

    /// Returns the head and its signature in one line: an anchor.
    #[must_use]
    pub fn anchor(&self, head: &Head) -> String {
        format!("{} {}", head.statement(), self.sign(head))
    }

    #[must_use]
    pub fn signed(&self, anchor: &Anchor) -> bool {
        let key = UnparsedPublicKey::new(&ED25519, self.signer.public_key().as_ref());
        key.verify(anchor.head.statement().as_bytes(), &anchor.signature).is_ok()
    }
}

impl fmt::Debug for HistoryKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HistoryKeys({})", self.public_key())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Log {
    /// The events of an app, or the administrative acts of an organization, by its id.
    Events,
    Ledger,
}

impl Log {
    const fn word(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Ledger => "ledger",
        }
    }
}

/// A position in a log, and the hash of everything up to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub log: Log,
    pub of: Uuid,
    /// The event's sequence, or the transaction's number.
    pub sequence: i64,
    pub hash: Vec<u8>,
    /// When the event was emitted, or the transaction posted.
    pub at: Time,
}

impl Head {
    /// Returns the signed text: one line without a line break.
    #[must_use]
    pub fn statement(&self) -> String {
        let Self { log, of, sequence, hash, at } = self;
        format!("bursar-head-v1 {} {of} {sequence} {} {at}", log.word(), hex(hash))
    }
}

/// A signed head that was kept outside of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    pub head: Head,
    pub signature: Vec<u8>,
}

/// Parses anchors, one per line, and skips empty lines. Fails with the number of the first invalid line.
pub fn read_anchors(text: &str) -> Result<Vec<Anchor>, usize> {
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    lines.map(|(line, number)| read_anchor(line).ok_or(number)).collect()
}

fn read_anchor(line: &str) -> Option<Anchor> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["bursar-head-v1", log, of, sequence, hash, at, signature] = words[..] else { return None };
    let log = [Log::Events, Log::Ledger].into_iter().find(|known| known.word() == log)?;
    let head =
        Head { log, of: of.parse().ok()?, sequence: sequence.parse().ok()?, hash: unhex(hash)?, at: Time::parse(at)? };
    Some(Anchor { head, signature: BASE64_STANDARD.decode(signature).ok()? })
}

#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Head {
        let at = Time::from_micros(1_790_000_000_123_456);
        Head { log: Log::Ledger, of: Uuid::from_u128(7), sequence: 3, hash: vec![1, 0xab], at }
    }

    #[test]
    fn an_anchor_is_read_back_and_its_signature_holds() {
        let keys = HistoryKeys::of_seed(&[1; 32]);
        let line = keys.anchor(&head());
        let anchors = read_anchors(&format!("\n{line}\n\n")).unwrap();
        assert_eq!(anchors[0].head, head());
        assert!(keys.signed(&anchors[0]));
        // Another key, and another statement with the same signature.
        assert!(!HistoryKeys::of_seed(&[2; 32]).signed(&anchors[0]));
        let moved = Anchor { head: Head { sequence: 4, ..head() }, ..anchors[0].clone() };
        assert!(!keys.signed(&moved));
        assert_eq!(read_anchors(&format!("{line}\nrubbish")), Err(2));
    }

    #[test]
    fn links_differ_by_key_kind_and_where_parts_end() {
        let (one, other) = (ChainKey::new(&[1; 32]), ChainKey::new(&[2; 32]));
        let link = |key: &ChainKey, kind: &str, parts: &[&[u8]]| {
            parts.iter().fold(key.begin(kind), |link, part| link.part(part)).end()
        };
        let all = [
            link(&one, "a", &[b"xy", b"z"]),
            link(&one, "a", &[b"x", b"yz"]),
            link(&one, "b", &[b"xy", b"z"]),
            link(&other, "a", &[b"xy", b"z"]),
        ];
        for (at, left) in all.iter().enumerate() {
            assert!(all[at + 1..].iter().all(|right| right != left));
        }
    }
}
