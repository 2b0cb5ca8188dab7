//! Inputs of requests about apps.

use crate::clock::Time;
use crate::input::types::{Line, Metadata, line_of_at_least};
use crate::input::{Change, Input, Problems, input, wrong};
use crate::patch::Patch;
use crate::strict_json::Json;

/// In characters.
const NAME_MIN: usize = 3;

/// In characters.
const NAME_MAX: usize = 60;

/// The name of an app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppName(pub String);

impl Input for AppName {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let name = Line::<NAME_MAX>::read(json, at)?.0;
        if name.trim().chars().count() < NAME_MIN {
            return Err(wrong(at, format!("must have at least {NAME_MIN} characters")));
        }
        Ok(Self(name))
    }
    fn schema() -> serde_json::Value {
        let pattern = line_of_at_least(NAME_MIN);
        serde_json::json!({"type": "string", "minLength": NAME_MIN, "maxLength": NAME_MAX, "pattern": pattern})
    }
}

input! {
    /// A new app.
    pub struct CreateAppInput {
        /// The name, which payees see: 3 to 60 characters.
        pub name: AppName,
        /// Any text that you want to keep with the app.
        pub metadata: Option<Metadata>,
    }
}

input! {
    /// Changes of an app. An omitted field stays as it is.
    pub struct UpdateAppInput {
        /// The new name.
        pub name: Change<AppName>,
        /// The new metadata; null removes it.
        pub metadata: Patch<Metadata>,
    }
}

input! {
    /// A new key.
    pub struct CreateKeyInput {
        /// When the key expires, a moment in the future; without it the key does not expire.
        pub expires_at: Option<Time>,
    }
}
