//! The language that a payee chose, or that a browser asks for.

use super::codes::Language;

/// The cookie with the language that a payee chose on a page.
pub const LANGUAGE_COOKIE: &str = "bursar_language";

impl Language {
    /// Returns the language that a payee chose, from the header `Cookie`.
    #[must_use]
    pub fn chosen(cookies: &str) -> Option<Self> {
        let pairs = cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
        let mut values = pairs.filter(|(name, _)| *name == LANGUAGE_COOKIE);
        values.next().and_then(|(_, code)| Self::from_code(code))
    }

    /// Returns the known language that the header `Accept-Language` prefers, or `None` if it names none. The header is
    /// a list such as `es-MX,es;q=0.9,en;q=0.5`. Of equal languages the first one wins.
    #[must_use]
    pub fn accepted(header: &str) -> Option<Self> {
        let mut best: Option<(u32, Self)> = None;
        for range in header.split(',') {
            let (tag, weight) = range
                .split_once(';')
                .map_or((range, "1"), |(tag, parameter)| (tag, parameter.trim().strip_prefix("q=").unwrap_or("0")));
            let (Some(language), Some(weight)) = (Self::of_tag(tag.trim()), thousandths(weight)) else { continue };
            if weight > best.map_or(0, |(weight, _)| weight) {
                best = Some((weight, language));
            }
        }
        best.map(|(_, language)| language)
    }

    /// Returns the language of a BCP 47 tag: `es-MX` is `es`.
    #[must_use]
    pub fn of_tag(tag: &str) -> Option<Self> {
        Self::from_code(&tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase())
    }
}

/// Returns a weight from 0 to 1 in thousandths: `0.8` is 800.
fn thousandths(weight: &str) -> Option<u32> {
    let (whole, part) = weight.trim().split_once('.').unwrap_or((weight.trim(), ""));
    let is_weight = matches!(whole, "0" | "1") && part.len() <= 3 && part.bytes().all(|digit| digit.is_ascii_digit());
    is_weight.then(|| format!("{whole}{part:0<3}").parse().ok()).flatten().filter(|weight| *weight <= 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_has_the_chosen_language() {
        assert_eq!(Language::chosen("bursar_claim=x; bursar_language=ar"), Some(Language::Ar));
        assert_eq!(Language::chosen("bursar_language=xx"), None);
        assert_eq!(Language::chosen("language=ar"), None);
    }

    #[test]
    fn the_preferred_known_language_is_chosen() {
        for (header, language) in [
            ("es", Some(Language::Es)),
            ("es-MX,es;q=0.9,en;q=0.5", Some(Language::Es)),
            ("nl, sv;q=0.9, pt-BR;q=0.2", Some(Language::Pt)),
            ("en;q=0.3, ar;q=0.7, de;q=0.7", Some(Language::Ar)),
            ("FR-ca", Some(Language::Fr)),
            ("en;q=0, de;q=0.001", Some(Language::De)),
            ("en;q=0", None),
            ("nl, *", None),
            ("de;q=2, en;q=x, ;q=1", None),
            ("", None),
        ] {
            assert_eq!(Language::accepted(header), language, "{header}");
        }
    }
}
