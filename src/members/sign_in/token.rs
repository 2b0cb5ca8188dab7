//! Secrets that contain their organization: sessions and set-up tokens.

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use uuid::Uuid;

use crate::ids::{Entropy, OrgId};
use crate::vault::{Purpose, Vault};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Session,
    /// For a member's first password.
    SetUp,
}

impl Kind {
    const fn prefix(self) -> &'static str {
        match self {
            Self::Session => "ms_",
            Self::SetUp => "mp_",
        }
    }
}

/// A caller's token: its organization and its keyed hash.
#[derive(Clone, Debug)]
pub struct Token {
    pub org: OrgId,
    pub hash: Vec<u8>,
}

impl Token {
    /// Parses a token; returns `None` for any other text.
    pub fn read(vault: &Vault, kind: Kind, text: &str) -> Option<Self> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text.strip_prefix(kind.prefix())?).ok()?;
        let (org, secret) = bytes.split_first_chunk::<16>()?;
        let secret: &[u8; 32] = secret.try_into().ok()?;
        let org = OrgId(Uuid::from_bytes(*org));
        Some(Self { org, hash: hash(vault, kind, org, secret) })
    }
}

/// A new token. Its `Debug` omits it.
#[derive(Clone)]
pub struct NewToken {
    /// The text for the holder.
    pub shown: String,
    pub hash: Vec<u8>,
}

impl NewToken {
    pub fn draw(vault: &Vault, entropy: &mut Entropy, kind: Kind, org: OrgId) -> Self {
        let secret: [u8; 32] = entropy.bytes();
        let text = BASE64_URL_SAFE_NO_PAD.encode([org.0.as_bytes().as_slice(), &secret].concat());
        Self { shown: format!("{}{text}", kind.prefix()), hash: hash(vault, kind, org, &secret) }
    }
}

impl std::fmt::Debug for NewToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NewToken(***)")
    }
}

fn hash(vault: &Vault, kind: Kind, org: OrgId, secret: &[u8; 32]) -> Vec<u8> {
    let purpose = match kind {
        Kind::Session => Purpose::Session,
        Kind::SetUp => Purpose::Login,
    };
    vault.keyed_hash(purpose, &[kind.prefix().as_bytes(), org.0.as_bytes(), secret]).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Seeds;

    #[test]
    fn a_token_is_read_as_what_it_was_drawn_for_alone() {
        let vault = Vault::new([1; 32]);
        let org = OrgId(Uuid::from_u128(7));
        let drawn = NewToken::draw(&vault, &mut Seeds::counted(1).next_entropy(), Kind::Session, org);
        let read = Token::read(&vault, Kind::Session, &drawn.shown).unwrap();
        assert_eq!((read.org, &read.hash), (org, &drawn.hash));
        assert!(Token::read(&vault, Kind::SetUp, &drawn.shown).is_none());
        let as_set_up = drawn.shown.replacen("ms_", "mp_", 1);
        assert_ne!(Token::read(&vault, Kind::SetUp, &as_set_up).unwrap().hash, drawn.hash);
        for text in ["", "ms_", "ms_AAAA", "ms_!", &drawn.shown[..40], &format!("{}A", drawn.shown)] {
            assert!(Token::read(&vault, Kind::Session, text).is_none(), "{text}");
        }
        assert!(!format!("{drawn:?}").contains(&drawn.shown));
    }
}
