//! Addresses on public chains.
//!
//! Deliberately absent: the checksums inside addresses (Keccak, double SHA-256, bech32). Only the shape is checked
//! here, and the rail refuses the rest before it sends anything.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A chain that the crypto rail pays on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    Ethereum,
    Bitcoin,
    Solana,
    Tron,
    Polygon,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[error("must be one of ethereum, bitcoin, solana, tron, polygon")]
pub struct UnknownNetwork;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[error("is not a valid address on {}", .network.as_str())]
pub struct InvalidCryptoAddress {
    pub network: Network,
}

/// An address in the shape of its chain. Its `Debug` shows the last four characters only: an address is public, but its
/// owner is not.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CryptoAddress {
    network: Network,
    address: String,
}

impl Network {
    pub const ALL: [Network; 5] =
        [Network::Ethereum, Network::Bitcoin, Network::Solana, Network::Tron, Network::Polygon];

    /// Returns the API's name of the chain.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Network::Ethereum => "ethereum",
            Network::Bitcoin => "bitcoin",
            Network::Solana => "solana",
            Network::Tron => "tron",
            Network::Polygon => "polygon",
        }
    }

    fn has_shape(self, address: &str) -> bool {
        let length = address.len();
        match self {
            Network::Ethereum | Network::Polygon => {
                let digits = address.strip_prefix("0x").unwrap_or_default();
                digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            }
            Network::Bitcoin => {
                let legacy = (26..=35).contains(&length) && address.starts_with(['1', '3']) && is_base58(address);
                // Witness programs of 20 bytes (42 characters) and 32 bytes (62).
                let segwit = address.strip_prefix("bc1").is_some_and(is_bech32);
                legacy || (segwit && matches!(length, 42 | 62))
            }
            Network::Solana => (32..=44).contains(&length) && is_base58(address),
            Network::Tron => length == 34 && address.starts_with('T') && is_base58(address),
        }
    }
}

impl FromStr for Network {
    type Err = UnknownNetwork;

    fn from_str(word: &str) -> Result<Network, UnknownNetwork> {
        Network::ALL.into_iter().find(|network| network.as_str() == word).ok_or(UnknownNetwork)
    }
}

impl CryptoAddress {
    /// Parses an address for a chain. An address of another chain is refused, because money sent to it on this chain
    /// would be lost.
    pub fn parse(network: Network, address: &str) -> Result<CryptoAddress, InvalidCryptoAddress> {
        let address = address.trim();
        if !network.has_shape(address) {
            return Err(InvalidCryptoAddress { network });
        }
        Ok(CryptoAddress { network, address: address.to_owned() })
    }

    #[must_use]
    pub const fn network(&self) -> Network {
        self.network
    }

    /// Returns the address. Its case is kept, because on some chains it is part of the checksum.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl fmt::Debug for CryptoAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mask = crate::text::mask_last4(&self.address);
        write!(f, "CryptoAddress({} {mask})", self.network.as_str())
    }
}

/// Letters and digits without the four that are easily confused.
fn is_base58(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() && !b"0OIl".contains(&byte))
}

/// The 32 characters of BIP 173, lower case.
fn is_bech32(text: &str) -> bool {
    text.bytes().all(|byte| b"qpzry9x8gf2tvdw0s3jn54khce6mua7l".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ETHEREUM: &str = "0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe";
    const BITCOIN: [&str; 4] = [
        "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
        "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
        "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
        "bc1p5d7rjq7g6rdk2yhzks9smlaqtedr4dekq08ge8ztwac72sfr9rusxg3297",
    ];
    const SOLANA: &str = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV";
    const TRON: &str = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";

    #[test]
    fn each_chain_takes_its_own() {
        use Network::*;
        let own = [(Ethereum, ETHEREUM), (Polygon, ETHEREUM), (Solana, SOLANA), (Tron, TRON)];
        for (network, address) in own.into_iter().chain(BITCOIN.map(|address| (Bitcoin, address))) {
            let parsed = CryptoAddress::parse(network, &format!(" {address} ")).unwrap();
            assert_eq!((parsed.network(), parsed.address()), (network, address));
        }
    }

    #[test]
    fn and_refuses_the_others() {
        use Network::*;
        let cut = &ETHEREUM[..41];
        for (network, address) in [
            (Ethereum, ""),
            (Ethereum, cut),
            (Ethereum, &ETHEREUM[2..]),
            (Ethereum, "0xze0B295669a9FD93d5F28D9Ec85E40f4cb697BAe"),
            (Ethereum, BITCOIN[0]),
            (Ethereum, TRON),
            (Bitcoin, ETHEREUM),
            (Bitcoin, TRON),
            (Bitcoin, "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdb"),
            (Bitcoin, "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"),
            (Bitcoin, "1A1zP1eP5QGefi2DMPTfTL5SLmv7Divf0O"),
            (Solana, ETHEREUM),
            (Solana, "short"),
            (Tron, BITCOIN[0]),
            (Tron, SOLANA),
            (Polygon, SOLANA),
        ] {
            let refused = Err(InvalidCryptoAddress { network });
            assert_eq!(CryptoAddress::parse(network, address), refused, "{network:?} {address}");
        }
    }

    #[test]
    fn words_and_debug() {
        for network in Network::ALL {
            assert_eq!(network.as_str().parse(), Ok(network));
            assert_eq!(serde_json::to_value(network).unwrap(), network.as_str());
        }
        assert_eq!("Ethereum".parse::<Network>(), Err(UnknownNetwork));
        let address = CryptoAddress::parse(Network::Tron, TRON).unwrap();
        assert_eq!(format!("{address:?}"), "CryptoAddress(tron ***Lj6t)");
    }
}
