//! How often a code may be sent and tried.

use super::model::{Verification, VerificationDay};
use super::rules::LockState;
use crate::clock::{DAY_SECONDS, Time};
use crate::messages::CodePurpose;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

pub const CODE_SECONDS: i64 = 600;
/// Wrong attempts after which a code is invalid.
pub const TRIES_MAX: i64 = 5;
/// Codes sent to one recipient for one context within an hour.
pub const SENDS_PER_HOUR_MAX: usize = 5;
/// Codes sent to one recipient within an hour by all links that name no payee.
pub const UNNAMED_SENDS_PER_HOUR_MAX: usize = 3;
/// Codes sent to one recipient within a day by all links that name no payee.
pub const UNNAMED_SENDS_PER_DAY_MAX: usize = 6;
/// Codes sent for one app within a day (UTC) to verify users.
pub const SENDS_PER_DAY_MAX: i64 = 200;
/// Codes sent for one app within a day (UTC) to payees of links.
pub const CLAIM_SENDS_PER_DAY_MAX: i64 = 5_000;
pub(super) const HOUR_SECONDS: i64 = 3_600;

/// Returns the sends of the last hour with one added now, in microseconds since 1970, oldest first. Rejects with
/// `rate-limited` and this message from `max` on; the refusal says when the oldest send is an hour old.
pub fn with_one_more(sent_at_micros: &[i64], now: Time, max: usize, message: &str) -> Result<Vec<i64>, Refusal> {
    within(sent_at_micros, now, HOUR_SECONDS, max, message)
}

pub(super) fn within(
    sent_at_micros: &[i64],
    now: Time,
    seconds: i64,
    max: usize,
    message: &str,
) -> Result<Vec<i64>, Refusal> {
    let begin = now.plus_seconds(-seconds).micros();
    let mut sends: Vec<i64> = sent_at_micros.iter().copied().filter(|sent| *sent > begin).collect();
    if let Some(oldest) = sends.first().filter(|_| sends.len() >= max) {
        return Err(too_many(message, seconds - now.seconds_since(Time::from_micros(*oldest))));
    }
    sends.push(now.micros());
    Ok(sends)
}

/// Counts one send of the app today, and returns the day's count of this kind.
pub(super) fn count_send(world: &mut World, scope: Scope, purpose: CodePurpose) -> Result<i64, Halt> {
    let now = world.now();
    let today = now.date().to_string();
    let counted = world.get::<VerificationDay>(key![scope.org, scope.app])?;
    let mut day = match counted.as_ref().filter(|counted| counted.day_on == today) {
        Some(counted) => VerificationDay::clone(counted),
        None => VerificationDay { org: scope.org, app: scope.app, day_on: today, sends: 0, claim_sends: 0 },
    };
    let (sends, max) = match purpose {
        CodePurpose::Verification => (&mut day.sends, SENDS_PER_DAY_MAX),
        // These codes are requested by payees with money to claim: an app that pays many people needs many.
        CodePurpose::Claim | CodePurpose::Unfreeze | CodePurpose::ContactChange => {
            (&mut day.claim_sends, CLAIM_SENDS_PER_DAY_MAX)
        }
    };
    *sends += 1;
    let sends = *sends;
    if sends > max {
        let wait = DAY_SECONDS - now.seconds().rem_euclid(DAY_SECONDS);
        return Err(too_many("The app has reached its limit of codes for today. Try again tomorrow.", wait).into());
    }
    match counted {
        Some(counted) => world.change(&counted, |counted| *counted = day),
        None => world.add(day),
    };
    Ok(sends)
}

fn too_many(message: &str, wait_seconds: i64) -> Refusal {
    Refusal::new(Code::RateLimited, message).retry_after(u32::try_from(wait_seconds.max(1)).unwrap_or(u32::MAX))
}

pub(super) fn refused(lock_state: LockState) -> Option<Refusal> {
    match lock_state {
        LockState::Open => None,
        LockState::Waiting(seconds) => Some(too_many(
            "Too many wrong codes were entered for this phone number or e-mail address. Try again later.",
            seconds,
        )),
        LockState::Locked => {
            let message = "Too many wrong codes were entered for this phone number or e-mail address. Ask the sender \
                           to unlock it.";
            Some(Refusal::new(Code::VerificationLocked, message))
        }
    }
}

pub(super) fn is_alive(known: &Verification, now: Time) -> bool {
    known.used_at.is_none() && known.expires_at > now && known.tries < TRIES_MAX
}
