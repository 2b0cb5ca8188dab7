//! Exact values and parsers of a payments service: pure code without I/O.
//!
//! The modules are in dependency order. Each uses only those above it.

/// An exact number of cents, and percentages of it.
pub mod money;
/// The payout rails, by their API names.
pub mod platform;
/// Fee schedules, and the fee of a payout.
pub mod fees;
/// Countries, and the states of the United States.
pub mod country;
/// Countries and regions under embargo.
pub mod embargo;
/// Finer codes within an error code.
pub mod reason;
/// Times in UTC, and the clocks that return them.
pub mod clock;
/// The languages of payees, their texts and formats.
pub mod language;
/// Phone numbers that a numbering plan assigns.
pub mod phone;
/// E-mail addresses.
pub mod email;
/// Colors, and their contrast.
pub mod color;
/// The headers of image files.
pub mod image;
/// Checks of free text, spelling hints, masks.
pub mod text;
/// Routing and account numbers, IBAN, BIC, addresses on chains.
pub mod bank;
/// A strict and exact JSON parser for request bodies.
pub mod strict_json;
/// The Authorization header.
pub mod basic;
/// The keyed hash chain of the history, and its signed heads.
pub mod chain;
/// Tax reporting thresholds, by year.
pub mod tax;
/// Ids of each kind of object, and the randomness for them.
pub mod ids;
/// The organization and app that an object belongs to.
pub mod scope;
/// The permissions of each role.
pub mod permission;
/// A change of one field.
pub mod patch;
/// Encryption and keyed hashes.
pub mod vault;
/// Refusals: all public error codes.
pub mod refusal;
/// Values of requests: how each type is read and described.
pub mod input;
