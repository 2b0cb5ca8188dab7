//! Recognizes card numbers in order to refuse them, because a program that stores none has none to protect.
//! push_to_card takes the token of a card vault instead (docs/decisions.md 6).

/// Returns whether a whole text has the form of a card number: 12 to 19 digits, possibly with spaces and dashes, with a
/// valid Luhn sum. One in ten other numbers of that length matches too, so use it for tokens, not for account numbers.
#[must_use]
pub fn looks_like_card_number(text: &str) -> bool {
    let mut digits = Vec::with_capacity(19);
    for byte in text.trim().bytes() {
        match byte {
            b'0'..=b'9' if digits.len() == 19 => return false,
            b'0'..=b'9' => digits.push(u32::from(byte - b'0')),
            b' ' | b'-' => {}
            _ => return false,
        }
    }
    // From the right, every second digit is doubled, and the digits of the double are added.
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, &digit)| match (index % 2, digit) {
            (0, digit) => digit,
            (_, digit @ 0..=4) => digit * 2,
            (_, digit) => digit * 2 - 9,
        })
        .sum();
    digits.len() >= 12 && sum > 0 && sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_and_what_is_none() {
        for card in [
            "4111111111111111",
            "4111 1111 1111 1111",
            " 5555-5555-5555-4444 ",
            "378282246310005",
            "6304000000000000",
            "6011000990139424",
        ] {
            assert!(looks_like_card_number(card), "{card}");
        }
        for other in [
            "",
            "tok_4111111111111111",
            "4111111111111112",
            "000000000000",
            "42",
            "41111111111111111111111111111111",
            "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
        ] {
            assert!(!looks_like_card_number(other), "{other}");
        }
    }
}
