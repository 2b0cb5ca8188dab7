//! Six-digit codes that prove that a person holds a phone or an address: one machine for the verification of
//! users and for the claim of links (decisions.md 6, 14, 16).
//!
//! A code is good for ten minutes, once, and for five tries. Only the newest code of a recipient counts. Sending
//! another does not give new tries while the one before is still alive: its wrong tries are carried over. Once a
//! code is dead (five wrong tries), used or expired, the next one starts afresh. So whoever guesses has five
//! tries for each of five sends an hour, however the sends are timed.
//!
//! A wrong try must be counted although the answer is a refusal, and a refusal drops what its command did. That is
//! why [`check`] gives its outcome as a value, and the handler makes the 400 of it.
//!
//! Deliberately absent: the code itself. The handler draws it, and hands in its hash and its seal.

use serde::Serialize;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use utoipa::ToSchema;

use crate::clock::{DAY_SECONDS, Time};
use crate::events::{self, EventName, News};
use crate::http::{Bursar, Scope};
use crate::ids::{AppId, MessageId, OrgId, VerificationId};
use crate::messages::{self, Channel, CodePurpose, Template};
use crate::refusal::{Code, Refusal};
use crate::vault::{Purpose, Tampered, Vault};
use crate::world::record::{Document, key, record};
use crate::world::{Halt, World};

/// How long a code is good.
pub const CODE_SECONDS: i64 = 600;
/// Wrong tries after which a code is dead.
pub const TRIES_MAX: i64 = 5;
/// Codes sent to one phone or address within an hour.
pub const SENDS_PER_HOUR_MAX: usize = 5;
/// Codes sent on behalf of one app within a day (UTC).
pub const SENDS_PER_DAY_MAX: i64 = 200;
const HOUR_SECONDS: i64 = 3_600;

record! {
    /// The newest code of a phone or an address within an organization.
    ///
    /// The recipient stands in clear, as it does at the user and in the messages; so a command can find it without
    /// the vault.
    pub struct Verification in "verifications" {
        key (org, recipient);
        /// The organization.
        pub org: OrgId,
        /// E.164 or an address.
        pub recipient: String,
        /// Its id, the same for all codes of the recipient.
        pub id: VerificationId,
        /// The app that had the newest code sent.
        pub app: AppId,
        /// A keyed hash of the newest code.
        pub code_hash: Vec<u8>,
        /// Wrong tries.
        pub tries: i64,
        /// When codes were sent within the last hour, in microseconds since 1970, oldest first.
        pub sent_at_micros: Document<Vec<i64>>,
        /// Until when the newest code is good.
        pub expires_at: Time,
        /// When it was used.
        pub used_at: Option<Time>,
        /// Counts the codes that were sent, from 1.
        pub version: i64,
        /// When the first one was sent.
        pub created_at: Time,
    }
}

record! {
    /// How many codes an app had sent on one day.
    pub struct VerificationDay in "verification_days" {
        key (org, app);
        /// The organization.
        pub org: OrgId,
        /// The app.
        pub app: AppId,
        /// The day, `YYYY-MM-DD` in UTC.
        pub day_on: String,
        /// Codes sent on that day.
        pub sends: i64,
    }
}

/// A code that was just drawn, as far as a command may know it.
#[derive(Clone, Debug)]
pub struct NewCode {
    /// Its keyed hash.
    pub code_hash: Vec<u8>,
    /// The code, sealed, for the message.
    pub sealed_code: Vec<u8>,
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
        Self {
            code_hash: hash_code(vault, org, code),
            sealed_code: vault.seal(Purpose::Code, org.0.as_bytes(), code.as_bytes(), nonce),
        }
    }
}

/// The keyed hash of a code that somebody offers; spaces around it do not matter.
pub fn hash_code(vault: &Vault, org: OrgId, code: &str) -> Vec<u8> {
    vault.keyed_hash(Purpose::Code, &[org.0.as_bytes(), code.trim().as_bytes()]).to_vec()
}

/// Opens the code of a [`Template::Code`], for the worker that sends it.
///
/// # Errors
/// [`Tampered`].
pub fn open_code(vault: &Vault, org: OrgId, sealed_code: &[u8]) -> Result<String, Tampered> {
    let code = vault.open(Purpose::Code, org.0.as_bytes(), sealed_code)?;
    String::from_utf8(code).map_err(|_| Tampered)
}

/// To whom a code goes, and what it is for.
#[derive(Clone, Debug)]
pub struct Recipient<'a> {
    /// By which way.
    pub channel: Channel,
    /// E.164 or an address.
    pub recipient: &'a str,
    /// What the code proves.
    pub purpose: CodePurpose,
}

/// Makes `new` the recipient's code and queues the message that carries it.
///
/// # Errors
/// `rate-limited` beyond [`SENDS_PER_HOUR_MAX`] or [`SENDS_PER_DAY_MAX`], with the time to wait.
pub fn start(world: &mut World, scope: Scope, to: &Recipient<'_>, new: &NewCode) -> Result<MessageId, Halt> {
    let now = world.now();
    let known = world.get::<Verification>(key![scope.org, to.recipient.to_owned()])?;
    let counted = match &known {
        Some(known) => Some(known.clone()),
        None => world.get::<Verification>(key![scope.org, forgotten(to.recipient)])?,
    };
    let sent = counted.as_ref().map_or(&[][..], |counted| &counted.sent_at_micros.0);
    let message = "At most five codes an hour are sent to one phone or address.";
    let sends = with_one_more(sent, now, SENDS_PER_HOUR_MAX, message)?;
    let today = match to.purpose {
        CodePurpose::Verification => count_send(world, scope)?,
        // A payee asks for this code at a link with money behind it: an app that pays many people needs many.
        CodePurpose::Claim => 0,
    };

    // From here it must succeed.
    let fresh = Verification {
        org: scope.org,
        recipient: to.recipient.to_owned(),
        id: known.as_ref().map_or_else(|| world.id(), |known| known.id),
        app: scope.app,
        code_hash: new.code_hash.clone(),
        tries: known
            .as_ref()
            .filter(|known| known.app == scope.app && is_alive(known, now))
            .map_or(0, |known| known.tries),
        sent_at_micros: Document(sends),
        expires_at: now.plus_seconds(CODE_SECONDS),
        used_at: None,
        version: known.as_ref().map_or(1, |known| known.version + 1),
        created_at: known.as_ref().map_or(now, |known| known.created_at),
    };
    tell_sent(world, scope, to, &fresh, today)?;
    match known {
        Some(known) => world.change(&known, |known| *known = fresh),
        None => world.add(fresh),
    };
    let template = Template::Code { sealed_code: new.sealed_code.clone(), purpose: to.purpose };
    Ok(messages::queue(world, scope, to.channel, to.recipient, template))
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
    },
}

impl Checked {
    /// The 400 `wrong-token` of everything but the right code.
    pub fn refusal(self) -> Option<Refusal> {
        let message = match self {
            Self::Right => return None,
            Self::NoCode => {
                "There is no code to compare with: none was sent, or it was used. Ask for a new one.".to_owned()
            }
            Self::Expired => "The code has expired. Ask for a new one.".to_owned(),
            Self::Dead | Self::Wrong { tries_left: 0 } => {
                "The code was tried too often and is of no use any more. Ask for a new one.".to_owned()
            }
            Self::Wrong { tries_left: 1 } => "The code is wrong. It may be tried once more.".to_owned(),
            Self::Wrong { tries_left } => format!("The code is wrong. It may be tried {tries_left} more times."),
        };
        Some(Refusal::field(Code::WrongToken, "/token", message))
    }
}

/// Compares an offered code with the newest one and counts the try.
pub fn check(world: &mut World, scope: Scope, recipient: &str, offered_hash: &[u8]) -> Result<Checked, Halt> {
    let now = world.now();
    let known = world.get::<Verification>(key![scope.org, recipient.to_owned()])?;
    let Some(known) = known.filter(|known| known.app == scope.app && known.used_at.is_none()) else {
        return Ok(Checked::NoCode);
    };
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
    Ok(Checked::Wrong { tries_left: TRIES_MAX - known.tries })
}

/// Whether a code was sent to the recipient that can still be typed.
pub fn is_awaited(world: &mut World, scope: Scope, recipient: &str) -> Result<bool, Halt> {
    let now = world.now();
    let known = world.get::<Verification>(key![scope.org, recipient.to_owned()])?;
    Ok(known.is_some_and(|known| known.app == scope.app && is_alive(&known, now)))
}

/// Forgets the codes of an erased person. How many were sent within the last hour stays, under a hash: whoever could begin
/// the count anew by deleting a user could have texts sent without end.
pub(super) fn forget(world: &mut World, org: OrgId, recipient: &str) -> Result<(), Halt> {
    let Some(known) = world.get::<Verification>(key![org, recipient.to_owned()])? else { return Ok(()) };
    let (now, forgotten) = (world.now(), forgotten(recipient));
    let before = world.get::<Verification>(key![org, forgotten.clone()])?;
    world.remove(&known);
    let count =
        Verification { recipient: forgotten, code_hash: Vec::new(), used_at: Some(now), ..Verification::clone(&known) };
    match before {
        Some(before) => world.change(&before, |before| *before = count),
        None => world.add(count),
    };
    Ok(())
}

/// What stands for a recipient who was forgotten.
fn forgotten(recipient: &str) -> String {
    let hash: String = Sha256::digest(recipient).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("forgotten:{hash}")
}

fn is_alive(known: &Verification, now: Time) -> bool {
    known.used_at.is_none() && known.expires_at > now && known.tries < TRIES_MAX
}

/// The sends of the last hour with one more, now; each in microseconds since 1970, the oldest first.
///
/// # Errors
/// `rate-limited` with this message when there were `max` already, and when the oldest of them is an hour old.
pub fn with_one_more(sent_at_micros: &[i64], now: Time, max: usize, message: &str) -> Result<Vec<i64>, Refusal> {
    let hour_ago = now.plus_seconds(-HOUR_SECONDS).micros();
    let mut sends: Vec<i64> = sent_at_micros.iter().copied().filter(|sent| *sent > hour_ago).collect();
    if let Some(oldest) = sends.first().filter(|_| sends.len() >= max) {
        let wait = HOUR_SECONDS - now.seconds_since(Time::from_micros(*oldest));
        return Err(too_many(message, wait));
    }
    sends.push(now.micros());
    Ok(sends)
}

/// Counts one send of the app today; gives how many there are now.
fn count_send(world: &mut World, scope: Scope) -> Result<i64, Halt> {
    let now = world.now();
    let today = now.date().to_string();
    let counted = world.get::<VerificationDay>(key![scope.org, scope.app])?;
    let sends = counted.as_ref().filter(|counted| counted.day_on == today).map_or(0, |counted| counted.sends) + 1;
    if sends > SENDS_PER_DAY_MAX {
        let wait = DAY_SECONDS - now.seconds().rem_euclid(DAY_SECONDS);
        return Err(too_many("The app has had as many codes sent today as it may.", wait).into());
    }
    let day = VerificationDay { org: scope.org, app: scope.app, day_on: today, sends };
    match counted {
        Some(counted) => world.change(&counted, |counted| *counted = day),
        None => world.add(day),
    };
    Ok(sends)
}

/// A code that was sent, as `verification.sent` tells of it. The code itself is not in it, nor the whole phone or
/// address.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct VerificationJson {
    /// The same for all codes of a phone or an address.
    pub id: VerificationId,
    /// When this code was sent.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// By which way.
    pub channel: Channel,
    /// What the code proves.
    pub purpose: CodePurpose,
    /// To which phone or address, masked.
    #[schema(example = "***6789")]
    pub to: String,
    /// Codes that were sent there within the last hour, this one included; five at most.
    #[schema(value_type = i64)]
    pub sends_last_hour: usize,
    /// Codes that the app had sent today to verify users, this one included; 0 for the code of a claim, which does not
    /// count.
    pub sends_today: i64,
}

fn too_many(message: &str, wait_seconds: i64) -> Refusal {
    Refusal::new(Code::RateLimited, message).retry_after(u32::try_from(wait_seconds.max(1)).unwrap_or(u32::MAX))
}

fn tell_sent(world: &mut World, scope: Scope, to: &Recipient<'_>, sent: &Verification, today: i64) -> Result<(), Halt> {
    let told = VerificationJson {
        id: sent.id,
        created: world.now(),
        channel: to.channel,
        purpose: to.purpose,
        to: masked(to.recipient),
        sends_last_hour: sent.sent_at_micros.0.len(),
        sends_today: today,
    };
    events::tell(world, scope, News::of(EventName::VerificationSent, sent.id.0, sent.version, &told))
}

/// A phone or an address for people who may know it but must not learn it.
pub fn masked(recipient: &str) -> String {
    match crate::email::Email::parse(recipient) {
        Ok(address) => address.masked(),
        Err(_) => crate::text::mask_last4(recipient),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::engine::{Command, Executor};
    use crate::ids::Seeds;
    use crate::store::{Memory, Store};
    use uuid::Uuid;

    const PHONE: &str = "+12025550123";

    enum Do {
        Send(&'static str),
        Check(&'static str),
    }

    struct Step(Scope, &'static str, Do);

    impl Command for Step {
        type Reply = Option<Checked>;

        fn organization(&self) -> OrgId {
            self.0.org
        }

        fn decide(&self, world: &mut World) -> Result<Option<Checked>, Halt> {
            let vault = Vault::new([1; 32]);
            match self.2 {
                Do::Send(code) => {
                    let to = Recipient { channel: Channel::Sms, recipient: self.1, purpose: CodePurpose::Verification };
                    start(world, self.0, &to, &NewCode::of(&vault, self.0.org, code, [0; 24]))?;
                    Ok(None)
                }
                Do::Check(code) => check(world, self.0, self.1, &hash_code(&vault, self.0.org, code)).map(Some),
            }
        }
    }

    struct Bench(Executor, Clock, Scope);

    impl Bench {
        fn new() -> Self {
            let clock = Clock::manual(Time::parse("2026-06-01T10:00:00Z").unwrap());
            let executor = Executor::new(Store::Memory(Memory::new()), clock.clone(), Seeds::counted(1));
            Self(executor, clock, Scope { org: OrgId(Uuid::from_u128(1)), app: AppId(Uuid::from_u128(2)) })
        }

        fn send(&mut self, code: &'static str) -> Result<(), Refusal> {
            self.0.run_one(Step(self.2, PHONE, Do::Send(code))).map(drop)
        }

        fn check(&mut self, code: &'static str) -> Checked {
            self.0.run_one(Step(self.2, PHONE, Do::Check(code))).unwrap().unwrap()
        }
    }

    #[test]
    fn a_code_works_once() {
        let mut bench = Bench::new();
        assert_eq!(bench.check("111111"), Checked::NoCode);
        bench.send("111111").unwrap();
        assert_eq!(bench.check("222222"), Checked::Wrong { tries_left: 4 });
        assert_eq!(bench.check(" 111111 "), Checked::Right);
        assert_eq!(bench.check("111111"), Checked::NoCode);
    }

    #[test]
    fn a_code_is_good_for_ten_minutes() {
        let mut bench = Bench::new();
        bench.send("111111").unwrap();
        bench.1.advance(CODE_SECONDS);
        assert_eq!(bench.check("111111"), Checked::Expired);
    }

    #[test]
    fn five_wrong_tries_kill_a_code_and_a_new_one_helps() {
        let mut bench = Bench::new();
        bench.send("111111").unwrap();
        for tries_left in [4, 3, 2, 1, 0] {
            assert_eq!(bench.check("222222"), Checked::Wrong { tries_left });
        }
        assert_eq!(bench.check("111111"), Checked::Dead);
        bench.send("333333").unwrap();
        assert_eq!(bench.check("333333"), Checked::Right);
    }

    #[test]
    fn sending_again_gives_no_new_tries_and_the_older_code_is_void() {
        let mut bench = Bench::new();
        bench.send("111111").unwrap();
        for _ in 0..3 {
            bench.check("222222");
        }
        bench.send("333333").unwrap();
        assert_eq!(bench.check("111111"), Checked::Wrong { tries_left: 1 });
        assert_eq!(bench.check("222222"), Checked::Wrong { tries_left: 0 });
        assert_eq!(bench.check("333333"), Checked::Dead);
    }

    #[test]
    fn the_sixth_send_of_an_hour_waits_for_the_first_to_be_an_hour_old() {
        let mut bench = Bench::new();
        for _ in 0..SENDS_PER_HOUR_MAX {
            bench.send("111111").unwrap();
            bench.1.advance(60);
        }
        let refusal = bench.send("111111").unwrap_err();
        assert_eq!((refusal.code, refusal.retry_after_seconds), (Code::RateLimited, Some(3_300)));
        bench.1.advance(3_300);
        bench.send("111111").unwrap();
        assert!(bench.send("111111").is_err(), "the second is not an hour old yet");
    }

    #[test]
    fn an_app_has_a_daily_cap() {
        let mut bench = Bench::new();
        for number in 0..SENDS_PER_DAY_MAX {
            let phone: &'static str = Box::leak(format!("+1202555{number:04}").into_boxed_str());
            bench.0.run_one(Step(bench.2, phone, Do::Send("111111"))).unwrap();
        }
        let refusal = bench.send("111111").unwrap_err();
        assert_eq!((refusal.code, refusal.retry_after_seconds), (Code::RateLimited, Some(14 * 3_600)));
        bench.1.advance(14 * 3_600);
        bench.send("111111").unwrap();
    }

    #[test]
    fn another_app_of_the_organization_has_codes_of_its_own() {
        let mut bench = Bench::new();
        bench.send("111111").unwrap();
        bench.2.app = AppId(Uuid::from_u128(3));
        assert_eq!(bench.check("111111"), Checked::NoCode);
    }
}
