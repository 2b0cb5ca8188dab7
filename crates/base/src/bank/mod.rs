//! Identifiers of destinations for money: routing and account numbers, IBAN, BIC, addresses on chains; and the
//! recognition of card numbers, which are refused.
//!
//! Invariant: each type passes its standard's check, and no `Debug` shows a whole value, so that a log never holds an
//! account.
//!
//! Deliberately absent: whether the account exists (only the rail knows), encryption (`vault`), and any type for a card
//! number.

mod account;
mod bic;
mod card;
mod crypto;
mod iban;
mod routing;

pub use account::{AccountNumber, InvalidAccountNumber};
pub use bic::{Bic, InvalidBic};
pub use card::looks_like_card_number;
pub use crypto::{CryptoAddress, InvalidCryptoAddress, Network, UnknownNetwork};
pub use iban::{Iban, InvalidIban, has_ibans};
pub use routing::{InvalidRoutingNumber, RoutingNumber};
