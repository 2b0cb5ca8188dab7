//! Inputs of requests about an app's brand.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Schema, json};

use super::model::Brand;
use crate::color::{BLACK, CONTRAST_MIN, Color, WHITE};
use crate::email::Email;
use crate::image::Image;
use crate::input::types::Line;
use crate::input::{Input, Problems, input, problem, text, wrong};
use crate::language::Language;
use crate::patch::Patch;
use crate::phone::PhoneNumber;
use crate::refusal::Code;
use crate::strict_json::Json;

/// In bytes.
const LOGO_BYTES_MAX: usize = 64 * 1024;
/// In pixels, each side.
const LOGO_SIDE_MIN: u32 = 16;
/// In pixels, each side.
const LOGO_SIDE_MAX: u32 = 1_024;
/// In characters.
const LINK_MAX: usize = 200;
/// The characters of a link after its host.
const OF_A_PATH: &str = "-._~!$&'()*+,;=:@%/?#";

/// A color on which white text can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrandColor(pub Color);

impl Input for BrandColor {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let given = text(json, at)?;
        let color = Color::parse(given).ok_or_else(|| wrong(at, "must be # and six hex digits, such as #14634a"))?;
        let contrast = color.contrast(&WHITE);
        if contrast >= CONTRAST_MIN {
            return Ok(Self(color));
        }
        let nearest = color.toward(&BLACK, &WHITE);
        let message = format!(
            "is too light: white text on it has a contrast of {}.{:02}, and at least 4.5 is needed; the nearest color \
             that passes is {nearest}",
            contrast / 100,
            contrast % 100
        );
        Err(wrong(at, message))
    }
    fn schema() -> Schema {
        json!({"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"})
    }
}

/// A link to a page on the web, by https and without a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpsLink(pub String);

impl HttpsLink {
    fn is_one(link: &str) -> bool {
        let Some(rest) = link.strip_prefix("https://") else { return false };
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let is_label = |label: &str| {
            !label.is_empty() && label.bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'-')
        };
        let top = host.rsplit_once('.').map(|(_, top)| top);
        host.split('.').all(is_label)
            && top.is_some_and(|top| top.starts_with(|letter: char| letter.is_ascii_alphabetic()))
            && path.chars().all(|letter| letter.is_ascii_alphanumeric() || OF_A_PATH.contains(letter))
    }
}

impl Input for HttpsLink {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let given = text(json, at)?;
        if given.len() > LINK_MAX {
            return Err(wrong(at, format!("must have at most {LINK_MAX} characters")));
        }
        if !Self::is_one(given) {
            let message = "must be an https link to a host with a name, such as https://example.com/terms, without a \
                           user, a port or spaces";
            return Err(wrong(at, message));
        }
        Ok(Self(given.to_owned()))
    }
    fn schema() -> Schema {
        let pattern = r"^https://([A-Za-z0-9-]+\.)+[A-Za-z][A-Za-z0-9-]*(/[-A-Za-z0-9._~!$&'()*+,;=:@%/?#]*)?$";
        json!({"type": "string", "maxLength": LINK_MAX, "pattern": pattern})
    }
}

/// The number of a support line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupportPhone(pub PhoneNumber);

impl Input for SupportPhone {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let number = PhoneNumber::parse_e164(text(json, at)?);
        let message = "must be an international phone number, such as +12127361234";
        number.map(Self).map_err(|_| problem(Code::InvalidPhoneNumber, at, message))
    }
    fn schema() -> Schema {
        json!({"type": "string", "pattern": r"^\+[1-9][0-9]{6,14}$"})
    }
}

/// A line of text that a page shows: no markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainLine<const MAX: usize>(pub String);

impl<const MAX: usize> Input for PlainLine<MAX> {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let line = Line::<MAX>::read(json, at)?.0;
        if line.contains(['<', '>']) {
            return Err(wrong(at, "must be plain text, without < and >"));
        }
        Ok(Self(line))
    }
    fn schema() -> Schema {
        let mut schema = Line::<MAX>::schema();
        schema["not"] = json!({"pattern": "[<>]"});
        schema
    }
}

input! {
    /// Changes of how an app appears to payees. An omitted field stays as it is; null removes it.
    pub struct BrandInput {
        /// The color of buttons and links, such as #14634a. White text on it must have a contrast of at least 4.5.
        pub color: Patch<BrandColor>,
        /// The sender's website, by https.
        pub website: Patch<HttpsLink>,
        /// The address that answers payees' questions. Replies to messages go there.
        pub support_email: Patch<Email>,
        /// The phone number that answers payees' questions, such as +12127361234.
        pub support_phone: Patch<SupportPhone>,
        /// The terms of service, by https.
        pub terms_url: Patch<HttpsLink>,
        /// The privacy policy, by https.
        pub privacy_url: Patch<HttpsLink>,
        /// A line above the sender's name, without markup.
        pub greeting: Patch<PlainLine<80>>,
        /// A line below the amount, without markup.
        pub note: Patch<PlainLine<160>>,
        /// A line at the end of pages and mails, such as the sender's legal name and address, without markup.
        pub footer: Patch<PlainLine<240>>,
        /// The language of pages and messages for payees whose own language is not known: en, es, fr, de, pt or ar.
        pub language: Patch<Language>,
    }
}

impl BrandInput {
    /// Returns the brand after these changes.
    pub fn applied_to(&self, now: &Brand) -> Brand {
        let now = now.clone();
        let link = |patch: &Patch<HttpsLink>, before| patch.clone().map(|link| link.0).over(before);
        Brand {
            color: self.color.clone().map(|color| color.0.to_string()).over(now.color),
            logo: now.logo,
            website: link(&self.website, now.website),
            support_email: self
                .support_email
                .clone()
                .map(|address| address.as_str().to_owned())
                .over(now.support_email),
            support_phone: self.support_phone.clone().map(|number| number.0.e164()).over(now.support_phone),
            terms_url: link(&self.terms_url, now.terms_url),
            privacy_url: link(&self.privacy_url, now.privacy_url),
            greeting: self.greeting.clone().map(|line| line.0).over(now.greeting),
            note: self.note.clone().map(|line| line.0).over(now.note),
            footer: self.footer.clone().map(|line| line.0).over(now.footer),
            language: self.language.clone().over(now.language),
        }
    }
}

/// The file of a logo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogoFile {
    pub bytes: Vec<u8>,
    pub image: Image,
}

impl Input for LogoFile {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let bytes = STANDARD.decode(text(json, at)?).map_err(|_| wrong(at, "must be the file in Base64"))?;
        if bytes.len() > LOGO_BYTES_MAX {
            let message = format!("is a file of {} bytes; at most {LOGO_BYTES_MAX} are accepted", bytes.len());
            return Err(wrong(at, message));
        }
        let image = Image::read(&bytes).map_err(|problem| wrong(at, problem.to_string()))?;
        let sides = LOGO_SIDE_MIN..=LOGO_SIDE_MAX;
        if !sides.contains(&image.width) || !sides.contains(&image.height) {
            let message = format!(
                "is an image of {} x {} pixels; each side must have {LOGO_SIDE_MIN} to {LOGO_SIDE_MAX}",
                image.width, image.height
            );
            return Err(wrong(at, message));
        }
        Ok(Self { bytes, image })
    }
    fn schema() -> Schema {
        let longest = LOGO_BYTES_MAX.div_ceil(3) * 4;
        json!({"type": "string", "contentEncoding": "base64", "maxLength": longest})
    }
}

input! {
    /// An app's logo.
    pub struct LogoInput {
        /// A PNG, JPEG or WebP file in Base64: at most 64 KiB, each side 16 to 1,024 pixels.
        pub image: LogoFile,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: Input>(given: &str) -> Result<T, String> {
        T::read(&Json::Text(given.to_owned()), "/it").map_err(|problems| problems[0].message.clone())
    }

    #[test]
    fn a_light_color_is_refused_with_the_nearest_one_that_passes() {
        assert_eq!(read::<BrandColor>("#14634A").unwrap().0.to_string(), "#14634a");
        let message = read::<BrandColor>("#ff8800").unwrap_err();
        let nearest = message.rsplit(' ').next().unwrap();
        assert!(message.contains("a contrast of 2.3"), "{message}");
        assert!(read::<BrandColor>(nearest).is_ok(), "{message}");
        assert!(read::<BrandColor>("green").unwrap_err().starts_with("must be # and six hex digits"));
    }

    #[test]
    fn a_link_is_https_to_a_name() {
        let pattern = HttpsLink::schema()["pattern"].as_str().unwrap().to_owned();
        let pattern = regex::Regex::new(&pattern).unwrap();
        for link in ["https://example.com", "https://pay.example.co.uk/terms?v=2#a", "https://xn--bcher-kva.example/"] {
            assert!(read::<HttpsLink>(link).is_ok() && pattern.is_match(link), "{link}");
        }
        for link in [
            "http://example.com",
            "https://example",
            "https://127.0.0.1/",
            "https://user@example.com/",
            "https://example.com:8443/",
            "https://example..com/",
            "https://example.com/a b",
            "https://example.com/\"onclick",
            "https://example.com?x",
            "javascript:alert(1)",
            "//example.com",
            "https://",
        ] {
            assert!(read::<HttpsLink>(link).is_err() && !pattern.is_match(link), "{link}");
        }
    }

    #[test]
    fn a_line_has_no_markup() {
        assert!(read::<PlainLine<80>>("Thanks for driving with us & see you soon").is_ok());
        for line in ["<b>Hi</b>", "a > b", "two\nlines", " "] {
            assert!(read::<PlainLine<80>>(line).is_err(), "{line}");
        }
        assert!(read::<PlainLine<3>>("four").is_err());
    }
}
