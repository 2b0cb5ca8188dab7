//! Numbers whose owner replied STOP, and the replies that stop and resume texts.
//!
//! Invariant: no text message is sent to a number that replied STOP to the organization, until it replies START, except
//! the answers to its replies. [`refuses`] is the one rule; the worker applies it to each message just before it sends
//! (`worker/writing.rs`). A stop is of the organization, because all its apps send from one number.
//!
//! The number stays on the list after its user was erased: the list is how we keep the promise not to write.

use std::sync::Arc;

use super::model::{Channel, Keyword, Message, Template};
use super::replies::keyword;
use super::rows;
use crate::clock::{DAY_SECONDS, Time};
use crate::engine::Command;
use crate::ids::OrgId;
use crate::language::Language;
use crate::scope::Scope;
use crate::world::record::{Document, key, record};
use crate::world::{Halt, Want, World};

/// The reason of a text that is not sent.
pub const STOPPED: &str =
    "The recipient replied STOP to a text message. No text is sent to this number until it replies START.";
/// Answers to one number within a day. A machine that answers texts with HELP must not cause an endless exchange.
const ANSWERS_PER_DAY_MAX: usize = 5;
/// Replies by which a repeated report is recognized.
const REPLIES_KEPT: usize = 20;

record! {
    /// A number that replied to a text message with a word that counts.
    pub struct TextStop in "text_stops" {
        key (org, phone);
        pub org: OrgId,
        /// E.164.
        pub phone: String,
        /// Since when no texts are sent; `None` if it may receive them.
        pub stopped_at: Option<Time>,
        /// The provider's ids of the latest replies, because providers report a reply again.
        pub replies: Document<Vec<String>>,
        /// The answers of the last day, in microseconds since 1970.
        pub answered_at_micros: Document<Vec<i64>>,
        pub created_at: Time,
    }
}

/// Returns the row that [`is_stopped`] reads.
pub fn want(org: OrgId, phone: &str) -> Want {
    Want::row::<TextStop>(key![org, phone.to_owned()])
}

/// Returns whether a number, E.164, gets no texts of the organization.
pub fn is_stopped(world: &mut World, org: OrgId, phone: &str) -> Result<bool, Halt> {
    let row = world.get::<TextStop>(key![org, phone.to_owned()])?;
    Ok(row.is_some_and(|row| row.stopped_at.is_some()))
}

/// Returns whether a message must not be sent, because its recipient replied STOP.
pub fn refuses(world: &mut World, message: &Message) -> Result<bool, Halt> {
    let is_answer = matches!(message.template.0, Template::ReplyAnswer { .. });
    match message.channel {
        Channel::Sms if !is_answer => is_stopped(world, message.org, &message.recipient),
        Channel::Sms | Channel::Email | Channel::Voice => Ok(false),
    }
}

/// A text message that a person sent to our number.
#[derive(Clone, Debug)]
pub struct Replied {
    pub org: OrgId,
    /// E.164.
    pub phone: String,
    pub text: String,
    /// The provider's id of the reply.
    pub reference: String,
}

/// The effect of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyRead {
    /// `None` if the text has no word that counts.
    pub keyword: Option<Keyword>,
    /// Whether texts to the number are stopped now.
    pub is_stopped: bool,
}

impl Command for Replied {
    /// `None` if the organization never wrote to the number: the reply was for another organization.
    type Reply = Option<ReplyRead>;

    fn needs(&self) -> Vec<Want> {
        vec![want(self.org, &self.phone)]
    }

    fn decide(&self, world: &mut World) -> Result<Option<ReplyRead>, Halt> {
        let row = world.get::<TextStop>(key![self.org, self.phone.clone()])?;
        let sent = world.all::<Message>(Message::BY_RECIPIENT, key![self.org, self.phone.clone()])?;
        let latest = sent.iter().filter(|message| message.channel != Channel::Email).max_by_key(|message| message.id.0);
        let Some(latest) = latest.cloned() else { return Ok(None) };
        let stopped_at = row.as_ref().and_then(|row| row.stopped_at);
        let is_repeated = row.as_ref().is_some_and(|row| row.replies.0.contains(&self.reference));
        let Some((keyword, is_spanish)) = keyword(&self.text).filter(|_| !is_repeated) else {
            return Ok(Some(ReplyRead { keyword: None, is_stopped: stopped_at.is_some() }));
        };

        // From here it must succeed.
        let now = world.now();
        let mut fresh = row.as_ref().map_or_else(|| self.fresh(now), |row| TextStop::clone(row));
        fresh.stopped_at = match keyword {
            Keyword::Stop => stopped_at.or(Some(now)),
            Keyword::Help => stopped_at,
            Keyword::Start => None,
        };
        fresh.remember(&self.reference);
        if fresh.may_answer(now) {
            let scope = Scope { org: self.org, app: latest.app };
            let language = is_spanish.then_some(Language::Es);
            let template = Template::ReplyAnswer { keyword, is_spanish };
            rows::queue(world, scope, (Channel::Sms, &self.phone), language, template);
        }
        let is_stopped = fresh.stopped_at.is_some();
        save(world, row, fresh);
        Ok(Some(ReplyRead { keyword: Some(keyword), is_stopped }))
    }
}

fn save(world: &mut World, row: Option<Arc<TextStop>>, fresh: TextStop) {
    match row {
        Some(row) => world.change(&row, |row| *row = fresh),
        None => world.add(fresh),
    };
}

impl Replied {
    fn fresh(&self, now: Time) -> TextStop {
        TextStop {
            org: self.org,
            phone: self.phone.clone(),
            stopped_at: None,
            replies: Document(Vec::new()),
            answered_at_micros: Document(Vec::new()),
            created_at: now,
        }
    }
}

impl TextStop {
    fn remember(&mut self, reference: &str) {
        let replies = &mut self.replies.0;
        replies.push(reference.to_owned());
        let surplus = replies.len().saturating_sub(REPLIES_KEPT);
        replies.drain(..surplus);
    }

    /// Counts an answer; returns `false` beyond the limit of a day.
    fn may_answer(&mut self, now: Time) -> bool {
        let begin = now.plus_seconds(-DAY_SECONDS).micros();
        let answers = &mut self.answered_at_micros.0;
        answers.retain(|answered| *answered > begin);
        if answers.len() >= ANSWERS_PER_DAY_MAX {
            return false;
        }
        answers.push(now.micros());
        true
    }
}
