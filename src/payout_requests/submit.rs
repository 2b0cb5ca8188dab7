//! A person asks an app for a payout.

use std::sync::Arc;

use super::model::{Asker, NewRequest, PayoutRequest, RequestPayee, RequestStatus};
use super::rows::emit;
use super::{Shown, quota};
use crate::apps;
use crate::engine::Command;
use crate::phone::PhoneNumber;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::users::{self, Reached, User};
use crate::world::record::Document;
use crate::world::{Halt, World};

/// POST /v2/payout-requests
///
/// Whether the user can be paid is checked at approval, because a client id alone must not reveal the status of users
/// or the existence of user ids. Such requests are always accepted; one with an unknown user can never be approved.
#[derive(Clone, Debug)]
pub struct Submit {
    pub scope: Scope,
    pub new: NewRequest,
    /// The caller has only a client id.
    pub by_client: bool,
}

impl Command for Submit {
    type Reply = Shown;

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
    /// Returns the requesting user, if it is a user of this app.
    fn user(&self, world: &mut World) -> Result<Option<Arc<User>>, Halt> {
        match &self.new.asker {
            Asker::User(id) if self.by_client => users::find_if_known(world, self.scope, *id),
            Asker::User(id) => {
                let user = users::find(world, self.scope, *id)?;
                if user.deleted_at.is_some() {
                    let message = "The user was deleted. Send payee {country_code, phone_number} in place of user_id.";
                    return Err(Refusal::new(Code::UserInactive, message).because(Reason::ObjectDeleted).into());
                }
                Ok(Some(user))
            }
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
