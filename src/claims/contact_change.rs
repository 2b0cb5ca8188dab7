//! The payee changes a verified phone number or e-mail address, with a code on both sides (docs/decisions.md 17).
//!
//! The change waits in the claim session and expires with its codes. Invariants: nothing changes before both codes are
//! right; only a session of a link that names its payee begins one. The code to the new contact counts like that of a
//! link that names no payee: its holder may type any phone number, and must not be able to lock a stranger out.

use serde::Serialize;
use utoipa::ToSchema;

use super::session::{self, ActiveSession};
use super::verbs::{Contact, SENDS_MESSAGE, SENDS_OF_LINK_PER_HOUR_MAX, must_have_contact, names_payee, not_here};
use crate::apps;
use crate::email::Email;
use crate::engine::Command;
use crate::language::Text;
use crate::messages::{Channel, CodePurpose};
use crate::payout_links::{ClaimToken, PayoutLink};
use crate::phone::PhoneNumber;
use crate::reason::Reason;
use crate::refusal::{Code, FieldError, Refusal};
use crate::users::{self, Identity};
use crate::verification::{self, Checked, CodeContext, NewCode, Recipient};
use crate::world::record::Document;
use crate::world::{Halt, World};

/// A change of the payee's contact. Both codes are needed, within ten minutes.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PendingContactChange {
    /// The present contact, to which one code was sent, masked.
    #[schema(example = "***1234")]
    pub present_sent_to: String,
    /// The new contact, to which the other code was sent, masked.
    #[schema(example = "***6789")]
    pub new_sent_to: String,
}

/// POST /v2/claims/{token}/contact-change
#[derive(Clone, Debug)]
pub struct BeginContactChange {
    pub token: ClaimToken,
    pub session_hash: Option<Vec<u8>>,
    pub new: Contact,
    /// The codes for the present contact, and for the new one.
    pub codes: [NewCode; 2],
}

impl Command for BeginContactChange {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let active = session::find(world, &self.token, self.session_hash.as_deref())?;
        let (new, to) = match &self.new {
            Contact::Phone(phone) => (Identity::Phone(phone.clone()), phone.e164()),
            Contact::Email(email) => (Identity::Email(email.clone()), email.as_str().to_lowercase()),
        };
        must_be_allowed(&active, &new)?;
        let from = users::may_change_contact(&active.user, &new)?;
        let (link, now) = (&active.link, world.now());
        if let Identity::Phone(phone) = &new {
            apps::phones::may_write_to(world, link.scope(), &phone.e164(), "/phone_number")?;
        }
        let contact = must_have_contact(world, link)?;
        // Two codes are two sends of the link.
        let once = |sent: &[i64]| verification::with_one_more(sent, now, SENDS_OF_LINK_PER_HOUR_MAX, SENDS_MESSAGE);
        let sends = once(&once(&contact.sent_at_micros.0)?)?;
        for ((recipient, code_context), code) in
            [(&from, present_context(link)), (&to, new_context(link))].into_iter().zip(&self.codes)
        {
            let to = Recipient { channel: channel_to(recipient), recipient, code_context };
            verification::start(world, link.scope(), &to, code)?;
        }

        // From here it must succeed.
        world.change(&contact, |contact| contact.sent_at_micros = Document(sends));
        active.touch(world, |session| {
            session.change_from = Some(from);
            session.change_to = Some(to);
        });
        Ok(())
    }
}

/// POST /v2/claims/{token}/contact-change/confirm
#[derive(Clone, Debug)]
pub struct ConfirmContactChange {
    pub token: ClaimToken,
    pub session_hash: Option<Vec<u8>>,
    /// Keyed hashes of the codes that were typed: of the present contact, and of the new one.
    pub offered: [Vec<u8>; 2],
}

impl Command for ConfirmContactChange {
    /// A wrong code is counted, so it must be committed and is no refusal here.
    type Reply = Result<(), [Checked; 2]>;

    fn decide(&self, world: &mut World) -> Result<Self::Reply, Halt> {
        let active = session::find(world, &self.token, self.session_hash.as_deref())?;
        let (link, session) = (&active.link, &active.session);
        let (Some(from), Some(to)) = (&session.change_from, &session.change_to) else {
            return Err(Refusal::to_payee(Code::InvalidState, Text::ContactNonePending)
                .because(Reason::StepMissing)
                .into());
        };
        let new = identity(to)?;
        must_be_allowed(&active, &new)?;
        if users::may_change_contact(&active.user, &new)? != *from {
            return Err(Refusal::to_payee(Code::InvalidState, Text::ContactChangedBefore)
                .because(Reason::VersionDiffers)
                .into());
        }
        let [present, offered_new] = &self.offered;
        let tried = [(from.as_str(), present_context(link), &present[..]), (to, new_context(link), offered_new)];
        let checked = verification::check_both(world, link.scope(), tried)?;
        if checked != [Checked::Right; 2] {
            return Ok(Err(checked));
        }
        users::change_contact(world, link.scope(), &active.user, &new)?;
        active.touch(world, |session| (session.change_from, session.change_to) = (None, None));
        Ok(Ok(()))
    }
}

/// Whether a session may change its payee's contact.
pub(super) fn is_allowed(active: &ActiveSession) -> bool {
    active.may_change_payee() && names_payee(&active.link) && active.user.is_verified()
}

fn must_be_allowed(active: &ActiveSession, new: &Identity) -> Result<(), Refusal> {
    active.may_change()?;
    if is_allowed(active) {
        return Ok(());
    }
    Err(not_here(match new {
        Identity::Phone(_) => "/phone_number",
        Identity::Email(_) => "/email",
    }))
}

/// Returns the change that waits for its codes.
pub(super) fn pending(world: &mut World, active: &ActiveSession) -> Result<Option<PendingContactChange>, Halt> {
    let (Some(from), Some(to)) = (&active.session.change_from, &active.session.change_to) else { return Ok(None) };
    let link = &active.link;
    for (recipient, code_context) in [(from, present_context(link)), (to, new_context(link))] {
        if !verification::is_awaited(world, link.org, recipient, code_context)? {
            return Ok(None);
        }
    }
    let (present_sent_to, new_sent_to) = (verification::masked(from), verification::masked(to));
    Ok(Some(PendingContactChange { present_sent_to, new_sent_to }))
}

/// Returns the refusal of wrong codes, with each wrong one's field.
pub fn wrong_codes(checked: [Checked; 2]) -> Refusal {
    let mut wrong = Vec::new();
    for (checked, field) in checked.into_iter().zip(["/present_token", "/new_token"]) {
        match checked.refusal() {
            Some(refusal) if refusal.code == Code::WrongToken => {
                wrong.push(FieldError {
                    field: field.to_owned(),
                    code: refusal.code.as_str(),
                    reason: None,
                    message: reason(&refusal),
                });
            }
            // The code was not compared, so the result of the other one does not matter.
            Some(refusal) => return refusal,
            None => {}
        }
    }
    Refusal::fields(wrong)
}

fn reason(refusal: &Refusal) -> String {
    refusal.errors.first().map_or_else(String::new, |error| error.message.clone())
}

fn present_context(link: &PayoutLink) -> CodeContext {
    CodeContext { purpose: CodePurpose::ContactChange, about: link.id.0, names_recipient: true }
}

fn new_context(link: &PayoutLink) -> CodeContext {
    CodeContext { names_recipient: false, ..present_context(link) }
}

fn channel_to(recipient: &str) -> Channel {
    if recipient.contains('@') { Channel::Email } else { Channel::Sms }
}

fn identity(recipient: &str) -> Result<Identity, Refusal> {
    let damaged = || Refusal::new(Code::InternalError, "The new contact of this session cannot be read.");
    match channel_to(recipient) {
        Channel::Email => Email::parse(recipient).map(Identity::Email).map_err(|_| damaged()),
        Channel::Sms | Channel::Voice => PhoneNumber::parse_e164(recipient).map(Identity::Phone).map_err(|_| damaged()),
    }
}
