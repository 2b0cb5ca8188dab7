//! Payment customers: people and companies that pay an app and are not users, such as a company debited for an invoice.
//!
//! Invariant: a customer belongs to one app; the data to debit them is sealed (`bank_accounts`). Deletion removes name,
//! contact and accounts; payments remain. Deliberately absent: payments, which only name the customer, and payouts to
//! customers: a payee is always a user.
//!
//! Start at `model.rs`, then `change.rs`.

mod accounts;
mod change;
mod http;
mod json;
mod model;
mod rows;

pub use accounts::{AddAccount, RemoveAccount};
pub use change::{CreateCustomer, DeleteCustomer, UpdateCustomer};
pub use http::routes;
pub use json::PaymentCustomerJson;
pub use model::PaymentCustomer;
pub use rows::{disable_account, find, touch};
