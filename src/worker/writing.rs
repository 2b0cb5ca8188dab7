//! Composes a message from its rows when it is sent.

use std::sync::Arc;

use crate::apps::{self, App};
use crate::clock::Time;
use crate::closing;
use crate::ids::{MessageId, OrgId, PayoutLinkId};
use crate::language::Language;
use crate::messages::{
    self, AttemptOutcome, Channel, CodePurpose, Composed, Inboxed, Letter, LinkText, Message, Template,
};
use crate::payout_links::{self, PayoutLink};
use crate::program::Bursar;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers;
use crate::users::notices::NoticeToken;
use crate::vault::Vault;
use crate::verification;
use crate::world::{Halt, World};

/// A message with the rows that its text needs.
pub(super) struct Uncomposed {
    pub message: Arc<Message>,
    /// The outcome that replaces sending, if the message became obsolete after it was queued.
    pub superseded: Option<AttemptOutcome>,
    app: Arc<App>,
    link: Option<Arc<PayoutLink>>,
}

pub(super) fn find_letter(world: &mut World, org: OrgId, id: MessageId) -> Result<Uncomposed, Halt> {
    let message = messages::find(world, org, id)?;
    let scope = Scope { org, app: message.app };
    let link = match link_of(world, scope, &message.template.0)? {
        Some(id) => Some(payout_links::find(world, scope, id)?),
        None => None,
    };
    // Last, because commands in the same batch have loaded it by then.
    let app = apps::find_even_deleted(world, scope)?;
    let is_erased = message.is_erased() || closing::is_erasing(world, &message)?;
    let is_stopped = messages::stops::refuses(world, &message)?;
    let superseded = superseded(&message, link.as_deref(), (is_erased, is_stopped), world.now());
    Ok(Uncomposed { message, superseded, app, link })
}

/// Skips messages about canceled or already claimed links. An erased payee is never messaged, nor a number that replied
/// STOP; the link's delivery then fails, and its sender is notified.
fn superseded(
    message: &Message,
    link: Option<&PayoutLink>,
    (is_erased, is_stopped): (bool, bool),
    now: Time,
) -> Option<AttemptOutcome> {
    let link = link.filter(|_| message.is_awaited());
    if let Some(refusal) = link.and_then(|link| payout_links::rules::must_wait(link, now).err()) {
        return Some(AttemptOutcome::Superseded { reason: refusal.message });
    }
    let reason = match (is_erased, is_stopped) {
        (true, _) => "The recipient was deleted before the message was sent.".to_owned(),
        (false, true) => messages::stops::STOPPED.to_owned(),
        (false, false) => return None,
    };
    Some(match link {
        Some(_) => AttemptOutcome::Failed { reason, retry: false },
        None => AttemptOutcome::Superseded { reason },
    })
}

/// Returns the link to claim, or the link of the payout that did not arrive.
fn link_of(world: &mut World, scope: Scope, template: &Template) -> Result<Option<PayoutLinkId>, Halt> {
    match template {
        Template::ClaimLink { link, .. } => Ok(Some(*link)),
        Template::PayoutFailed { transfer, .. } | Template::PayoutCanceled { transfer, .. } => {
            Ok(transfers::find(world, scope, *transfer)?.payout_link)
        }
        Template::Code { .. }
        | Template::PaidByPreference { .. }
        | Template::PaymentCollected { .. }
        | Template::PayoutCompleted { .. }
        | Template::PayeeChanged { .. }
        | Template::ReplyAnswer { .. } => Ok(None),
    }
}

impl Uncomposed {
    pub fn link(&self) -> Option<&PayoutLink> {
        self.link.as_deref()
    }

    pub fn app(&self) -> &App {
        &self.app
    }

    /// Returns the language of the message: its own, else that of its app.
    pub fn language(&self) -> Language {
        self.message.language.or(self.app.settings.0.brand.language).unwrap_or_default()
    }
}

/// Composes messages: it can open sealed values and knows the public address.
#[derive(Clone)]
pub(crate) struct Pen {
    vault: Arc<Vault>,
    public_url: String,
}

impl Pen {
    pub(crate) fn new(vault: Arc<Vault>, public_url: String) -> Self {
        Self { vault, public_url }
    }

    pub fn public_url(&self) -> &str {
        &self.public_url
    }

    pub(crate) fn of(bursar: &Bursar) -> Self {
        Self::new(bursar.vault.clone(), bursar.public_url.clone())
    }

    /// Returns the message for the inbox. A text about a link is composed when it is read, so that the link's address
    /// is stored once and sealed.
    pub(super) fn inboxed(&self, letter: &Uncomposed) -> Result<Inboxed, Refusal> {
        if let Template::ClaimLink { link, delivery } = letter.message.template.0 {
            let (app_name, address_start) = (letter.app.name.clone(), payout_links::address_start(&self.public_url));
            let language = letter.message.language;
            return Ok(Inboxed::OfLink(LinkText { link, delivery, app_name, address_start, language }));
        }
        self.compose(letter).map(Inboxed::Text)
    }

    /// Composes the message. Fails with `internal-error` if a sealed value does not open.
    pub(super) fn compose(&self, letter: &Uncomposed) -> Result<Composed, Refusal> {
        let Uncomposed { message, app, link, .. } = letter;
        let link = link.as_ref();
        let address = link.and_then(|link| payout_links::address_under(&self.public_url, &self.vault, link));
        let (app_name, language) = (app.name.as_str(), letter.language());
        let letter = match &message.template.0 {
            Template::ClaimLink { delivery, .. } => {
                let (link, address) = link.zip(address.as_deref()).ok_or_else(unreadable)?;
                let (amount, message) = (link.amount, link.message.as_deref());
                let reminds_until = messages::last_day(*delivery, link.expires_at);
                let is_text = letter.message.channel == Channel::Sms;
                let support = app.settings.0.brand.support().filter(|_| is_text);
                let letter =
                    Letter::ClaimLink { app_name, amount, message, link: address, reminds_until, support, is_text };
                return Ok(messages::compose(&letter, language));
            }
            Template::Code { sealed_code, purpose } => {
                let code = verification::open_code(&self.vault, message, sealed_code).map_err(|_| unreadable())?;
                let page_host = page_host(&self.public_url).filter(|_| is_bound(message.channel, *purpose));
                let letter = Letter::Code { app_name, code: &code, purpose: *purpose, page_host };
                return Ok(messages::compose(&letter, language));
            }
            Template::PayoutFailed { amount_cents, reason, returned_by, back_at_app, .. } => {
                let (amount, back_at_app) = (*amount_cents, *back_at_app);
                let (reason, link) = (reason.trim_end_matches('.'), address.as_deref());
                let returned_by = returned_by.as_deref();
                Letter::PayoutFailed { app_name, amount, reason, returned_by, link, back_at_app }
            }
            Template::PayoutCanceled { amount_cents, back_at_app, .. } => {
                let link = address.as_deref();
                Letter::PayoutCanceled { app_name, amount: *amount_cents, link, back_at_app: *back_at_app }
            }
            Template::PaidByPreference { amount_cents, method, arrival, message, .. } => {
                let message = message.as_deref();
                Letter::PaidByPreference { app_name, amount: *amount_cents, method, arrival, message }
            }
            Template::PaymentCollected { amount_cents, account, .. } => {
                Letter::PaymentCollected { app_name, amount: *amount_cents, account }
            }
            Template::PayoutCompleted { transfer, amount_cents, fee_cents, method, .. } => {
                let reference = transfer.to_string();
                let (amount, fee) = (*amount_cents, *fee_cents);
                let letter = Letter::PayoutCompleted { app_name, amount, fee, method, reference: &reference };
                return Ok(messages::compose(&letter, language));
            }
            Template::ReplyAnswer { keyword, is_spanish } => {
                return Ok(messages::answer(*keyword, *is_spanish, app_name, app.settings.0.brand.support()));
            }
            Template::PayeeChanged { notice, changes, method, .. } => {
                let token = NoticeToken { org: message.org, notice: *notice }.shown(&self.vault);
                let (link, method) = (format!("{}/notice/{token}", self.public_url), method.as_deref());
                let letter = Letter::PayeeChanged { app_name, changes, method, link: &link };
                return Ok(messages::compose(&letter, language));
            }
        };
        Ok(messages::compose(&letter, language))
    }
}

/// Whether a phone may fill the code into our page: a claim's code, by text message.
const fn is_bound(channel: Channel, purpose: CodePurpose) -> bool {
    matches!((channel, purpose), (Channel::Sms, CodePurpose::Claim))
}

/// Returns the host of the pages. Browsers bind codes to names reached by https only.
fn page_host(public_url: &str) -> Option<&str> {
    let rest = public_url.strip_prefix("https://")?;
    let host = rest.split(['/', ':']).next()?;
    let is_name = host.contains('.') && host.parse::<std::net::IpAddr>().is_err();
    is_name.then_some(host)
}

fn unreadable() -> Refusal {
    Refusal::new(Code::InternalError, "A message cannot be composed: its sealed value cannot be decrypted.")
}

/// Counts the outcomes of messages, for the metrics.
pub(super) fn count(channel: Channel, outcome: &AttemptOutcome) {
    let came_to = match outcome {
        AttemptOutcome::Delivered { .. } => "delivered",
        AttemptOutcome::Taken { .. } => "taken",
        AttemptOutcome::InDoubt { .. } => "in_doubt",
        AttemptOutcome::Failed { retry: true, .. } => "put_off",
        AttemptOutcome::Failed { retry: false, .. } => "failed",
        AttemptOutcome::Superseded { .. } => "overtaken",
    };
    metrics::counter!("bursar_messages_total", "channel" => channel.as_str(), "outcome" => came_to).increment(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_bound_to_a_name_reached_by_https() {
        for (public_url, host) in [
            ("https://pay.example.com", Some("pay.example.com")),
            ("https://pay.example.com:8443/bursar", Some("pay.example.com")),
            ("http://pay.example.com", None),
            ("https://127.0.0.1:8080", None),
            ("https://localhost", None),
        ] {
            assert_eq!(page_host(public_url), host, "{public_url}");
        }
        assert!(is_bound(Channel::Sms, CodePurpose::Claim));
        assert!(!is_bound(Channel::Email, CodePurpose::Claim) && !is_bound(Channel::Sms, CodePurpose::Verification));
    }
}
