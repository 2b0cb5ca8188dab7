//! A strict and exact JSON parser for request bodies.
//!
//! Invariant: a value is kept exactly or refused. Whole numbers in any spelling (`195`, `195.0`, `1.95e2`) become
//! integers; no other number passes through a float; one key has one value; and equal documents have equal
//! [`Json::canonical`] text.
//!
//! Deliberately absent: serde's data model (a derive would silently drop duplicate keys) and the meaning of fields,
//! which the inputs of each route define.

mod json;
mod read;

pub use json::{DEPTH_MAX, Json, JsonProblem, KEYS_MAX, pointer_step};
