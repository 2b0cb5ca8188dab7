//! The code to the contact that the link names: the payee presses a button and types no number.

use super::verbs::{Contact, GiveContact};
use crate::email::Email;
use crate::engine::Command;
use crate::language::Text;
use crate::messages::Channel;
use crate::payout_links::{self, ClaimToken, PayoutLink, rules};
use crate::phone::PhoneNumber;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::users;
use crate::verification::NewCode;
use crate::world::{Halt, World};

/// The contacts that a link names; for a link of a user, the user's current contacts.
pub(super) struct NamedContacts {
    pub phone: Option<PhoneNumber>,
    pub email: Option<Email>,
}

pub(super) fn named_contacts(world: &mut World, link: &PayoutLink) -> Result<NamedContacts, Halt> {
    let user = payout_links::made_for(world, link)?;
    let (phone, email) = match &user {
        Some(user) => {
            let reached = users::reached(world, link.scope(), user)?;
            (reached.phone_e164, reached.email)
        }
        None => (link.payee_phone.clone(), link.payee_email.clone()),
    };
    let phone = phone.and_then(|phone| PhoneNumber::parse_e164(&phone).ok());
    let mut email = email.and_then(|email| Email::parse(&email).ok());
    if let (Some(user), Some(address)) = (&user, &email)
        && !users::may_prove_address(world, user, address)?
    {
        email = None;
    }
    Ok(NamedContacts { phone, email })
}

/// Sends a code to the phone or the address that the link names. The limits on codes are those of [`GiveContact`].
#[derive(Clone, Debug)]
pub struct SendNamedCode {
    pub token: ClaimToken,
    pub channel: Channel,
    pub code: NewCode,
}

impl Command for SendNamedCode {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let link = payout_links::by_token(world, &self.token)?;
        rules::may_open(&link, world.now())?;
        let named = named_contacts(world, &link)?;
        let contact = match self.channel {
            Channel::Sms | Channel::Voice => named.phone.map(Contact::Phone),
            Channel::Email => named.email.map(Contact::Email),
        };
        let Some(contact) = contact else {
            return Err(Refusal::to_payee(Code::NotPermitted, Text::RefusedNoContact)
                .because(Reason::OtherContact)
                .into());
        };
        GiveContact { token: self.token.clone(), contact, code: self.code.clone() }.decide(world)
    }
}
