//! Compares a submitted code, and counts a wrong one.

use subtle::ConstantTimeEq as _;

use super::code::CodeContext;
use super::json::VerificationJson;
use super::limits::{TRIES_MAX, is_alive, refused};
use super::rows::{count, emit, recipient_row, row};
use super::rules::LockState;
use crate::events::EventName;
use crate::ids::{OrgId, VerificationId};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::security_log::{Noted, SecurityEvent};
use crate::world::{Halt, World};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    Right,
    /// No code was sent, or the newest one was used already.
    NoCode,
    Expired,
    /// The code had too many attempts; a new one must be sent.
    Dead,
    Wrong {
        tries_left: i64,
        recipient: VerificationId,
        /// Whether this attempt locked the recipient.
        locks: bool,
    },
    /// Not compared, because of too many wrong codes. Holds the seconds until the next attempt.
    Waiting(i64),
    Locked,
}

impl Checked {
    pub fn refusal(self) -> Option<Refusal> {
        let (reason, message) = match self {
            Self::Right => return None,
            Self::Waiting(seconds) => return refused(LockState::Waiting(seconds)),
            Self::Locked => return refused(LockState::Locked),
            Self::NoCode => {
                let message = "No code is pending: none was sent, or it was used. Request a new code.";
                (Reason::CodeMissing, message.to_owned())
            }
            Self::Expired => (Reason::CodeExpired, "The code has expired. Request a new code.".to_owned()),
            Self::Dead | Self::Wrong { tries_left: 0, .. } => {
                let message = "The code no longer works after too many wrong attempts. Request a new code.";
                (Reason::CodeSpent, message.to_owned())
            }
            Self::Wrong { tries_left: 1, .. } => {
                (Reason::CodeWrong, "The code is wrong. You have 1 attempt left.".to_owned())
            }
            Self::Wrong { tries_left, .. } => {
                (Reason::CodeWrong, format!("The code is wrong. You have {tries_left} attempts left."))
            }
        };
        Some(Refusal::field(Code::WrongToken, "/token", message).because(reason))
    }

    pub fn noted(self, organization: OrgId) -> Vec<Noted> {
        let Self::Wrong { recipient, locks, .. } = self else { return Vec::new() };
        let noted = |event, reason| Noted { event, reason, organization, subject: recipient.to_string() };
        let wrong = noted(SecurityEvent::WrongCode, Code::WrongToken.as_str());
        let locked = locks.then(|| noted(SecurityEvent::VerificationLocked, "too-many-wrong-codes"));
        [wrong].into_iter().chain(locked).collect()
    }
}

/// Compares a submitted code with the newest one of this context, and counts the attempt.
pub fn check(
    world: &mut World,
    scope: Scope,
    recipient: &str,
    code_context: CodeContext,
    offered_hash: &[u8],
) -> Result<Checked, Halt> {
    let now = world.now();
    let Some(known) = row(world, scope.org, recipient, code_context)?.filter(|known| known.used_at.is_none()) else {
        return Ok(Checked::NoCode);
    };
    let counted = recipient_row(world, scope.org, recipient)?;
    let tally = counted.as_ref().map(|counted| counted.tally()).unwrap_or_default();
    match tally.lock_state(code_context.names_recipient, now) {
        LockState::Open => {}
        LockState::Waiting(seconds) => return Ok(Checked::Waiting(seconds)),
        LockState::Locked => return Ok(Checked::Locked),
    }
    if known.tries >= TRIES_MAX {
        return Ok(Checked::Dead);
    }
    if known.expires_at <= now {
        return Ok(Checked::Expired);
    }
    if bool::from(known.code_hash.ct_eq(offered_hash)) {
        world.change(&known, |known| known.used_at = Some(now));
        return Ok(Checked::Right);
    }
    let known = world.change(&known, |known| known.tries += 1);
    let tally = tally.after_wrong(code_context.names_recipient, now);
    // The code was compared, so the recipient was not locked before.
    let locks = tally.locked_at.is_some();
    let counted = count(world, scope, recipient, counted, |counted| {
        counted.keep(tally);
        if locks {
            counted.count_event(scope.app);
        }
    })?;
    if locks {
        let json = VerificationJson::of(&counted, code_context.purpose, now);
        emit(world, scope, EventName::VerificationLocked, &counted, &json)?;
    }
    Ok(Checked::Wrong { tries_left: TRIES_MAX - known.tries, recipient: counted.id, locks })
}

/// Compares two codes that are valid only together: a right one is used up only if both are right.
pub fn check_both(
    world: &mut World,
    scope: Scope,
    tried: [(&str, CodeContext, &[u8]); 2],
) -> Result<[Checked; 2], Halt> {
    let [(first, first_context, first_hash), (second, second_context, second_hash)] = tried;
    let checked = [
        check(world, scope, first, first_context, first_hash)?,
        check(world, scope, second, second_context, second_hash)?,
    ];
    if checked != [Checked::Right; 2] {
        for (checked, (recipient, code_context, _)) in checked.into_iter().zip(tried) {
            if let (Checked::Right, Some(known)) = (checked, row(world, scope.org, recipient, code_context)?) {
                world.change(&known, |known| known.used_at = None);
            }
        }
    }
    Ok(checked)
}

/// Returns whether the recipient has a valid code in this context.
pub fn is_awaited(world: &mut World, org: OrgId, recipient: &str, code_context: CodeContext) -> Result<bool, Halt> {
    Ok(tries_left(world, org, recipient, code_context)?.is_some())
}

/// Returns how many attempts the recipient's valid code in this context has left; `None` without a valid code.
pub fn tries_left(
    world: &mut World,
    org: OrgId,
    recipient: &str,
    code_context: CodeContext,
) -> Result<Option<i64>, Halt> {
    let now = world.now();
    let known = row(world, org, recipient, code_context)?.filter(|known| is_alive(known, now));
    Ok(known.map(|known| TRIES_MAX - known.tries))
}
