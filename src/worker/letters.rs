//! Composes a message at the moment in which it is sent, and sends it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::apps::{self, App};
use crate::carriers::{Fate, Found, Gateway, Mail, Smtp, Told};
use crate::http::{Bursar, Environment, Scope};
use crate::ids::{MessageId, OrgId, PayoutLinkId};
use crate::jobs::Leased;
use crate::messages::{
    self, Before, BeginAttempt, Begun, Channel, Composed, Concluded, Conclusion, Letter, Message, StillOnItsWay,
    Template,
};
use crate::payout_links::{self, ClaimLinkDelivered, DeliverInDoubt, PayoutLink};
use crate::refusal::{Code, Refusal};
use crate::transfers;
use crate::users::verification;
use crate::world::{Halt, World};

/// A phone number that ends so cannot be reached in the sandbox (decisions.md 13).
const UNREACHABLE: &str = "0199";

/// How long after it asked to begin a worker may still tell a carrier. With the call itself that ends well within
/// the minute after which others believe a carrier that does not know of the message.
const TELL_WITHIN: Duration = crate::outbound::DEADLINE;

/// Sends a message, and says what came of it.
pub(super) async fn send(bursar: &Bursar, leased: Leased, id: MessageId) -> Result<(), Refusal> {
    let letter = find_letter(bursar, leased.org, id).await?;
    let (message, composed) = (letter.message.clone(), compose(bursar, &letter)?);
    let carriers = &bursar.carriers;
    let carrier = match message.channel {
        Channel::Email => carriers.mail.as_ref().map(Carrier::Mail),
        Channel::Sms | Channel::Voice => carriers.phone.as_ref().map(Carrier::Phone),
    };
    let outcome = match (carrier, bursar.environment) {
        (Some(carrier), _) => attempt(bursar, &leased, &message, &composed, carrier).await?,
        (None, Environment::Sandbox) => Some(to_inbox(&message, composed)),
        (None, Environment::Production) => {
            // The settings forbid it; should they ever not, nothing pretends to be delivered.
            let reason = "No carrier is configured for this channel.".to_owned();
            Some(Conclusion::Failed { reason, retry: true })
        }
    };
    match outcome {
        Some(outcome) => conclude(bursar, leased, &message, outcome).await,
        None => Ok(()),
    }
}

/// Asks whether a message that a carrier took has arrived.
pub(super) async fn follow(bursar: &Bursar, leased: Leased, id: MessageId) -> Result<(), Refusal> {
    let message = find(bursar, &leased, id).await?;
    let fate = match (&bursar.carriers.phone, &message.reference) {
        (Some(gateway), Some(reference)) => gateway.follow(reference).await,
        // The gateway was taken out of the settings meanwhile.
        (None, _) | (_, None) => Ok(Fate::OnItsWay),
    };
    match fate {
        Ok(Fate::Arrived) => conclude(bursar, leased, &message, Conclusion::Delivered { inbox: None }).await,
        Ok(Fate::Lost { reason }) => {
            conclude(bursar, leased, &message, Conclusion::Failed { reason, retry: false }).await
        }
        Ok(Fate::OnItsWay) => bursar.engine.run(StillOnItsWay { leased }).await,
        Err(reason) => {
            tracing::info!(%id, reason, "a carrier does not say what became of a message");
            bursar.engine.run(StillOnItsWay { leased }).await
        }
    }
}

/// A carrier that is configured for a message's channel.
#[derive(Clone, Copy)]
enum Carrier<'a> {
    Mail(&'a Smtp),
    Phone(&'a Gateway),
}

/// Hands a message to a carrier, unless an earlier attempt turns out to have done so. `None` when the job has
/// been seen to.
///
/// The order is what keeps the promises: the note that an attempt begins is committed before the carrier hears
/// of it, and the carrier hears of it soon or not at all; after an attempt in doubt the carrier is asked; and where it
/// cannot be asked, a link that is sent once more counts as delivered once more.
async fn attempt(
    bursar: &Bursar,
    leased: &Leased,
    message: &Message,
    composed: &Composed,
    carrier: Carrier<'_>,
) -> Result<Option<Conclusion>, Refusal> {
    let begin = |before| BeginAttempt { leased: leased.clone(), message: message.id, before };
    let mut since = Instant::now();
    let mut begun = bursar.engine.run(begin(Before::NotAsked)).await?;
    if begun == Begun::Ask {
        let asked_at = bursar.clock.now();
        let found = look_up(bursar, message, composed, carrier).await?;
        since = Instant::now();
        begun = match found {
            Found::Taken { reference } => return Ok(Some(Conclusion::Taken { reference: Some(reference) })),
            Found::Silence { reason } => return Ok(Some(Conclusion::InDoubt { reason })),
            Found::NotTaken => bursar.engine.run(begin(Before::NotTaken { asked_at })).await?,
            Found::CannotTell => match message.template.0 {
                Template::ClaimLink { link, .. } => {
                    let again = DeliverInDoubt { leased: leased.clone(), message: message.id, link };
                    bursar.engine.run(again).await?
                }
                Template::Code { .. }
                | Template::PayoutFailed { .. }
                | Template::PayoutCanceled { .. }
                | Template::PaidByPreference { .. } => bursar.engine.run(begin(Before::Untold)).await?,
            },
        };
    }
    match begun {
        // Its process stood still between the note and this: another may have asked the carrier meanwhile, and told it.
        Begun::Send if since.elapsed() > TELL_WITHIN => Err(Refusal::new(
            Code::ServiceUnavailable,
            "The worker came too late to tell the carrier. The carrier is asked when the lease ends.",
        )),
        Begun::Send => {
            let told = hand_over(bursar, message, composed, carrier).await;
            Ok(Some(match told {
                Told::Taken { reference } => Conclusion::Taken { reference },
                Told::Refused { reason } => Conclusion::Failed { reason, retry: false },
                Told::NotNow { reason } => Conclusion::Failed { reason, retry: true },
                Told::InDoubt { reason } => Conclusion::InDoubt { reason },
            }))
        }
        // Nobody asks twice: who has an answer goes on with it.
        Begun::Ask | Begun::Over => Ok(None),
    }
}

async fn hand_over(bursar: &Bursar, message: &Message, composed: &Composed, carrier: Carrier<'_>) -> Told {
    let to = message.recipient.as_str();
    let (text, link) = (composed.text.as_str(), composed.link.as_deref());
    match (carrier, message.channel) {
        (Carrier::Mail(smtp), _) => {
            let (id, written) = (message.id.0, message.created_at);
            smtp.send(Mail { id, written, to, subject: &composed.subject, text, link }).await
        }
        (Carrier::Phone(gateway), Channel::Voice) => gateway.call(to, text, composed.code.as_deref()).await,
        (Carrier::Phone(gateway), Channel::Sms | Channel::Email) => {
            let report_to = gateway.reports_to(&bursar.public_url, message.org, message.id);
            gateway.text(to, text, report_to.filter(|_| message.is_awaited()).as_deref()).await
        }
    }
}

/// What the carrier knows of an attempt in doubt. Mail servers keep no list, and a call has no text to find it by.
async fn look_up(
    bursar: &Bursar,
    message: &Message,
    composed: &Composed,
    carrier: Carrier<'_>,
) -> Result<Found, Refusal> {
    let gateway = match (carrier, message.channel) {
        (Carrier::Phone(gateway), Channel::Sms) => gateway,
        (Carrier::Phone(_) | Carrier::Mail(_), _) => return Ok(Found::CannotTell),
    };
    let asked = message.clone();
    let known = bursar.read(move |world| messages::other_references(world, &asked)).await?;
    // A link's beginning may have changed since with the settings; its token never does.
    let token = composed.link.as_deref().and_then(|link| link.rsplit('/').next());
    let mark = token.or(composed.code.as_deref()).unwrap_or(&composed.text);
    Ok(gateway.look_up(&message.recipient, mark, &known).await)
}

/// Reports what came of a message to whoever waits for it.
async fn conclude(bursar: &Bursar, leased: Leased, message: &Message, outcome: Conclusion) -> Result<(), Refusal> {
    let (came_to, id) = (came_to(&outcome), message.id);
    metrics::counter!("bursar_messages_total", "channel" => message.channel.as_str(), "outcome" => came_to)
        .increment(1);
    match message.template.0 {
        Template::ClaimLink { link, .. } => {
            bursar.engine.run(ClaimLinkDelivered { leased, message: id, link, outcome }).await
        }
        Template::Code { .. }
        | Template::PayoutFailed { .. }
        | Template::PayoutCanceled { .. }
        | Template::PaidByPreference { .. } => {
            bursar.engine.run(Concluded { leased, message: id, outcome }).await.map(|_| ())
        }
    }
}

fn came_to(outcome: &Conclusion) -> &'static str {
    match outcome {
        Conclusion::Delivered { .. } => "delivered",
        Conclusion::Taken { .. } => "taken",
        Conclusion::InDoubt { .. } => "in_doubt",
        Conclusion::Failed { retry: true, .. } => "put_off",
        Conclusion::Failed { retry: false, .. } => "failed",
    }
}

async fn find(bursar: &Bursar, leased: &Leased, id: MessageId) -> Result<Arc<Message>, Refusal> {
    let org = leased.org;
    bursar.read(move |world| messages::find(world, org, id)).await
}

/// The sandbox's carrier: nothing leaves the machine, everything can be read in the inbox.
fn to_inbox(message: &Message, composed: Composed) -> Conclusion {
    let unreachable = match message.channel {
        Channel::Sms | Channel::Voice => message.recipient.ends_with(UNREACHABLE),
        Channel::Email => false,
    };
    if unreachable {
        let reason = "The carrier reports that this number cannot be reached.".to_owned();
        return Conclusion::Failed { reason, retry: false };
    }
    Conclusion::Delivered { inbox: Some(composed) }
}

/// A message with what it speaks of.
struct Unwritten {
    message: Arc<Message>,
    app: Arc<App>,
    link: Option<Arc<PayoutLink>>,
}

async fn find_letter(bursar: &Bursar, org: OrgId, id: MessageId) -> Result<Unwritten, Refusal> {
    bursar
        .read(move |world| {
            let message = messages::find(world, org, id)?;
            let scope = Scope { org, app: message.app };
            let app = apps::find_even_deleted(world, scope)?;
            let link = match link_of(world, scope, &message.template.0)? {
                Some(id) => Some(payout_links::find(world, scope, id)?),
                None => None,
            };
            Ok(Unwritten { message, app, link })
        })
        .await
}

fn compose(bursar: &Bursar, letter: &Unwritten) -> Result<Composed, Refusal> {
    let Unwritten { message, app, link } = letter;
    let address = link.as_ref().and_then(|link| payout_links::address(bursar, link));
    let app_name = app.name.as_str();
    let letter = match &message.template.0 {
        Template::ClaimLink { delivery, .. } => {
            let (link, address) = link.as_ref().zip(address.as_deref()).ok_or_else(unreadable)?;
            let (amount, message) = (link.amount, link.message.as_deref());
            Letter::ClaimLink { app_name, amount, message, link: address, again: *delivery > 1 }
        }
        Template::Code { sealed_code, purpose } => {
            let code = verification::open_code(&bursar.vault, message.org, sealed_code).map_err(|_| unreadable())?;
            return Ok(messages::compose(&Letter::Code { app_name, code: &code, purpose: *purpose }));
        }
        Template::PayoutFailed { amount_cents, reason, back_at_app, .. } => {
            let (reason, link) = (reason.trim_end_matches('.'), address.as_deref());
            Letter::PayoutFailed { app_name, amount: *amount_cents, reason, link, back_at_app: *back_at_app }
        }
        Template::PayoutCanceled { amount_cents, back_at_app, .. } => {
            let link = address.as_deref();
            Letter::PayoutCanceled { app_name, amount: *amount_cents, link, back_at_app: *back_at_app }
        }
        Template::PaidByPreference { amount_cents, method, arrival, message, .. } => {
            let message = message.as_deref();
            Letter::PaidByPreference { app_name, amount: *amount_cents, method, arrival, message }
        }
    };
    Ok(messages::compose(&letter))
}

/// The link that a message speaks of: the one to claim, or the one whose payout did not arrive.
fn link_of(world: &mut World, scope: Scope, template: &Template) -> Result<Option<PayoutLinkId>, Halt> {
    match template {
        Template::ClaimLink { link, .. } => Ok(Some(*link)),
        Template::PayoutFailed { transfer, .. } | Template::PayoutCanceled { transfer, .. } => {
            Ok(transfers::find(world, scope, *transfer)?.payout_link)
        }
        Template::Code { .. } | Template::PaidByPreference { .. } => Ok(None),
    }
}

fn unreadable() -> Refusal {
    Refusal::new(Code::InternalError, "A message cannot be composed: its sealed part does not open.")
}
