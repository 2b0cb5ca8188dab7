//! A person asks to be paid.

use std::sync::Arc;

use super::model::{PayoutRequest, RequestPayee, RequestStatus};
use super::{Shown, emit, quota};
use crate::apps;
use crate::engine::Command;
use crate::ids::{OrgId, UserId};
use crate::money::Cents;
use crate::phone::PhoneNumber;
use crate::scope::Scope;
use crate::users::{self, Reached, User};
use crate::world::record::Document;
use crate::world::{Halt, World};

/// Who asks (docs/specification.md 10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asker {
    /// Whoever has this phone.
    Phone(PhoneNumber),
    /// A user of the app.
    User(UserId),
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct NewRequest {
    /// Cents.
    pub amount: Cents,
    /// Who asks.
    pub asker: Asker,
    /// Memo.
    pub memo: Option<String>,
    /// Metadata.
    pub metadata: Option<String>,
}

impl NewRequest {
    /// Whether it is asked for by a user who is named, and not by a phone.
    pub fn names_user(&self) -> bool {
        matches!(self.asker, Asker::User(_))
    }
}

/// POST /v2/payout-requests
///
/// Whether the user may be paid at all is asked when the request is approved: who has but a client id must not
/// learn from here how a user stands, nor whether an id is a user's. Such a request is taken either way; one that names
/// nobody can never be approved.
#[derive(Clone, Debug)]
pub struct Submit {
    /// The app.
    pub scope: Scope,
    /// What is asked for.
    pub new: NewRequest,
    /// Whether the caller has but a client id.
    pub by_client: bool,
}

impl Command for Submit {
    type Reply = Shown;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<Shown, Halt> {
        let user = self.user(world)?;
        if self.by_client {
            quota::take(world, self.scope, &self.new)?;
        }

        // From here it must succeed.
        let (id, now) = (world.id(), world.now());
        let reached = match &user {
            Some(user) => users::reached(world, self.scope, user)?,
            None => Reached::default(),
        };
        let (payee, for_user) = match &self.new.asker {
            Asker::Phone(phone) => (payee(phone), None),
            Asker::User(id) => (payee_of(&reached), Some(*id)),
        };
        let phone = payee.country_code.as_ref().zip(payee.phone_number.as_ref());
        let request = world.add(PayoutRequest {
            org: self.scope.org,
            id,
            app: self.scope.app,
            amount: self.new.amount,
            status: RequestStatus::Created,
            payee_phone: phone.map(|(country, number)| format!("+{country}{number}")),
            payee: Document(payee),
            payee_email: reached.email.map(|email| email.to_lowercase()),
            for_user,
            user_id: user.as_ref().map(|user| user.id),
            payout_link: None,
            memo: self.new.memo.clone(),
            metadata: self.new.metadata.clone(),
            by_client: self.by_client,
            comment: None,
            version: 1,
            created_at: now,
            updated_at: now,
        });
        emit(world, request)
    }
}

impl Submit {
    /// The user of this app who asks, if it is one.
    fn user(&self, world: &mut World) -> Result<Option<Arc<User>>, Halt> {
        match &self.new.asker {
            Asker::User(id) if self.by_client => users::find_if_known(world, self.scope, *id),
            Asker::User(id) => users::find(world, self.scope, *id).map(Some),
            Asker::Phone(phone) => {
                apps::phones::may_write_to(world, self.scope, &phone.e164(), "/payee/phone_number")?;
                let Some(user) = users::by_phone(world, self.scope.org, &phone.e164())? else { return Ok(None) };
                let connected = users::is_connected(world, self.scope, user.id)?;
                Ok(connected.then_some(user))
            }
        }
    }
}

fn payee(phone: &PhoneNumber) -> RequestPayee {
    RequestPayee {
        country_code: Some(phone.country_code().to_owned()),
        phone_number: Some(phone.national().to_owned()),
    }
}

fn payee_of(reached: &Reached) -> RequestPayee {
    RequestPayee { country_code: reached.phone_country_code.clone(), phone_number: reached.phone_national.clone() }
}
