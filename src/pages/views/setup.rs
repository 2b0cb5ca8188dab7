//! The page of a set-up link: the first administrator creates the organization, or a member sets a password.

use askama::Template;

use super::{Form, Spoken};
use crate::language::{Language, Text};

/// The page is for operators.
impl Spoken for SetupPage {
    fn language(&self) -> Language {
        Language::En
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetupState {
    Organization,
    Member {
        name: String,
    },
    /// The organization was created. Its key is shown here and never again.
    Made {
        name: String,
        /// Members sign in with it.
        id: String,
        /// Both halves of its key.
        key: String,
        email: String,
    },
    PasswordSet {
        /// Members sign in with it.
        id: String,
        email: String,
    },
    Closed,
    /// An error that may pass, as a sentence.
    Problem {
        message: String,
    },
}

/// Posts to `/setup/<token>`: `organization_name`, `name` and `email` for an organization, and `password`.
#[derive(Debug, Clone, Template)]
#[template(path = "setup.html")]
pub struct SetupPage {
    pub token: String,
    pub state: SetupState,
    /// The typed values, without the password.
    pub form: Form,
}
