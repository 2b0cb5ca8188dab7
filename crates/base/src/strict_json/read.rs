//! The parser: a recursive descent over the bytes, and the exact value of a number's text.

use super::json::{DEPTH_MAX, EXPONENT_MAX, Json, JsonProblem, KEYS_MAX, pointer_step};

/// Parses one document; nothing may follow it.
fn document(bytes: &[u8]) -> Result<Json, JsonProblem> {
    let text = std::str::from_utf8(bytes).map_err(|problem| JsonProblem::InvalidUtf8 { at: problem.valid_up_to() })?;
    let mut reader = Reader { text, at: 0 };
    reader.skip_space();
    let document = reader.value(0)?;
    reader.skip_space();
    if reader.at < text.len() {
        return Err(JsonProblem::TrailingBytes { at: reader.at });
    }
    Ok(document)
}

/// Returns the value of a number in JSON's grammar: `digits × 10^exponent` without leading or trailing zeros, so that
/// one value has one form. Returns `None` if the exponent is beyond [`EXPONENT_MAX`].
pub(super) fn number_of(text: &str) -> Option<Json> {
    if let Ok(number) = text.parse() {
        return Some(Json::Int(number));
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    // 32 bits, so that the sums below fit in 64; a longer exponent is refused in any case.
    let exponent: i32 = exponent.parse().ok()?;
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
    let exponent = i64::from(exponent) + i64::try_from(trailing_zeros).ok()? - i64::try_from(fraction.len()).ok()?;
    if exponent.unsigned_abs() > EXPONENT_MAX {
        return None;
    }

    // A 64-bit number has at most 19 digits; a longer one is not written out.
    if let Ok(zeros @ 0..19) = usize::try_from(exponent)
        && let Ok(number) = format!("{sign}{digits}{}", "0".repeat(zeros)).parse()
    {
        return Some(Json::Int(number));
    }
    // Short fractions keep the decimal form that people write.
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

/// Reads a text from left to right. `at` is always the first byte of a character.
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
        Err(JsonProblem::Syntax { at: self.at, expected })
    }

    /// Reads a value inside `depth` lists and objects.
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
            let item = self.value(depth).map_err(|problem| problem.below(&items.len().to_string()))?;
            items.push(item);
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
            let value = self.value(depth).map_err(|problem| problem.below(&pointer_step(&key)))?;
            // Refused before it is stored, so the rest of the body costs nothing.
            if fields.len() == KEYS_MAX {
                return Err(JsonProblem::TooManyKeys { at: String::new() });
            }
            fields.push((key, value));
            self.skip_space();
            if self.takes(b'}') {
                break;
            }
            if !self.takes(b',') {
                return self.expected("a comma or a closing brace");
            }
        }
        // Sorted instead of compared in pairs: a body may have thousands of objects.
        let mut keys: Vec<&str> = fields.iter().map(|(key, _)| key.as_str()).collect();
        keys.sort_unstable();
        if let Some(pair) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(JsonProblem::DuplicateKey { at: format!("/{}", pointer_step(pair[0])) });
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

    /// Reads a string; `at` is on its opening quote.
    fn string(&mut self) -> Result<String, JsonProblem> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(|character| matches!(character, '"' | '\\' | '\0'..='\u{1f}')).unwrap_or(rest.len());
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

    /// Reads an escape; `at` is on its backslash.
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

    /// Reads the digits of `\uXXXX`, or of two that form one character; `at` is after the `u`.
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
        // A lone half of a surrogate pair is not a character.
        char::from_u32(code)
            .ok_or(JsonProblem::Syntax { at: start, expected: "a character, not half of a surrogate pair" })
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

impl Json {
    /// Parses one document; returns the first problem.
    pub fn parse(bytes: &[u8]) -> Result<Self, JsonProblem> {
        document(bytes)
    }

    /// Converts a `serde_json` value; a double counts as its shortest text.
    #[must_use]
    pub fn from_serde(value: &serde_json::Value) -> Json {
        use serde_json::Value;
        match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(number) => {
                number_of(&number.to_string()).expect("a serde_json number is JSON, with an exponent of at most 308")
            }
            Value::String(text) => Json::Text(text.clone()),
            Value::Array(items) => Json::List(items.iter().map(Json::from_serde).collect()),
            Value::Object(fields) => {
                Json::Object(fields.iter().map(|(key, value)| (key.clone(), Json::from_serde(value))).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<Json, JsonProblem> {
        document(text.as_bytes())
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
            ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"),
        ] {
            assert_eq!(parse(text), Ok(Json::Decimal(shown.into())), "{text}");
            assert_eq!(parse(shown), Ok(Json::Decimal(shown.into())), "{shown}");
        }
        for text in
            ["1e10000", "1e-10000", "1e99999999999999999999", "-1.5e+10001", "10e9999", "1e-9223372036854775808"]
        {
            assert_eq!(parse(text), Err(JsonProblem::ExponentTooLarge { at: 0 }), "{text}");
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
            ("\"\n\"", "byte 1: expected an escape, not a bare control character"),
            ("\"\\x\"", "byte 2: expected one of \" \\ / b f n r t u"),
            ("\"\\u12g4\"", "byte 5: expected four hexadecimal digits"),
            ("\"\\ud83d\"", "byte 7: expected the second half of a surrogate pair"),
            ("\"\\ud83d\\u0041\"", "byte 13: expected the second half of a surrogate pair"),
            ("\"\\ude00\"", "byte 1: expected a character, not half of a surrogate pair"),
            ("\"a\\u0000\"", "byte 2: strings must not contain null bytes"),
            ("\"a\0\"", "byte 2: strings must not contain null bytes"),
            ("{} {}", "byte 3: unexpected data after the document"),
            ("1 x", "byte 2: unexpected data after the document"),
            ("{\"amount\":1,\"b\":2,\"amount\":1}", "/amount: duplicate key"),
            ("[{\"a\":1,\"\\u0061\":2}]", "/0/a: duplicate key"),
            ("{\"x\":[1,{\"b/c\":{\"~\":1,\"~\":2}}]}", "/x/1/b~1c/~0: duplicate key"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), message, "{text:?}");
        }
        assert_eq!(Json::parse(b"\"\xff\""), Err(JsonProblem::InvalidUtf8 { at: 1 }));
        let keys = (0..=KEYS_MAX).map(|key| format!("\"{key}\":0")).collect::<Vec<_>>().join(",");
        for (text, message) in [
            (format!("{{{keys}}}"), "the object has more than 256 keys"),
            (format!("{{\"metadata\":{{{keys}}}}}"), "/metadata: the object has more than 256 keys"),
        ] {
            assert_eq!(parse(&text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(&nested(DEPTH_MAX)).is_ok());
        assert_eq!(parse(&nested(DEPTH_MAX + 1)), Err(JsonProblem::TooDeep { at: DEPTH_MAX }));
        assert_eq!(parse(&"[{\"a\":".repeat(100_000)), Err(JsonProblem::TooDeep { at: 6 * 16 }));
    }

    proptest! {
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
