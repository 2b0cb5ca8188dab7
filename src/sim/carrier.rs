//! The simulated carrier of messages: brings codes to the people they are for, and counts what it delivered.

use std::collections::{HashMap, HashSet};

use super::chance::Chance;
use crate::ids::{MessageId, OrgId, PayoutLinkId};
use crate::ledger::verify::Finding;
use crate::messages::{Channel, Composed, Conclusion, Message, Template};
use crate::users::verification;
use crate::vault::Vault;

/// See the module's comment.
#[derive(Default)]
pub(super) struct Carrier {
    /// Messages that it carried; handed one twice, it carries it once.
    carried: HashSet<MessageId>,
    /// Deliveries of each link by each channel, as the carrier counts them.
    deliveries: HashMap<(PayoutLinkId, Channel), u32>,
    /// The newest code that somebody received.
    codes: HashMap<(OrgId, String), String>,
    /// Whether it fails or goes silent by itself. Off when the simulation ends.
    pub sound: bool,
}

impl Carrier {
    /// Carries a message; `None` when it gave no answer in time, whether or not it carried it.
    pub fn carry(&mut self, message: &Message, vault: &Vault, chance: &mut Chance) -> Option<Conclusion> {
        let trouble = if self.sound { 99 } else { chance.position(50) };
        match trouble {
            0 => return None,
            1 => return Some(Conclusion::Failed { reason: "no route".to_owned(), retry: true }),
            2 => return Some(Conclusion::Failed { reason: "no such recipient".to_owned(), retry: false }),
            _ => {}
        }
        if self.carried.insert(message.id) {
            self.bring(message, vault);
        }
        match trouble {
            3 => None,
            4 => Some(Conclusion::Failed { reason: "the answer was lost".to_owned(), retry: true }),
            _ if chance.one_in(2) => Some(Conclusion::Delivered { inbox: Some(composed()) }),
            _ => Some(Conclusion::Taken { reference: Some(message.id.to_string()) }),
        }
    }

    /// Says whether a message arrived; `None` when it does not know yet.
    pub fn follow(&self, chance: &mut Chance) -> Option<Conclusion> {
        match if self.sound { 0 } else { chance.position(8) } {
            0..=4 => Some(Conclusion::Delivered { inbox: None }),
            5 => Some(Conclusion::Failed { reason: "the phone is gone".to_owned(), retry: false }),
            _ => None,
        }
    }

    fn bring(&mut self, message: &Message, vault: &Vault) {
        match &message.template.0 {
            Template::ClaimLink { link, .. } => {
                *self.deliveries.entry((*link, message.channel)).or_default() += 1;
            }
            Template::Code { sealed_code, .. } => {
                if let Ok(code) = verification::open_code(vault, message.org, sealed_code) {
                    self.codes.insert((message.org, message.recipient.clone()), code);
                }
            }
            Template::PayoutOnItsWay { .. } | Template::PayoutFailed { .. } | Template::PaidByPreference { .. } => {}
        }
    }

    /// The newest code that a recipient received.
    pub fn code(&self, org: OrgId, recipient: &str) -> Option<&String> {
        self.codes.get(&(org, recipient.to_owned()))
    }

    /// A link that was delivered more often than it may be (10).
    pub fn too_often(&self, link: PayoutLinkId, channel: Channel, deliveries_max: u32) -> Option<Finding> {
        let counted = self.deliveries.get(&(link, channel)).copied().unwrap_or(0);
        let what = format!("the carrier counts {counted} deliveries by {channel}");
        (counted > deliveries_max).then(|| Finding { invariant: 10, what, place: format!("payout link {link}") })
    }
}

fn composed() -> Composed {
    Composed { subject: "A message".to_owned(), text: "A simulated message.".to_owned(), link: None, code: None }
}
