//! The claim token: the ids of organization and link, and 128 random bits. The ids lead to the link without an index;
//! the claim request has no other way to name the organization. A sealed copy is kept for the `link` field
//! (docs/decisions.md 9).
//!
//! Tokens of earlier versions have 256 random bits instead, and are found by their keyed hash ([`HASHED`]). A token of
//! either kind opens a link only if it equals the link's sealed copy.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq as _;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::model::PayoutLink;
use crate::ids::{Entropy, OrgId, PayoutLinkId};
use crate::vault::{Purpose, SealContext, Vault};

/// The layout of tokens without their link's id.
pub(super) const HASHED: i64 = 1;

#[derive(Clone)]
pub struct ClaimToken {
    pub org: OrgId,
    /// The link's id; random in a token of an earlier version.
    pub link: PayoutLinkId,
    pub hash: Vec<u8>,
    bytes: Zeroizing<Vec<u8>>,
    vault: Vault,
}

impl ClaimToken {
    /// Parses a token; `None` if it is malformed.
    pub fn parse(vault: &Vault, token: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let ([org, link, _], []) = bytes.as_chunks::<16>() else { return None };
        Some(Self {
            org: OrgId(Uuid::from_bytes(*org)),
            link: PayoutLinkId(Uuid::from_bytes(*link)),
            hash: hash(vault, &bytes),
            bytes: Zeroizing::new(bytes),
            vault: vault.clone(),
        })
    }

    /// Returns whether a link was created with this token. The row could be copied from another one; the seal cannot.
    pub(super) fn opens(&self, link: &PayoutLink) -> bool {
        opened(&self.vault, link).is_some_and(|token| token.ct_eq(&self.bytes).into())
    }
}

impl std::fmt::Debug for ClaimToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClaimToken(…)")
    }
}

/// The random part of a token, for the command that creates a link.
#[derive(Clone)]
pub struct NewToken {
    vault: Vault,
    secret: Zeroizing<[u8; 16]>,
    nonce: [u8; 24],
}

impl NewToken {
    pub fn draw(vault: &Vault, entropy: &mut Entropy) -> Self {
        Self { vault: vault.clone(), secret: Zeroizing::new(entropy.bytes()), nonce: entropy.bytes() }
    }

    /// Returns the sealed token of a link. A command that runs again produces the same bytes.
    pub(super) fn seal(&self, org: OrgId, link: PayoutLinkId) -> Vec<u8> {
        let token = Zeroizing::new([*org.0.as_bytes(), *link.0.as_bytes(), *self.secret].concat());
        self.vault.seal(&seal_context(org, link), &token, self.nonce)
    }
}

impl std::fmt::Debug for NewToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NewToken(…)")
    }
}

/// Returns the token as the link's URL shows it; `None` if the sealed copy was tampered with.
pub fn shown(vault: &Vault, link: &PayoutLink) -> Option<String> {
    let token = opened(vault, link)?;
    Some(URL_SAFE_NO_PAD.encode(token))
}

/// Returns a link's token; `None` if its seal is from another row, or the token does not lead to this link.
fn opened(vault: &Vault, link: &PayoutLink) -> Option<Vec<u8>> {
    let token = vault.open(&place_in(link), &link.sealed_token).ok()?;
    let is_found = match link.token_layout {
        None => token.starts_with(&[*link.org.0.as_bytes(), *link.id.0.as_bytes()].concat()),
        Some(_) => hash(vault, &token) == link.token_hash,
    };
    is_found.then_some(token)
}

/// Returns the context to open the token of this link.
pub fn place_in(link: &PayoutLink) -> SealContext {
    seal_context(link.org, link.id).formerly(&link.token_hash)
}

/// Returns the context in which the token of a link is sealed.
fn seal_context(org: OrgId, link: PayoutLinkId) -> SealContext {
    SealContext::new(Purpose::ClaimToken, org, "payout_links", link.0, "sealed_token")
}

/// Returns whether a link was created with this vault's master key.
pub fn opens_with(vault: &Vault, link: &PayoutLink) -> bool {
    opened(vault, link).is_some()
}

fn hash(vault: &Vault, token: &[u8]) -> Vec<u8> {
    vault.keyed_hash(Purpose::ClaimToken, &[token]).to_vec()
}
