//! The values of a document, and the reasons why bytes are none.

use std::fmt::Write as _;

/// Levels of nesting in a body; the outermost list or object is the first.
pub const DEPTH_MAX: usize = 32;

/// Keys of one object at most. No object of the API has a quarter as many fields; the limit also applies to metadata,
/// whose keys the caller chooses.
pub const KEYS_MAX: usize = 256;

/// Largest exponent, of either sign, of a number in its shortest form. It is far beyond a double, and limits the length
/// of a written-out number.
pub(super) const EXPONENT_MAX: u64 = 9_999;

/// A JSON value. Objects keep the order of their keys. `Debug` shows everything, even an SSN, so a value is never
/// logged.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Json {
    Null,
    Bool(bool),
    /// A whole number within 64 bits, in any spelling.
    Int(i64),
    /// Any other number, as its shortest exact text: `1.5`, `-0.25`, `1e400`.
    Decimal(String),
    /// A string, its escapes resolved.
    Text(String),
    List(Vec<Json>),
    /// No key occurs twice.
    Object(Vec<(String, Json)>),
}

/// Why bytes are not an acceptable JSON document. `at` is a byte offset, or a JSON pointer for problems with keys.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
pub enum JsonProblem {
    #[error("byte {at}: not valid UTF-8")]
    InvalidUtf8 { at: usize },
    /// Another byte than the grammar allows, or the end.
    #[error("byte {at}: expected {expected}")]
    Syntax { at: usize, expected: &'static str },
    #[error("byte {at}: unexpected data after the document")]
    TrailingBytes { at: usize },
    /// More than [`DEPTH_MAX`] levels.
    #[error("byte {at}: arrays and objects are nested more than {DEPTH_MAX} levels deep")]
    TooDeep { at: usize },
    /// Two values for one key: either could be the one that the caller intended.
    #[error("{at}: duplicate key")]
    DuplicateKey {
        /// A JSON pointer.
        at: String,
    },
    /// More than [`KEYS_MAX`] keys in one object.
    #[error("{}the object has more than {KEYS_MAX} keys", if at.is_empty() { String::new() } else { format!("{at}: ") })]
    TooManyKeys {
        /// A JSON pointer.
        at: String,
    },
    /// PostgreSQL cannot store a null byte in a text.
    #[error("byte {at}: strings must not contain null bytes")]
    NullByte { at: usize },
    #[error("byte {at}: the exponent of the number is beyond ±{EXPONENT_MAX}")]
    ExponentTooLarge { at: usize },
}

impl JsonProblem {
    /// Returns the problem with its line and column in the document, both counted from 1.
    #[must_use]
    pub fn described(&self, document: &[u8]) -> String {
        let at = match self {
            Self::InvalidUtf8 { at }
            | Self::Syntax { at, .. }
            | Self::TrailingBytes { at }
            | Self::TooDeep { at }
            | Self::NullByte { at }
            | Self::ExponentTooLarge { at } => *at,
            Self::DuplicateKey { .. } | Self::TooManyKeys { .. } => return self.to_string(),
        };
        let before = String::from_utf8_lossy(document.get(..at).unwrap_or(document));
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|character| *character != '\n').count() + 1;
        let text = self.to_string();
        let problem = text.split_once(": ").map_or(text.as_str(), |(_, problem)| problem);
        format!("line {line}, column {column}: {problem}")
    }

    /// Prefixes the path of a problem with the step from the enclosing object or list.
    pub(super) fn below(self, step: &str) -> Self {
        match self {
            Self::DuplicateKey { at } => Self::DuplicateKey { at: format!("/{step}{at}") },
            Self::TooManyKeys { at } => Self::TooManyKeys { at: format!("/{step}{at}") },
            Self::InvalidUtf8 { .. }
            | Self::Syntax { .. }
            | Self::TrailingBytes { .. }
            | Self::TooDeep { .. }
            | Self::NullByte { .. }
            | Self::ExponentTooLarge { .. } => self,
        }
    }
}

/// Escapes a key as a step of a JSON pointer (RFC 6901).
#[must_use]
pub fn pointer_step(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

impl Json {
    /// Returns the value of a key; `None` without one, and for a value that is not an object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        let Json::Object(fields) = self else {
            return None;
        };
        fields.iter().find_map(|(name, value)| (name == key).then_some(value))
    }

    /// Returns the type of the value for messages, such as `a string`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Int(_) => "an integer",
            Json::Decimal(_) => "a number",
            Json::Text(_) => "a string",
            Json::List(_) => "an array",
            Json::Object(_) => "an object",
        }
    }

    /// Returns the same text for equal documents: keys sorted by their bytes, no white space, numbers by value.
    /// Fingerprints of idempotency keys are computed from it (docs/decisions.md 16, "Keys").
    #[must_use]
    pub fn canonical(&self) -> String {
        let mut text = String::new();
        self.write_canonical(&mut text);
        text
    }

    fn write_canonical(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(true) => out.push_str("true"),
            Json::Bool(false) => out.push_str("false"),
            Json::Int(number) => out.push_str(&number.to_string()),
            Json::Decimal(number) => out.push_str(number),
            Json::Text(text) => write_string(text, out),
            Json::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write_canonical(out);
                }
                out.push(']');
            }
            Json::Object(fields) => {
                let mut sorted: Vec<_> = fields.iter().collect();
                sorted.sort_by(|(left, _), (right, _)| left.cmp(right));
                out.push('{');
                for (index, (key, value)) in sorted.into_iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write_string(key, out);
                    out.push(':');
                    value.write_canonical(out);
                }
                out.push('}');
            }
        }
    }

    /// Converts the document to a `serde_json` value, for responses. A [`Json::Decimal`] becomes the nearest double,
    /// the only fraction that `serde_json` holds here, or a string if no double is near. Money must not be converted
    /// this way.
    #[must_use]
    pub fn to_serde(&self) -> serde_json::Value {
        use serde_json::Value;
        match self {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Int(number) => Value::from(*number),
            Json::Decimal(number) => number
                .parse()
                .ok()
                .and_then(serde_json::Number::from_f64)
                .map_or_else(|| Value::String(number.clone()), Value::Number),
            Json::Text(text) => Value::String(text.clone()),
            Json::List(items) => Value::Array(items.iter().map(Json::to_serde).collect()),
            Json::Object(fields) => {
                Value::Object(fields.iter().map(|(key, value)| (key.clone(), value.to_serde())).collect())
            }
        }
    }
}

/// Escapes only required characters, in the shortest form (RFC 8785).
fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            control if control < ' ' => {
                write!(out, "\\u{:04x}", u32::from(control)).expect("a String takes any text");
            }
            plain => out.push(plain),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strict_json::read::number_of;
    use proptest::prelude::*;
    use serde_json::json;

    fn parse(text: &str) -> Result<Json, JsonProblem> {
        Json::parse(text.as_bytes())
    }

    #[test]
    fn equal_documents_have_one_text() {
        let one = parse(" { \"b\" : [ 1.0 , 2.50, \"\\u00e9\\n\" ] , \"a\" : { \"z\":null, \"y\":true } } ");
        let two = parse("{\"a\":{\"y\":true,\"z\":null},\"b\":[1,2.5,\"é\\u000A\"]}");
        let text = one.unwrap().canonical();
        assert_eq!(text, "{\"a\":{\"y\":true,\"z\":null},\"b\":[1,2.5,\"é\\n\"]}");
        assert_eq!(text, two.unwrap().canonical());
        assert_eq!(Json::Text("\u{1}\"\\/".into()).canonical(), "\"\\u0001\\\"\\\\/\"");
    }

    #[test]
    fn get_and_kind() {
        let document = parse("{\"a\":[1.5],\"b\":null}").unwrap();
        assert_eq!(document.get("b"), Some(&Json::Null));
        assert_eq!(document.get("c"), None);
        assert_eq!(Json::Int(1).get("a"), None);
        assert_eq!(document.get("a").map(Json::kind), Some("an array"));
    }

    #[test]
    fn to_and_from_serde() {
        let value = json!({"z": 1, "a": [null, true, -7, 0.5, "x"], "big": u64::MAX});
        let document = Json::from_serde(&value);
        assert_eq!(document.get("big"), Some(&Json::Decimal(u64::MAX.to_string())));
        assert_eq!(document.get("a"), parse("[null,true,-7,0.5,\"x\"]").ok().as_ref());
        assert_eq!(parse("[0.5,195.0,1e9999]").unwrap().to_serde(), json!([0.5, 195, "1e9999"]));
        assert_eq!(Json::from_serde(&json!(1e300)), Json::Decimal("1e300".into()));
        assert_eq!(Json::from_serde(&json!(5e-324)), Json::Decimal("5e-324".into()));
    }

    fn any_json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::Bool),
            any::<i64>().prop_map(Json::Int),
            (any::<i32>(), 1usize..5)
                .prop_map(|(whole, digits)| { number_of(&format!("{whole}.{:0>digits$}1", 0)).unwrap() }),
            "[^\0]{0,8}".prop_map(Json::Text),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::List),
                prop::collection::btree_map("[^\0]{0,4}", inner, 0..4)
                    .prop_map(|fields| Json::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn canonical_text_reads_back(document in any_json()) {
            let text = document.canonical();
            prop_assert_eq!(parse(&text), Ok(document), "{}", text);
        }

        // The fractions above have few enough digits for serde_json to read them exactly.
        #[test]
        fn serde_json_agrees(document in any_json()) {
            let text = document.canonical();
            let theirs: serde_json::Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(theirs, document.to_serde());
        }
    }
}
