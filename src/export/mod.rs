//! The export of a payee: all data about one person in one document (docs/decisions.md 17).
//!
//! The lists are those of an erasure, so that export and erasure cover the same data. Each list is bounded and links
//! its next page. Invariants: an export writes nothing; an app's export has only rows of that app; no export has a
//! secret, a code, or a complete tax id or account number. Deliberately absent: contacts of claims, rows of batches and
//! stored responses, which repeat the payee's data. Start at [`export`].

mod collect;
pub mod http;
mod json;

pub use collect::{Cursor, ExportRequest, export};
pub use http::routes;
pub use json::{ExportJson, ExportPage, Section};
