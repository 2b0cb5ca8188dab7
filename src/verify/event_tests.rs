//! Segments answer like a plain list of events, leave nothing of a refused command, and cannot be changed unseen.

use std::sync::Arc;

use proptest::prelude::*;
use uuid::Uuid;

use super::verify_history;
use crate::chain::{ChainKey, UNKEYED};
use crate::clock::{Clock, Time};
use crate::engine::{Command, Executor, task, view};
use crate::events::*;
use crate::ids::{AppId, EventId, OrgId, Seeds};
use crate::ledger::verify::Finding;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::store::{Memory, Reads, Store};
use crate::world::query::Direction;
use crate::world::record::key;
use crate::world::{Halt, Record, Row, Table, Value, World};

const ORG: OrgId = OrgId(Uuid::from_u128(1));
const SCOPE: Scope = Scope { org: ORG, app: AppId(Uuid::from_u128(2)) };
const OTHER: Scope = Scope { org: ORG, app: AppId(Uuid::from_u128(3)) };
const NAMES: [EventName; 3] = [EventName::PayoutLinkUpdated, EventName::TransferUpdated, EventName::AdministrativeAct];

/// An event to emit: a place in [`NAMES`], an object, and the length of its text.
type Sample = (usize, u128, usize);

#[derive(Clone, Debug)]
struct Emit {
    scope: Scope,
    events: Vec<Sample>,
    refused: bool,
    /// Whether it reads its events back, which no store has yet.
    reads: bool,
}

fn object(id: u128) -> Uuid {
    Uuid::from_u128(100 + id)
}

fn text((name, id, length): Sample) -> String {
    format!("{{\"of\":{name},\"id\":{id},\"text\":\"{}\"}}", "x".repeat(length))
}

impl Command for Emit {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        for sample in &self.events {
            let new =
                NewEvent { name: NAMES[sample.0], object_id: object(sample.1), version: 1, object: text(*sample) };
            emit(world, self.scope, new)?;
            if self.reads {
                let newest = text_of(world, self.scope, length(world, self.scope)?)?;
                assert_eq!(newest, Some(text(*sample)));
            }
        }
        if self.refused { Err(Refusal::new(Code::InvalidState, "On purpose.").into()) } else { Ok(()) }
    }
}

struct EraseObject(Uuid);

impl Command for EraseObject {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let found = about(world, ORG, self.0)?;
        world.each(found, |world, found| erase(world, &found, "{}".to_owned())).map(drop)
    }
}

struct Bench {
    memory: Memory,
    executor: Executor,
}

impl Bench {
    fn new() -> Self {
        let memory = Memory::new();
        let clock = Clock::manual(Time::from_micros(1));
        let executor = Executor::new(Store::Memory(memory.clone()), clock, Seeds::counted(1));
        Self { memory, executor }
    }

    /// Runs the commands in one batch, in this order: only the last one waits for rows of its own.
    fn batch(&mut self, commands: &[Emit]) {
        let last = commands.len() - 1;
        let commands = commands.iter().enumerate();
        let tasks =
            commands.map(|(place, command)| task(ORG, Emit { reads: place == last, ..command.clone() }, |_| ()));
        self.executor.run(tasks.collect());
    }

    fn emit(&mut self, events: &[Sample]) {
        self.batch(&[Emit { scope: SCOPE, events: events.to_vec(), refused: false, reads: false }]);
    }

    fn read<T>(&self, query: impl FnMut(&mut World) -> Result<T, Halt>) -> T {
        view(&Reads::Memory(self.memory.clone()), Time::from_micros(1), query).unwrap()
    }

    fn list(&self, filter: Filter, direction: Direction, after: Option<i64>, limit: usize) -> Vec<Arc<Event>> {
        self.read(|world| Page { scope: SCOPE, filter, direction, after, limit }.events(world))
    }

    fn records<R: Record>(&self) -> Vec<R> {
        let decoded = |row: Row| (R::TABLE.decode)(&row).unwrap().downcast::<R>().unwrap();
        self.memory.rows(R::TABLE).into_iter().map(|row| R::clone(&decoded(row))).collect()
    }

    fn put<R: Record>(&self, record: &R) {
        self.memory.tamper(R::TABLE, record.key(), Some(record.values()));
    }

    fn findings(&self) -> Vec<Finding> {
        verify_history(&Reads::Memory(self.memory.clone()), &UNKEYED, &[]).unwrap().findings
    }

    /// Turns the store into one of a version without segments.
    fn forget_segments(&self) {
        let mut rows: Vec<EventRow> = Vec::new();
        for segment in self.records::<EventSegment>() {
            self.memory.tamper(EventSegment::TABLE, segment.key(), None);
            for event in segment.events() {
                let mut event = Event::clone(event);
                let random = *event.id.0.as_bytes();
                event.id =
                    EventId(uuid::Builder::from_unix_timestamp_millis(1, random.last_chunk().unwrap()).into_uuid());
                let before =
                    rows.last().filter(|row| row.app == event.app).map_or_else(Vec::new, |row| row.hash.clone());
                let hash = link(&UNKEYED, &before, &event);
                let Event { org, app, sequence, id, name, object_id, version, object, created_at, erased } = event;
                rows.push(EventRow {
                    org,
                    app,
                    sequence,
                    id,
                    name,
                    object_id,
                    version,
                    object,
                    hash,
                    created_at,
                    erased,
                });
            }
        }
        for place in self.records::<EventObject>() {
            self.memory.tamper(EventObject::TABLE, place.key(), None);
        }
        for stream in self.records::<EventStream>() {
            let hash = rows.iter().rfind(|row| row.app == stream.app).unwrap().hash.clone();
            self.put(&EventStream { hash, rows_to: -1, segment: 0, ..stream });
        }
        rows.iter().for_each(|row| self.put(row));
    }
}

/// A question: name, object, whether ascending, after, limit.
type Asked = (Option<usize>, Option<u128>, bool, i64, usize);

/// What is changed on purpose, how, and a part of what is reported.
type Case<'a> = (&'a str, &'a dyn Fn(&Bench), &'a str);

/// Compares everything that can be read with a plain list of the events.
fn is_like_a_list(bench: &Bench, list: &[Sample], asked: &[Asked]) {
    for (name, id, ascending, after, limit) in asked.iter().copied() {
        let filter = Filter { name: name.map(|name| NAMES[name]), object: id.map(object) };
        let direction = if ascending { Direction::Ascending } else { Direction::Descending };
        let numbered = list.iter().zip(1_i64..);
        let meant = numbered.filter(|((named, about, _), sequence)| {
            let behind = if ascending { *sequence > after } else { *sequence < after };
            behind && name.is_none_or(|name| name == *named) && id.is_none_or(|id| id == *about)
        });
        let mut expected: Vec<(i64, String)> = meant.map(|(sample, sequence)| (sequence, text(*sample))).collect();
        if !ascending {
            expected.reverse();
        }
        expected.truncate(limit);
        let page = bench.list(filter, direction, Some(after), limit);
        let page: Vec<(i64, String)> = page.iter().map(|event| (event.sequence, event.object.clone())).collect();
        assert_eq!(page, expected, "{filter:?} {direction:?} after {after}, {limit}");
    }
    let all = bench.list(Filter::default(), Direction::Ascending, None, 1_000_000);
    assert_eq!(all.len(), list.len());
    for (event, sample) in all.iter().zip(list).step_by(7) {
        assert_eq!(bench.read(|world| text_of(world, SCOPE, event.sequence)), Some(text(*sample)));
        let by_id = bench.read(|world| find(world, SCOPE, event.id)).unwrap();
        assert_eq!(by_id.event, *event);
        assert!(bench.read(|world| find(world, OTHER, event.id)).is_none(), "it is of another app");
    }
    for id in 0..3 {
        let mut known: Vec<i64> =
            bench.read(|world| about(world, ORG, object(id))).iter().map(|found| found.event.sequence).collect();
        known.sort_unstable();
        let expected: Vec<i64> =
            list.iter().zip(1..).filter(|((_, about, _), _)| *about == id).map(|(_, sequence)| sequence).collect();
        assert_eq!(known, expected);
    }
    let head = bench.read(|world| head_of(world, SCOPE));
    assert_eq!(head.map(|head| head.sequence), list.last().map(|_| i64::try_from(list.len()).unwrap()));
    assert_eq!(bench.findings(), Vec::new());
}

fn batches() -> impl Strategy<Value = Vec<Vec<Emit>>> {
    let length = prop_oneof![8 => 0..400_usize, 1 => Just(100_000_usize)];
    let events = prop::collection::vec((0..3_usize, 0..3_u128, length), 0..30);
    let command = (events, prop::bool::weighted(0.2)).prop_map(|(events, refused)| Emit {
        scope: SCOPE,
        events,
        refused,
        reads: false,
    });
    prop::collection::vec(prop::collection::vec(command, 1..8), 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn events_in_segments_are_read_like_a_plain_list(
        batches in batches(),
        old in 0..4_usize,
        asked in prop::collection::vec(
            (prop::option::of(0..3_usize), prop::option::of(0..3_u128), any::<bool>(), 0..300_i64, 1..120_usize), 12),
    ) {
        let mut bench = Bench::new();
        let mut list = Vec::new();
        for (number, batch) in batches.iter().enumerate() {
            if number == old && !list.is_empty() {
                bench.forget_segments();
            }
            bench.batch(batch);
            list.extend(batch.iter().filter(|command| !command.refused).flat_map(|command| command.events.clone()));
        }
        is_like_a_list(&bench, &list, &asked);
    }
}

#[test]
fn the_events_of_a_batch_are_few_rows_of_bounded_size() {
    let mut bench = Bench::new();
    let command = Emit { scope: SCOPE, events: vec![(0, 0, 300), (1, 1, 300)], refused: false, reads: false };
    bench.batch(&vec![command; 100]);
    let segments = bench.records::<EventSegment>();
    let lengths: Vec<i64> = segments.iter().map(|segment| segment.last - segment.first + 1).collect();
    assert_eq!(lengths, [SEGMENT_EVENTS, SEGMENT_EVENTS, SEGMENT_EVENTS, 8], "200 events");
    assert_eq!(bench.records::<EventObject>().len(), 8);
    // A large object does not share a segment.
    let mut bench = Bench::new();
    bench.emit(&[(0, 0, 200_000), (0, 0, 200_000), (0, 0, 600_000), (0, 0, 1), (0, 0, 1)]);
    let lengths: Vec<usize> = bench.records::<EventSegment>().iter().map(|segment| segment.events().count()).collect();
    assert_eq!(lengths, [1, 1, 1, 2]);
    // A later batch never changes a segment.
    bench.emit(&[(0, 0, 1)]);
    assert_eq!(bench.records::<EventSegment>().len(), 5);
}

#[test]
fn a_refused_command_leaves_no_event_and_no_gap() {
    let mut bench = Bench::new();
    let command = |events: &[Sample], refused| Emit { scope: SCOPE, events: events.to_vec(), refused, reads: false };
    bench.batch(&[
        command(&[(0, 0, 1)], true),
        command(&[(0, 1, 1)], false),
        command(&[(1, 2, 1), (1, 2, 1)], true),
        command(&[(2, 1, 1)], false),
    ]);
    is_like_a_list(&bench, &[(0, 1, 1), (2, 1, 1)], &[]);
    let [segment] = &bench.records::<EventSegment>()[..] else { panic!("one segment") };
    assert_eq!(segment.events().count(), 2);
    assert_eq!(bench.records::<EventObject>().len(), 1, "the objects of refused commands are not listed");
}

#[test]
fn an_erased_event_keeps_the_chain_in_rows_and_in_segments() {
    let mut bench = Bench::new();
    bench.emit(&[(0, 0, 5), (0, 1, 5), (0, 0, 5)]);
    bench.forget_segments();
    bench.emit(&[(0, 1, 5), (0, 0, 5), (0, 0, 5), (0, 1, 5)]);
    let heads = |bench: &Bench| -> Vec<_> {
        let all = bench.list(Filter::default(), Direction::Ascending, None, 100);
        let found = all.iter().map(|event| bench.read(|world| find(world, SCOPE, event.id)).unwrap());
        found.map(|found| found.head(&UNKEYED)).collect()
    };
    let before = heads(&bench);
    for _ in 0..2 {
        bench.executor.run_one(ORG, EraseObject(object(0))).unwrap();
        let all = bench.list(Filter::default(), Direction::Ascending, None, 100);
        let erased: Vec<i64> = all.iter().filter(|event| event.object == "{}").map(|event| event.sequence).collect();
        assert_eq!(erased, [1, 3, 5, 6]);
        assert_eq!(bench.findings(), Vec::new());
        assert_eq!(heads(&bench), before, "signed heads stay valid");
    }
    // The same without the proof is found.
    let mut segment = bench.records::<EventSegment>().pop().unwrap();
    segment.body.edit(|events| events[1] = Arc::new(Event { erased: None, ..Event::clone(&events[1]) }));
    bench.put(&segment);
    assert_ne!(bench.findings(), Vec::new());
}

/// Returns a log of rows and of three segments, and another log of the same commits.
fn lively() -> Bench {
    let mut bench = Bench::new();
    let command =
        |scope| Emit { scope, events: vec![(0, 0, 50), (1, 1, 50), (0, 0, 50)], refused: false, reads: false };
    bench.batch(&[command(SCOPE), command(OTHER)]);
    bench.forget_segments();
    for _ in 0..3 {
        bench.batch(&[command(SCOPE), command(OTHER)]);
    }
    bench
}

fn segments(bench: &Bench) -> Vec<EventSegment> {
    bench.records::<EventSegment>().into_iter().filter(|segment| segment.app == SCOPE.app).collect()
}

/// Changes the stored body of the second segment.
fn edit_body(bench: &Bench, edit: impl Fn(&mut Vec<u8>)) {
    let mut row = segments(bench)[1].values();
    let key = Table::index_values(EventSegment::TABLE.key(), &row);
    let Some(Value::Bytes(body)) = row.last_mut() else { panic!("the body is the last column") };
    edit(body);
    bench.memory.tamper(EventSegment::TABLE, key, Some(row));
}

fn edit_segment(bench: &Bench, edit: impl Fn(&mut EventSegment)) {
    let mut segment = segments(bench).remove(1);
    edit(&mut segment);
    bench.put(&segment);
}

fn edit_stream(bench: &Bench, edit: impl Fn(&mut EventStream)) {
    let mut stream = bench.records::<EventStream>().into_iter().find(|stream| stream.app == SCOPE.app).unwrap();
    edit(&mut stream);
    bench.put(&stream);
}

/// Gives an event of the second segment another text, and computes the chain again under another key.
fn rewrite_under_another_key(bench: &Bench) {
    let chain = ChainKey::new(&[9; 32]);
    edit_segment(bench, |segment| {
        segment.body.edit(|events| {
            let object = events[0].object.replace('x', "y");
            events[0] = Arc::new(Event { object, ..Event::clone(&events[0]) });
        });
        segment.hash = segment.hashes(&chain).pop().unwrap();
    });
    let mut last = segments(bench).pop().unwrap();
    last.previous_hash = segments(bench)[1].hash.clone();
    last.hash = last.hashes(&chain).pop().unwrap();
    bench.put(&last);
    edit_stream(bench, |stream| stream.hash = last.hash.clone());
}

fn swap_bodies(bench: &Bench, others: &[EventSegment]) {
    let segment = segments(bench).remove(1);
    let other = others.iter().find(|other| other.key() != segment.key()).unwrap();
    bench.put(&EventSegment { body: other.body.clone(), ..segment.clone() });
    bench.put(&EventSegment { body: segment.body, ..other.clone() });
}

/// Each of these changes one thing on purpose; the check reports it and never panics.
fn are_found(cases: &[Case<'_>]) {
    assert_eq!(lively().findings(), Vec::new(), "negative control");
    for (name, tamper, reported) in cases {
        let bench = lively();
        tamper(&bench);
        let findings = bench.findings();
        assert!(findings.iter().any(|finding| finding.what.contains(reported)), "{name}: {findings:?}");
        // Reads refuse or answer, and do not panic.
        let page =
            Page { scope: SCOPE, filter: Filter::default(), direction: Direction::Ascending, after: None, limit: 100 };
        drop(view(&Reads::Memory(bench.memory.clone()), Time::from_micros(1), |world| page.events(world)));
    }
}

#[test]
fn a_segment_that_was_tampered_with_is_found() {
    are_found(&[
        (
            "a byte of the body",
            &|bench| {
                edit_body(bench, |body| {
                    let at = body.len() - 9;
                    body[at] ^= 1
                })
            },
            "",
        ),
        ("a truncated body", &|bench| edit_body(bench, |body| body.truncate(40)), "damaged row"),
        ("an empty body", &|bench| edit_body(bench, Vec::clear), "damaged row"),
        ("a body of another format", &|bench| edit_body(bench, |body| body[0] = 2), "damaged row"),
        ("a body that is not compressed", &|bench| edit_body(bench, |body| body[5..].fill(0xff)), "damaged row"),
        (
            "a changed text",
            &|bench| {
                edit_segment(bench, |segment| {
                    segment.body.edit(|events| {
                        let object = events[1].object.replace('x', "y");
                        events[1] = Arc::new(Event { object, ..Event::clone(&events[1]) });
                    });
                })
            },
            "was changed",
        ),
        ("another key", &rewrite_under_another_key, "was changed"),
        (
            "a lost event in a body",
            &|bench| edit_segment(bench, |segment| segment.body.edit(|events| drop(events.pop()))),
            "damaged row",
        ),
        ("a changed hash", &|bench| edit_segment(bench, |segment| segment.hash[0] ^= 1), "was changed"),
        ("another hash before", &|bench| edit_segment(bench, |segment| segment.previous_hash[0] ^= 1), "was changed"),
        ("other names", &|bench| edit_segment(bench, |segment| segment.names = 1), "damaged row"),
        ("another last event", &|bench| edit_segment(bench, |segment| segment.last += 1), "damaged row"),
    ]);
}

#[test]
fn rows_that_were_swapped_removed_or_hidden_are_found() {
    are_found(&[
        ("bodies of one log, swapped", &|bench| swap_bodies(bench, &segments(bench)), "damaged row"),
        (
            "bodies of two logs, swapped",
            &|bench| {
                let others: Vec<_> = bench.records::<EventSegment>();
                let others: Vec<_> = others.into_iter().filter(|segment| segment.app == OTHER.app).collect();
                swap_bodies(bench, &others);
            },
            "damaged row",
        ),
        (
            "a removed segment",
            &|bench| {
                bench.memory.tamper(EventSegment::TABLE, segments(bench)[1].key(), None);
            },
            "missing",
        ),
        (
            "a removed last segment",
            &|bench| {
                bench.memory.tamper(EventSegment::TABLE, segments(bench)[2].key(), None);
            },
            "does not end at its head",
        ),
        (
            "a removed row before the segments",
            &|bench| {
                bench.memory.tamper(EventRow::TABLE, key![ORG, SCOPE.app, 3_i64], None);
            },
            "missing",
        ),
        ("a stream that leads to rows only", &|bench| edit_stream(bench, |stream| stream.rows_to = -1), "other rows"),
        (
            "a stream with another newest segment",
            &|bench| edit_stream(bench, |stream| stream.segment = 0),
            "other rows",
        ),
        (
            "a log that is said to be of a version without a key",
            &|bench| {
                edit_stream(bench, |stream| {
                    (stream.unkeyed_to, stream.unkeyed_proof) = (stream.sequence, Some(vec![0]))
                });
            },
            "not upgraded",
        ),
        (
            "an object that is not listed",
            &|bench| {
                let place = bench.records::<EventObject>().pop().unwrap();
                bench.memory.tamper(EventObject::TABLE, place.key(), None);
            },
            "lacks 1 rows",
        ),
        (
            "an object without an event",
            &|bench| {
                bench.put(&EventObject { org: ORG, object_id: object(9), app: SCOPE.app, first: 4 });
            },
            "without an event",
        ),
    ]);
}
