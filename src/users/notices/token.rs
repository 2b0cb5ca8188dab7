//! The token of a notice link: organization, notice, and a keyed hash of both. It needs no stored secret and no
//! randomness.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

use crate::ids::{NoticeId, OrgId};
use crate::vault::{Purpose, Vault};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoticeToken {
    pub org: OrgId,
    pub notice: NoticeId,
}

impl NoticeToken {
    /// Returns `None` if the token is not genuine.
    pub fn parse(vault: &Vault, token: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (org, rest) = bytes.split_first_chunk::<16>()?;
        let (notice, mac) = rest.split_first_chunk::<16>()?;
        let parsed = Self { org: OrgId(Uuid::from_bytes(*org)), notice: NoticeId(Uuid::from_bytes(*notice)) };
        bool::from(parsed.mac(vault).ct_eq(mac)).then_some(parsed)
    }

    pub fn shown(self, vault: &Vault) -> String {
        let Self { org, notice } = self;
        URL_SAFE_NO_PAD.encode([&org.0.as_bytes()[..], notice.0.as_bytes(), &self.mac(vault)].concat())
    }

    fn mac(self, vault: &Vault) -> [u8; 32] {
        vault.keyed_hash(Purpose::Notice, &[self.org.0.as_bytes(), self.notice.0.as_bytes()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_genuine_token_is_read() {
        let vault = Vault::new([1; 32]);
        let token = NoticeToken { org: OrgId(Uuid::from_u128(1)), notice: NoticeId(Uuid::from_u128(2)) };
        let shown = token.shown(&vault);
        assert_eq!(NoticeToken::parse(&vault, &shown), Some(token));
        assert_eq!(NoticeToken::parse(&Vault::new([2; 32]), &shown), None);
        for index in [0, 20, 40, 84] {
            let mut forged: Vec<char> = shown.chars().collect();
            forged[index] = if forged[index] == 'A' { 'B' } else { 'A' };
            assert_eq!(NoticeToken::parse(&vault, &forged.iter().collect::<String>()), None);
        }
        assert_eq!(NoticeToken::parse(&vault, ""), None);
    }
}
