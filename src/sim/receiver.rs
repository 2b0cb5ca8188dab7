//! The simulated receiver of webhooks: records the events it receives, and sometimes fails.

use std::collections::{BTreeSet, HashMap};

use super::chance::Chance;
use crate::ids::WebhookEndpointId;
use crate::outbound::Unanswered;
use crate::scope::Scope;
use crate::vault::{Unsealed, Vault};
use crate::webhooks::{CreateEndpoint, Outcome};

#[derive(Default)]
pub(super) struct Receiver {
    heard: HashMap<WebhookEndpointId, BTreeSet<i64>>,
    /// Whether it has no faults. On when the simulation drains.
    pub sound: bool,
}

impl Receiver {
    /// Receives an event. It may record the event and still lose the response.
    pub fn call(&mut self, endpoint: WebhookEndpointId, sequence: i64, chance: &mut Chance) -> Outcome {
        let failure = if self.sound { 99 } else { chance.position(20) };
        match failure {
            0 => return Outcome::Unanswered(Unanswered::NotConnected),
            1 => return answered(503),
            _ => drop(self.heard.entry(endpoint).or_default().insert(sequence)),
        }
        if failure == 2 { Outcome::Unanswered(Unanswered::TimedOut) } else { answered(204) }
    }

    pub fn has_heard(&self, endpoint: WebhookEndpointId, sequence: i64) -> bool {
        self.heard.get(&endpoint).is_some_and(|heard| heard.contains(&sequence))
    }
}

/// Returns an endpoint of an app. Its secret signs nothing here.
pub(super) fn endpoint(scope: Scope, vault: &Vault) -> CreateEndpoint {
    let url = "https://receiver.example/hooks".to_owned();
    CreateEndpoint { scope, url, description: None, events: None, secret: Unsealed::new(vault, [0; 32], [0; 24]) }
}

fn answered(status: u16) -> Outcome {
    Outcome::Answered { status, retry_after_seconds: None }
}
