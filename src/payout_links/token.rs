//! The claim token: the organization's id and 256 random bits. The id is needed because the claim request has no other
//! way to name the organization. The hash is indexed; a sealed copy is kept for the `link` field (docs/decisions.md 9).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

use super::model::PayoutLink;
use crate::ids::{Entropy, OrgId, PayoutLinkId};
use crate::vault::{Purpose, SealContext, Unsealed, Vault};

#[derive(Clone)]
pub struct ClaimToken {
    pub org: OrgId,
    pub hash: Vec<u8>,
    /// Checks that the link found by the hash contains this token.
    pub vault: Vault,
}

impl ClaimToken {
    /// Parses a token; `None` if it is malformed.
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

/// A generated token, for the command that creates a link.
#[derive(Clone)]
pub struct NewToken {
    pub hash: Vec<u8>,
    /// The token, which the command seals into the link.
    pub token: Unsealed,
}

impl NewToken {
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

/// Returns the token as the link's URL shows it; `None` if the sealed copy was tampered with.
pub(super) fn shown(vault: &Vault, link: &PayoutLink) -> Option<String> {
    let token = opened(vault, link)?;
    Some(URL_SAFE_NO_PAD.encode(token))
}

/// Returns a link's token; `None` if its seal is from another row or does not match its hash.
fn opened(vault: &Vault, link: &PayoutLink) -> Option<Vec<u8>> {
    let token = vault.open(&place_in(link), &link.sealed_token).ok()?;
    (hash(vault, &token) == link.token_hash).then_some(token)
}

/// Returns the context to open the token of this link.
pub fn place_in(link: &PayoutLink) -> SealContext {
    seal_context(link.org, link.id).formerly(&link.token_hash)
}

/// Returns the context in which the token of a link is sealed.
pub(super) fn seal_context(org: OrgId, link: PayoutLinkId) -> SealContext {
    SealContext::new(Purpose::ClaimToken, org, "payout_links", link.0, "sealed_token")
}

/// Returns whether a link was created with this vault's master key.
pub fn opens_with(vault: &Vault, link: &PayoutLink) -> bool {
    opened(vault, link).is_some()
}

fn hash(vault: &Vault, token: &[u8]) -> Vec<u8> {
    vault.keyed_hash(Purpose::ClaimToken, &[token]).to_vec()
}
