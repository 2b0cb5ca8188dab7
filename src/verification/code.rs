use uuid::Uuid;

use crate::ids::{AppId, MessageId, OrgId};
use crate::language::Language;
use crate::messages::{Channel, CodePurpose, Message};
use crate::program::Bursar;
use crate::vault::{Purpose, SealContext, Tampered, Unsealed, Vault};

/// A new code in the form that a command may see.
#[derive(Clone, Debug)]
pub struct NewCode {
    pub code_hash: Vec<u8>,
    pub code: Unsealed,
    /// Of the message; `None` for that of the app.
    pub language: Option<Language>,
}

impl NewCode {
    /// Draws a code. For handlers only: commands are deterministic.
    pub fn draw(bursar: &Bursar, org: OrgId) -> Self {
        let mut entropy = bursar.entropy();
        let code = entropy.six_digits();
        Self::of(&bursar.vault, org, &code, entropy.bytes())
    }

    /// `nonce` must be unique.
    pub fn of(vault: &Vault, org: OrgId, code: &str, nonce: [u8; 24]) -> Self {
        Self { code_hash: hash_code(vault, org, code), code: Unsealed::new(vault, code, nonce), language: None }
    }

    /// Sets the language of the message.
    #[must_use]
    pub fn in_language(self, language: Option<Language>) -> Self {
        Self { language, ..self }
    }
}

/// Returns the keyed hash of a submitted code, ignoring surrounding spaces.
pub fn hash_code(vault: &Vault, org: OrgId, code: &str) -> Vec<u8> {
    vault.keyed_hash(Purpose::Code, &[org.0.as_bytes(), code.trim().as_bytes()]).to_vec()
}

pub fn seal_context(org: OrgId, message: MessageId, recipient: &str) -> SealContext {
    SealContext::new(Purpose::Code, org, "messages", message.0, "template").bound_to(recipient).formerly(org.0)
}

pub fn open_code(vault: &Vault, message: &Message, sealed_code: &[u8]) -> Result<String, Tampered> {
    let code = vault.open(&seal_context(message.org, message.id, &message.recipient), sealed_code)?;
    String::from_utf8(code).map_err(|_| Tampered)
}

/// What a code proves, and the link, app or user for which it is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeContext {
    pub purpose: CodePurpose,
    pub about: Uuid,
    /// Whether the recipient is fixed. At a link that names no payee, its holder can enter any phone number.
    pub names_recipient: bool,
}

impl CodeContext {
    pub const fn verification(app: AppId) -> Self {
        Self { purpose: CodePurpose::Verification, about: app.0, names_recipient: true }
    }
}

#[derive(Clone, Debug)]
pub struct Recipient<'a> {
    pub channel: Channel,
    pub recipient: &'a str,
    pub code_context: CodeContext,
}
