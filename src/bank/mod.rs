//! What names a place that money can be sent to: routing and account numbers, IBAN, BIC, addresses on
//! chains, and the card numbers that must never be among them.
//!
//! Invariant: each type is well formed by its own standard's check, and none shows itself whole in a
//! `Debug`, so that a log never holds an account.
//!
//! Deliberately absent: whether the account exists (only the rail can tell), encryption (`vault`), and
//! any type for a card number: those are recognized to be refused.

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
pub use iban::{Iban, InvalidIban};
pub use routing::{InvalidRoutingNumber, RoutingNumber};
