//! Inputs: values of requests, parsed and described in one place.
//!
//! A type that implements [`Input`] defines how it is read from JSON or a query string, its errors and its OpenAPI
//! schema, so the document matches the checks. [`input!`] implements it for a struct, which reports all wrong fields at
//! once and refuses unknown fields with the nearest known name (docs/decisions.md 1).

pub mod types;

use serde_json::{Value as Schema, json};

use crate::patch::Patch;
use crate::reason::Reason;
use crate::refusal::{COUNTED_MAX, Code, FIELDS_MAX, FieldError};
use crate::strict_json::Json;

pub type Problems = Vec<FieldError>;

pub trait Input: Sized {
    /// Reads the value from JSON. `at` is its JSON pointer, for the message.
    fn read(json: &Json, at: &str) -> Result<Self, Problems>;

    /// Reads the value from the text of a query parameter.
    fn read_text(text: &str, at: &str) -> Result<Self, Problems> {
        Self::read(&Json::Text(text.to_owned()), at)
    }

    /// Returns the value of a missing field; `None` if the field is required.
    fn absent() -> Option<Self> {
        None
    }

    /// Returns its JSON Schema, for the OpenAPI document.
    fn schema() -> Schema;

    /// Whether a request must carry it.
    fn is_required() -> bool {
        Self::absent().is_none()
    }
}

pub trait Fields: Input {
    /// Reads the struct from the parameters of a query string.
    fn read_query(parameters: &[(String, String)]) -> Result<Self, Problems>;
    /// Returns the fields: name, schema, description, and whether it is required.
    fn parameters() -> Vec<(&'static str, Schema, String, bool)>;
}

/// Returns one error of one field.
pub fn wrong(at: &str, message: impl Into<String>) -> Problems {
    problem(Code::InvalidInput, at, message)
}

/// Returns one error of one field with a specific code.
pub fn problem(code: Code, at: &str, message: impl Into<String>) -> Problems {
    let field = if at.is_empty() { "/" } else { at };
    vec![FieldError { field: field.to_owned(), code: code.as_str(), reason: None, message: message.into() }]
}

/// Returns one error of one field that broke a rule with a name.
pub fn broken(reason: Reason, at: &str, message: impl Into<String>) -> Problems {
    because(reason, wrong(at, message))
}

/// Names the rule that fields broke.
pub fn because(reason: Reason, mut problems: Problems) -> Problems {
    problems.iter_mut().for_each(|problem| problem.reason = Some(reason));
    problems
}

/// Returns the text of a JSON value, or an error that names its type.
pub fn text<'a>(json: &'a Json, at: &str) -> Result<&'a str, Problems> {
    if let Json::Text(text) = json {
        Ok(text)
    } else {
        Err(broken(Reason::WrongType, at, format!("must be a string, not {}", json.kind())))
    }
}

/// Reads a field that may be missing or null, for inputs that are not declared with [`input!`].
pub fn optional<T: Input>(json: &Json, at: &str, name: &str) -> Result<Option<T>, Problems> {
    json.get(name).map_or(Ok(None), |value| Option::<T>::read(value, &format!("{at}/{name}")))
}

/// Adds a field's errors to the struct's, so that all are reported at once. Their number is limited.
pub fn gather<T>(result: Result<T, Problems>, problems: &mut Problems) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(found) => {
            problems.extend(found.into_iter().take(COUNTED_MAX.saturating_sub(problems.len())));
            None
        }
    }
}

/// Adds the error of an unknown field. Errors above the limit of a response skip the search for the nearest name.
pub fn add_unknown(problems: &mut Problems, at: &str, name: &str, known: &[&str]) {
    if problems.len() < FIELDS_MAX {
        problems.extend(unknown(&format!("{at}{name}"), name, known));
    } else if problems.len() < COUNTED_MAX {
        problems.extend(broken(Reason::FieldUnknown, at, format!("unknown {}", kind(at))));
    }
}

/// Returns the error of a value that is not one of the known ones.
pub fn not_a_choice(at: &str, known: &[&str]) -> Problems {
    broken(Reason::NotAChoice, at, format!("must be one of: {}", known.join(", ")))
}

/// Returns the error of a missing field.
pub fn missing(at: &str) -> Problems {
    broken(Reason::FieldRequired, at, "is required")
}

/// Returns what a place is: the places of fields of the body are JSON pointers.
fn kind(at: &str) -> &'static str {
    if at.starts_with('/') { "field" } else { "query parameter" }
}

/// Returns the error of an unknown field or query parameter, with the nearest known name.
pub fn unknown(at: &str, name: &str, known: &[&str]) -> Problems {
    let kind = kind(at);
    let hint = match crate::text::did_you_mean(name, known.iter().copied()) {
        Some(near) => format!("unknown {kind}; did you mean {near}?"),
        None if known.is_empty() => format!("unknown {kind}; this operation takes no {kind}s"),
        None => format!("unknown {kind}; expected one of: {}", known.join(", ")),
    };
    broken(Reason::FieldUnknown, at, hint)
}

// The parts of `input!` that do not depend on the struct. They are functions because code in a macro is compiled for each use.

/// Checks that the JSON is an object of known fields. Returns the problems of unknown ones.
pub fn check_object(json: &Json, at: &str, known: &[&str]) -> Result<Problems, Problems> {
    let Json::Object(fields) = json else {
        return Err(broken(Reason::WrongType, at, format!("must be an object, not {}", json.kind())));
    };
    let mut problems = Problems::new();
    for (name, _) in fields {
        if !known.contains(&name.as_str()) {
            add_unknown(&mut problems, &format!("{at}/"), name, known);
        }
    }
    Ok(problems)
}

/// Reads a field of an object.
pub fn read_field<T: Input>(json: &Json, at: &str, name: &str, problems: &mut Problems) -> Option<T> {
    let at = format!("{at}/{name}");
    let read = match json.get(name) {
        Some(value) => T::read(value, &at),
        None => T::absent().ok_or_else(|| missing(&at)),
    };
    gather(read, problems)
}

/// Returns the problems of parameters that are unknown or sent twice.
pub fn check_query(parameters: &[(String, String)], known: &[&str]) -> Problems {
    let mut problems = Problems::new();
    for (place, (name, _)) in parameters.iter().enumerate() {
        if !known.contains(&name.as_str()) {
            add_unknown(&mut problems, "", name, known);
        }
        if parameters[..place].iter().any(|(before, _)| before == name) {
            problems.extend(broken(Reason::FieldRepeated, name, "must be sent only once"));
        }
    }
    problems
}

/// Reads a parameter of a query string.
pub fn read_parameter<T: Input>(parameters: &[(String, String)], name: &str, problems: &mut Problems) -> Option<T> {
    let read = match parameters.iter().find(|(given, _)| given == name) {
        Some((_, text)) => T::read_text(text, name),
        None => T::absent().ok_or_else(|| missing(name)),
    };
    gather(read, problems)
}

/// A field as `input!` declares it: its name, its schema, its documentation, and whether it is required.
type Declared = (&'static str, fn() -> Schema, &'static str, fn() -> bool);

/// See [`Fields::parameters`].
pub fn described(fields: &[Declared]) -> Vec<(&'static str, Schema, String, bool)> {
    let described =
        |(name, schema, doc, is_required): &Declared| (*name, schema(), doc.trim().to_owned(), is_required());
    fields.iter().map(described).collect()
}

/// The schema of an object with these fields. The title is the schema's name in the OpenAPI document.
pub fn object_schema(title: &str, fields: Vec<(&'static str, Schema, String, bool)>) -> Schema {
    let mut properties = serde_json::Map::new();
    let mut required: Vec<&str> = Vec::new();
    for (name, mut schema, description, needed) in fields {
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("description".to_owned(), Schema::String(description));
        }
        properties.insert(name.to_owned(), schema);
        if needed {
            required.push(name);
        }
    }
    let mut schema = json!({"title": title, "type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// Declares a struct of inputs. Field types implement [`Input`]; `Option` fields may be missing.
#[macro_export]
macro_rules! input {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[doc = $doc:literal])+ pub $field:ident $(as $wire:literal)?: $type:ty,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $name {
            $($(#[doc = $doc])+ pub $field: $type,)*
        }

        impl $name {
            const KNOWN: &'static [&'static str] = &[$($crate::input::wire_name!($field $($wire)?),)*];
        }

        impl $crate::input::Input for $name {
            #[allow(unused_mut, unused_variables)]
            fn read(json: &$crate::strict_json::Json, at: &str) -> Result<Self, $crate::input::Problems> {
                let mut problems = $crate::input::check_object(json, at, Self::KNOWN)?;
                $(
                    let name = $crate::input::wire_name!($field $($wire)?);
                    let $field = $crate::input::read_field::<$type>(json, at, name, &mut problems);
                )*
                match ($($field,)*) {
                    ($(Some($field),)*) if problems.is_empty() => Ok(Self { $($field,)* }),
                    _ => Err(problems),
                }
            }

            fn schema() -> serde_json::Value {
                $crate::input::object_schema(stringify!($name), <Self as $crate::input::Fields>::parameters())
            }
        }

        impl $crate::input::Fields for $name {
            #[allow(unused_mut, unused_variables)]
            fn read_query(parameters: &[(String, String)]) -> Result<Self, $crate::input::Problems> {
                let mut problems = $crate::input::check_query(parameters, Self::KNOWN);
                $(
                    let name = $crate::input::wire_name!($field $($wire)?);
                    let $field = $crate::input::read_parameter::<$type>(parameters, name, &mut problems);
                )*
                match ($($field,)*) {
                    ($(Some($field),)*) if problems.is_empty() => Ok(Self { $($field,)* }),
                    _ => Err(problems),
                }
            }

            fn parameters() -> Vec<(&'static str, serde_json::Value, String, bool)> {
                $crate::input::described(&[$((
                    $crate::input::wire_name!($field $($wire)?),
                    <$type as $crate::input::Input>::schema,
                    concat!($($doc),+),
                    <$type as $crate::input::Input>::is_required,
                ),)*])
            }
        }
    };
}
pub use input;

/// Returns a field's name in JSON, which differs from its Rust name if Rust does not allow that name.
#[macro_export]
macro_rules! wire_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $wire:literal) => {
        $wire
    };
}
pub use wire_name;

impl<T: Input> Input for Option<T> {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        if *json == Json::Null { Ok(None) } else { T::read(json, at).map(Some) }
    }
    fn read_text(text: &str, at: &str) -> Result<Self, Problems> {
        T::read_text(text, at).map(Some)
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
    fn schema() -> Schema {
        let mut schema = T::schema();
        if let Some(kind) = schema.get("type").and_then(Schema::as_str) {
            schema["type"] = json!([kind, "null"]);
            if let Some(choices) = schema.get_mut("enum").and_then(Schema::as_array_mut) {
                choices.push(Schema::Null);
            }
            return schema;
        }
        json!({"anyOf": [schema, {"type": "null"}]})
    }
}

impl<T: Input> Input for Vec<T> {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let Json::List(items) = json else {
            return Err(broken(Reason::WrongType, at, format!("must be an array, not {}", json.kind())));
        };
        let mut problems = Problems::new();
        let mut read: Vec<T> = Vec::new();
        for (place, item) in items.iter().enumerate() {
            // Each item can have several errors, so reading stops at the limit of counted errors.
            if problems.len() >= COUNTED_MAX {
                break;
            }
            read.extend(gather(T::read(item, &format!("{at}/{place}")), &mut problems));
        }
        if problems.is_empty() { Ok(read) } else { Err(problems) }
    }
    fn schema() -> Schema {
        json!({"type": "array", "items": T::schema()})
    }
}

impl<T: Input> Input for Patch<T> {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        if *json == Json::Null { Ok(Self::Clear) } else { T::read(json, at).map(Self::Set) }
    }
    fn absent() -> Option<Self> {
        Some(Self::Keep)
    }
    fn schema() -> Schema {
        Option::<T>::schema()
    }
}

/// A field of a PATCH that is missing or set. Null is refused, because ignoring it would hide a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<T>(pub Option<T>);

impl<T: Input> Input for Change<T> {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        if *json == Json::Null {
            return Err(broken(Reason::NullNotAllowed, at, "must not be null; omit it to keep the value"));
        }
        T::read(json, at).map(|value| Self(Some(value)))
    }
    fn absent() -> Option<Self> {
        Some(Self(None))
    }
    fn schema() -> Schema {
        T::schema()
    }
}
