//! Deletions of apps, users and vendors, which concern many nouns, and the erasure of a payee from every row.
//!
//! The commit of a user's deletion empties the payee's own rows and adds an [`Erasure`], which identifies the payee's
//! data. From then on no response shows the data ([`hidden`]), and no message is sent. The job reads the next rows
//! ([`next`]) and erases them ([`ErasePage`]), a page at a time; the last commit removes the [`Erasure`], and with it
//! the last copy.
//!
//! Invariant: after the job no row holds the payee's data but the ledger, the id, and the exceptions in
//! docs/operating.md.
//!
//! Start at `delete_user.rs`.

mod delete_app;
mod delete_user;
mod delete_vendor;
mod erase;
mod hide;
mod http;
mod model;
mod next;
mod redact;

pub use delete_app::DeleteApp;
pub use delete_user::DeleteUser;
pub use delete_vendor::{DeletePaymentMethod, DeleteVendor};
pub use erase::ErasePage;
pub use hide::{hidden, shows};
pub use http::routes;
pub use model::{Erasure, is_erasing, want};
pub use next::{Found, Page, next};
