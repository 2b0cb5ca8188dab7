//! Watches the event logs while requests are sent: after each, the new events are compared with the expected ones.

use std::collections::{BTreeMap, BTreeSet};

use bursar::http::{Route, Who};
use serde_json::{Value, json};

use super::schema::Schemas;
use crate::harness::{Reply, Server};

/// The coverage of all scenes together.
#[derive(Default)]
pub struct Covered {
    /// Operations that changed something, by their ids.
    pub operations: BTreeSet<&'static str>,
    pub names: BTreeSet<String>,
    /// Emitted transitions: noun, from, to.
    pub transitions: BTreeSet<(String, String, String)>,
    /// Every difference between actual and expected events, reported together at the end.
    pub wrong: Vec<String>,
}

/// One app's log as far as it was read.
struct Log {
    app: String,
    sequence: i64,
    versions: BTreeMap<String, i64>,
}

/// A scene: a server whose logs are watched. Events are written as lines: `payout_link.updated #1 created` is the first
/// payout link of the scene, which is `created` now. A line begins with `B: ` if it is in another app's log.
pub struct Scene<'a> {
    pub server: Server,
    covered: &'a mut Covered,
    document: Value,
    routes: Vec<Route>,
    logs: Vec<Log>,
    /// Every object in an event, by its id: its number in this scene, and its status.
    objects: BTreeMap<String, (usize, String)>,
    counts: BTreeMap<String, usize>,
}

impl<'a> Scene<'a> {
    /// Watches the demonstration app of a new server, from now on.
    pub async fn on(server: Server, covered: &'a mut Covered) -> Self {
        let routes = bursar::routes::table();
        let document = bursar::openapi::document(&bursar::routes::business());
        let (app, objects, counts) = (server.app_id(), BTreeMap::new(), BTreeMap::new());
        let mut scene = Self { server, covered, document, routes, logs: Vec::new(), objects, counts };
        scene.watch(&app).await;
        scene
    }

    /// Watches another app's log too, from its first event on.
    async fn watch(&mut self, app: &str) {
        self.logs.push(Log { app: app.to_owned(), sequence: 0, versions: BTreeMap::new() });
        if self.logs.len() == 1 {
            // The events of the first start do not belong to this scene.
            self.read().await;
            self.objects.clear();
            self.counts.clear();
        }
    }

    /// Watches a new app, and expects its first events.
    pub async fn also(&mut self, app: &str, expected: &[&str]) {
        self.watch(app).await;
        self.reported("a log that is new", expected).await;
    }

    /// Stops watching a deleted app, whose log cannot be read.
    pub fn without(&mut self, app: &str) {
        self.logs.retain(|log| log.app != app);
    }

    /// Sends a request, and expects this status and exactly these events.
    pub async fn ask(&mut self, what: &str, body: Value, status: u16, expected: &[&str]) -> Reply {
        self.ask_session(what, None, body, status, expected).await
    }

    /// Sends a request of a payee with a claim session.
    pub async fn ask_session(
        &mut self,
        what: &str,
        session: Option<&str>,
        body: Value,
        status: u16,
        expected: &[&str],
    ) -> Reply {
        let (method, path) = what.split_once(' ').expect("a method and a path");
        let route = self.route(method, path.split('?').next().unwrap());
        let (id, who) = (route.documented.operation_id, route.who);
        let asking = self.server.ask(method, path);
        let asking = match who {
            Who::Anyone | Who::Provider | Who::Member => asking,
            Who::App | Who::AppOrItsClient => asking.app_key(),
            Who::AppOrOrganization | Who::Organization => asking.as_org(),
            Who::OrganizationForApp => asking.as_org().for_app(&self.server.app_id()),
        };
        let asking = match session {
            Some(session) if who == Who::Member => asking.header("member-session", session),
            Some(session) => asking.header("claim-session", session),
            None => asking,
        };
        let asking = if body.is_null() { asking } else { asking.json(body) };
        let reply = asking.send().await;
        if reply.status != status {
            self.covered.wrong.push(format!("{what}: {} and not {status}: {}", reply.status, reply.text));
        }
        self.covered.operations.insert(id);
        self.reported(what, expected).await;
        reply
    }

    fn route(&self, method: &str, path: &str) -> Route {
        let fits = |template: &str| {
            let (wanted, given) = (template.split('/'), path.split('/'));
            wanted.clone().count() == given.clone().count()
                && wanted.zip(given).all(|(wanted, given)| wanted.starts_with('{') || wanted == given)
        };
        // A path without placeholders has precedence over one with them.
        let fitting = self.routes.iter().filter(|route| route.method.as_str() == method && fits(route.path));
        let found = fitting.min_by_key(|route| route.path.matches('{').count());
        found.unwrap_or_else(|| panic!("{method} {path} is no route")).clone()
    }

    /// Runs the due work, and expects exactly these events.
    pub async fn work(&mut self, expected: &[&str]) {
        self.server.work_off().await;
        self.reported("the worker", expected).await;
    }

    /// Advances the clock, runs the due work, and expects exactly these events.
    pub async fn pass(&mut self, seconds: i64, expected: &[&str]) {
        self.server.pass(seconds).await;
        self.reported(&format!("{seconds} seconds later"), expected).await;
    }

    /// Advances the clock and runs the due work; returns the events.
    pub async fn skip(&mut self, seconds: i64) -> Vec<String> {
        self.server.pass(seconds).await;
        self.read().await
    }

    async fn reported(&mut self, when: &str, expected: &[&str]) {
        let reported = self.read().await;
        if reported != expected {
            self.covered.wrong.push(format!("after {when}: told {reported:#?}, and not {expected:#?}"));
        }
    }

    /// Returns the events since the last read.
    async fn read(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        for place in 0..self.logs.len() {
            loop {
                let (app, after) = (self.logs[place].app.clone(), self.logs[place].sequence);
                let path = format!("/v2/events?after={after}");
                let page = self.server.get(&path).as_org().for_app(&app).send().await.expect(200).body;
                for event in page["data"].as_array().unwrap() {
                    let line = self.event(place, event);
                    let whose = char::from(b'A' + u8::try_from(place).unwrap());
                    lines.push(if place == 0 { line } else { format!("{whose}: {line}") });
                }
                if page["has_more"] == false {
                    break;
                }
            }
        }
        lines
    }

    /// Checks one event: its sequence, its version, and its schema.
    fn event(&mut self, place: usize, event: &Value) -> String {
        let (name, id) = (event["name"].as_str().unwrap(), event["object_id"].as_str().unwrap());
        let log = &mut self.logs[place];
        let (sequence, version) = (event["sequence"].as_i64().unwrap(), event["version"].as_i64().unwrap());
        assert_eq!(sequence, log.sequence + 1, "the log has a gap");
        log.sequence = sequence;
        if let Some(before) = log.versions.insert(id.to_owned(), version) {
            assert_eq!(version, before + 1, "a version of {id} is missing, or there twice: {event}");
        }
        assert_eq!(event["object"]["id"], json!(id), "{event}");

        let posted = &self.document["webhooks"][name]["post"]["requestBody"]["content"]["application/json"]["schema"];
        let faults = Schemas(&self.document).faults(posted, event);
        if !faults.is_empty() {
            self.covered.wrong.push(format!("{name} is not as its schema says: {faults:#?}"));
        }
        let named = posted["$ref"].as_str().and_then(|target| target.strip_prefix('#')).expect("an event has a type");
        let schema = self.document.pointer(named).expect("the type is defined");
        let noun = schema["properties"]["object"]["$ref"].as_str().expect("every object has a schema");
        let noun = noun.rsplit('/').next().unwrap().to_owned();

        let status = event["object"]["status"].as_str().unwrap_or_default().to_owned();
        let number = match self.objects.get(id) {
            Some((number, _)) => *number,
            None => {
                let count = self.counts.entry(noun.clone()).or_default();
                *count += 1;
                *count
            }
        };
        let before = self.objects.insert(id.to_owned(), (number, status.clone()));
        self.covered.names.insert(name.to_owned());
        if let Some((_, from)) = before
            && place == 0
        {
            self.covered.transitions.insert((noun, from, status.clone()));
        }
        format!("{name} #{number} {status}").trim_end().to_owned()
    }
}
