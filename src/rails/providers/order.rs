//! A payment as a provider receives it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::money::Cents;
use crate::platform::Platform;
use crate::rails::Direction;

/// The body of `PUT /transfers/{id}`. Its bytes are made once, and are the same at each attempt.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    pub platform: Platform,
    pub direction: String,
    /// The amount to arrive, in minor units.
    pub amount: Cents,
    /// ISO 4217.
    pub currency: String,
    /// `type`, and the fields of that type.
    pub far_end: Value,
    pub payee: Payee,
    pub memo: Option<String>,
}

/// The person who is paid.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payee {
    pub name: String,
    /// Where a provider delivers a card to. Other rails do not need it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// Shows no person and no account.
impl std::fmt::Debug for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Order({} {})", self.platform, self.amount)
    }
}

impl Order {
    #[must_use]
    pub fn new(platform: Platform, direction: Direction, amount: Cents, far_end: Value, payee: Payee) -> Self {
        let currency = crate::fees::BOOK_CURRENCY.to_owned();
        Self { platform, direction: direction.as_str().to_owned(), amount, currency, far_end, payee, memo: None }
    }

    /// # Panics
    /// Never: an order is plain data.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("an order is plain data, which always serializes")
    }

    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}
