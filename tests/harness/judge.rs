//! What became of payouts that were sent while something broke: each was to be made once, and what was said to be made
//! is to be there.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bursar::load::{AppKey, Load, Scenario, Sent, again, link_id};
use serde_json::Value;

use super::{Process, http};

/// Payouts for a process: `run` makes their keys unlike those of another run.
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

/// The links that clients were told of, one for each key.
#[derive(Default)]
pub struct Judge {
    reported: HashSet<String>,
    acknowledged: usize,
}

/// What a judge found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Links that somebody was told of, and that are not there.
    pub lost: BTreeSet<String>,
    /// Links that nobody was told of though every key was asked for again, or that are listed twice.
    pub doubled: BTreeSet<String>,
}

impl Judge {
    /// Takes down what was sent. Whoever got no link asks again with the same key, until there is one.
    pub async fn settle(&mut self, sent: Vec<Sent>, with: &Load) {
        self.acknowledged += sent.iter().filter(|sent| sent.link.is_some()).count();
        // While there is no server, very many are told at once that there is none.
        for some in sent.chunks(128) {
            for link in futures::future::join_all(some.iter().map(|sent| link_of(sent, with))).await {
                self.hear(link);
            }
        }
    }

    /// Takes down a link that a client was told of, for a key of its own.
    pub fn hear(&mut self, link: String) {
        assert!(self.reported.insert(link), "two keys were told of one link");
    }

    /// How many payouts were sent, and how many of them were answered well the first time.
    pub fn sent_and_acknowledged(&self) -> (usize, usize) {
        (self.reported.len(), self.acknowledged)
    }

    /// Compares with what the app's list shows.
    pub fn verdict(&self, listed: &HashMap<String, u64>) -> Verdict {
        let doubled = listed.iter().filter(|(link, times)| **times > 1 || !self.reported.contains(*link));
        Verdict {
            lost: self.reported.iter().filter(|link| !listed.contains_key(*link)).cloned().collect(),
            doubled: doubled.map(|(link, _)| link.clone()).collect(),
        }
    }
}

/// The link of a payout; whoever got none asks again until there is one.
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

/// Every link of the app, by id, and how often it was listed.
pub fn links(load: &Load) -> HashMap<String, u64> {
    let mut seen = HashMap::new();
    for link in listed(load, "/v2/payout-links?limit=100") {
        assert_eq!(link["amount"], bursar::load::CENTS);
        *seen.entry(link["id"].as_str().unwrap().to_owned()).or_insert(0) += 1;
    }
    seen
}

/// Everything that a list shows the app, page by page.
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
