//! How an app appears to payees: its logo, color, website, support contact, legal links and texts
//! (docs/internals/adr/0054).
//!
//! Invariants: only the organization or its administrators change it, so that an app's key cannot pass for another
//! sender. Every link is https, every text is without markup, and white text on the color can be read. A logo is PNG,
//! JPEG or WebP, never SVG, and is served as the type that its header has. Start at [`Brand`].

mod http;
mod inputs;
mod json;
mod model;
mod sender;
mod update;

pub use http::routes;
pub use model::{AppLogo, Brand, Logo, LogoKind, logo};
pub use sender::Sender;
pub use update::{RemoveLogo, SetLogo, UpdateBrand};
