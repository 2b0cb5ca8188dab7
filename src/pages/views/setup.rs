//! The page behind a set-up link: the first administrator makes the organization, or a member sets a password.

use askama::Template;

use super::Form;

/// What the page offers, or what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetupState {
    /// The first organization can be made.
    Organization,
    /// A member can set a password.
    Member {
        /// The member's name.
        name: String,
    },
    /// The organization was made. Its key is shown here and never again.
    Made {
        /// The organization's name.
        name: String,
        /// Its id, with which members sign in.
        id: String,
        /// Both halves of its key.
        key: String,
        /// The administrator's address.
        email: String,
    },
    /// The password is set.
    PasswordSet {
        /// The organization's id, with which members sign in.
        id: String,
        /// The member's address.
        email: String,
    },
    /// The link opens nothing.
    Closed,
    /// It cannot go on now.
    Problem {
        /// Why, as a sentence.
        message: String,
    },
}

/// Posts to `/setup/<token>`: `organization_name`, `name` and `email` for an organization, and `password`.
#[derive(Debug, Clone, Template)]
#[template(path = "setup.html")]
pub struct SetupPage {
    /// The secret part of the link.
    pub token: String,
    /// What the page offers.
    pub state: SetupState,
    /// What was typed, without the password.
    pub form: Form,
}
