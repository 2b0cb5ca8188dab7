//! A sender with its journal in files, and a bank that collects what appears and keeps its own log.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use bursar_transports::publish::{Doubt, Journal, NotCommitted, Order, Publishing, State, Way, deliver};
use bursar_transports::{Name, Transport};

use crate::name;

/// What a control takes away from the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// After a crash the sender does not check the names.
    NoLook,
    /// The intent to rename is committed after the rename.
    LateCommit,
}

impl Fault {
    pub const ALL: [Self; 3] = [Self::None, Self::NoLook, Self::LateCommit];
}

/// The folders of a delivery: the sealed files, the journal, and the bank's folder.
#[derive(Clone)]
pub struct Work(pub PathBuf);

impl Work {
    pub fn new(at: &Path, files: usize) -> Self {
        for folder in ["sealed", "journal", "far", "collected"] {
            fs::create_dir_all(at.join(folder)).unwrap();
        }
        for file in 0..files {
            // Lengths from a few bytes to several requests.
            let line = format!("file {file:03} of the test\n");
            fs::write(at.join(format!("sealed/f{file:03}")), line.repeat(1 + file * 37 % 4_000)).unwrap();
        }
        fs::write(at.join("lease"), "0").unwrap();
        Self(at.to_owned())
    }

    pub fn far(&self) -> PathBuf {
        self.0.join("far")
    }

    pub fn files(&self) -> Vec<String> {
        let names = fs::read_dir(self.0.join("sealed")).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn lease(&self) -> u64 {
        fs::read_to_string(self.0.join("lease")).unwrap().parse().unwrap()
    }

    /// Replaces a file at one moment, durably.
    fn store(&self, place: &str, text: &str) {
        let new = self.0.join(format!("{place}.new"));
        let mut file = File::create(&new).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.sync_all().unwrap();
        fs::rename(&new, self.0.join(place)).unwrap();
    }

    pub fn state(&self, file: &str) -> State {
        let text = fs::read_to_string(self.0.join("journal").join(file)).unwrap_or_else(|_| "sealed".to_owned());
        let (word, temp) = text.split_once(' ').unwrap_or((&text, ""));
        match word {
            "sealed" => State::Sealed,
            "sending" => State::Sending,
            "atomic" => State::Renaming(Publishing::Atomic { temp: name(temp) }),
            "plain" => State::Renaming(Publishing::Plain { temp: name(temp) }),
            "direct" => State::Renaming(Publishing::Direct),
            "sent" => State::Sent,
            "doubt" => State::InDoubt(Doubt::Interrupted),
            other => panic!("{other}"),
        }
    }

    pub fn commit(&self, file: &str, state: &State) {
        let text = match state {
            State::Sealed => "sealed".to_owned(),
            State::Sending => "sending".to_owned(),
            State::Renaming(Publishing::Atomic { temp }) => format!("atomic {temp}"),
            State::Renaming(Publishing::Plain { temp }) => format!("plain {temp}"),
            State::Renaming(Publishing::Direct) => "direct".to_owned(),
            State::Sent => "sent".to_owned(),
            State::InDoubt(_) => "doubt".to_owned(),
        };
        self.store(&format!("journal/{file}"), &text);
    }

    /// Sends each file that is not sent, under a new lease, and reports each commit on the standard output.
    pub async fn send(&self, transport: &mut Transport, fault: Fault) {
        let lease = self.lease() + 1;
        self.store("lease", &lease.to_string());
        for file in self.files() {
            let bytes = fs::read(self.0.join("sealed").join(&file)).unwrap();
            let order = Order::new(&file, lease, final_name(&file), &bytes, Way::AtomicRename).unwrap();
            let order = Order { is_acknowledged: true, ..order };
            let committed = self.state(&file);
            let is_blind = fault == Fault::NoLook && matches!(committed, State::Renaming(_));
            let state = if is_blind { State::Sending } else { committed };
            let mut journal = FileJournal { work: self, file: &file, fault };
            let done = deliver(transport, &mut journal, &order, &bytes, state, false).await;
            // A name that is taken ends the controls' deliveries: the bank has the file already.
            println!("{file} {done:?}");
        }
    }
}

pub fn final_name(file: &str) -> Name {
    name(&format!("ACH.{file}.txt"))
}

struct FileJournal<'a> {
    work: &'a Work,
    file: &'a str,
    fault: Fault,
}

impl Journal for FileJournal<'_> {
    async fn commit(&mut self, lease: u64, state: &State) -> Result<(), NotCommitted> {
        println!("commit {} {state:?}", self.file);
        if self.work.lease() != lease {
            return Err(NotCommitted::Stale);
        }
        if !(self.fault == Fault::LateCommit && matches!(state, State::Renaming(_))) {
            self.work.commit(self.file, state);
        }
        println!("committed");
        Ok(())
    }
}

/// Names and bytes, in the order of their arrival.
type Log = Vec<(String, Vec<u8>)>;

/// The bank: takes every complete name out of its folder and logs name and bytes.
pub struct Bank {
    log: Arc<Mutex<Log>>,
    is_open: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Bank {
    /// Collects at once the files that `at_once` names, and the others when it closes.
    pub fn open(work: &Work, at_once: fn(&str) -> bool) -> Self {
        let (log, is_open) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(true)));
        let (to, opened, work) = (Arc::clone(&log), Arc::clone(&is_open), work.clone());
        let thread = std::thread::spawn(move || {
            while opened.load(Ordering::Relaxed) {
                collect(&work, &to, at_once);
                std::thread::park_timeout(Duration::from_millis(1));
            }
            collect(&work, &to, |_| true);
        });
        Self { log, is_open, thread }
    }

    /// Returns the log of the bank.
    pub fn close(self) -> Log {
        self.is_open.store(false, Ordering::Relaxed);
        self.thread.join().unwrap();
        std::mem::take(&mut *self.log.lock().unwrap())
    }
}

fn collect(work: &Work, log: &Mutex<Log>, which: fn(&str) -> bool) {
    for entry in fs::read_dir(work.far()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with("ACH.") && which(&name) {
            let mut log = log.lock().unwrap();
            let to = work.0.join(format!("collected/{}-{name}", log.len()));
            fs::rename(entry.path(), &to).unwrap();
            log.push((name, fs::read(to).unwrap()));
        }
    }
}
