//! Senders and servers that are killed at random moments: the bank's own log has each file once and whole.
//!
//! `BURSAR_TRANSPORT_LONG=1` runs the long form, with 200 files over sshd too.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bursar_transports::publish::{Publishing, State};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;

use crate::bank::{Bank, Fault, Work, final_name};
use crate::sshd::Sshd;
use crate::{folder, name, pipe};

const WORK: &str = "BURSAR_TEST_SENDER";
const FAULT: &str = "BURSAR_TEST_SENDER_FAULT";
const SSH: &str = "BURSAR_TEST_SENDER_SSH";
/// The name of the test that is the sender's process.
const SENDER: &str = "killed::a_sender_continues_where_another_ended";

fn is_long() -> bool {
    std::env::var_os("BURSAR_TRANSPORT_LONG").is_some()
}

/// As a child process of the tests below, this is the sender.
#[tokio::test]
async fn a_sender_continues_where_another_ended() {
    if let Ok(place) = std::env::var(WORK) {
        let work = Work(place.into());
        let wanted = std::env::var(FAULT).unwrap();
        let fault = Fault::ALL.into_iter().find(|fault| format!("{fault:?}") == wanted);
        let mut transport = match std::env::var(SSH) {
            Ok(port) => Sshd::transport(&work.0, port.parse().unwrap(), &work.far()),
            Err(_) => pipe(&work.far(), &[]),
        };
        return work.send(&mut transport, fault.unwrap()).await;
    }
    let place = TempDir::new().unwrap();
    let work = Work::new(place.path(), 4);
    let temp = name("f000-7.part");
    std::fs::copy(place.path().join("sealed/f000"), work.far().join(temp.as_str())).unwrap();
    work.commit("f000", &State::Renaming(Publishing::Atomic { temp: temp.clone() }));
    // The first was renamed and is still there; the third was renamed and collected; the fourth was not begun.
    std::fs::copy(place.path().join("sealed/f001"), work.far().join(final_name("f001").as_str())).unwrap();
    work.commit("f001", &State::Renaming(Publishing::Atomic { temp: name("f001-7.part") }));
    work.commit("f002", &State::Renaming(Publishing::Atomic { temp: name("f002-7.part") }));
    work.send(&mut folder(&work.far()), Fault::None).await;
    assert!(work.files().iter().all(|file| work.state(file) == State::Sent));
    let mut listing = folder(&work.far()).list().await.unwrap().entries;
    let names: Vec<String> = listing.drain(..).map(|entry| entry.name.to_string()).collect();
    assert_eq!(names, ["ACH.f000.txt", "ACH.f001.txt", "ACH.f003.txt"]);
}

fn sender(work: &Work, fault: Fault, port: Option<u16>) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", SENDER, "--nocapture"]).env(WORK, &work.0).env(FAULT, format!("{fault:?}"));
    command.envs(port.map(|port| (SSH, port.to_string())));
    command.stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0).spawn().unwrap()
}

struct Run {
    kills: usize,
    seed: u64,
    fault: Fault,
}

struct Outcome {
    kills: usize,
    /// How often each file is in the bank's log, and whether each copy was whole.
    arrived: BTreeMap<String, (usize, bool)>,
}

impl Outcome {
    fn doubles(&self) -> usize {
        self.arrived.values().filter(|(times, _)| *times > 1).count()
    }
}

/// Starts senders and kills each after a random number of its commits, every second one with its server.
fn run(run: &Run, mut sshd: Option<Sshd>, work: &Work) -> Outcome {
    let mut chance = StdRng::seed_from_u64(run.seed);
    let bank = if run.fault == Fault::None {
        // Even numbers are collected at once, odd ones at the end: after a crash the final name is missing or exists.
        Bank::open(work, |name| name.trim_end_matches(".txt").ends_with(['0', '2', '4', '6', '8']))
    } else {
        Bank::open(work, |_| true)
    };
    let (mut kills, mut senders) = (0, 0);
    loop {
        let mut child = sender(work, run.fault, sshd.as_ref().map(Sshd::port));
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        if kills >= run.kills {
            while lines.next().is_some() {}
        } else {
            let after = chance.random_range(1..20);
            let has_ended = lines.by_ref().take(after).count() < after;
            std::thread::park_timeout(Duration::from_micros(chance.random_range(0..3_000)));
            if !has_ended {
                kills += 1;
                if chance.random_bool(0.5) {
                    // The sender and its `sftp-server` or `ssh`, at one moment.
                    // It may have ended.
                    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
                    sshd = sshd.map(Sshd::restarted);
                } else {
                    child.kill().unwrap();
                }
            }
        }
        child.wait().unwrap();
        let is_done = work.files().iter().all(|file| work.state(file) == State::Sent);
        senders += 1;
        // A control may never end.
        if is_done || senders > 3 * run.kills || run.fault != Fault::None && kills >= run.kills {
            break;
        }
    }
    let mut arrived: BTreeMap<String, (usize, bool)> = BTreeMap::new();
    for (name, bytes) in bank.close() {
        let file = name.strip_prefix("ACH.").unwrap().trim_end_matches(".txt");
        let is_whole = std::fs::read(work.0.join("sealed").join(file)).unwrap() == bytes;
        let entry = arrived.entry(file.to_owned()).or_insert((0, true));
        *entry = (entry.0 + 1, entry.1 && is_whole);
    }
    Outcome { kills, arrived }
}

fn assert_once(outcome: &Outcome, work: &Work) {
    let files = work.files();
    assert_eq!(outcome.arrived.keys().cloned().collect::<Vec<_>>(), files);
    for (file, (times, is_whole)) in &outcome.arrived {
        assert_eq!((*times, *is_whole), (1, true), "{file}: times, whole");
    }
    println!("{} files, {} kills", files.len(), outcome.kills);
}

#[test]
fn each_file_arrives_once_although_senders_and_servers_are_killed() {
    let place = TempDir::new().unwrap();
    let (files, kills) = if is_long() { (200, 200) } else { (200, 100) };
    let work = Work::new(place.path(), files);
    let outcome = run(&Run { kills, seed: 1, fault: Fault::None }, None, &work);
    assert_once(&outcome, &work);
    assert!(outcome.kills >= 20, "{} kills", outcome.kills);
}

#[test]
fn each_file_arrives_once_over_sshd_although_both_sides_are_killed() {
    let place = TempDir::new().unwrap();
    let (files, kills) = if is_long() { (200, 200) } else { (20, 12) };
    let work = Work::new(place.path(), files);
    let sshd = Sshd::start(place.path());
    let outcome = run(&Run { kills, seed: 2, fault: Fault::None }, Some(sshd), &work);
    assert_once(&outcome, &work);
    assert!(outcome.kills >= 3, "{} kills", outcome.kills);
}

/// Kills senders of a control until one file arrives twice, and returns whether that happened.
fn arrives_twice(fault: Fault) -> bool {
    (0..5).any(|seed| {
        let place = TempDir::new().unwrap();
        let work = Work::new(place.path(), 100);
        run(&Run { kills: 60, seed, fault }, None, &work).doubles() > 0
    })
}

#[test]
fn without_the_look_up_a_killed_sender_sends_twice() {
    assert!(arrives_twice(Fault::NoLook), "the test does not find a missing look-up");
}

#[test]
fn a_commit_after_the_rename_sends_twice() {
    assert!(arrives_twice(Fault::LateCommit), "the test does not find a late commit");
}
