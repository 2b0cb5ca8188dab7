//! Taxes: the forms of payees, and the sum that an app paid a user in a tax year, from which a form is due.
//!
//! Money counts when it becomes the user's: when a link is claimed, or when a transfer credits the user's wallet. A
//! later payout, failure or return does not change that. Money that returns from the user to the app is deducted: in
//! the current year if it is moved, and in the year in which it was counted if a payout that the app funded failed or
//! was returned. Tax-exempt money never counts. Each app counts only what it paid.
//!
//! Once a year's sum with the user's adjustment reaches the threshold of [`crate::tax`], a form is required: a W-9, or
//! a W-8BEN from foreign persons, who are not reported. Nothing is paid out without it. Invariant: the sum changes in
//! the commit in which the money moves.
//!
//! Start at [`SetCompliance`] and [`may_be_paid`]. The sums are stored with the user (`users/tax_year.rs`).

mod form;
mod http;
mod years;

pub use form::{
    SealedTaxForm, SetCompliance, TaxForm, TaxFormInput, TaxIdType, collect_tax_form, first_verification, tax_id,
    tax_id_hash,
};
pub use http::routes;
pub use years::{await_tax_form, count_given_back, count_received, may_be_paid};
