//! The payees whose data are being erased.

use std::sync::Arc;

use crate::clock::Time;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{JobId, OrgId, UserId};
use crate::jobs::{self, Work};
use crate::messages::Message;
use crate::users::User;
use crate::world::record::{key, record, words};
use crate::world::{Halt, Want, World};

words! {
    /// The steps of an erasure, in this order.
    pub enum Step {
        /// Links of the user.
        Links = "links",
        /// Links to the phone number.
        LinksByPhone = "links_by_phone",
        /// Links to the e-mail address.
        LinksByEmail = "links_by_email",
        /// Contacts of claims.
        Contacts = "contacts",
        /// Payout requests of the user.
        Requests = "requests",
        /// Payout requests from the phone number.
        RequestsByPhone = "requests_by_phone",
        /// Transfers of the user.
        Transfers = "transfers",
        /// Events about the user.
        Events = "events",
        /// Messages to the phone number.
        MessagesByPhone = "messages_by_phone",
        /// Messages to the e-mail address.
        MessagesByEmail = "messages_by_email",
        /// The sandbox's inbox of the phone number.
        InboxByPhone = "inbox_by_phone",
        /// The sandbox's inbox of the e-mail address.
        InboxByEmail = "inbox_by_email",
        /// Stored responses of idempotency keys.
        Answers = "answers",
        /// Rows of batches.
        Batches = "batches",
    }
}

record! {
    /// A payee whose data are being erased.
    pub struct Erasure in "erasures" {
        key (org, user_id)
        few OF_ORG (org);
        pub org: OrgId,
        pub user_id: UserId,
        /// In E.164.
        pub phone: Option<String>,
        /// Within its country.
        pub national: Option<String>,
        pub email: Option<String>,
        pub name: Option<String>,
        pub step: Step,
        /// The last finished row of the step; `None` at its start.
        pub after: Option<String>,
        pub began_at: Time,
    }
}

impl Erasure {
    /// Returns texts that identify the payee.
    fn needles(&self) -> Vec<String> {
        let contacts = [&self.national, &self.email].into_iter().flatten().cloned();
        contacts.chain([self.user_id.to_string()]).filter(|needle| needle.len() > 3).collect()
    }

    /// Whether a row is old enough to be the payee's: the phone number may belong to another person since.
    pub(super) fn covers(&self, created_at: Time) -> bool {
        created_at < self.began_at
    }

    /// Whether a text contains the payee.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.needles().iter().any(|needle| text.contains(needle.as_str()))
    }
}

/// Adds the erasure and its job.
pub(super) fn begin(world: &mut World, org: OrgId, id: UserId) -> Result<(), Halt> {
    let Some(user) = world.get::<User>(key![org, id])? else { return Ok(()) };
    let began_at = world.now();
    world.add(Erasure {
        org,
        user_id: id,
        phone: user.phone_e164.clone(),
        national: user.phone_national.clone(),
        email: user.email.clone(),
        name: Some(user.full_name()).filter(|name| !name.is_empty()),
        step: Step::Links,
        after: None,
        began_at,
    });
    jobs::enqueue_as(world, org, JobId(id.0), Work::EraseUser { user: id.0 });
    acts::record(world, org, NewAct::of(ActKind::UserErased, None, id))
}

/// Wants the erasures of an organization that are in progress.
pub fn want(org: OrgId) -> Want {
    Want::by::<Erasure>(Erasure::OF_ORG, key![org])
}

/// Whether a message is for a payee who is being erased.
pub fn is_erasing(world: &World, message: &Message) -> Result<bool, Halt> {
    let is_of = |erasure: &Arc<Erasure>| {
        let contacts = [&erasure.phone, &erasure.email];
        erasure.covers(message.created_at) && contacts.into_iter().flatten().any(|of| *of == message.recipient)
    };
    Ok(world.all::<Erasure>(Erasure::OF_ORG, key![message.org])?.iter().any(is_of))
}
