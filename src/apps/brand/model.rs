use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::clock::Time;
use crate::ids::{AppId, OrgId};
use crate::image::ImageKind;
use crate::language::Language;
use crate::scope::Scope;
use crate::world::record::{key, record, words};
use crate::world::{Halt, World};

words! {
    /// The kind of a logo's file.
    pub enum LogoKind {
        Png = "png",
        Jpeg = "jpeg",
        Webp = "webp",
    }
}

impl From<ImageKind> for LogoKind {
    fn from(kind: ImageKind) -> Self {
        match kind {
            ImageKind::Png => Self::Png,
            ImageKind::Jpeg => Self::Jpeg,
            ImageKind::Webp => Self::Webp,
        }
    }
}

impl LogoKind {
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Png => ImageKind::Png.content_type(),
            Self::Jpeg => ImageKind::Jpeg.content_type(),
            Self::Webp => ImageKind::Webp.content_type(),
        }
    }
}

/// A logo without its bytes, which are in a row of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logo {
    pub kind: LogoKind,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// The size of the file.
    pub bytes: u32,
}

/// Part of the app's settings, so that a page or a message reads no further row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Brand {
    /// `#14634a`
    pub color: Option<String>,
    pub logo: Option<Logo>,
    /// Links begin with `https://`.
    pub website: Option<String>,
    pub support_email: Option<String>,
    /// E.164
    pub support_phone: Option<String>,
    pub terms_url: Option<String>,
    pub privacy_url: Option<String>,
    /// Above the sender's name.
    pub greeting: Option<String>,
    /// Below the amount.
    pub note: Option<String>,
    pub footer: Option<String>,
    /// Of payees whose own language is not known.
    pub language: Option<Language>,
}

impl Brand {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the contact for short messages: the phone number before the address.
    pub fn support(&self) -> Option<&str> {
        self.support_phone.as_deref().or(self.support_email.as_deref())
    }
}

record! {
    /// The bytes of an app's logo. The app's settings have its kind and dimensions.
    pub struct AppLogo in "app_logos" {
        key (org, app);
        pub org: OrgId,
        pub app: AppId,
        pub bytes: Vec<u8>,
        pub changed_at: Time,
    }
}

/// Returns the logo's bytes.
pub fn logo(world: &World, scope: Scope) -> Result<Option<Arc<AppLogo>>, Halt> {
    world.get::<AppLogo>(key![scope.org, scope.app])
}
