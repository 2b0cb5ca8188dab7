//! Users: the people who are paid, and the profile that each app has of them.
//!
//! The phone number identifies a person within an organization (docs/decisions.md 6 and 17). An app sees only users
//! that it is connected to: it created them, the organization connected it, or the payee claimed one of its links.
//! Knowing a phone number connects nothing.
//!
//! Invariants: an organization has one user per phone number; an app reads and writes its own profile and methods only;
//! a deleted user keeps the id and the history and no personal data; only a verified user can set up a payout method.
//! Links and transfers depend on this noun, not the reverse.
//!
//! Start at [`find`] and [`connect_or_create`].

mod address;
mod connect;
mod contact_change;
mod contacts;
mod create;
mod findings;
pub mod http;
mod inputs;
mod json;
mod model;
pub mod notices;
mod payout_methods;
mod profiles;
mod rows;
mod rules;
pub mod screening;
mod tax_year;
mod update;
mod verify;
mod warnings;

pub use address::{SealedAddress, SetAddress};
pub use connect::ConnectUser;
pub use contact_change::{change_contact, may_change_contact};
pub use contacts::{Reached, may_write_identity, reached};
pub use create::{
    CreateUser, Identity, Person, by_proven_email, connect_or_create, fill_profile, may_prove_address, prove,
};
pub use findings::{ComplianceDecision, background_check_transitions};
pub use http::{ComplianceDecisionJson, routes};
pub use inputs::{Address, AddressParts, BirthDate, CountryCode, UsState, UsZip, read_with_days};
pub use json::{MethodDetailsJson, PhoneJson, UserJson, json, method_details};
pub use model::{
    Adjustment1099, AppUser, BackgroundCheckStatus, Compliance, EntityType, Flags, Form1099, OfacStatus,
    TaxIdVerification, User, UserStatus, W9,
};
pub use payout_methods::{
    NewMethod, can_be_delivered, choose_payout_method, correct_payout_method, disable_payout_method, must_be_usable,
    open_rails, prefer_payout_method, set_up_payout_method,
};
pub use profiles::{
    By, automatic_method, change, change_profile, disconnect, emit_again, erase, is_paid_automatically,
    may_be_paid_without_payee, must_not_be_frozen,
};
pub use rows::{
    by_phone, connections, default_payout_method, find, find_if_known, find_in_organization, is_connected, profile,
    profile_if_connected, seal_birth_date, seal_context, want_by_phone,
};
pub use rules::{must_be_active, must_be_verified, must_not_be_reviewed, transitions};
pub use screening::{Suspicion, screen, screen_another_name, suspect};
pub use tax_year::{TaxYear, must_collect_1099, sum_of_year, tax_form_is_due};
pub use update::{MethodChoice, UpdateUser, UserPatch};
pub use verify::{SendVerificationToken, Verify};
pub use warnings::{METHODS_A_MONTH_MAX, follow_failure, holds_payouts};
