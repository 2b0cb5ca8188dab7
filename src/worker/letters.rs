//! Composes a message when it is sent, and sends it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::inbox;
use super::writing::{Pen, count, find_letter};
use crate::ids::MessageId;
use crate::jobs::Leased;
use crate::messages::{
    self, AttemptOutcome, Before, BeginAttempt, Begun, Channel, Composed, Concluded, Message, StillOnItsWay, Template,
};
use crate::payout_links::{ClaimLinkDelivered, DeliverInDoubt};
use crate::program::{Bursar, Environment};
use crate::providers::{DeliveryOutcome, Found, Frame, Gateway, Mail, SendOutcome, Smtp};
use crate::refusal::{Code, Refusal};

/// The time from recording an attempt within which a worker may call a provider. With the call itself it ends well
/// within the minute after which other workers trust a provider that does not know the message.
const HAND_OVER_WITHIN: Duration = crate::outbound::DEADLINE;

/// Sends a message and records the outcome.
pub(super) async fn send(bursar: &Bursar, leased: Leased, id: MessageId) -> Result<(), Refusal> {
    if inbox::is_all_there_is(bursar.environment, &bursar.providers) {
        return inbox::put(bursar, leased, id).await;
    }
    let org = leased.org;
    let letter = bursar.read(move |world| find_letter(world, org, id)).await?;
    let message = letter.message.clone();
    let providers = &bursar.providers;
    let provider = match message.channel {
        Channel::Email => providers.mail.as_ref().map(Provider::Mail),
        Channel::Sms | Channel::Voice => providers.phone.as_ref().map(Provider::Phone),
    };
    match (provider, bursar.environment) {
        (Some(provider), _) => {
            let pen = Pen::of(bursar);
            let composed = pen.compose(&letter)?;
            let written = Written { frame: pen.frame(&letter, &composed), composed };
            match attempt(bursar, &leased, &message, &written, provider).await? {
                Some(outcome) => conclude(bursar, leased, &message, outcome).await,
                None => Ok(()),
            }
        }
        (None, Environment::Sandbox) => inbox::put(bursar, leased, id).await,
        (None, Environment::Production) => {
            // The settings exclude this case. If it occurs, the delivery fails instead of appearing to succeed.
            let reason = "No provider is configured for this channel.".to_owned();
            conclude(bursar, leased, &message, AttemptOutcome::Failed { reason, retry: true }).await
        }
    }
}

/// Queries whether an accepted message has arrived.
pub(super) async fn follow(bursar: &Bursar, leased: Leased, id: MessageId) -> Result<(), Refusal> {
    let message = find(bursar, &leased, id).await?;
    let delivery_outcome = match (&bursar.providers.phone, &message.reference) {
        (Some(gateway), Some(reference)) => gateway.follow(reference).await,
        // The gateway was removed from the settings after it accepted the text.
        (None, _) | (_, None) => Ok(DeliveryOutcome::OnItsWay),
    };
    match delivery_outcome {
        Ok(DeliveryOutcome::Arrived) => {
            conclude(bursar, leased, &message, AttemptOutcome::Delivered { inbox: None }).await
        }
        Ok(DeliveryOutcome::Lost { reason }) => {
            conclude(bursar, leased, &message, AttemptOutcome::Failed { reason, retry: false }).await
        }
        Ok(DeliveryOutcome::OnItsWay) => bursar.engine.run(leased.org, StillOnItsWay { leased }).await,
        Err(reason) => {
            tracing::info!(%id, reason, "a provider does not report the status of a message");
            bursar.engine.run(leased.org, StillOnItsWay { leased }).await
        }
    }
}

/// A message as it is handed over.
struct Written {
    composed: Composed,
    /// Of a mail.
    frame: Frame,
}

/// A provider that is configured for a message's channel.
#[derive(Clone, Copy)]
enum Provider<'a> {
    Mail(&'a Smtp),
    Phone(&'a Gateway),
}

/// Hands a message to a provider, unless an earlier attempt turns out to have done so. Returns `None` if another worker
/// handles the job.
///
/// The order prevents duplicate messages: the start of an attempt is committed before the provider is called, and the
/// call is made soon or not at all. After an attempt in doubt the provider is queried first; if it has no query, a link
/// that is sent again counts as another delivery.
async fn attempt(
    bursar: &Bursar,
    leased: &Leased,
    message: &Message,
    written: &Written,
    provider: Provider<'_>,
) -> Result<Option<AttemptOutcome>, Refusal> {
    let begin = |before| BeginAttempt { leased: leased.clone(), message: message.id, before };
    let mut since = Instant::now();
    let mut begun = bursar.engine.run(leased.org, begin(Before::NotQueried)).await?;
    if begun == Begun::Ask {
        let asked_at = bursar.clock.now();
        let found = look_up(bursar, message, &written.composed, provider).await?;
        since = Instant::now();
        begun = match found {
            Found::Taken { reference } => return Ok(Some(AttemptOutcome::Taken { reference: Some(reference) })),
            Found::Silence { reason } => return Ok(Some(AttemptOutcome::InDoubt { reason })),
            Found::NotTaken => bursar.engine.run(leased.org, begin(Before::NotTaken { asked_at })).await?,
            Found::Unsupported => match message.template.0 {
                Template::ClaimLink { link, .. } => {
                    let again = DeliverInDoubt { leased: leased.clone(), message: message.id, link };
                    bursar.engine.run(leased.org, again).await?
                }
                Template::Code { .. }
                | Template::PayoutFailed { .. }
                | Template::PayoutCanceled { .. }
                | Template::PaidByPreference { .. }
                | Template::PaymentCollected { .. }
                | Template::PayoutCompleted { .. }
                | Template::PayeeChanged { .. }
                | Template::ReplyAnswer { .. } => bursar.engine.run(leased.org, begin(Before::Untold)).await?,
            },
        };
    }
    // Read only now: an attempt in doubt is always queried first, and the query takes time.
    let superseded = match begun {
        Begun::Send => {
            let (org, id) = (message.org, message.id);
            bursar.read(move |world| find_letter(world, org, id)).await?.superseded
        }
        Begun::Ask | Begun::Over => None,
    };
    if superseded.is_some() {
        return Ok(superseded);
    }
    match begun {
        // The process paused after the commit: another worker may have queried the provider and sent the message.
        Begun::Send if since.elapsed() > HAND_OVER_WITHIN => Err(Refusal::new(
            Code::ServiceUnavailable,
            "The worker did not send the message in time. The provider is queried when the lease ends.",
        )),
        Begun::Send => {
            let reported = hand_over(bursar, message, written, provider).await;
            Ok(Some(match reported {
                SendOutcome::Taken { reference } => AttemptOutcome::Taken { reference },
                SendOutcome::Refused { reason } => AttemptOutcome::Failed { reason, retry: false },
                SendOutcome::NotNow { reason } => AttemptOutcome::Failed { reason, retry: true },
                SendOutcome::InDoubt { reason } => AttemptOutcome::InDoubt { reason },
            }))
        }
        // The provider is queried once per run.
        Begun::Ask | Begun::Over => Ok(None),
    }
}

async fn hand_over(bursar: &Bursar, message: &Message, written: &Written, provider: Provider<'_>) -> SendOutcome {
    let Written { composed, frame } = written;
    let to = message.recipient.as_str();
    let (text, link) = (composed.text.as_str(), composed.link.as_deref());
    match (provider, message.channel) {
        (Provider::Mail(smtp), _) => {
            let (id, written) = (message.id.0, message.created_at);
            smtp.send(Mail { id, written, to, subject: &composed.subject, text, link, frame }).await
        }
        (Provider::Phone(gateway), Channel::Voice) => gateway.call(to, text, composed.code.as_deref()).await,
        (Provider::Phone(gateway), Channel::Sms | Channel::Email) => {
            let report_to = gateway.reports_to(&bursar.public_url, message.org, message.id);
            gateway.text(to, text, report_to.filter(|_| message.is_awaited()).as_deref()).await
        }
    }
}

/// Queries the provider about an attempt in doubt. Mail servers keep no list, and a call has no text to search for.
async fn look_up(
    bursar: &Bursar,
    message: &Message,
    composed: &Composed,
    provider: Provider<'_>,
) -> Result<Found, Refusal> {
    let gateway = match (provider, message.channel) {
        (Provider::Phone(gateway), Channel::Sms) => gateway,
        (Provider::Phone(_) | Provider::Mail(_), _) => return Ok(Found::Unsupported),
    };
    let asked = message.clone();
    let known = bursar.read(move |world| messages::other_references(world, &asked)).await?;
    // The start of a link may have changed with the settings; its token never does.
    let token = composed.link.as_deref().and_then(|link| link.rsplit('/').next());
    let mark = token.or(composed.code.as_deref()).unwrap_or(&composed.text);
    Ok(gateway.look_up(&message.recipient, mark, &known).await)
}

/// Records the outcome of a message.
async fn conclude(bursar: &Bursar, leased: Leased, message: &Message, outcome: AttemptOutcome) -> Result<(), Refusal> {
    count(message.channel, &outcome);
    warn(message, leased.attempt, &outcome);
    let id = message.id;
    match message.template.0 {
        Template::ClaimLink { link, .. } => {
            bursar.engine.run(leased.org, ClaimLinkDelivered { leased, message: id, link, outcome }).await
        }
        Template::Code { .. }
        | Template::PayoutFailed { .. }
        | Template::PayoutCanceled { .. }
        | Template::PaidByPreference { .. }
        | Template::PaymentCollected { .. }
        | Template::PayoutCompleted { .. }
        | Template::PayeeChanged { .. }
        | Template::ReplyAnswer { .. } => {
            bursar.engine.run(leased.org, Concluded { leased, message: id, outcome }).await.map(|_| ())
        }
    }
}

/// Logs a failed attempt. A provider may repeat the recipient in its response; the log must not.
fn warn(message: &Message, attempt: i64, outcome: &AttemptOutcome) {
    let (what, reason) = match outcome {
        AttemptOutcome::Failed { reason, retry: true } => ("was postponed", reason),
        AttemptOutcome::Failed { reason, retry: false } => ("failed", reason),
        AttemptOutcome::InDoubt { reason } => ("is in doubt", reason),
        AttemptOutcome::Delivered { .. } | AttemptOutcome::Taken { .. } | AttemptOutcome::Superseded { .. } => return,
    };
    let reason = messages::without_recipient(reason, &message.recipient);
    let channel = message.channel.as_str();
    tracing::warn!(channel, attempt, reason, message_id = %message.id, "a message to a payee {what}");
}

async fn find(bursar: &Bursar, leased: &Leased, id: MessageId) -> Result<Arc<Message>, Refusal> {
    let org = leased.org;
    bursar.read(move |world| messages::find(world, org, id)).await
}
