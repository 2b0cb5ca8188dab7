//! Parses amounts of dollars as people type them, for every page and form.
//!
//! Invariant: a text is accepted as an amount only if no country writes another amount that way. `1,50` is 1.50 in
//! Berlin and an unfinished 1,500 in New York; to avoid paying the wrong amount, the page asks the person.

use super::Cents;

/// Digits before the decimal separator.
const WHOLE_DIGITS_MAX: usize = 8;
/// Characters that group digits in some country: comma, point, apostrophes, spaces.
const SEPARATORS: [char; 8] = [',', '.', '\'', '\u{2019}', ' ', '\u{a0}', '\u{202f}', '\u{2009}'];

/// The result of parsing a typed amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// Above zero.
    Amount(Cents),
    /// An ambiguous text, with its possible amounts.
    Unclear(Vec<Cents>),
    /// Not an amount.
    Nothing,
}

impl Typed {
    pub const fn amount(&self) -> Option<Cents> {
        match self {
            Self::Amount(amount) => Some(*amount),
            Self::Unclear(_) | Self::Nothing => None,
        }
    }
}

/// Parses an amount on a page whose language separates decimals with `decimal`. With a comma, `1,50` and `1.250,00` are
/// clear, because neither is another amount there; `1,500` and `1.500` stay questions. Arabic digits count as digits.
pub fn read_in(text: &str, decimal: char) -> Typed {
    let western: String = text.chars().map(western).collect();
    let read = read(&western);
    match (&read, decimal) {
        (Typed::Unclear(_), ',') => match clear(&with_point(western.trim())) {
            Some(amount) if amount.is_positive() => Typed::Amount(amount),
            Some(_) | None => read,
        },
        (Typed::Amount(_) | Typed::Unclear(_) | Typed::Nothing, _) => read,
    }
}

/// Returns a text with a comma before its cents as one with a point, and its points as commas.
fn with_point(text: &str) -> String {
    let is_cents = text.rsplit_once(',').is_some_and(|(_, part)| (1..=2).contains(&part.len()));
    if !is_cents {
        return String::new();
    }
    let swapped = text.chars().map(|letter| match letter {
        ',' => '.',
        '.' | '\u{a0}' | '\u{202f}' | ' ' => ',',
        letter => letter,
    });
    swapped.collect()
}

/// Returns a digit or separator of Arabic or Persian as its Western one.
fn western(letter: char) -> char {
    let digit = match letter {
        '\u{660}'..='\u{669}' => u32::from(letter) - 0x660,
        '\u{6f0}'..='\u{6f9}' => u32::from(letter) - 0x6f0,
        '\u{66b}' => return '.',
        '\u{66c}' => return ',',
        _ => return letter,
    };
    char::from_digit(digit, 10).unwrap_or(letter)
}

/// Parses an amount of dollars: `25`, `25.5`, `$1,250.00`.
pub fn read(text: &str) -> Typed {
    let text = text.trim();
    let text = text.strip_prefix('$').map_or(text, str::trim_start);
    if let Some(amount) = clear(text) {
        return if amount.is_positive() { Typed::Amount(amount) } else { Typed::Nothing };
    }
    let mut meant: Vec<Cents> = [point_at_last(text), whole(text)].into_iter().flatten().collect();
    meant.retain(|amount| amount.is_positive());
    meant.dedup();
    if meant.is_empty() { Typed::Nothing } else { Typed::Unclear(meant) }
}

/// Returns the amount if only one is possible: one point with at most two digits after it, and commas only where they
/// group thousands and cannot be a decimal separator.
fn clear(text: &str) -> Option<Cents> {
    let (dollars, part) = match text.split_once('.') {
        Some((dollars, part)) => (dollars, Some(part)),
        None => (text, None),
    };
    let groups: Vec<&str> = dollars.split(',').collect();
    let grouped = match groups.as_slice() {
        [_] => true,
        [first, rest @ ..] => {
            // A single comma may be a decimal separator, unless cents follow.
            let is_thousands = rest.len() > 1 || part.is_some_and(|part| !part.is_empty());
            is_thousands && (1..=3).contains(&first.len()) && rest.iter().all(|group| group.len() == 3)
        }
        [] => false,
    };
    let part = part.unwrap_or_default();
    if !grouped || part.len() > 2 {
        return None;
    }
    cents(&groups.concat(), part)
}

/// Returns the amount if the last separator is the decimal one.
fn point_at_last(text: &str) -> Option<Cents> {
    let (dollars, part) = text.rsplit_once(['.', ','])?;
    let (part, rest) = part.split_at_checked(2).unwrap_or((part, ""));
    let is_cents = rest.bytes().all(|digit| digit == b'0');
    if is_cents { cents(&without_separators(dollars), part) } else { None }
}

/// Returns the amount if every separator groups digits.
fn whole(text: &str) -> Option<Cents> {
    cents(&without_separators(text), "")
}

fn without_separators(text: &str) -> String {
    text.chars().filter(|letter| !SEPARATORS.contains(letter)).collect()
}

fn cents(dollars: &str, part: &str) -> Option<Cents> {
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = dollars.len() <= WHOLE_DIGITS_MAX && !(dollars.is_empty() && part.is_empty());
    if !fits || !are_digits(dollars) || !are_digits(part) {
        return None;
    }
    format!("{dollars}{part:0<2}").parse().ok().map(Cents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn amounts_are_read_as_people_type_them() {
        for (text, cents) in [
            ("25", 2_500),
            ("25.5", 2_550),
            ("25.", 2_500),
            (" $1,250.00 ", 125_000),
            ("$ 1,250.5", 125_050),
            ("1,250,000", 125_000_000),
            (".5", 50),
            ("99999999.99", 9_999_999_999),
        ] {
            assert_eq!(read(text), Typed::Amount(Cents(cents)), "{text}");
        }
        for text in ["0", "0.00", "1e3", "-5", "", ".", ",", "ten", "123456789", "$", "5 €", "٥", "1.2.3x"] {
            assert_eq!(read(text), Typed::Nothing, "{text}");
        }
    }

    #[test]
    fn what_may_be_another_amount_is_a_question() {
        for (text, meant) in [
            ("1,50", vec![150, 15_000]),
            ("1,5", vec![150, 1_500]),
            ("1.500", vec![150, 150_000]),
            ("1,500", vec![150, 150_000]),
            ("1,505", vec![150_500]),
            ("1.250,00", vec![125_000, 12_500_000]),
            ("1 250", vec![125_000]),
            ("1 50", vec![15_000]),
            ("1,2,3", vec![1_230, 12_300]),
        ] {
            let meant = meant.into_iter().map(Cents).collect();
            assert_eq!(read(text), Typed::Unclear(meant), "{text}");
        }
    }

    #[test]
    fn a_page_with_decimal_commas_reads_them() {
        for (text, cents) in [
            ("1,50", 150),
            ("1,5", 150),
            ("1.250,00", 125_000),
            ("1 250,5", 125_050),
            ("12.345.678,90", 1_234_567_890),
            ("25", 2_500),
            ("25.50", 2_550),
            ("1,250.00", 125_000),
        ] {
            assert_eq!(read_in(text, ','), Typed::Amount(Cents(cents)), "{text}");
        }
        for text in ["1,500", "1.500", "12.50,00", "1,2,3", "1.25.000,00"] {
            assert!(matches!(read_in(text, ','), Typed::Unclear(_)), "{text}");
        }
        // The negative control: a page with decimal points asks.
        assert!(matches!(read_in("1,50", '.'), Typed::Unclear(_)));
        assert_eq!(read_in("0,00", ','), Typed::Nothing);
    }

    #[test]
    fn arabic_digits_are_digits() {
        assert_eq!(read_in("١٬٢٥٠٫٥٠", '.'), Typed::Amount(Cents(125_050)));
        assert_eq!(read_in("۲۵", '.'), Typed::Amount(Cents(2_500)));
        assert_eq!(read("٢٥"), Typed::Nothing);
    }

    /// The formats of countries: the thousands separator and the decimal separator.
    const LOCALES: [(&str, &str); 9] = [
        (",", "."),
        (".", ","),
        ("\u{a0}", ","),
        ("\u{202f}", ","),
        (" ", "."),
        ("'", "."),
        ("\u{2019}", "."),
        ("", "."),
        ("", ","),
    ];

    fn written(amount: Cents, (group, point): (&str, &str), cents: bool) -> String {
        let (digits, part) = ((amount.0 / 100).to_string(), amount.0 % 100);
        let mut dollars = String::new();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                dollars.push_str(group);
            }
            dollars.push(digit);
        }
        if cents { format!("{dollars}{point}{part:02}") } else { dollars }
    }

    proptest! {
        #[test]
        fn no_locale_is_read_as_another_amount(cents in 1_i64..10_000_000_000, locale in 0..LOCALES.len(), whole: bool) {
            let amount = if whole { Cents((cents / 100).max(1) * 100) } else { Cents(cents) };
            let text = written(amount, LOCALES[locale], !whole);
            match read(&text) {
                Typed::Amount(read) => prop_assert_eq!(read, amount, "{}", text),
                Typed::Unclear(meant) => prop_assert!(meant.contains(&amount), "{} is not {:?}", text, meant),
                Typed::Nothing => prop_assert!(false, "{} is an amount", text),
            }
        }

        #[test]
        fn what_we_write_is_read_again(cents in 1_i64..10_000_000_000) {
            prop_assert_eq!(read(&Cents(cents).plain()), Typed::Amount(Cents(cents)));
            prop_assert_eq!(read(&Cents(cents).dollars()), Typed::Amount(Cents(cents)));
        }
    }
}
