//! The claim token: 256 random bits, and the organization in front of them, because it
//! must be found without anyone saying whose it is. Its hash is indexed; a sealed copy
//! is kept for the `link` field (docs/decisions.md 9).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

use super::model::PayoutLink;
use crate::ids::{Entropy, OrgId, PayoutLinkId};
use crate::vault::{Purpose, SealContext, Unsealed, Vault};

/// A token that somebody showed.
#[derive(Clone)]
pub struct ClaimToken {
    /// The organization that it names.
    pub org: OrgId,
    /// Its keyed hash.
    pub hash: Vec<u8>,
    /// Checks that the link found by the hash holds this token.
    pub vault: Vault,
}

impl ClaimToken {
    /// Reads a token; `None` when it cannot be one.
    pub fn parse(vault: &Vault, token: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (org, secret) = bytes.split_first_chunk::<16>()?;
        (secret.len() == 32).then(|| Self {
            org: OrgId(Uuid::from_bytes(*org)),
            hash: hash(vault, &bytes),
            vault: vault.clone(),
        })
    }
}

impl std::fmt::Debug for ClaimToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClaimToken(…)")
    }
}

/// A token that was just drawn, for the command that makes a link.
#[derive(Clone)]
pub struct NewToken {
    /// Its keyed hash.
    pub hash: Vec<u8>,
    /// The token, which the command seals into the link.
    pub token: Unsealed,
}

impl NewToken {
    /// Draws a token.
    pub fn draw(vault: &Vault, entropy: &mut Entropy, org: OrgId) -> Self {
        let mut token = org.0.as_bytes().to_vec();
        token.extend_from_slice(&entropy.bytes::<32>());
        let hash = hash(vault, &token);
        Self { hash, token: Unsealed::new(vault, token, entropy.bytes()) }
    }
}

impl std::fmt::Debug for NewToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NewToken(…)")
    }
}

/// The token of a link as it stands in its address; `None` when the sealed copy was tampered with.
pub(super) fn shown(vault: &Vault, link: &PayoutLink) -> Option<String> {
    let token = opened(vault, link)?;
    Some(URL_SAFE_NO_PAD.encode(token))
}

/// A link's token, unless its seal was moved here from another row or does not belong to its hash.
fn opened(vault: &Vault, link: &PayoutLink) -> Option<Vec<u8>> {
    let token = vault.open(&place_in(link), &link.sealed_token).ok()?;
    (hash(vault, &token) == link.token_hash).then_some(token)
}

/// Where the token of this link is sealed, to open it.
pub fn place_in(link: &PayoutLink) -> SealContext {
    seal_context(link.org, link.id).formerly(&link.token_hash)
}

/// Where the token of a link is sealed.
pub(super) fn seal_context(org: OrgId, link: PayoutLinkId) -> SealContext {
    SealContext::new(Purpose::ClaimToken, org, "payout_links", link.0, "sealed_token")
}

/// Whether a link was made with this vault's master key.
pub fn opens_with(vault: &Vault, link: &PayoutLink) -> bool {
    opened(vault, link).is_some()
}

fn hash(vault: &Vault, token: &[u8]) -> Vec<u8> {
    vault.keyed_hash(Purpose::ClaimToken, &[token]).to_vec()
}
