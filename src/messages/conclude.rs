//! Records the outcome of a message, in the commit that ends its job.

use std::sync::Arc;

use super::compose::Composed;
use super::model::{InboxMessage, LinkText, Message};
use super::rules::{self, MessageEvent};
use crate::engine::Command;
use crate::ids::MessageId;
use crate::jobs::{self, Leased, Work};
use crate::providers::{DeliveryOutcome, Report};
use crate::world::record::{Document, key};
use crate::world::{Halt, Want, World};

/// The attempts before a message fails: about a quarter of an hour of doubling waits.
const ATTEMPTS_MAX: i64 = 10;

/// The waits before each query whether a message arrived. Most arrive within seconds; one that did not arrive within a
/// day never will.
const FOLLOW_AFTER_SECONDS: [i64; 7] = [10, 60, 300, 1_800, 7_200, 21_600, 57_600];

/// The outcome of an attempt to send a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    Delivered {
        /// The message for the sandbox's inbox, which replaces the recipient's phone.
        inbox: Option<Inboxed>,
    },
    Taken {
        /// The provider's reference, if it can be queried.
        reference: Option<String>,
    },
    /// The request was sent and the provider did not answer, so it may have accepted the message.
    InDoubt {
        reason: String,
    },
    Failed {
        reason: String,
        retry: bool,
    },
    /// The message was not sent, because its reason no longer exists. This is not a failure.
    Superseded {
        /// The event that made it obsolete.
        reason: String,
    },
}

/// A message for the sandbox's inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inboxed {
    Text(Composed),
    /// Its text has a claim link, and is composed when it is read.
    OfLink(LinkText),
}

/// Ends an attempt to send a message: the job, the status and the inbox in one commit. `payout_links` ends the
/// deliveries of links.
#[derive(Clone, Debug)]
pub struct Concluded {
    pub leased: Leased,
    pub message: MessageId,
    pub outcome: AttemptOutcome,
}

impl Command for Concluded {
    type Reply = Option<Arc<Message>>;

    fn needs(&self) -> Vec<Want> {
        vec![Want::row::<Message>(key![self.leased.org, self.message])]
    }

    fn decide(&self, world: &mut World) -> Result<Option<Arc<Message>>, Halt> {
        record_outcome(world, &self.leased, self.message, &self.outcome)
    }
}

/// Ends or retries the job, records the status and the inbox, and returns the changed message; `None` if its outcome
/// was recorded before.
///
/// # Errors
/// `resource-busy` when another worker has the lease and will record the outcome instead.
pub fn record_outcome(
    world: &mut World,
    leased: &Leased,
    message: MessageId,
    outcome: &AttemptOutcome,
) -> Result<Option<Arc<Message>>, Halt> {
    let message = super::rows::find(world, leased.org, message)?;
    let now = world.now();
    let (event, error) = match outcome {
        AttemptOutcome::Delivered { .. } => (MessageEvent::Delivered, None),
        AttemptOutcome::Taken { .. } => (MessageEvent::Taken, None),
        AttemptOutcome::InDoubt { reason } | AttemptOutcome::Failed { reason, retry: true }
            if leased.attempt < ATTEMPTS_MAX =>
        {
            (MessageEvent::PutOff, Some(reason.clone()))
        }
        AttemptOutcome::InDoubt { reason }
        | AttemptOutcome::Failed { reason, .. }
        | AttemptOutcome::Superseded { reason } => (MessageEvent::GivenUp, Some(reason.clone())),
    };
    match event {
        MessageEvent::PutOff => {
            let until = now.plus_seconds(jobs::backoff_seconds(leased.attempt));
            jobs::put_off(world, leased, until, error.clone())?;
        }
        MessageEvent::Taken | MessageEvent::Delivered | MessageEvent::GivenUp => jobs::finish(world, leased)?,
    }
    let Some(status) = rules::transition(message.status, event) else { return Ok(None) };
    let error = error.map(|reason| without_recipient(&reason, &message.recipient));

    // From here it must succeed.
    if let AttemptOutcome::Delivered { inbox: Some(inboxed) } = outcome {
        receive(world, &message, inboxed);
    }
    if let AttemptOutcome::Taken { reference: Some(_) } = outcome {
        follow(world, &message);
    }
    let still_in_doubt = event == MessageEvent::PutOff && matches!(outcome, AttemptOutcome::InDoubt { .. });
    Ok(Some(world.change(&message, |message| {
        message.status = status;
        message.error = error;
        if let AttemptOutcome::Taken { reference } = outcome {
            message.reference.clone_from(reference);
        }
        if matches!(event, MessageEvent::Taken | MessageEvent::Delivered) {
            message.sent_at = message.sent_at.or(Some(now));
        }
        if !still_in_doubt {
            message.in_doubt_since = None;
        }
    })))
}

/// Returns the provider's error without the recipient's phone number or address, because it is stored, logged and
/// shown.
pub fn without_recipient(reason: &str, recipient: &str) -> String {
    let digits = recipient.trim_start_matches('+');
    reason.replace(recipient, "(recipient)").replace(digits, "(recipient)")
}

/// Schedules a query whether a message arrived, if its sender is notified of that.
fn follow(world: &mut World, message: &Message) {
    if message.is_awaited() {
        let first = world.now().plus_seconds(FOLLOW_AFTER_SECONDS[0]);
        jobs::enqueue_at(world, message.org, Work::FollowMessage { message: message.id.0 }, first);
    }
}

/// Records a provider's report about a message, in any order; returns the changed message, or `None` if the report has
/// nothing new. Jobs in progress for the message then end without effect.
pub fn record_report(world: &mut World, message: &Arc<Message>, report: &Report) -> Option<Arc<Message>> {
    // A message that was sent again in doubt has two references. If either arrives, the message arrived; if only the
    // one that is not followed is lost, the message may still arrive.
    let is_another = message.reference.as_ref().is_some_and(|known| *known != report.reference);
    let (event, error) = match &report.delivery_outcome {
        DeliveryOutcome::Arrived => (MessageEvent::Delivered, None),
        DeliveryOutcome::Lost { .. } | DeliveryOutcome::OnItsWay if is_another => return None,
        DeliveryOutcome::Lost { reason } => (MessageEvent::GivenUp, Some(reason.clone())),
        DeliveryOutcome::OnItsWay => (MessageEvent::Taken, None),
    };
    let status = rules::transition(message.status, event)?;
    let error = error.map(|reason| without_recipient(&reason, &message.recipient));

    // From here it must succeed.
    let now = world.now();
    if event == MessageEvent::Taken {
        follow(world, message);
    }
    Some(world.change(message, |message| {
        message.status = status;
        message.error = error;
        message.reference.get_or_insert_with(|| report.reference.clone());
        message.in_doubt_since = None;
        if event != MessageEvent::GivenUp {
            message.sent_at = message.sent_at.or(Some(now));
        }
    }))
}

/// Queries the provider again later about a message in transit, until a day has passed.
#[derive(Clone, Debug)]
pub struct StillOnItsWay {
    /// The job that sent the query.
    pub leased: Leased,
}

impl Command for StillOnItsWay {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let asked = usize::try_from(self.leased.attempt).unwrap_or(usize::MAX);
        match FOLLOW_AFTER_SECONDS.get(asked) {
            Some(wait) => {
                let until = world.now().plus_seconds(*wait);
                jobs::put_off(world, &self.leased, until, None)
            }
            None => jobs::finish(world, &self.leased),
        }
    }
}

fn receive(world: &mut World, message: &Message, inboxed: &Inboxed) {
    let created_at = world.now();
    let (composed, of_link) = match inboxed.clone() {
        Inboxed::Text(composed) => (composed, None),
        Inboxed::OfLink(text) => (Composed::default(), Some(Document(text))),
    };
    world.add(InboxMessage {
        org: message.org,
        id: message.id,
        app: message.app,
        channel: message.channel,
        recipient: message.recipient.clone(),
        subject: composed.subject,
        text: composed.text,
        link: composed.link,
        code: composed.code,
        created_at,
        of_link,
    });
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::clock::{Clock, Time};
    use crate::engine::Executor;
    use crate::ids::{AppId, OrgId, Seeds};
    use crate::jobs::{Job, Lease};
    use crate::messages::{Channel, CodePurpose, MessageStatus, Template, queue};
    use crate::refusal::Refusal;
    use crate::scope::Scope;
    use crate::store::{Memory, Store};
    use crate::world::{Record, Value};
    use uuid::Uuid;

    struct Queue(Scope);

    impl Command for Queue {
        type Reply = MessageId;

        fn decide(&self, world: &mut World) -> Result<MessageId, Halt> {
            let template = Template::Code { sealed_code: vec![7], purpose: CodePurpose::Verification };
            Ok(queue(world, self.0, (Channel::Sms, "+12125550123"), None, template))
        }
    }

    /// A queued code and the executor that records its outcome.
    pub(in super::super) struct Bench {
        pub executor: Executor,
        memory: Memory,
        pub clock: Clock,
        org: OrgId,
        pub message: MessageId,
    }

    impl Bench {
        pub fn new() -> Self {
            let (memory, clock) = (Memory::new(), Clock::manual(Time::from_micros(1_790_000_000_000_000)));
            let mut executor = Executor::new(Store::Memory(memory.clone()), clock.clone(), Seeds::counted(1));
            let scope = Scope { org: OrgId(Uuid::from_u128(1)), app: AppId(Uuid::from_u128(2)) };
            let message = executor.run_one(scope.org, Queue(scope)).unwrap();
            Self { executor, memory, clock, org: scope.org, message }
        }

        pub fn lease(&mut self) -> Leased {
            self.lease_if_any().unwrap()
        }

        /// Leases the only job, if it exists and is due.
        pub fn lease_if_any(&mut self) -> Option<Leased> {
            self.clock.advance(1);
            let row = self.memory.rows(Job::TABLE).pop()?;
            let Value::Id(id) = row[1] else { panic!("a job's id is an id") };
            self.executor.run_one(self.org, Lease { org: self.org, id: id.into() }).unwrap()
        }

        pub fn conclude(&mut self, leased: &Leased, outcome: AttemptOutcome) -> Result<Option<Arc<Message>>, Refusal> {
            self.executor.run_one(leased.org, Concluded { leased: leased.clone(), message: self.message, outcome })
        }
    }

    fn delivered() -> AttemptOutcome {
        let composed = Composed { subject: "s".into(), text: "123456".into(), link: None, code: Some("123456".into()) };
        AttemptOutcome::Delivered { inbox: Some(Inboxed::Text(composed)) }
    }

    #[test]
    fn a_delivered_message_is_in_the_inbox_and_its_job_is_done() {
        let mut bench = Bench::new();
        let leased = bench.lease();
        let message = bench.conclude(&leased, delivered()).unwrap().unwrap();
        assert_eq!(message.status, MessageStatus::Delivered);
        assert!(message.sent_at.is_some());
        assert_eq!(bench.memory.rows(InboxMessage::TABLE).len(), 1);
        assert!(bench.memory.rows(Job::TABLE).is_empty());
        // A second report has no lease.
        assert!(bench.conclude(&leased, delivered()).is_err());
        assert_eq!(bench.memory.rows(InboxMessage::TABLE).len(), 1);
    }

    #[test]
    fn a_failed_attempt_is_repeated_until_it_is_given_up() {
        let mut bench = Bench::new();
        let failed = AttemptOutcome::Failed { reason: "no route".into(), retry: true };
        for _ in 1..ATTEMPTS_MAX {
            let leased = bench.lease();
            let message = bench.conclude(&leased, failed.clone()).unwrap().unwrap();
            assert_eq!((message.status, message.error.as_deref()), (MessageStatus::Queued, Some("no route")));
            bench.clock.advance(4_000);
        }
        let leased = bench.lease();
        assert_eq!(bench.conclude(&leased, failed).unwrap().unwrap().status, MessageStatus::Failed);
        assert!(bench.memory.rows(Job::TABLE).is_empty());
    }

    #[test]
    fn what_cannot_succeed_is_given_up_at_once() {
        let mut bench = Bench::new();
        let leased = bench.lease();
        let failed = AttemptOutcome::Failed { reason: "no such number".into(), retry: false };
        assert_eq!(bench.conclude(&leased, failed).unwrap().unwrap().status, MessageStatus::Failed);
        assert!(bench.memory.rows(Job::TABLE).is_empty());
        assert!(bench.memory.rows(InboxMessage::TABLE).is_empty());
    }
}
