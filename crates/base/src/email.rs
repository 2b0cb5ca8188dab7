//! E-mail addresses: the part of the RFC that real mailboxes use.
//!
//! Invariant: one `@`, a dotted domain in lower case, at most 254 characters, ASCII, and no syntax of mail headers or
//! log lines.
//!
//! Deliberately absent: routes through another server (`a%b@…`, `host!user@…`), quoted local parts, comments, address
//! literals, international mailboxes, and whether the mailbox exists. The local part keeps its case, because only its
//! host knows whether case matters.

use std::{fmt, str::FromStr};

/// Longest address that SMTP can carry (RFC 5321, 4.5.3.1.3).
const ADDRESS_MAX: usize = 254;
/// Longest part before the `@` (RFC 5321, 4.5.3.1.1).
const LOCAL_MAX: usize = 64;
/// Longest label of a domain (RFC 1035, 2.3.4).
const LABEL_MAX: usize = 63;

/// The accepted addresses as a regular expression, except for the lengths of the local part and of each label.
pub const PATTERN: &str = concat!(
    r"^\s*[0-9A-Za-z&'+=_~][0-9A-Za-z&'+=_~-]*(\.[0-9A-Za-z&'+=_~-]+)*@",
    r"([0-9A-Za-z]([0-9A-Za-z-]*[0-9A-Za-z])?\.)+",
    // The last label is not a number.
    r"([0-9]*[A-Za-z]([0-9A-Za-z-]*[0-9A-Za-z])?|[0-9]+-[0-9A-Za-z-]*[0-9A-Za-z])\s*$",
);

/// A well-formed address. Its `Debug` is masked.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Email(String);

/// Public code `invalid-email`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[error("must be an e-mail address such as \"name@example.com\"")]
pub struct InvalidEmail;

impl Email {
    /// Parses an address; drops surrounding space and converts the domain to lower case.
    pub fn parse(text: &str) -> Result<Email, InvalidEmail> {
        let text = text.trim();
        if text.len() > ADDRESS_MAX {
            return Err(InvalidEmail);
        }
        let (local, domain) = text.split_once('@').ok_or(InvalidEmail)?;
        if !is_local(local) || !is_domain(domain) {
            return Err(InvalidEmail);
        }
        Ok(Email(format!("{local}@{}", domain.to_ascii_lowercase())))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the part before the `@`, in which the sandbox reads `fail+<code>`.
    #[must_use]
    pub fn local(&self) -> &str {
        self.0.split_once('@').map_or("", |(local, _)| local)
    }

    /// Masks the address for people who must not learn it: `j***@example.com`.
    #[must_use]
    pub fn masked(&self) -> String {
        // ASCII throughout, and the local part has at least one character.
        let domain = &self.0[self.local().len()..];
        format!("{}***{domain}", &self.0[..1])
    }
}

/// Returns whether a local part is a `dot-atom` of RFC 5322 without the syntax of mail servers and shells: servers
/// route by `%`, `!` and `/`, and a program called with an address treats a leading dash as an option.
fn is_local(local: &str) -> bool {
    let is_atom = |byte: u8| byte.is_ascii_alphanumeric() || b"&'+-=_~".contains(&byte);
    local.len() <= LOCAL_MAX
        && !local.starts_with('-')
        && local.split('.').all(|word| !word.is_empty() && word.bytes().all(is_atom))
}

/// Returns whether a text has at least two labels, the last of which is not a number: that would be an IP address.
fn is_domain(domain: &str) -> bool {
    let is_label = |label: &str| {
        (1..=LABEL_MAX).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    domain.split('.').all(is_label)
        && domain.rsplit_once('.').is_some_and(|(_, top)| !top.bytes().all(|byte| byte.is_ascii_digit()))
}

impl FromStr for Email {
    type Err = InvalidEmail;

    fn from_str(text: &str) -> Result<Email, InvalidEmail> {
        Email::parse(text)
    }
}

impl fmt::Debug for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Email({})", self.masked())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Except for lengths, the pattern of the schemas and the parser are one rule.
    #[test]
    fn the_pattern_says_what_is_accepted() {
        let pattern = regex::Regex::new(PATTERN).unwrap();
        let samples = [
            "a@b.c",
            "a@1.2",
            "a@b.2c",
            "a@b.2-c",
            "a@b.2-",
            "-a@b.c",
            "a-@b.c",
            "a..b@c.de",
            ".a@b.c",
            "a%b@c.de",
            "a@b",
            "a@-b.c",
            "a@b-.c",
            " a@b.c ",
            "a b@c.de",
            "jane@example.com",
            "a@b.c.",
            "a@@b.c",
            "é@b.c",
        ];
        for text in samples {
            assert_eq!(pattern.is_match(text), Email::parse(text).is_ok(), "{text:?}");
        }
        proptest!(|(text in "[-a1.@%é ]{0,12}")| {
            prop_assert_eq!(pattern.is_match(&text), Email::parse(&text).is_ok(), "{:?}", text);
        });
    }

    #[test]
    fn addresses_that_people_have() {
        for (text, address) in [
            ("jane@example.com", "jane@example.com"),
            (" Jane.Doe@Example.COM ", "Jane.Doe@example.com"),
            ("fail+account_closed@sandbox.test", "fail+account_closed@sandbox.test"),
            ("o'brien@mail.example.co.uk", "o'brien@mail.example.co.uk"),
            ("x@xn--bcher-kva.example", "x@xn--bcher-kva.example"),
            ("1@2.io", "1@2.io"),
            ("a-b_c+d=e~f&g@example.com", "a-b_c+d=e~f&g@example.com"),
        ] {
            assert_eq!(Email::parse(text).unwrap().as_str(), address);
        }
    }

    #[test]
    fn texts_that_are_no_address() {
        let long_local = format!("{}@example.com", "a".repeat(65));
        let long = format!("a@{}.com", vec!["b".repeat(63); 4].join("."));
        for text in [
            "",
            "@",
            "jane",
            "jane@",
            "@example.com",
            "jane@example",
            "jane@@example.com",
            "a@b@example.com",
            "jane doe@example.com",
            "jane@exam ple.com",
            "jane@.com",
            "jane@a..com",
            "jane@example.com.",
            ".jane@example.com",
            "jane.@example.com",
            "ja..ne@example.com",
            "jane@-a.com",
            "jane@a-.com",
            "jane@127.0.0.1",
            "jane@[127.0.0.1]",
            "\"jane\"@example.com",
            "jane@example.com\r\nBcc: all@example.com",
            "ja\0ne@example.com",
            "jane<x>@example.com",
            "Jane <jane@example.com>",
            "jané@example.com",
            "a@b,c.com",
            "a%b@example.com",
            "-oQ/tmp@example.com",
            "-f@example.com",
            "host!user@example.com",
            "|id@example.com",
            "`id`@example.com",
            "$(id)@example.com",
            "${IFS}@example.com",
            "a/b@example.com",
            "a*b@example.com",
            "a?b@example.com",
            "#a@example.com",
            "a^b@example.com",
            &long_local,
            &long,
        ] {
            assert_eq!(Email::parse(text), Err(InvalidEmail), "{text:?}");
        }
    }

    #[test]
    fn debug_and_mask_keep_the_address() {
        let email = Email::parse("jane@example.com").unwrap();
        assert_eq!(email.masked(), "j***@example.com");
        assert_eq!(format!("{email:?}"), "Email(j***@example.com)");
        assert_eq!(Email::parse("x@e.co").unwrap().masked(), "x***@e.co");
    }

    proptest! {
        #[test]
        fn what_is_accepted_reads_back(text in "[a-zA-Z0-9.+_-]{1,10}@[a-zA-Z0-9.-]{1,12}") {
            if let Ok(email) = Email::parse(&text) {
                prop_assert_eq!(Email::parse(email.as_str()), Ok(email.clone()));
                prop_assert!(!email.masked().contains(email.local()) || email.local().len() <= 1);
            }
        }

        #[test]
        fn any_text_is_answered(text in "\\PC{0,40}") {
            if let Ok(email) = Email::parse(&text) {
                prop_assert!(!email.masked().is_empty());
            }
        }
    }
}
