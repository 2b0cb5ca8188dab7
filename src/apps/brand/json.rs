//! The brand of an app in responses.

use serde::Serialize;

use super::model::{Brand, LogoKind};
use super::sender::Sender;
use crate::language::Language;

/// How an app appears to payees.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Brand)]
pub struct BrandJson {
    /// The color of buttons and links.
    #[schema(required, example = "#14634a")]
    pub color: Option<String>,
    /// The logo.
    #[schema(required)]
    pub logo: Option<LogoJson>,
    /// The sender's website.
    #[schema(required)]
    pub website: Option<String>,
    /// The address that answers payees' questions. Replies to messages go there.
    #[schema(required)]
    pub support_email: Option<String>,
    /// The phone number that answers payees' questions.
    #[schema(required)]
    pub support_phone: Option<String>,
    /// The terms of service.
    #[schema(required)]
    pub terms_url: Option<String>,
    /// The privacy policy.
    #[schema(required)]
    pub privacy_url: Option<String>,
    /// A line above the sender's name.
    #[schema(required)]
    pub greeting: Option<String>,
    /// A line below the amount.
    #[schema(required)]
    pub note: Option<String>,
    /// A line at the end of pages and mails.
    #[schema(required)]
    pub footer: Option<String>,
    /// The language of pages and messages for payees whose own language is not known.
    #[schema(required)]
    pub language: Option<Language>,
    /// The public page that explains to payees why they got a message.
    pub about_url: String,
}

/// An app's logo.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Logo)]
pub struct LogoJson {
    /// The address of the file.
    pub url: String,
    /// The kind of the file.
    pub kind: LogoKind,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The size of the file.
    pub bytes: u32,
}

impl BrandJson {
    /// Returns the brand with its public addresses.
    pub fn of(sender: &Sender, public_url: &str) -> Self {
        let Brand { color, logo, website, support_email, support_phone, .. } = sender.brand.clone();
        let Brand { terms_url, privacy_url, greeting, note, footer, language, .. } = sender.brand.clone();
        let logo = logo.map(|logo| LogoJson {
            url: format!("{public_url}{}", sender.logo_path()),
            kind: logo.kind,
            width: logo.width,
            height: logo.height,
            bytes: logo.bytes,
        });
        let about_url = format!("{public_url}{}", sender.path());
        Self {
            color,
            logo,
            website,
            support_email,
            support_phone,
            terms_url,
            privacy_url,
            greeting,
            note,
            footer,
            language,
            about_url,
        }
    }
}
