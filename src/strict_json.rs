//! JSON as request bodies may write it, read strictly and exactly.
//!
//! Invariant: what a caller wrote is either kept exactly or refused. Whole numbers, however they are
//! spelled (`195`, `195.0`, `1.95e2`), become the integer they are; no other number passes through a
//! float; one key has one value; and equal documents have equal [`Json::canonical`] text.
//!
//! Deliberately absent: serde's data model (a derive would drop duplicate keys before anyone saw
//! them), and what a field means: bodies are read from the tree by the ones who know.

use std::fmt::Write as _;

/// Nesting that a body may have; the outermost list or object is the first level (decisions.md 1).
pub const DEPTH_MAX: usize = 32;

/// Largest exponent, of either sign, that a number may be written with. It bounds nothing that a
/// double holds and keeps the sums on exponents far from overflow.
const EXPONENT_MAX: i64 = 9_999;

/// A JSON value. Objects keep the order in which they were written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number within 64 bits, whatever its spelling.
    Int(i64),
    /// Any other number, as its shortest exact text: `1.5`, `-0.25`, `1e400`.
    Decimal(String),
    /// A string, its escapes resolved.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object; no key occurs twice.
    Object(Vec<(String, Json)>),
}

/// Why bytes are not an acceptable JSON document. `at` is a byte offset.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
pub enum JsonProblem {
    /// Not UTF-8 from this byte on.
    #[error("byte {at}: is not UTF-8")]
    InvalidUtf8 {
        /// Where.
        at: usize,
    },
    /// Another byte than the grammar allows, or the end.
    #[error("byte {at}: expected {expected}")]
    Syntax {
        /// Where.
        at: usize,
        /// What could have stood there.
        expected: &'static str,
    },
    /// Something after the document.
    #[error("byte {at}: nothing may follow the document")]
    TrailingBytes {
        /// Where.
        at: usize,
    },
    /// More than [`DEPTH_MAX`] levels.
    #[error("byte {at}: lists and objects are nested more than {DEPTH_MAX} deep")]
    TooDeep {
        /// Where.
        at: usize,
    },
    /// Two values under one key: whichever were taken, the caller might have meant the other.
    #[error("the key {key:?} occurs twice in one object")]
    DuplicateKey {
        /// The key, escapes resolved.
        key: String,
    },
    /// A null byte, which no store of ours keeps in a text.
    #[error("byte {at}: text must not contain null bytes")]
    NullByte {
        /// Where.
        at: usize,
    },
    /// A number beyond anything meant.
    #[error("byte {at}: the number's exponent is beyond ±{EXPONENT_MAX}")]
    ExponentTooLarge {
        /// Where.
        at: usize,
    },
}

impl Json {
    /// Reads one document.
    ///
    /// # Errors
    /// The first [`JsonProblem`].
    pub fn parse(bytes: &[u8]) -> Result<Json, JsonProblem> {
        let text = std::str::from_utf8(bytes).map_err(|problem| JsonProblem::InvalidUtf8 {
            at: problem.valid_up_to(),
        })?;
        let mut reader = Reader { text, at: 0 };
        reader.skip_space();
        let document = reader.value(0)?;
        reader.skip_space();
        if reader.at < text.len() {
            return Err(JsonProblem::TrailingBytes { at: reader.at });
        }
        Ok(document)
    }

    /// The value under a key; `None` where there is none or this is no object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        let Json::Object(fields) = self else {
            return None;
        };
        fields
            .iter()
            .find_map(|(name, value)| (name == key).then_some(value))
    }

    /// What kind of value this is, for messages: `a string`.
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

    /// The one text of equal documents: keys sorted by their bytes, no white space, numbers by value.
    /// Fingerprints of idempotency keys are taken of it (decisions.md 16, "Keys").
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

    /// The same document as a `serde_json` value, for answers. A [`Json::Decimal`] becomes the nearest
    /// double, the only fraction that `serde_json` holds here, and a string where no double is near;
    /// nothing that is money may come this way.
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
            Json::Object(fields) => Value::Object(
                fields
                    .iter()
                    .map(|(key, value)| (key.clone(), value.to_serde()))
                    .collect(),
            ),
        }
    }

    /// The document that a `serde_json` value stands for; a double counts as its shortest text.
    #[must_use]
    pub fn from_serde(value: &serde_json::Value) -> Json {
        use serde_json::Value;
        match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(number) => number_of(&number.to_string())
                .expect("a serde_json number is JSON, with an exponent of at most 308"),
            Value::String(text) => Json::Text(text.clone()),
            Value::Array(items) => Json::List(items.iter().map(Json::from_serde).collect()),
            Value::Object(fields) => Json::Object(
                fields
                    .iter()
                    .map(|(key, value)| (key.clone(), Json::from_serde(value)))
                    .collect(),
            ),
        }
    }
}

/// Escapes as RFC 8785 does: what must be escaped, and that as short as can be.
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

/// The value of a number that is already known to be in JSON's grammar: `digits × 10^exponent` with
/// neither leading nor trailing zeros, so that one value has one form. `None` where the exponent is
/// beyond [`EXPONENT_MAX`].
fn number_of(text: &str) -> Option<Json> {
    if let Ok(number) = text.parse() {
        return Some(Json::Int(number));
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().ok()?;
    if exponent.abs() > EXPONENT_MAX {
        return None;
    }
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let written = format!("{whole}{fraction}");
    let digits = written.trim_start_matches('0').trim_end_matches('0');
    if digits.is_empty() {
        return Some(Json::Int(0));
    }
    let trailing_zeros = written.len() - written.trim_end_matches('0').len();
    let exponent =
        exponent + i64::try_from(trailing_zeros).ok()? - i64::try_from(fraction.len()).ok()?;

    // A 64-bit number has at most 19 digits; only then is it worth spelling out.
    if let Ok(zeros @ 0..19) = usize::try_from(exponent)
        && let Ok(number) = format!("{sign}{digits}{}", "0".repeat(zeros)).parse()
    {
        return Some(Json::Int(number));
    }
    // Fractions of everyday size keep the form that people write.
    let point = usize::try_from(exponent.unsigned_abs()).ok()?;
    Some(Json::Decimal(if exponent < 0 && point < 40 {
        let padded = format!("{digits:0>width$}", width = point + 1);
        let (whole, fraction) = padded.split_at(padded.len() - point);
        format!("{sign}{whole}.{fraction}")
    } else if exponent == 0 {
        format!("{sign}{digits}")
    } else {
        format!("{sign}{digits}e{exponent}")
    }))
}

/// Reads a text from left to right. `at` is always on a character's first byte.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn takes(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expected<T>(&self, expected: &'static str) -> Result<T, JsonProblem> {
        Err(JsonProblem::Syntax {
            at: self.at,
            expected,
        })
    }

    /// A value that stands inside `depth` lists and objects.
    fn value(&mut self, depth: usize) -> Result<Json, JsonProblem> {
        match self.peek() {
            Some(b'{' | b'[') if depth == DEPTH_MAX => Err(JsonProblem::TooDeep { at: self.at }),
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.list(depth + 1),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(_) | None => self.expected("a JSON value"),
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, JsonProblem> {
        if !self.text[self.at..].starts_with(word) {
            return self.expected("a JSON value");
        }
        self.at += word.len();
        Ok(value)
    }

    fn list(&mut self, depth: usize) -> Result<Json, JsonProblem> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.takes(b']') {
            return Ok(Json::List(items));
        }
        loop {
            self.skip_space();
            items.push(self.value(depth)?);
            self.skip_space();
            if self.takes(b']') {
                return Ok(Json::List(items));
            }
            if !self.takes(b',') {
                return self.expected("a comma or a closing bracket");
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonProblem> {
        self.at += 1;
        let mut fields = Vec::new();
        self.skip_space();
        if self.takes(b'}') {
            return Ok(Json::Object(fields));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return self.expected("a key in double quotes");
            }
            let key = self.string()?;
            self.skip_space();
            if !self.takes(b':') {
                return self.expected("a colon");
            }
            self.skip_space();
            fields.push((key, self.value(depth)?));
            self.skip_space();
            if self.takes(b'}') {
                break;
            }
            if !self.takes(b',') {
                return self.expected("a comma or a closing brace");
            }
        }
        // Sorted, not compared pair by pair: a body of a hundred thousand keys must not cost 10^10.
        let mut keys: Vec<&str> = fields.iter().map(|(key, _)| key.as_str()).collect();
        keys.sort_unstable();
        if let Some(pair) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(JsonProblem::DuplicateKey {
                key: pair[0].to_owned(),
            });
        }
        Ok(Json::Object(fields))
    }

    fn number(&mut self) -> Result<Json, JsonProblem> {
        let start = self.at;
        self.takes(b'-');
        if !self.takes(b'0') {
            self.digits()?;
        } else if matches!(self.peek(), Some(b'0'..=b'9')) {
            return self.expected("no digit after a leading zero");
        }
        if self.takes(b'.') {
            self.digits()?;
        }
        if self.takes(b'e') || self.takes(b'E') {
            let _ = self.takes(b'+') || self.takes(b'-');
            self.digits()?;
        }
        number_of(&self.text[start..self.at]).ok_or(JsonProblem::ExponentTooLarge { at: start })
    }

    fn digits(&mut self) -> Result<(), JsonProblem> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start {
            return self.expected("a digit");
        }
        Ok(())
    }

    /// A string; `at` is on its opening quote.
    fn string(&mut self) -> Result<String, JsonProblem> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest
                .find(|character| matches!(character, '"' | '\\' | '\0'..='\u{1f}'))
                .unwrap_or(rest.len());
            text.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(0) => return Err(JsonProblem::NullByte { at: self.at }),
                Some(_) => return self.expected("an escape, not a bare control character"),
                None => return self.expected("a closing quote"),
            }
        }
    }

    /// An escape; `at` is on its backslash.
    fn escape(&mut self) -> Result<char, JsonProblem> {
        let start = self.at;
        self.at += 1;
        let character = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape(start);
            }
            Some(_) | None => return self.expected("one of \" \\ / b f n r t u"),
        };
        self.at += 1;
        Ok(character)
    }

    /// The digits of `\uXXXX`, or of two that make one character; `at` is behind the `u`.
    fn unicode_escape(&mut self, start: usize) -> Result<char, JsonProblem> {
        let first = self.four_hex_digits()?;
        let code = match first {
            0xD800..=0xDBFF => {
                if !(self.takes(b'\\') && self.takes(b'u')) {
                    return self.expected("the second half of a surrogate pair");
                }
                let second = self.four_hex_digits()?;
                if !(0xDC00..=0xDFFF).contains(&second) {
                    return self.expected("the second half of a surrogate pair");
                }
                0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
            }
            _ => first,
        };
        if code == 0 {
            return Err(JsonProblem::NullByte { at: start });
        }
        // What is left is a second half without a first.
        char::from_u32(code).ok_or(JsonProblem::Syntax {
            at: start,
            expected: "a character, not half of a surrogate pair",
        })
    }

    fn four_hex_digits(&mut self) -> Result<u32, JsonProblem> {
        let mut code = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(16)) else {
                return self.expected("four hexadecimal digits");
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn parse(text: &str) -> Result<Json, JsonProblem> {
        Json::parse(text.as_bytes())
    }

    #[test]
    fn numbers_are_exact() {
        for (text, number) in [
            ("0", 0),
            ("-0", 0),
            ("-0.0e5", 0),
            ("0e9999", 0),
            ("195", 195),
            ("195.0", 195),
            ("195.000", 195),
            ("1.95e2", 195),
            ("1.95E+2", 195),
            ("19500e-2", 195),
            ("-1e3", -1000),
            ("0.001e3", 1),
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808", i64::MIN),
            ("9.223372036854775807e18", i64::MAX),
            ("9007199254740993.0", 9_007_199_254_740_993),
        ] {
            assert_eq!(parse(text), Ok(Json::Int(number)), "{text}");
        }
        for (text, shown) in [
            ("195.5", "195.5"),
            ("1955e-1", "195.5"),
            ("195.50", "195.5"),
            ("-0.25", "-0.25"),
            ("25e-3", "0.025"),
            ("9223372036854775808", "9223372036854775808"),
            ("-9223372036854775809", "-9223372036854775809"),
            ("1e400", "1e400"),
            ("10e399", "1e400"),
            ("1e-50", "1e-50"),
            (
                "0.1000000000000000055511151231257827",
                "0.1000000000000000055511151231257827",
            ),
        ] {
            assert_eq!(parse(text), Ok(Json::Decimal(shown.into())), "{text}");
            assert_eq!(parse(shown), Ok(Json::Decimal(shown.into())), "{shown}");
        }
        for text in [
            "1e10000",
            "1e-10000",
            "1e99999999999999999999",
            "-1.5e+10000",
        ] {
            assert_eq!(
                parse(text),
                Err(JsonProblem::ExponentTooLarge { at: 0 }),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_refused() {
        for (text, message) in [
            ("", "byte 0: expected a JSON value"),
            ("\u{feff}{}", "byte 0: expected a JSON value"),
            ("nul", "byte 0: expected a JSON value"),
            ("NaN", "byte 0: expected a JSON value"),
            ("{'a':1}", "byte 1: expected a key in double quotes"),
            ("{\"a\":1,}", "byte 7: expected a key in double quotes"),
            ("{\"a\" 1}", "byte 5: expected a colon"),
            ("{\"a\":1", "byte 6: expected a comma or a closing brace"),
            ("[1,]", "byte 3: expected a JSON value"),
            ("[1 2]", "byte 3: expected a comma or a closing bracket"),
            ("01", "byte 1: expected no digit after a leading zero"),
            ("-", "byte 1: expected a digit"),
            (".5", "byte 0: expected a JSON value"),
            ("1.", "byte 2: expected a digit"),
            ("1e", "byte 2: expected a digit"),
            ("+1", "byte 0: expected a JSON value"),
            ("\"a", "byte 2: expected a closing quote"),
            (
                "\"\n\"",
                "byte 1: expected an escape, not a bare control character",
            ),
            ("\"\\x\"", "byte 2: expected one of \" \\ / b f n r t u"),
            ("\"\\u12g4\"", "byte 5: expected four hexadecimal digits"),
            (
                "\"\\ud83d\"",
                "byte 7: expected the second half of a surrogate pair",
            ),
            (
                "\"\\ud83d\\u0041\"",
                "byte 13: expected the second half of a surrogate pair",
            ),
            (
                "\"\\ude00\"",
                "byte 1: expected a character, not half of a surrogate pair",
            ),
            ("\"a\\u0000\"", "byte 2: text must not contain null bytes"),
            ("\"a\0\"", "byte 2: text must not contain null bytes"),
            ("{} {}", "byte 3: nothing may follow the document"),
            ("1 x", "byte 2: nothing may follow the document"),
            (
                "{\"amount\":1,\"b\":2,\"amount\":1}",
                "the key \"amount\" occurs twice in one object",
            ),
            (
                "[{\"a\":1,\"\\u0061\":2}]",
                "the key \"a\" occurs twice in one object",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), message, "{text:?}");
        }
        assert_eq!(
            Json::parse(b"\"\xff\""),
            Err(JsonProblem::InvalidUtf8 { at: 1 })
        );
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(&nested(DEPTH_MAX)).is_ok());
        assert_eq!(
            parse(&nested(DEPTH_MAX + 1)),
            Err(JsonProblem::TooDeep { at: DEPTH_MAX })
        );
        assert_eq!(
            parse(&"[{\"a\":".repeat(100_000)),
            Err(JsonProblem::TooDeep { at: 6 * 16 })
        );
    }

    #[test]
    fn equal_documents_have_one_text() {
        let one = parse(
            " { \"b\" : [ 1.0 , 2.50, \"\\u00e9\\n\" ] , \"a\" : { \"z\":null, \"y\":true } } ",
        );
        let two = parse("{\"a\":{\"y\":true,\"z\":null},\"b\":[1,2.5,\"é\\u000A\"]}");
        let text = one.unwrap().canonical();
        assert_eq!(
            text,
            "{\"a\":{\"y\":true,\"z\":null},\"b\":[1,2.5,\"é\\n\"]}"
        );
        assert_eq!(text, two.unwrap().canonical());
        assert_eq!(
            Json::Text("\u{1}\"\\/".into()).canonical(),
            "\"\\u0001\\\"\\\\/\""
        );
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
        assert_eq!(
            document.get("big"),
            Some(&Json::Decimal(u64::MAX.to_string()))
        );
        assert_eq!(
            document.get("a"),
            parse("[null,true,-7,0.5,\"x\"]").ok().as_ref()
        );
        assert_eq!(
            parse("[0.5,195.0,1e9999]").unwrap().to_serde(),
            json!([0.5, 195, "1e9999"])
        );
        assert_eq!(
            Json::from_serde(&json!(1e300)),
            Json::Decimal("1e300".into())
        );
        assert_eq!(
            Json::from_serde(&json!(5e-324)),
            Json::Decimal("5e-324".into())
        );
    }

    fn any_json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::Bool),
            any::<i64>().prop_map(Json::Int),
            (any::<i32>(), 1usize..5).prop_map(|(whole, digits)| {
                number_of(&format!("{whole}.{:0>digits$}1", 0)).unwrap()
            }),
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

        #[test]
        fn any_spelling_of_a_whole_number_is_that_number(number: i64, zeros in 0usize..5, shift in 0usize..20) {
            prop_assert_eq!(parse(&format!("{number}.{:0<zeros$}0", "")), Ok(Json::Int(number)));
            prop_assert_eq!(parse(&format!("{number}{}e-{shift}", "0".repeat(shift))), Ok(Json::Int(number)));
        }

        #[test]
        fn any_bytes_are_answered_and_accepted_only_as_json(bytes in prop::collection::vec(any::<u8>(), 0..24)) {
            let _ = Json::parse(&bytes);
        }

        #[test]
        fn any_text_near_json_is_json_where_accepted(text in "[\\[\\]{}\":,0-9eE.+\\-a ntrue\\\\]{0,16}") {
            if parse(&text).is_ok() {
                prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok() || text.contains(['e', 'E']), "{}", text);
            }
        }
    }
}
