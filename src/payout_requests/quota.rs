//! Limits what a client id alone may store. It is public, and its requests remain until the app decides.

use super::model::{Asker, NewRequest, PayoutRequest, PublicRequests, RequestStatus};
use crate::reason::Reason;
use crate::refusal::{Code, FieldError, Refusal};
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

/// Characters of a memo from a client id alone.
pub const MEMO_MAX: usize = 200;
/// Per app, from client ids alone.
const UNDECIDED_MAX: i64 = 1_000;
/// Per phone number, from client ids alone.
const UNDECIDED_PER_PHONE_MAX: usize = 10;

/// Rejects fields that a client id alone may not store, and names all of them.
pub fn check(new: &NewRequest) -> Result<(), Refusal> {
    let mut problems = Vec::new();
    let mut refuse = |field: &str, message: String| {
        problems.push(FieldError { field: field.to_owned(), code: Code::InvalidInput.as_str(), reason: None, message });
    };
    if new.metadata.is_some() {
        refuse("/metadata", "requires the secret key; call from your server".to_owned());
    }
    if new.memo.as_ref().is_some_and(|memo| memo.chars().count() > MEMO_MAX) {
        refuse("/memo", format!("must have at most {MEMO_MAX} characters without the secret key"));
    }
    if problems.is_empty() { Ok(()) } else { Err(Refusal::fields(problems)) }
}

/// Counts a new undecided request, within the limits.
pub(super) fn take(world: &mut World, scope: Scope, new: &NewRequest) -> Result<(), Halt> {
    if let Asker::Phone(phone) = &new.asker {
        let same = world.all::<PayoutRequest>(PayoutRequest::BY_PHONE, key![scope.org, Some(phone.e164())])?;
        let undecided = |request: &PayoutRequest| {
            request.app == scope.app && request.by_client && request.status == RequestStatus::Created
        };
        if same.iter().filter(|request| undecided(request)).count() >= UNDECIDED_PER_PHONE_MAX {
            return Err(full(&format!("This phone number has {UNDECIDED_PER_PHONE_MAX}")));
        }
    }
    match world.get::<PublicRequests>(key![scope.org, scope.app])? {
        Some(count) if count.undecided >= UNDECIDED_MAX => Err(full(&format!("This app has {UNDECIDED_MAX}"))),
        Some(count) => {
            world.change(&count, |count| count.undecided += 1);
            Ok(())
        }
        None => {
            world.add(PublicRequests { org: scope.org, app: scope.app, undecided: 1 });
            Ok(())
        }
    }
}

fn full(whose: &str) -> Halt {
    let message = format!(
        "{whose} open payout requests, which is the limit. Try again after the app has approved or rejected some."
    );
    Refusal::new(Code::LimitExceeded, message).because(Reason::CountLimit).into()
}

pub(super) fn give_back(world: &mut World, request: &PayoutRequest) -> Result<(), Halt> {
    if !request.by_client {
        return Ok(());
    }
    if let Some(count) = world.get::<PublicRequests>(key![request.org, request.app])? {
        world.change(&count, |count| count.undecided = (count.undecided - 1).max(0));
    }
    Ok(())
}
