//! The payout rails, by their names in docs/specification.md.
//!
//! Invariant: [`Platform::as_str`], `FromStr` and JSON use the same words.
//!
//! Deliberately absent: `default` (a word of requests, resolved to a rail before), fees and times (`fees`), and the
//! fields of each rail's payout method (`users`).

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A rail. Requests may name all but rtp.
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
    /// Never requested: an ach payout becomes rtp if the account and the amount allow it (docs/decisions.md 7).
    Rtp,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
#[error("is not a supported platform")]
pub struct UnknownPlatform;

impl Platform {
    /// The fourteen rails that a request may name, in the order of docs/specification.md.
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

    /// Returns the API's name of the rail.
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

    /// Returns the name for people.
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

    /// Parses a rail in a request: any but `rtp`. `rtp` and `default` are [`UnknownPlatform`].
    pub fn parse_requested(word: &str) -> Result<Platform, UnknownPlatform> {
        Platform::ALL.into_iter().find(|platform| platform.as_str() == word).ok_or(UnknownPlatform)
    }

    /// Returns whether the base fee of this rail is computed on whole dollars (docs/decisions.md 7).
    #[must_use]
    pub const fn pays_whole_dollars(self) -> bool {
        matches!(self, Platform::PrepaidCardA | Platform::GiftCardA)
    }
}

/// Parses any rail, including `rtp`: for stored rows. Requests use [`Platform::parse_requested`].
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
