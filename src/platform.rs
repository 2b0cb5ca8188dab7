//! The rails that money leaves by, under the names that docs/specification.md gives them.
//!
//! Invariant: the words of [`Platform::as_str`], of `FromStr` and of JSON are the same.
//!
//! Deliberately absent: `default` (a word of requests, resolved to a rail before it gets here), fees
//! and times (`fees`), and what a payout method of each rail consists of (`users`).

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A rail. All but [`Platform::Rtp`] can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Platform {
    Ach,
    WalletA,
    WalletB,
    #[serde(rename = "prepaid_card_a")]
    PrepaidCardA,
    #[serde(rename = "gift_card_a")]
    GiftCardA,
    WalletC,
    IntlBank,
    IntlTransfer,
    BankTransfer,
    Wire,
    WalletD,
    WalletE,
    Crypto,
    PushToCard,
    /// Never asked for: what an ach payout becomes where the account and the amount allow it
    /// (docs/decisions.md 7).
    Rtp,
}

/// A word that names no rail.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
#[error("is not a supported platform")]
pub struct UnknownPlatform;

impl Platform {
    /// The fourteen rails that can be asked for, in the order of docs/specification.md.
    pub const ALL: [Platform; 14] = [
        Platform::Ach,
        Platform::WalletA,
        Platform::WalletB,
        Platform::PrepaidCardA,
        Platform::GiftCardA,
        Platform::WalletC,
        Platform::IntlBank,
        Platform::IntlTransfer,
        Platform::BankTransfer,
        Platform::Wire,
        Platform::WalletD,
        Platform::WalletE,
        Platform::Crypto,
        Platform::PushToCard,
    ];

    /// The word of docs/specification.md.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Platform::Ach => "ach",
            Platform::WalletA => "wallet_a",
            Platform::WalletB => "wallet_b",
            Platform::PrepaidCardA => "prepaid_card_a",
            Platform::GiftCardA => "gift_card_a",
            Platform::WalletC => "wallet_c",
            Platform::IntlBank => "intl_bank",
            Platform::IntlTransfer => "intl_transfer",
            Platform::BankTransfer => "bank_transfer",
            Platform::Wire => "wire",
            Platform::WalletD => "wallet_d",
            Platform::WalletE => "wallet_e",
            Platform::Crypto => "crypto",
            Platform::PushToCard => "push_to_card",
            Platform::Rtp => "rtp",
        }
    }

    /// The name that people are shown.
    #[must_use]
    pub const fn display_name(self) -> &'static str {
        match self {
            Platform::Ach => "Bank account (ACH)",
            Platform::WalletA => "Wallet A",
            Platform::WalletB => "Wallet B",
            Platform::PrepaidCardA => "Prepaid card",
            Platform::GiftCardA => "Gift card",
            Platform::WalletC => "Wallet C",
            Platform::IntlBank => "International bank account",
            Platform::IntlTransfer => "International transfer",
            Platform::BankTransfer => "Bank transfer",
            Platform::Wire => "Wire transfer",
            Platform::WalletD => "Wallet D",
            Platform::WalletE => "Wallet E",
            Platform::Crypto => "Crypto wallet",
            Platform::PushToCard => "Debit card",
            Platform::Rtp => "Bank account (instant)",
        }
    }

    /// Reads a rail that a caller asks for: any but `rtp` (docs/specification.md, fee estimate).
    ///
    /// # Errors
    /// [`UnknownPlatform`] for every other word, `rtp` and `default` included.
    pub fn parse_requested(word: &str) -> Result<Platform, UnknownPlatform> {
        Platform::ALL.into_iter().find(|platform| platform.as_str() == word).ok_or(UnknownPlatform)
    }

    /// Whether the base fee of this rail is taken on whole dollars (docs/decisions.md 7).
    #[must_use]
    pub const fn pays_whole_dollars(self) -> bool {
        matches!(self, Platform::PrepaidCardA | Platform::GiftCardA)
    }
}

/// Reads any rail, `rtp` too: for stored rows. Requests use [`Platform::parse_requested`].
impl FromStr for Platform {
    type Err = UnknownPlatform;

    fn from_str(word: &str) -> Result<Platform, UnknownPlatform> {
        if word == Platform::Rtp.as_str() {
            return Ok(Platform::Rtp);
        }
        Platform::parse_requested(word)
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_the_list_of_interface_md() {
        let words = Platform::ALL.map(Platform::as_str).join(", ");
        assert_eq!(
            words,
            "ach, wallet_a, wallet_b, prepaid_card_a, gift_card_a, wallet_c, intl_bank, \
             intl_transfer, bank_transfer, wire, wallet_d, wallet_e, crypto, push_to_card"
        );
    }

    #[test]
    fn one_word_everywhere() {
        for platform in Platform::ALL.into_iter().chain([Platform::Rtp]) {
            let word = platform.as_str();
            assert_eq!(word.parse(), Ok(platform));
            assert_eq!(platform.to_string(), word);
            let json = serde_json::to_value(platform).unwrap();
            assert_eq!(json, word);
            assert_eq!(serde_json::from_value::<Platform>(json).unwrap(), platform);
        }
    }

    #[test]
    fn rtp_and_default_cannot_be_asked_for() {
        for word in ["rtp", "default", "invoice", "ACH", "ach ", ""] {
            assert_eq!(Platform::parse_requested(word), Err(UnknownPlatform), "{word}");
        }
    }
}
