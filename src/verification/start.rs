//! Sends a new code.

use super::code::{CodeContext, NewCode, Recipient, seal_context};
use super::json::VerificationJson;
use super::limits::{
    CODE_SECONDS, HOUR_SECONDS, SENDS_PER_HOUR_MAX, UNNAMED_SENDS_PER_DAY_MAX, UNNAMED_SENDS_PER_HOUR_MAX, count_send,
    is_alive, refused, with_one_more, within,
};
use super::model::{Verification, VerificationRecipient};
use super::rows::{count, emit, forgotten, recipient_row, row};
use crate::apps::phones;
use crate::clock::{DAY_SECONDS, Time};
use crate::events::EventName;
use crate::ids::MessageId;
use crate::language::Text;
use crate::messages::{self, Channel, Template};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::Document;
use crate::world::{Halt, World};

/// Stores `new` as the recipient's code and queues the message. Rejects with `invalid-state` for a phone number to
/// which the app may not send; with `rate-limited` beyond the limits, and while wrong codes make the recipient wait;
/// with `verification-locked`.
pub fn start(world: &mut World, scope: Scope, to: &Recipient<'_>, new: &NewCode) -> Result<MessageId, Halt> {
    if to.channel == Channel::Sms {
        phones::still_writes_to(world, scope, to.recipient)?;
        // A link without a named payee must not show a stranger who replied STOP: its code is counted, and not sent.
        if to.code_context.names_recipient && messages::stops::is_stopped(world, scope.org, to.recipient)? {
            // The payee reads it on the page.
            let message = "Text messages to this number are off, because it replied STOP. Reply START to the last text \
                           message, then ask for the code again.";
            return Err(Refusal::new(Code::InvalidState, message)
                .because(Reason::TextsStopped)
                .saying(Text::RefusedStopped)
                .into());
        }
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
    Ok(messages::queue_sealed(world, scope, (to.channel, to.recipient), new.language, |id| Template::Code {
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
