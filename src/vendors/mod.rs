//! Vendors: companies that send bills, and their bank accounts (docs/decisions.md 10 and 16).
//!
//! Anyone who can redirect a vendor's payments can steal the next one. Therefore only a new vendor's first account is
//! usable at once; a later one needs a second member's confirmation and then a rest of 24 hours. Invariants: no later
//! account is paid before both; the member who added it never confirms it; a vendor or account with an open bill is not
//! deleted. Deliberately absent: changing an account, which would bypass this (delete it and add another); and bills,
//! which are `payables`.
//!
//! Start at `rules.rs`, then `add_payment_method.rs`.

mod add_payment_method;
mod confirm_payment_method;
mod create;
mod http;
mod json;
mod model;
mod rows;
pub mod rules;

pub use add_payment_method::AddPaymentMethod;
pub use confirm_payment_method::ConfirmPaymentMethod;
pub use create::CreateVendor;
pub use http::{Deletion, EXTERNAL_ID_MAX, routes};
pub use json::{VendorJson, VendorPaymentMethodJson, payment_method_json};
pub use model::{MethodStatus, Vendor, VendorPaymentMethod, VendorStatus};
pub use rows::{change_method, emit, find, find_active, payment_method, payment_methods};
