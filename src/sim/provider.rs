//! The simulated message provider: delivers codes to their recipients, and counts its deliveries.
//!
//! For some phones it is the sandbox's inbox. For the others it is a gateway and a mail server: it delivers a repeated
//! message twice, it may accept one and lose the response, and it may list a message only later. Texts can be queried,
//! mails and calls cannot.

use std::collections::HashMap;

use super::chance::Chance;
use super::checks::changed::changed;
use crate::clock::Time;
use crate::ids::{MessageId, OrgId, PayoutLinkId};
use crate::ledger::verify::Finding;
use crate::messages::{AttemptOutcome, Channel, Composed, InboxMessage, Inboxed, Message, Template};
use crate::payout_links::DELIVERIES_MAX;
use crate::store::memory::Change;
use crate::vault::Vault;
use crate::verification;

/// The longest time until an accepted message is in the gateway's list.
const LISTED_WITHIN_SECONDS: i64 = 50;
/// How often a message other than a link may be sent if its delivery cannot be queried.
const UNCONFIRMED_MAX: u32 = 3;

/// The worker's knowledge after it sent a message.
#[derive(Clone, Debug)]
pub(super) enum Reported {
    AttemptOutcome(AttemptOutcome),
    /// The worker died and knows nothing.
    Died,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Taken,
    NotTaken,
    Silence,
    /// It keeps no list.
    Unsupported,
}

#[derive(Default)]
pub(super) struct Provider {
    /// How often each message was delivered, and from when on the list shows it.
    taken: HashMap<MessageId, (u32, Time)>,
    /// Deliveries of each link by channel, counted by the provider.
    deliveries: HashMap<(PayoutLinkId, Channel), u32>,
    /// The newest code of each recipient.
    codes: HashMap<(OrgId, String), String>,
    /// The newest message that was sent too often.
    complaint: Option<Finding>,
    /// Negative control: denies the messages that it accepted.
    denies: bool,
    /// Messages that reached the inbox without a worker.
    pub followed: u64,
    /// Whether it has no faults. On when the simulation drains.
    pub sound: bool,
}

impl Provider {
    pub fn new(denies: bool) -> Self {
        Self { denies, ..Self::default() }
    }

    /// Whether the sandbox's inbox receives this message: then it does not leave the program.
    pub fn is_inbox(message: &Message) -> bool {
        let digit = message.recipient.chars().rfind(char::is_ascii_digit);
        matches!(digit, Some('0' | '3' | '7'))
    }

    /// Reads the codes of messages that reached the inbox without a worker.
    pub fn commit(&mut self, changes: &[Change]) {
        for message in changed::<InboxMessage>(changes).filter_map(|change| change.after) {
            self.followed += u64::from(message.text != composed().text);
            if let Some(code) = &message.code {
                self.codes.insert((message.org, message.recipient.clone()), code.clone());
            }
        }
    }

    /// Puts a message into the inbox; the delivery is recorded in the same commit.
    pub fn put_into_inbox(&mut self, message: &Message, vault: &Vault) -> AttemptOutcome {
        self.bring_code(message, vault);
        AttemptOutcome::Delivered { inbox: Some(Inboxed::Text(composed())) }
    }

    /// Accepts a message, or fails.
    pub fn hand_over(&mut self, message: &Message, now: Time, vault: &Vault, chance: &mut Chance) -> Reported {
        let in_doubt = || Reported::AttemptOutcome(AttemptOutcome::InDoubt { reason: "no response".to_owned() });
        let failed =
            |reason: &str, retry| Reported::AttemptOutcome(AttemptOutcome::Failed { reason: reason.to_owned(), retry });
        let failure = if self.sound { 99 } else { chance.position(50) };
        match failure {
            0 => return in_doubt(),
            1 => return Reported::Died,
            2 => return failed("no route", true),
            3 => return failed("no such recipient", false),
            _ => {}
        }
        let listed_in = if failure <= 5 { chance.between(0, LISTED_WITHIN_SECONDS) } else { 0 };
        self.take(message, now.plus_seconds(listed_in), vault);
        match failure {
            4 => in_doubt(),
            5 => Reported::Died,
            _ => {
                let reference = can_be_asked(message).then(|| message.id.to_string());
                Reported::AttemptOutcome(AttemptOutcome::Taken { reference })
            }
        }
    }

    /// Returns whether it accepted a message.
    pub fn look_up(&self, message: &Message, now: Time, chance: &mut Chance) -> Found {
        if !can_be_asked(message) {
            return Found::Unsupported;
        }
        if !self.sound && chance.one_in(15) {
            return Found::Silence;
        }
        let is_listed = self.taken.get(&message.id).is_some_and(|(_, listed_at)| *listed_at <= now);
        if is_listed && !self.denies { Found::Taken } else { Found::NotTaken }
    }

    /// Returns whether a message arrived; `None` if that is not known yet.
    pub fn follow(&self, chance: &mut Chance) -> Option<AttemptOutcome> {
        match if self.sound { 0 } else { chance.position(8) } {
            0..=4 => Some(AttemptOutcome::Delivered { inbox: None }),
            5 => Some(AttemptOutcome::Failed { reason: "the phone is unreachable".to_owned(), retry: false }),
            _ => None,
        }
    }

    pub fn code(&self, org: OrgId, recipient: &str) -> Option<&String> {
        self.codes.get(&(org, recipient.to_owned()))
    }

    /// Returns the message that was sent too often (10).
    pub fn complaint(&mut self) -> Option<Finding> {
        self.complaint.take()
    }

    fn take(&mut self, message: &Message, listed_at: Time, vault: &Vault) {
        let (times, _) = self.taken.entry(message.id).and_modify(|(times, _)| *times += 1).or_insert((1, listed_at));
        let (times, mut complaint) = (*times, None);
        if let Template::ClaimLink { link, .. } = message.template.0 {
            let counted = self.deliveries.entry((link, message.channel)).or_default();
            *counted += 1;
            if *counted > DELIVERIES_MAX {
                complaint = Some(format!("is the delivery {counted} of payout link {link} by {}", message.channel));
            }
        } else if times > UNCONFIRMED_MAX {
            complaint = Some(format!("was brought {times} times"));
        }
        if times > 1 && can_be_asked(message) {
            complaint = Some("was texted twice although the gateway could have been queried".to_owned());
        }
        let place = format!("message {}", message.id);
        self.complaint = self.complaint.take().or(complaint.map(|what| Finding { invariant: 10, what, place }));
        self.bring_code(message, vault);
    }

    fn bring_code(&mut self, message: &Message, vault: &Vault) {
        match &message.template.0 {
            Template::Code { sealed_code, .. } => {
                if let Ok(code) = verification::open_code(vault, message, sealed_code) {
                    self.codes.insert((message.org, message.recipient.clone()), code);
                }
            }
            Template::ClaimLink { .. }
            | Template::PayoutCanceled { .. }
            | Template::PayoutFailed { .. }
            | Template::PaidByPreference { .. }
            | Template::PaymentCollected { .. }
            | Template::PayoutCompleted { .. }
            | Template::PayeeChanged { .. }
            | Template::ReplyAnswer { .. } => {}
        }
    }
}

/// Gateways list accepted texts. Mail servers and calls have no list.
fn can_be_asked(message: &Message) -> bool {
    match message.channel {
        Channel::Sms => true,
        Channel::Email | Channel::Voice => false,
    }
}

fn composed() -> Composed {
    Composed { subject: "A message".to_owned(), text: "A simulated message.".to_owned(), link: None, code: None }
}
