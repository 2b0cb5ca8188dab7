//! Six-digit codes that prove control of a phone number or an e-mail address: one policy for users, claims and notices,
//! in the API and on pages (docs/decisions.md 6, 14, 16, 17).
//!
//! A code is bound to its recipient and to its [`CodeContext`]. It is valid for ten minutes, once, and for five
//! attempts; only the newest code of a context is valid. Resending a code that is still valid does not reset its
//! attempts.
//!
//! Invariant: wrong codes are counted per recipient over all contexts and apps (`rules.rs`), so a guesser gets at most
//! a hundred attempts. Sends are counted per recipient and context.
//!
//! A refusal rolls its command back, but a wrong attempt must be committed. So [`check`] returns its outcome as a
//! value, and the handler turns it into a refusal. Commands never see a code: the handler draws it and passes its hash
//! and its seal.

mod model;
mod rules;
#[cfg(test)]
mod tests;
mod unlock;

pub use model::{Verification, VerificationDay, VerificationRecipient};
pub use rules::{LOCKED_AFTER, LockState, UNNAMED_WRONG_MAX};
pub use unlock::Unlock;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use subtle::ConstantTimeEq as _;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::apps::phones;
use crate::chain::hex;
use crate::clock::{DAY_SECONDS, Time};
use crate::events::{self, EventName, NewEvent};
use crate::http::Answer;
use crate::ids::{AppId, MessageId, OrgId, VerificationId};
use crate::messages::{self, Channel, CodePurpose, Message, Template};
use crate::program::Bursar;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::security_log::Noted;
use crate::security_log::SecurityEvent;
use crate::vault::{Purpose, SealContext, Tampered, Unsealed, Vault};
use crate::world::record::{Document, key};
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
const HOUR_SECONDS: i64 = 3_600;

/// A new code in the form that a command may see.
#[derive(Clone, Debug)]
pub struct NewCode {
    pub code_hash: Vec<u8>,
    pub code: Unsealed,
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
        Self { code_hash: hash_code(vault, org, code), code: Unsealed::new(vault, code, nonce) }
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

/// Stores `new` as the recipient's code and queues the message. Rejects with `invalid-state` for a phone number to
/// which the app may not send; with `rate-limited` beyond the limits, and while wrong codes make the recipient wait;
/// with `verification-locked`.
pub fn start(world: &mut World, scope: Scope, to: &Recipient<'_>, new: &NewCode) -> Result<MessageId, Halt> {
    if to.channel == Channel::Sms {
        phones::still_writes_to(world, scope, to.recipient)?;
    }
    let (now, code_context) = (world.now(), to.code_context);
    let counted = recipient_row(world, scope.org, to.recipient)?;
    let tally = counted.as_ref().map(|counted| counted.tally()).unwrap_or_default();
    if let Some(refusal) = refused(tally.lock_state(code_context.names_recipient, now)) {
        return Err(refusal.into());
    }
    let known = row(world, scope.org, to.recipient, code_context)?;
    let before = match &known {
        Some(known) => Some(known.clone()),
        None => row(world, scope.org, &forgotten(world, to.recipient), code_context)?,
    };
    let sent = before.as_ref().map_or(&[][..], |before| &before.sent_at_micros.0);
    let message = "We send at most five codes an hour to one phone number or e-mail address for one purpose. Try \
                   again later.";
    let sends = with_one_more(sent, now, SENDS_PER_HOUR_MAX, message)?;
    let unnamed = unnamed_sends(counted.as_deref(), code_context, now)?;
    let today = count_send(world, scope, code_context.purpose)?;

    // From here it must succeed.
    let fresh = Verification {
        org: scope.org,
        recipient: to.recipient.to_owned(),
        purpose: code_context.purpose,
        about: code_context.about,
        code_hash: new.code_hash.clone(),
        tries: known.as_ref().filter(|known| is_alive(known, now)).map_or(0, |known| known.tries),
        sent_at_micros: Document(sends),
        expires_at: now.plus_seconds(CODE_SECONDS),
        used_at: None,
        created_at: known.as_ref().map_or(now, |known| known.created_at),
    };
    let counted = count(world, scope, to.recipient, counted, |counted| {
        counted.unnamed_sent_at_micros = Document(unnamed);
        counted.count_event(scope.app);
    })?;
    let json = VerificationJson::of(&counted, code_context.purpose, now);
    let json = VerificationJson { sends_last_hour: fresh.sent_at_micros.0.len(), sends_today: today, ..json };
    let json = VerificationJson { channel: to.channel, ..json };
    emit(world, scope, EventName::VerificationSent, &counted, &json)?;
    match known {
        Some(known) => world.change(&known, |known| *known = fresh),
        None => world.add(fresh),
    };
    Ok(messages::queue_sealed(world, scope, to.channel, to.recipient, |id| Template::Code {
        sealed_code: new.code.seal(&seal_context(scope.org, id, to.recipient)),
        purpose: code_context.purpose,
    }))
}

/// Returns the sends to this recipient by links that name no payee, with this send added if it is one.
fn unnamed_sends(
    counted: Option<&VerificationRecipient>,
    code_context: CodeContext,
    now: Time,
) -> Result<Vec<i64>, Refusal> {
    let sent = counted.map_or(&[][..], |counted| &counted.unnamed_sent_at_micros.0);
    if code_context.names_recipient {
        return Ok(sent.to_vec());
    }
    let message = "Too many codes were sent to this phone number or e-mail address. Use the link that was sent to it, or try \
         again later.";
    within(sent, now, HOUR_SECONDS, UNNAMED_SENDS_PER_HOUR_MAX, message)?;
    within(sent, now, DAY_SECONDS, UNNAMED_SENDS_PER_DAY_MAX, message)
}

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
        let message = match self {
            Self::Right => return None,
            Self::Waiting(seconds) => return refused(LockState::Waiting(seconds)),
            Self::Locked => return refused(LockState::Locked),
            Self::NoCode => "No code is pending: none was sent, or it was used. Request a new code.".to_owned(),
            Self::Expired => "The code has expired. Request a new code.".to_owned(),
            Self::Dead | Self::Wrong { tries_left: 0, .. } => {
                "The code no longer works after too many wrong attempts. Request a new code.".to_owned()
            }
            Self::Wrong { tries_left: 1, .. } => "The code is wrong. You have 1 attempt left.".to_owned(),
            Self::Wrong { tries_left, .. } => format!("The code is wrong. You have {tries_left} attempts left."),
        };
        Some(Refusal::field(Code::WrongToken, "/token", message))
    }

    pub fn noted(self, organization: OrgId) -> Vec<Noted> {
        let Self::Wrong { recipient, locks, .. } = self else { return Vec::new() };
        let noted = |event, reason| Noted { event, reason, organization, subject: recipient.to_string() };
        let wrong = noted(SecurityEvent::WrongCode, Code::WrongToken.as_str());
        let locked = locks.then(|| noted(SecurityEvent::VerificationLocked, "too-many-wrong-codes"));
        [wrong].into_iter().chain(locked).collect()
    }

    pub fn answer(self, organization: OrgId) -> Answer {
        let answer = self.refusal().map_or_else(|| Answer::empty(200), |refusal| Answer::from(&refusal));
        answer.noting(self.noted(organization))
    }
}

fn refused(lock_state: LockState) -> Option<Refusal> {
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
    let now = world.now();
    Ok(row(world, org, recipient, code_context)?.is_some_and(|known| is_alive(&known, now)))
}

fn row(
    world: &mut World,
    org: OrgId,
    recipient: &str,
    code_context: CodeContext,
) -> Result<Option<Arc<Verification>>, Halt> {
    world.get::<Verification>(key![org, recipient.to_owned(), code_context.purpose, code_context.about])
}

/// Returns the counts of a recipient; those of an erased one are stored under a hash.
fn recipient_row(world: &mut World, org: OrgId, recipient: &str) -> Result<Option<Arc<VerificationRecipient>>, Halt> {
    match world.get::<VerificationRecipient>(key![org, recipient.to_owned()])? {
        Some(counted) => Ok(Some(counted)),
        None => world.get::<VerificationRecipient>(key![org, forgotten(world, recipient)]),
    }
}

/// Changes the counts of a recipient. Only changes that emit an event increment the version; a wrong code emits none.
fn count(
    world: &mut World,
    scope: Scope,
    recipient: &str,
    counted: Option<Arc<VerificationRecipient>>,
    edit: impl FnOnce(&mut VerificationRecipient),
) -> Result<Arc<VerificationRecipient>, Halt> {
    let mut fresh = match &counted {
        Some(counted) => VerificationRecipient::clone(counted),
        None => VerificationRecipient {
            org: scope.org,
            recipient: recipient.to_owned(),
            id: world.id(),
            app: scope.app,
            named_wrong: 0,
            named_wrong_at: None,
            unnamed_wrong: 0,
            unnamed_wrong_at: None,
            locked_at: None,
            unnamed_sent_at_micros: Document(Vec::new()),
            version: 0,
            versions: Document(BTreeMap::new()),
            created_at: world.now(),
        },
    };
    fresh.app = scope.app;
    edit(&mut fresh);
    match counted.filter(|counted| counted.recipient == recipient) {
        Some(counted) => Ok(world.change(&counted, |counted| *counted = fresh)),
        None => Ok(world.add(VerificationRecipient { recipient: recipient.to_owned(), ..fresh })),
    }
}

/// Removes the codes of an erased person. Sends and attempts stay counted under a hash; otherwise deleting a user would
/// reset the limits on sends and guesses.
pub fn forget(world: &mut World, org: OrgId, recipient: &str) -> Result<(), Halt> {
    let (now, forgotten) = (world.now(), forgotten(world, recipient));
    for known in world.all::<Verification>(Verification::OF_RECIPIENT, key![org, recipient.to_owned()])? {
        let key = key![org, forgotten.clone(), known.purpose, known.about];
        let before = world.get::<Verification>(key)?;
        world.remove(&known);
        let sends = Verification {
            recipient: forgotten.clone(),
            code_hash: Vec::new(),
            used_at: Some(now),
            ..Verification::clone(&known)
        };
        match before {
            Some(before) => world.change(&before, |before| *before = sends),
            None => world.add(sends),
        };
    }
    let Some(counted) = world.get::<VerificationRecipient>(key![org, recipient.to_owned()])? else { return Ok(()) };
    let before = world.get::<VerificationRecipient>(key![org, forgotten.clone()])?;
    world.remove(&counted);
    let count = VerificationRecipient { recipient: forgotten, ..VerificationRecipient::clone(&counted) };
    match before {
        Some(before) => world.change(&before, |before| *before = count),
        None => world.add(count),
    };
    Ok(())
}

/// Returns the hash that replaces an erased recipient. Keyed, because a phone number can be guessed.
fn forgotten(world: &World, recipient: &str) -> String {
    format!("erased:{}", hex(&world.chain().begin("recipient").part(recipient.as_bytes()).end()))
}

fn is_alive(known: &Verification, now: Time) -> bool {
    known.used_at.is_none() && known.expires_at > now && known.tries < TRIES_MAX
}

/// Returns the sends of the last hour with one added now, in microseconds since 1970, oldest first. Rejects with
/// `rate-limited` and this message from `max` on; the refusal says when the oldest send is an hour old.
pub fn with_one_more(sent_at_micros: &[i64], now: Time, max: usize, message: &str) -> Result<Vec<i64>, Refusal> {
    within(sent_at_micros, now, HOUR_SECONDS, max, message)
}

fn within(sent_at_micros: &[i64], now: Time, seconds: i64, max: usize, message: &str) -> Result<Vec<i64>, Refusal> {
    let begin = now.plus_seconds(-seconds).micros();
    let mut sends: Vec<i64> = sent_at_micros.iter().copied().filter(|sent| *sent > begin).collect();
    if let Some(oldest) = sends.first().filter(|_| sends.len() >= max) {
        return Err(too_many(message, seconds - now.seconds_since(Time::from_micros(*oldest))));
    }
    sends.push(now.micros());
    Ok(sends)
}

/// Counts one send of the app today, and returns the day's count of this kind.
fn count_send(world: &mut World, scope: Scope, purpose: CodePurpose) -> Result<i64, Halt> {
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

/// A phone number or an e-mail address to which codes are sent, as shown in the events `verification.*`. Contains
/// neither the code nor the unmasked recipient.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct VerificationJson {
    /// The id, common to all codes of one recipient.
    pub id: VerificationId,
    /// When the code was sent, or the recipient was locked or unlocked.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The channel by which codes are sent.
    pub channel: Channel,
    /// What the code proves.
    pub purpose: CodePurpose,
    /// The phone number or e-mail address, masked.
    #[schema(example = "***6789")]
    pub to: String,
    /// Codes sent to the recipient within the last hour for this purpose, including this one; five at most.
    #[schema(value_type = i64)]
    pub sends_last_hour: usize,
    /// Codes of this kind that the app sent today, including this one.
    pub sends_today: i64,
    /// Wrong codes that count; the count is dropped 30 days after the last wrong code.
    pub wrong_codes: i64,
    /// Whether codes are neither sent nor compared until an organization key or a signed-in administrator unlocks the
    /// recipient.
    pub locked: bool,
}

impl VerificationJson {
    /// Returns the counts of a phone number or an e-mail address; `None` if no code was ever sent to it.
    pub fn counted(world: &World, org: OrgId, recipient: &str) -> Result<Option<Self>, Halt> {
        let counted = world.get::<VerificationRecipient>(key![org, recipient.to_owned()])?;
        Ok(counted.map(|counted| Self::of(&counted, CodePurpose::Verification, world.now())))
    }

    fn of(counted: &VerificationRecipient, purpose: CodePurpose, now: Time) -> Self {
        Self {
            id: counted.id,
            created: now,
            channel: channel_to(&counted.recipient),
            purpose,
            to: masked(&counted.recipient),
            sends_last_hour: 0,
            sends_today: 0,
            wrong_codes: counted.tally().total(now),
            locked: counted.locked_at.is_some(),
        }
    }
}

fn channel_to(recipient: &str) -> Channel {
    if recipient.contains('@') { Channel::Email } else { Channel::Sms }
}

fn too_many(message: &str, wait_seconds: i64) -> Refusal {
    Refusal::new(Code::RateLimited, message).retry_after(u32::try_from(wait_seconds.max(1)).unwrap_or(u32::MAX))
}

fn emit(
    world: &mut World,
    scope: Scope,
    name: EventName,
    counted: &VerificationRecipient,
    json: &VerificationJson,
) -> Result<(), Halt> {
    events::emit(world, scope, NewEvent::of(name, counted.id.0, counted.version_in(scope.app), json))
}

/// Masks a phone number or an e-mail address for readers who may recognize it but must not learn it.
pub fn masked(recipient: &str) -> String {
    match crate::email::Email::parse(recipient) {
        Ok(address) => address.masked(),
        Err(_) => crate::text::mask_last4(recipient),
    }
}
