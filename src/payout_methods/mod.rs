//! Payout methods: the stored destinations of a user's money.
//!
//! Invariants: payment details are sealed, and people see only their end. A card number is never stored, not even
//! sealed; a recognized one is rejected. A method belongs to one app, and only that app sees and uses it. Deliberately
//! absent: the user, who is known here by id only; the rules for setting up a method and the default method are in
//! `users`.
//!
//! Start at [`read_details`], then [`add`].

mod details;
mod fields;
mod model;
mod read;
mod rows;

pub use details::{
    AccountType, Details, Residence, SealedDetails, Target, UsBank, clearing_system, known_bank, known_banks,
    seal_context,
};
pub use fields::{FieldSpec, described, fields_of};
pub use model::{CORRECTED, MethodOrigin, PayoutMethod, Validation, rail_name, returner};
pub use read::read_details;
pub use rows::{
    METHODS_MAX, add, confirm, disable, erase, find, is_shared, must_have_room, of_app, of_payee, offered, paid_to,
    validate,
};
