//! Inputs of requests about members.

use super::model::Role;
use crate::email::Email;
use crate::input::types::{Name, Text};
use crate::input::{Change, Input, Problems, input, wrong};
use crate::patch::Patch;
use crate::strict_json::Json;

/// In characters.
const PASSWORD_MIN: usize = 12;

/// In characters.
const PASSWORD_MAX: usize = 200;

/// A password as a member types it. Its `Debug` omits it.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(pub String);

/// A new password of sufficient length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPassword(pub Password);

impl Input for NewPassword {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let password = Password::read(json, at)?;
        if password.0.chars().count() < PASSWORD_MIN {
            return Err(wrong(at, format!("must have at least {PASSWORD_MIN} characters")));
        }
        Ok(Self(password))
    }
    fn schema() -> serde_json::Value {
        let mut schema = Password::schema();
        schema["minLength"] = PASSWORD_MIN.into();
        schema
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(***)")
    }
}

impl Input for Password {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        Ok(Self(Text::<PASSWORD_MAX>::read(json, at)?.0))
    }
    fn schema() -> serde_json::Value {
        let mut schema = Text::<PASSWORD_MAX>::schema();
        schema["format"] = "password".into();
        schema
    }
}

input! {
    /// A new member.
    pub struct CreateMemberInput {
        /// The member's name.
        pub name: Name,
        /// The member's e-mail address; unique among active members.
        pub email: Email,
        /// The member's role.
        pub role: Role,
        /// The password for signing in; only with the organization's key. We recommend to omit it, and let the member
        /// set it with a set-up token.
        pub password: Option<NewPassword>,
    }
}

input! {
    /// Changes of a member. An omitted field stays as it is.
    pub struct UpdateMemberInput {
        /// The new name.
        pub name: Change<Name>,
        /// The new e-mail address.
        pub email: Change<Email>,
        /// The new role.
        pub role: Change<Role>,
        /// The new password; null removes it, so that the member cannot sign in. Only with the organization's key.
        pub password: Patch<NewPassword>,
    }
}
