//! Judges payouts that were sent during faults: each must be made once, and each acknowledged one must exist.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bursar::load::{AppKey, Load, Scenario, Sent, again, link_id};
use serde_json::Value;

use super::{Process, http};

/// Returns a load of payouts for a process; `run` makes their keys unique.
pub fn load(process: &Process, credentials: &Value, run: u64) -> Load {
    let word = |name: &str| credentials["app"][name].as_str().unwrap().to_owned();
    Load {
        address: process.address.clone(),
        apps: vec![AppKey { client_id: word("client_id"), api_key: word("api_key") }],
        scenario: Scenario::SendPayout,
        connections: 64,
        duration: Duration::from_secs(60),
        rate: None,
        page: 1,
        run,
        keep: true,
        acknowledged: Arc::default(),
    }
}

/// The links that clients received, one for each key.
#[derive(Default)]
pub struct Judge {
    reported: HashSet<String>,
    acknowledged: usize,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Links that a client received, and that do not exist.
    pub lost: BTreeSet<String>,
    /// Links that no client received although every key was retried, or that are listed twice.
    pub doubled: BTreeSet<String>,
}

impl Judge {
    /// Records the sent payouts. A payout without a link is retried with the same key until it has one.
    pub async fn settle(&mut self, sent: Vec<Sent>, with: &Load) {
        self.acknowledged += sent.iter().filter(|sent| sent.link.is_some()).count();
        // While no server runs, many retries fail at once.
        for some in sent.chunks(128) {
            for link in futures::future::join_all(some.iter().map(|sent| link_of(sent, with))).await {
                self.hear(link);
            }
        }
    }

    /// Records a link that a client received, for a separate key.
    pub fn hear(&mut self, link: String) {
        assert!(self.reported.insert(link), "two keys were told of one link");
    }

    /// Returns the number of sent payouts, and of those acknowledged the first time.
    pub fn sent_and_acknowledged(&self) -> (usize, usize) {
        (self.reported.len(), self.acknowledged)
    }

    /// Compares with the app's list.
    pub fn verdict(&self, listed: &HashMap<String, u64>) -> Verdict {
        let doubled = listed.iter().filter(|(link, times)| **times > 1 || !self.reported.contains(*link));
        Verdict {
            lost: self.reported.iter().filter(|link| !listed.contains_key(*link)).cloned().collect(),
            doubled: doubled.map(|(link, _)| link.clone()).collect(),
        }
    }
}

/// Returns the link of a payout; retries until it has one.
async fn link_of(sent: &Sent, with: &Load) -> String {
    let begun = Instant::now();
    loop {
        match &sent.link {
            Some(link) => return link.clone(),
            None => match again(with, sent).await {
                Some((201, body)) => return link_id(&body).unwrap(),
                Some((503, _)) | None => tokio::time::sleep(Duration::from_millis(100)).await,
                Some((status, body)) => panic!("{status}: {body}"),
            },
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{} is never answered", sent.key);
    }
}

/// Returns every link of the app by id, with its number of occurrences in the list.
pub fn links(load: &Load) -> HashMap<String, u64> {
    let mut seen = HashMap::new();
    for link in listed(load, "/v2/payout-links?limit=100") {
        assert_eq!(link["amount"], bursar::load::CENTS);
        *seen.entry(link["id"].as_str().unwrap().to_owned()).or_insert(0) += 1;
    }
    seen
}

/// Returns all objects of a list, page by page.
pub fn listed(load: &Load, first: &str) -> Vec<Value> {
    use base64::Engine as _;
    let token = base64::engine::general_purpose::STANDARD
        .encode(format!("{}:{}", load.apps[0].client_id, load.apps[0].api_key));
    let (mut all, mut path) = (Vec::new(), first.to_owned());
    loop {
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Basic {token}\r\nconnection: close\r\n\r\n"
        );
        let (status, answer) = http(&load.address, &request);
        assert_eq!(status, 200, "{answer}");
        let mut page: Value = serde_json::from_str(&answer[answer.find('{').unwrap()..]).unwrap();
        all.append(page["data"].as_array_mut().unwrap());
        if page["has_more"] == false {
            return all;
        }
        path = format!("{first}&starting_after={}", all.last().unwrap()["id"].as_str().unwrap());
    }
}

#[test]
fn a_judge_finds_what_is_lost_and_what_is_doubled() {
    let name = |name: &str| name.to_owned();
    let judge = Judge { reported: [name("a"), name("b")].into(), acknowledged: 2 };
    let listed = |links: &[(&str, u64)]| links.iter().map(|(link, times)| (name(link), *times)).collect();
    assert_eq!(judge.verdict(&listed(&[("a", 1), ("b", 1)])), Verdict::default());
    let found = judge.verdict(&listed(&[("a", 2), ("c", 1)]));
    assert_eq!(found, Verdict { lost: [name("b")].into(), doubled: [name("a"), name("c")].into() });
}
