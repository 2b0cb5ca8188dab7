//! Six-digit codes that prove that a person holds a phone or an address: one policy for users, claims and notices, over
//! the API and on pages (docs/decisions.md 6, 14, 16, 17).
//!
//! A code is bound to its recipient and to its [`CodeContext`]: what it proves, and the link, app or user for which it was sent.
//! It is good for ten minutes, once, and for five tries. Only the newest code of a door counts. Sending another does not
//! give new tries while the one before is still alive: its wrong tries are carried over.
//!
//! Invariant: wrong codes are counted per recipient over all doors and apps (`rules.rs`), so that a hundred guesses are
//! the most that anyone gets. What one door sends takes nothing from another: sends are counted per recipient and door.
//!
//! A wrong try must be counted although the answer is a refusal, and a refusal drops what its command did. That is
//! why [`check`] gives its outcome as a value, and the handler makes the refusal of it.
//!
//! Deliberately absent: the code itself. The handler draws it, and hands in its hash and its seal.

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

/// How long a code is good.
pub const CODE_SECONDS: i64 = 600;
/// Wrong tries after which a code is dead.
pub const TRIES_MAX: i64 = 5;
/// Codes sent to one recipient for one door within an hour.
pub const SENDS_PER_HOUR_MAX: usize = 5;
/// Codes sent to one recipient within an hour by links that name no payee, all of them together.
pub const UNNAMED_SENDS_PER_HOUR_MAX: usize = 3;
/// The same within a day.
pub const UNNAMED_SENDS_PER_DAY_MAX: usize = 6;
/// Codes sent on behalf of one app within a day (UTC) to verify users.
pub const SENDS_PER_DAY_MAX: i64 = 200;
/// Codes sent on behalf of one app within a day (UTC) to payees at links.
pub const CLAIM_SENDS_PER_DAY_MAX: i64 = 5_000;
const HOUR_SECONDS: i64 = 3_600;

/// A code that was just drawn, as far as a command may know it.
#[derive(Clone, Debug)]
pub struct NewCode {
    /// Its keyed hash.
    pub code_hash: Vec<u8>,
    /// The code, which the command seals into the message.
    pub code: Unsealed,
}

impl NewCode {
    /// Draws a code. For handlers: commands draw nothing.
    pub fn draw(bursar: &Bursar, org: OrgId) -> Self {
        let mut entropy = bursar.entropy();
        let code = entropy.six_digits();
        Self::of(&bursar.vault, org, &code, entropy.bytes())
    }

    /// Hashes and seals a code. `nonce` must never be used twice.
    pub fn of(vault: &Vault, org: OrgId, code: &str, nonce: [u8; 24]) -> Self {
        Self { code_hash: hash_code(vault, org, code), code: Unsealed::new(vault, code, nonce) }
    }
}

/// The keyed hash of a code that a caller presents; spaces around it do not matter.
pub fn hash_code(vault: &Vault, org: OrgId, code: &str) -> Vec<u8> {
    vault.keyed_hash(Purpose::Code, &[org.0.as_bytes(), code.trim().as_bytes()]).to_vec()
}

/// Where a code is sealed: in one message to one recipient.
pub fn seal_context(org: OrgId, message: MessageId, recipient: &str) -> SealContext {
    SealContext::new(Purpose::Code, org, "messages", message.0, "template").bound_to(recipient).formerly(org.0)
}

/// Opens the code of a [`Template::Code`], for the worker that sends it.
///
/// # Errors
/// [`Tampered`].
pub fn open_code(vault: &Vault, message: &Message, sealed_code: &[u8]) -> Result<String, Tampered> {
    let code = vault.open(&seal_context(message.org, message.id, &message.recipient), sealed_code)?;
    String::from_utf8(code).map_err(|_| Tampered)
}

/// Where a code is offered: what it proves, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeContext {
    /// What the code proves.
    pub purpose: CodePurpose,
    /// The link, app or user that it is bound to.
    pub about: Uuid,
    /// Whether the door names the recipient. A link that names no payee is opened by any phone that its holder types.
    pub names_recipient: bool,
}

impl CodeContext {
    /// An app verifies its user.
    pub const fn verification(app: AppId) -> Self {
        Self { purpose: CodePurpose::Verification, about: app.0, names_recipient: true }
    }
}

/// The recipient of a code, and its purpose.
#[derive(Clone, Debug)]
pub struct Recipient<'a> {
    /// By which way.
    pub channel: Channel,
    /// E.164 or an address.
    pub recipient: &'a str,
    /// Where it is offered.
    pub code_context: CodeContext,
}

/// Makes `new` the recipient's code at this door and queues the message that carries it.
///
/// # Errors
/// `invalid-state` for a phone to which the app does not write; `rate-limited` beyond the limits of sending, and while wrong codes make the recipient wait; `verification-locked`.
pub fn start(world: &mut World, scope: Scope, to: &Recipient<'_>, new: &NewCode) -> Result<MessageId, Halt> {
    if to.channel == Channel::Sms {
        phones::still_writes_to(world, scope, to.recipient)?;
    }
    let (now, code_context) = (world.now(), to.code_context);
    let counted = recipient_row(world, scope.org, to.recipient)?;
    let tally = counted.as_ref().map(|counted| counted.tally()).unwrap_or_default();
    // A code that could not be typed is not sent.
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

/// The sends to this recipient by links that name no payee, with one more where this door is such a link.
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

/// What became of an offered code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// It is the one; from now on it is used.
    Right,
    /// No code was sent, or the newest one was used already.
    NoCode,
    /// It is older than ten minutes.
    Expired,
    /// It was tried too often; a new one must be sent.
    Dead,
    /// It is another.
    Wrong {
        /// How often it may be tried still.
        tries_left: i64,
        /// What is counted of the recipient, as events name it.
        recipient: VerificationId,
        /// Whether it has locked the recipient.
        locks: bool,
    },
    /// It was not compared: too many wrong codes of the recipient. It can be offered again after so many seconds.
    Waiting(i64),
    /// It was not compared: the recipient is locked.
    Locked,
}

impl Checked {
    /// The refusal of everything but the right code.
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

    /// What the security log records of it.
    pub fn noted(self, organization: OrgId) -> Vec<Noted> {
        let Self::Wrong { recipient, locks, .. } = self else { return Vec::new() };
        let noted = |event, reason| Noted { event, reason, organization, subject: recipient.to_string() };
        let wrong = noted(SecurityEvent::WrongCode, Code::WrongToken.as_str());
        let locked = locks.then(|| noted(SecurityEvent::VerificationLocked, "too-many-wrong-codes"));
        [wrong].into_iter().chain(locked).collect()
    }

    /// The answer to a code: the right one has nothing to show here.
    pub fn answer(self, organization: OrgId) -> Answer {
        let answer = self.refusal().map_or_else(|| Answer::empty(200), |refusal| Answer::from(&refusal));
        answer.noting(self.noted(organization))
    }
}

/// The refusal of a recipient whose codes are not compared now.
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

/// Compares an offered code with the newest one of this door and counts the try.
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
    // It was compared, so the recipient was not locked before.
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

/// Compares two codes that are good only together: a right one is used only if the other one is right too.
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

/// Whether a code was sent to the recipient that can still be typed at this door.
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

/// What is counted of a recipient; of one who was erased, under the hash that replaced it.
fn recipient_row(world: &mut World, org: OrgId, recipient: &str) -> Result<Option<Arc<VerificationRecipient>>, Halt> {
    match world.get::<VerificationRecipient>(key![org, recipient.to_owned()])? {
        Some(counted) => Ok(Some(counted)),
        None => world.get::<VerificationRecipient>(key![org, forgotten(world, recipient)]),
    }
}

/// Changes what is counted of a recipient. A change that emits an event counts it; a wrong code emits none.
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

/// Forgets the codes of an erased person. What was sent and tried stays counted, under a hash: whoever could begin
/// the count again by deleting a user could send texts, and guess, without end.
pub(super) fn forget(world: &mut World, org: OrgId, recipient: &str) -> Result<(), Halt> {
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

/// What replaces a recipient who was forgotten.
/// Keyed, because a phone number can be guessed.
fn forgotten(world: &World, recipient: &str) -> String {
    format!("erased:{}", hex(&world.chain().begin("recipient").part(recipient.as_bytes()).end()))
}

fn is_alive(known: &Verification, now: Time) -> bool {
    known.used_at.is_none() && known.expires_at > now && known.tries < TRIES_MAX
}

/// The sends of the last hour with one more, now; each in microseconds since 1970, the oldest first.
///
/// # Errors
/// `rate-limited` with this message when there were `max` already, and when the oldest of them is an hour old.
pub fn with_one_more(sent_at_micros: &[i64], now: Time, max: usize, message: &str) -> Result<Vec<i64>, Refusal> {
    within(sent_at_micros, now, HOUR_SECONDS, max, message)
}

/// The sends of the last `seconds` with one more, now.
fn within(sent_at_micros: &[i64], now: Time, seconds: i64, max: usize, message: &str) -> Result<Vec<i64>, Refusal> {
    let begin = now.plus_seconds(-seconds).micros();
    let mut sends: Vec<i64> = sent_at_micros.iter().copied().filter(|sent| *sent > begin).collect();
    if let Some(oldest) = sends.first().filter(|_| sends.len() >= max) {
        return Err(too_many(message, seconds - now.seconds_since(Time::from_micros(*oldest))));
    }
    sends.push(now.micros());
    Ok(sends)
}

/// Counts one send of the app today; gives how many of its kind there are now.
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
        // A payee asks for this code at a link with money behind it: an app that pays many people needs many.
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

/// A phone or an address to which codes are sent, as the events `verification.*` show it. The code itself is not in it,
/// nor the whole phone or address.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct VerificationJson {
    /// The same for all codes of a phone or an address.
    pub id: VerificationId,
    /// When the code was sent, or the phone or address was locked or unlocked.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// By which way codes are sent there.
    pub channel: Channel,
    /// What the code proves.
    pub purpose: CodePurpose,
    /// To which phone or address, masked.
    #[schema(example = "***6789")]
    pub to: String,
    /// Codes that were sent there within the last hour for this purpose, this one included; five at most.
    #[schema(value_type = i64)]
    pub sends_last_hour: usize,
    /// Codes of this kind that the app sent today, this one included.
    pub sends_today: i64,
    /// Wrong codes that count: a count is dropped 30 days after the last wrong code.
    pub wrong_codes: i64,
    /// Whether no code is sent there or compared, until an organization key or a signed-in administrator unlocks it.
    pub locked: bool,
}

impl VerificationJson {
    /// What is counted of a phone or an address; `None` where no code was ever sent.
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

/// A phone or an address for people who may know it but must not learn it.
pub fn masked(recipient: &str) -> String {
    match crate::email::Email::parse(recipient) {
        Ok(address) => address.masked(),
        Err(_) => crate::text::mask_last4(recipient),
    }
}
