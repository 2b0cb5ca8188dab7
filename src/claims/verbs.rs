//! The steps before the last one, one command each.

use std::sync::Arc;

use super::end::end_all;
use super::model::{ClaimContact, ClaimSession};
use super::rules::{IDLE_SECONDS, SESSION_SECONDS};
use super::session::{self, NewSession};
use crate::apps::phones;
use crate::email::Email;
use crate::engine::Command;
use crate::ids::PayoutMethodId;
use crate::language::{Language, Text};
use crate::messages::{Channel, CodePurpose};
use crate::money::Cents;
use crate::payout_links::{self, ClaimToken, PayoutLink, rules};
use crate::payout_methods::{self, MethodOrigin};
use crate::phone::PhoneNumber;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::screening::LookedUp;
use crate::taxes;
use crate::users::{self, Identity, NewMethod, Person};
use crate::verification::{self, Checked, CodeContext, NewCode, Recipient};
use crate::world::record::{Document, key};
use crate::world::{Halt, World};

#[derive(Clone, Debug)]
pub enum Contact {
    /// By text message.
    Phone(PhoneNumber),
    Email(Email),
}

impl Contact {
    fn channel(&self) -> Channel {
        match self {
            Self::Phone(_) => Channel::Sms,
            Self::Email(_) => Channel::Email,
        }
    }
}

/// POST /v2/claims/{token}/contact
#[derive(Clone, Debug)]
pub struct GiveContact {
    pub token: ClaimToken,
    pub contact: Contact,
    pub code: NewCode,
}

impl Command for GiveContact {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let link = payout_links::by_token(world, &self.token)?;
        rules::may_open(&link, world.now())?;
        if let Contact::Phone(phone) = &self.contact {
            phones::may_write_to(world, link.scope(), &phone.e164(), "/phone_number")?;
        }
        let (channel, recipient) = (self.contact.channel(), recipient(world, &link, &self.contact)?);
        let contact = world.get::<ClaimContact>(key![link.org, link.id])?;
        let sends = send_code(world, &link, contact.as_deref(), (channel, &recipient), &self.code)?;

        // From here it must succeed.
        let fresh = ClaimContact {
            org: link.org,
            link: link.id,
            channel,
            recipient,
            created_at: world.now(),
            sent_at_micros: Document(sends),
        };
        match contact {
            Some(contact) => world.change(&contact, |contact| *contact = fresh),
            None => world.add(fresh),
        };
        Ok(())
    }
}

/// Codes sent for one link within an hour, to any contact. The holder of a link that names no payee may give any phone,
/// and each text costs money and disturbs a person.
pub(super) const SENDS_OF_LINK_PER_HOUR_MAX: usize = 10;
pub(super) const SENDS_MESSAGE: &str = "We send at most ten codes an hour for one payout.";

/// Sends a code for the link. Returns the link's sends of the last hour, this one included.
fn send_code(
    world: &mut World,
    link: &PayoutLink,
    contact: Option<&ClaimContact>,
    (channel, recipient): (Channel, &str),
    code: &NewCode,
) -> Result<Vec<i64>, Halt> {
    let sent = contact.map_or(&[][..], |contact| &contact.sent_at_micros.0);
    let sends = verification::with_one_more(sent, world.now(), SENDS_OF_LINK_PER_HOUR_MAX, SENDS_MESSAGE)?;
    let to = Recipient { channel, recipient, code_context: code_context(link) };
    verification::start(world, link.scope(), &to, code)?;
    Ok(sends)
}

/// Returns the context of a link's codes: a code is valid for its own link only.
pub(super) fn code_context(link: &PayoutLink) -> CodeContext {
    CodeContext { purpose: CodePurpose::Claim, about: link.id.0, names_recipient: names_payee(link) }
}

/// Whether a link names its payee. If it does not, any holder may claim it.
pub(super) fn names_payee(link: &PayoutLink) -> bool {
    link.for_user.is_some() || link.payee_phone.is_some() || link.payee_email.is_some()
}

/// Returns the recipient of the code. A link that names a payee sends it only to the phone or address that it names; a
/// link for a user only to the user's current contacts; a link that names no payee to any contact of its holder.
///
/// Addresses are in lower case: all spellings are one mailbox and one person, and share the hourly limit of codes.
fn recipient(world: &mut World, link: &PayoutLink, contact: &Contact) -> Result<String, Halt> {
    let (recipient, named) = match contact {
        Contact::Phone(phone) => (phone.e164(), &link.payee_phone),
        Contact::Email(email) => (email.as_str().to_lowercase(), &link.payee_email),
    };
    let claimed_by = match link.claimed_user {
        Some(user) => users::find_if_known(world, link.scope(), user)?,
        None => None,
    };
    let made_for = payout_links::made_for(world, link)?;
    if claimed_by.iter().chain(&made_for).any(|user| user.deleted_at.is_some()) {
        let message = "The account of the payee was deleted. Ask the sender.";
        return Err(Refusal::new(Code::UserInactive, message).because(Reason::ObjectDeleted).into());
    }
    let is_payees = match made_for {
        Some(user) => {
            let reached = users::reached(world, link.scope(), &user)?;
            match contact {
                Contact::Phone(_) => reached.phone_e164.as_ref() == Some(&recipient),
                Contact::Email(email) => reached.email.is_some() && users::may_prove_address(world, &user, email)?,
            }
        }
        None => named.as_ref() == Some(&recipient) || !names_payee(link),
    };
    if is_payees {
        return Ok(recipient);
    }
    let message = "This payout is for another phone number or e-mail address. Use the contact that received the link, \
                   or the payee's phone number.";
    Err(Refusal::new(Code::NotPermitted, message)
        .because(Reason::OtherContact)
        .saying(Text::RefusedOtherContact)
        .into())
}

/// Sends another code to the contact of the last one.
#[derive(Clone, Debug)]
pub struct SendCodeAgain {
    pub token: ClaimToken,
    pub code: NewCode,
}

impl Command for SendCodeAgain {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let link = payout_links::by_token(world, &self.token)?;
        rules::may_open(&link, world.now())?;
        let contact = must_have_contact(world, &link)?;
        let to = (contact.channel, contact.recipient.as_str());
        let sends = send_code(world, &link, Some(&contact), to, &self.code)?;
        world.change(&contact, |contact| contact.sent_at_micros = Document(sends));
        Ok(())
    }
}

pub(super) fn must_have_contact(world: &mut World, link: &PayoutLink) -> Result<Arc<ClaimContact>, Halt> {
    let contact = world.get::<ClaimContact>(key![link.org, link.id])?;
    contact.ok_or_else(|| {
        Refusal::new(Code::InvalidState, "No code was sent yet. Complete the step contact first.")
            .because(Reason::StepMissing)
            .into()
    })
}

/// POST /v2/claims/{token}/code
#[derive(Clone, Debug)]
pub struct ProveContact {
    pub token: ClaimToken,
    pub offered_hash: Vec<u8>,
    pub new_session: NewSession,
    /// The sanctions list's matches for the payee's name on the link.
    pub names: LookedUp,
    /// Of the page; `None` without a page.
    pub language: Option<Language>,
}

impl Command for ProveContact {
    /// A wrong code is no refusal here, because a refusal would roll back the count of tries.
    type Reply = Checked;

    fn decide(&self, world: &mut World) -> Result<Checked, Halt> {
        let link = payout_links::by_token(world, &self.token)?;
        rules::may_open(&link, world.now())?;
        let contact = must_have_contact(world, &link)?;
        let checked =
            verification::check(world, link.scope(), &contact.recipient, code_context(&link), &self.offered_hash)?;
        if checked == Checked::Right {
            self.open(world, &link, &contact)?;
        }
        Ok(checked)
    }
}

impl ProveContact {
    fn open(&self, world: &mut World, link: &Arc<PayoutLink>, contact: &ClaimContact) -> Result<(), Halt> {
        let identity = identity(contact)?;
        let known = match &identity {
            Identity::Phone(phone) => users::by_phone(world, link.org, &phone.e164())?,
            Identity::Email(email) => users::by_proven_email(world, link.org, email)?,
        };
        let user = match payout_links::made_for(world, link)? {
            Some(user) => {
                // The user's contact may have changed since the code was sent.
                let contact = match &identity {
                    Identity::Phone(phone) => Contact::Phone(phone.clone()),
                    Identity::Email(email) => Contact::Email(email.clone()),
                };
                recipient(world, link, &contact)?;
                users::prove(world, link.scope(), &user, identity, &self.names)?
            }
            None => {
                let person = Person { identity, first_name: None, last_name: None, email: None, verified: true };
                let user = users::connect_or_create(world, link.scope(), &person, &self.names)?;
                refuse_named(world, link, &user)?;
                user
            }
        };
        if link.claimed_user.is_some_and(|claimed| claimed != user.id) {
            return Err(Refusal::new(Code::AlreadyClaimed, "Another person has already claimed this payout.")
                .because(Reason::ClaimedByAnother)
                .into());
        }

        // From here it must succeed.
        let user = screen_named(world, link, &user, &self.names)?;
        let coming = to_be_counted(link);
        let form_is_due = !link.tax_exempt && users::tax_form_is_due(world, link.scope(), &user, coming)?;
        if form_is_due {
            taxes::await_tax_form(world, link.scope(), user.id, coming)?;
        }
        end_all(world, link)?;
        let is_guest = known.is_some() && !names_payee(link);
        if self.language.is_some() && !is_guest && user.language != self.language {
            world.change(&user, |user| user.language = self.language);
        }
        let (id, now) = (world.id(), world.now());
        world.add(ClaimSession {
            org: link.org,
            id,
            app: link.app,
            link: link.id,
            secret_hash: self.new_session.hash.clone(),
            user_id: user.id,
            asks_profile: !user.has_name(),
            asks_compliance: form_is_due || link.collect_compliance && !user.has_tax_form(),
            payout_method: None,
            created_at: now,
            expires_at: now.plus_seconds(SESSION_SECONDS),
            changes_until: now.plus_seconds(IDLE_SECONDS),
            paid_at: None,
            ended_at: None,
            is_guest,
            change_from: None,
            change_to: None,
        });
        Ok(())
    }
}

/// Refuses a link that names a phone and an address if either belongs to another user who must not be paid or is under
/// review: it is for one person.
fn refuse_named(world: &mut World, link: &PayoutLink, user: &users::User) -> Result<(), Halt> {
    let by_phone = match &link.payee_phone {
        Some(phone) => users::by_phone(world, link.org, phone)?,
        None => None,
    };
    let by_email = match link.payee.0.email.as_deref().map(Email::parse) {
        Some(Ok(email)) => users::by_proven_email(world, link.org, &email)?,
        Some(Err(_)) | None => None,
    };
    for named in [by_phone, by_email].into_iter().flatten().filter(|named| named.id != user.id) {
        users::must_be_active(&named)?;
        users::must_not_be_reviewed(&named)?;
    }
    Ok(())
}

/// Screens the sender's name for the payee too, because the claimant may give another name.
fn screen_named(
    world: &mut World,
    link: &PayoutLink,
    user: &Arc<users::User>,
    names: &LookedUp,
) -> Result<Arc<users::User>, Halt> {
    match link.payee.0.full_name() {
        Some(name) => users::screen_another_name(world, user, &name, names),
        None => Ok(user.clone()),
    }
}

/// Returns the amount that a claim of this link adds to the payee's tax year: zero after the claim, which counted it.
pub(super) fn to_be_counted(link: &PayoutLink) -> Cents {
    if link.claimed_user.is_some() { Cents::ZERO } else { link.amount }
}

fn identity(contact: &ClaimContact) -> Result<Identity, Refusal> {
    let damaged = || Refusal::new(Code::InternalError, "The contact of this claim cannot be read.");
    match contact.channel {
        Channel::Sms | Channel::Voice => {
            PhoneNumber::parse_e164(&contact.recipient).map(Identity::Phone).map_err(|_| damaged())
        }
        Channel::Email => Email::parse(&contact.recipient).map(Identity::Email).map_err(|_| damaged()),
    }
}

/// POST /v2/claims/{token}/profile
#[derive(Clone, Debug)]
pub struct FillProfile {
    pub token: ClaimToken,
    pub session_hash: Option<Vec<u8>>,
    pub first_name: String,
    pub last_name: String,
    pub email: Option<Email>,
    /// The sanctions list's matches for the name.
    pub names: LookedUp,
}

impl Command for FillProfile {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let active = session::find(world, &self.token, self.session_hash.as_deref())?;
        active.may_change()?;
        if active.session.is_guest && active.user.has_name() {
            return Err(not_here("/first_name").into());
        }
        if active.session.is_guest && self.email.is_some() {
            return Err(not_here("/email").into());
        }
        let email = self.email.as_ref();
        let (first, last) = (&self.first_name, &self.last_name);
        users::fill_profile(world, &active.user, (first, last), email, &self.names)?;
        active.touch(world, |_| ());
        Ok(())
    }
}

/// Returns the refusal of a change to a payee in a session that may only send this link's money.
pub(super) fn not_here(field: &str) -> Refusal {
    let message = "cannot be changed in this session, which can only withdraw this payout. Use a link that was sent \
                   to your own phone number or e-mail address";
    Refusal::field(Code::NotPermitted, field, message).because(Reason::SessionLimited)
}

#[derive(Clone, Debug)]
pub enum MethodChosen {
    Saved {
        id: PayoutMethodId,
        /// The method for this app, if it was saved in a claim of another app.
        copy: Option<Box<NewMethod>>,
    },
    New(Box<NewMethod>),
}

/// POST /v2/claims/{token}/method
#[derive(Clone, Debug)]
pub struct ChooseMethod {
    pub token: ClaimToken,
    pub session_hash: Option<Vec<u8>>,
    pub chosen: MethodChosen,
    pub is_default: bool,
    /// Whether later payouts go to it without a claim.
    pub auto_payout_enabled: Option<bool>,
}

impl Command for ChooseMethod {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let active = session::find(world, &self.token, self.session_hash.as_deref())?;
        let (scope, user) = (active.link.scope(), &active.user);
        active.may_choose_method()?;
        let may_prefer = active.may_change_payee();
        if !may_prefer && (self.is_default || self.auto_payout_enabled == Some(true)) {
            return Err(not_here(if self.is_default { "/is_default" } else { "/auto_payout_enabled" }).into());
        }
        let method = match &self.chosen {
            MethodChosen::Saved { id, .. } if active.session.is_guest && active.session.payout_method != Some(*id) => {
                return Err(not_here("/payout_method_id").into());
            }
            MethodChosen::Saved { id, copy } => {
                let copy = copy.as_deref().map(|copy| if may_prefer { copy.clone() } else { only_added(copy) });
                let is_own = active.session.payout_method == Some(*id);
                users::choose_payout_method(world, scope, user, (*id, copy.as_ref()), is_own)?
            }
            MethodChosen::New(new) => {
                users::must_be_usable(world, scope.org, user.id, &new.details)?;
                payout_methods::must_have_room(world, scope, user.id, &new.details)?;
                let new = if may_prefer { NewMethod::clone(new) } else { only_added(new) };
                let origin = if active.session.is_guest { MethodOrigin::Guest } else { MethodOrigin::Payee };
                users::set_up_payout_method(world, scope, user, (&new, origin))?
            }
        };
        if !method.in_use {
            let message = "This payout method is no longer available. Choose another one.";
            return Err(Refusal::field(Code::UserInfoMissing, "/payout_method_id", message)
                .because(Reason::AccountDisabled)
                .into());
        }
        // Read the user again: the setup may have changed it, and equal values must not emit a second event.
        let user = users::find_in_organization(world, scope.org, user.id)?;
        if may_prefer {
            let preference = (self.is_default, self.auto_payout_enabled);
            users::prefer_payout_method(world, scope, &user, &method, preference)?;
        }
        active.touch(world, |session| session.payout_method = Some(method.id));
        Ok(())
    }
}

/// Returns the method alone: neither the default nor automatic payouts change.
fn only_added(new: &NewMethod) -> NewMethod {
    NewMethod { is_default: Some(false), auto_payout_enabled: None, ..new.clone() }
}
