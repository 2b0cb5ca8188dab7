//! One event for each transition, noun by noun: every changing operation is called, every transition of docs/states.md
//! is made, and after each step the logs must contain exactly the expected events, with objects that match their
//! schemas.
//!
//! The required coverage comes from the code: the table of routes, the rules of states, the list of events. After an
//! addition to one of them this test fails until a scene shows the event.

mod around;
mod banking;
mod bills;
mod providers;
mod links;
mod money;
mod people;
mod schema;
mod watch;

use std::collections::BTreeSet;

use bursar::events::EventName;
use bursar::http::Method;
use watch::Covered;

/// Transitions that the rules allow and that never occur, each with its reason.
const UNSEEN: [(&str, &str, &str, &str); 14] = [
    ("Transfer", "flagged", "failed", "no rail knows of a payout that waits for its approval"),
    ("Payout link", "created", "sent", "a link is handed to its carriers in the commit that makes it"),
    ("Payout link", "created", "delivery_failed", "the same"),
    ("Payout link", "created", "canceled", "the same"),
    ("Payout link", "created", "expired", "the same"),
    ("Payout link", "sent", "sent", "the news of a second message changes nothing"),
    ("Payout link", "delivery_failed", "delivery_failed", "the same"),
    ("Payout link batch", "submitted", "completed", "a worker takes a batch up before it lays it down"),
    ("Payout link batch", "submitted", "completed_with_errors", "the same"),
    (
        "Webhook delivery",
        "pending",
        "succeeded",
        "deliveries are how the log is read, and stand in a list of their own",
    ),
    ("Webhook delivery", "pending", "pending", "the same"),
    ("Webhook delivery", "pending", "dead", "the same"),
    ("Webhook delivery", "succeeded", "pending", "the same"),
    ("Webhook delivery", "dead", "pending", "the same"),
];

/// Events that no app's log has: the first is not emitted yet, the second is in the organization's log.
const NOT_EMITTED: [EventName; 2] = [EventName::UserMerged, EventName::AdministrativeAct];

#[tokio::test]
async fn every_transition_of_every_noun_is_emitted_once_and_as_its_schema_says() {
    let mut covered = Covered::default();
    people::apps(&mut covered).await;
    people::members(&mut covered).await;
    people::sign_ins(&mut covered).await;
    people::users(&mut covered).await;
    people::reviews(&mut covered).await;
    people::locks(&mut covered).await;
    money::payouts(&mut covered).await;
    money::failed_payouts(&mut covered).await;
    money::refills(&mut covered).await;
    money::payments(&mut covered).await;
    money::requests(&mut covered).await;
    money::batches(&mut covered).await;
    links::unclaimed(&mut covered).await;
    links::pulled(&mut covered).await;
    links::claimed(&mut covered).await;
    links::paid_out_again(&mut covered).await;
    providers::unclaimed(&mut covered).await;
    providers::claimed(&mut covered).await;
    providers::by_all_ways(&mut covered).await;
    bills::vendors_and_policies(&mut covered).await;
    bills::bills(&mut covered).await;
    bills::failed_payments(&mut covered).await;
    banking::set_up(&mut covered).await;
    banking::files(&mut covered).await;
    banking::inbound(&mut covered).await;
    banking::statements(&mut covered).await;
    around::webhooks(&mut covered).await;
    around::clock(&mut covered).await;
    around::reply(&mut covered).await;
    assert!(covered.wrong.is_empty(), "{} steps were told wrongly:\n{}", covered.wrong.len(), covered.wrong.join("\n"));
    check(&covered);
}

/// Parts of an object without a separate event: the object's event covers them. The set-up of banks is in the
/// organization's log of acts, which `tests/bank_set_up.rs` compares.
const PARTS: [&str; 9] = [
    "Background check of a user",
    "Bank connection",
    "Originator, settlement account, provider or route",
    "Bank file",
    "Inbound file",
    "Bank item",
    "Bank reversal",
    "Bank statement",
    "Payment at a provider",
];

/// Asserts that every possible event is covered.
fn check(covered: &Covered) {
    let changing: BTreeSet<&str> = bursar::routes::business()
        .iter()
        .filter(|route| route.method != Method::Get)
        .map(|route| route.documented.operation_id)
        .collect();
    let left: Vec<&&str> = changing.iter().filter(|id| !covered.operations.contains(*id)).collect();
    assert!(left.is_empty(), "no scene calls {left:?}");

    let names = EventName::ALL.iter().filter(|name| !NOT_EMITTED.contains(name));
    let left: Vec<&EventName> = names.filter(|name| !covered.names.contains(name.as_str())).collect();
    assert!(left.is_empty(), "no scene is told {left:?}");
    assert!(NOT_EMITTED.iter().all(|name| !covered.names.contains(name.as_str())), "it is told now");

    let schema = |noun: &str| noun.split(' ').map(capitalized).collect::<String>();
    for (noun, transitions) in bursar::openapi::transitions().into_iter().filter(|(noun, _)| !PARTS.contains(noun)) {
        for (from, event, to) in transitions {
            let seen = covered.transitions.contains(&(schema(noun), from.to_owned(), to.to_owned()));
            let unseen = UNSEEN.iter().any(|(of, before, after, _)| (*of, *before, *after) == (noun, from, to));
            assert!(seen != unseen, "{noun}: {from}, {event}, {to}: seen {seen}, listed as unseen {unseen}");
        }
    }
    for (noun, from, to, _) in UNSEEN {
        let transitions = bursar::openapi::transitions()
            .into_iter()
            .filter(|(of, _)| *of == noun)
            .flat_map(|(_, transitions)| transitions);
        let is_there = transitions.into_iter().any(|(before, _, after)| (before, after) == (from, to));
        assert!(is_there, "{noun} does not move from {from} to {to} any more");
    }
}

fn capitalized(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

/// The negative control: a surplus event, a missing one, another object and another status are all found.
#[tokio::test]
async fn an_event_that_is_not_as_it_should_be_is_found() {
    let mut covered = Covered::default();
    let mut scene = watch::Scene::on(crate::harness::Server::memory().await, &mut covered).await;
    let reported: [&[&str]; 5] = [
        &["payment_customer.updated #1"],
        &[],
        &["payment_customer.updated #3", "payment_customer.updated #3"],
        &["payment_customer.updated #3"],
        &["payment_customer.updated #5 active"],
    ];
    for expected in reported {
        scene.ask("POST /v2/payment-customers", serde_json::json!({"name": "Acme Ltd"}), 201, expected).await;
    }
    assert_eq!(covered.wrong.len(), 4, "all but the first: {:#?}", covered.wrong);
}
