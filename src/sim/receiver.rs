//! The simulated receiver of webhooks: it keeps what it was told, and fails now and then.

use std::collections::{BTreeSet, HashMap};

use super::chance::Chance;
use crate::ids::WebhookEndpointId;
use crate::outbound::Unanswered;
use crate::scope::Scope;
use crate::vault::{Unsealed, Vault};
use crate::webhooks::{CreateEndpoint, Outcome};

/// See the module's comment.
#[derive(Default)]
pub(super) struct Receiver {
    heard: HashMap<WebhookEndpointId, BTreeSet<i64>>,
    /// Whether it fails by itself. Off when the simulation ends.
    pub sound: bool,
}

impl Receiver {
    /// Is told of an event. Whether it heard it, and whether its answer arrives, are two things.
    pub fn call(&mut self, endpoint: WebhookEndpointId, sequence: i64, chance: &mut Chance) -> Outcome {
        let failure = if self.sound { 99 } else { chance.position(20) };
        match failure {
            0 => return Outcome::Unanswered(Unanswered::NotConnected),
            1 => return answered(503),
            _ => drop(self.heard.entry(endpoint).or_default().insert(sequence)),
        }
        if failure == 2 { Outcome::Unanswered(Unanswered::TimedOut) } else { answered(204) }
    }

    /// Whether it was told of an event.
    pub fn has_heard(&self, endpoint: WebhookEndpointId, sequence: i64) -> bool {
        self.heard.get(&endpoint).is_some_and(|heard| heard.contains(&sequence))
    }
}

/// An endpoint of an app. Its secret signs nothing here.
pub(super) fn endpoint(scope: Scope, vault: &Vault) -> CreateEndpoint {
    let url = "https://receiver.example/hooks".to_owned();
    CreateEndpoint { scope, url, description: None, events: None, secret: Unsealed::new(vault, [0; 32], [0; 24]) }
}

fn answered(status: u16) -> Outcome {
    Outcome::Answered { status, retry_after_seconds: None }
}
