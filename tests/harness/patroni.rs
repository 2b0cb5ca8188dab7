//! A PostgreSQL of three nodes under Patroni, started by `tests/chaos/cluster.sh`: the faults of its primary, and
//! Patroni's state.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::postgres::{Cluster, Database, aside};

/// Ends with the test's process.
pub struct Patroni {
    folder: PathBuf,
    replication: Replication,
    /// The addresses of the nodes, numbered from 1.
    hosts: Vec<String>,
}

/// A fault of a primary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `kill -9` of everything on the node.
    Killed,
    /// Everything on the node pauses longer than Patroni waits, and then continues.
    Paused,
    /// All it sends to its standbys and to etcd is lost. It receives everything, and its clients receive its responses.
    Unheard,
    /// All that its standbys and etcd send to it is lost. All others receive its messages.
    Deaf,
    /// All it sends to etcd is lost; the standbys receive all its writes until it gives up.
    UnheardByEtcd,
}

/// The standbys that a commit waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replication {
    /// One fixed standby.
    One,
    /// Any of them.
    Any,
    /// None.
    Asynchronous,
}

impl Replication {
    /// Returns Patroni's name of the mode.
    fn mode(self) -> &'static str {
        match self {
            Self::One => "on",
            Self::Any => "quorum",
            Self::Asynchronous => "off",
        }
    }

    /// Returns Patroni's roles of the two standbys.
    fn standbys(self) -> [&'static str; 2] {
        match self {
            Self::One => ["replica", "sync_standby"],
            Self::Any => ["quorum_standby", "quorum_standby"],
            Self::Asynchronous => ["replica", "replica"],
        }
    }
}

struct Member {
    node: usize,
    role: String,
    state: String,
    timeline: Option<i64>,
}

impl Patroni {
    /// Starts the cluster, and waits for a primary and two standbys.
    pub fn start(folder: &Path, replication: Replication) -> Self {
        let folder = folder.join("patroni");
        let owner = std::process::id().to_string();
        let said = script(&["start", folder.to_str().unwrap(), &owner, replication.mode()]);
        let patroni = Self { folder, replication, hosts: said.lines().map(str::to_owned).collect() };
        patroni.wait_until_complete();
        patroni
    }

    /// Returns a database on it, reached by the addresses of all nodes.
    pub fn database(&self) -> Database {
        let hosts: Vec<String> = self.hosts.iter().map(|host| format!("{host}:5432")).collect();
        let url = format!("postgres://bursar@{}/{{}}?target_session_attrs=read-write", hosts.join(","));
        let cluster = Cluster::elsewhere(url);
        aside(|| cluster.run("postgres", "CREATE DATABASE bursar"));
        Database { cluster, name: "bursar".to_owned() }
    }

    /// Returns a node's view of all members. It queries each in turn except `but`, because a disconnected node is out
    /// of date.
    fn members(&self, but: Option<usize>) -> Option<Vec<Member>> {
        let others = (1..=self.hosts.len()).filter(|node| Some(*node) != but);
        let known = others.filter_map(|node| ask(&self.hosts[node - 1])).next()?;
        let member = |member: &Value| {
            let word = |name: &str| member[name].as_str().unwrap_or_default().to_owned();
            let node = word("name").trim_start_matches("node").parse().ok()?;
            Some(Member { node, role: word("role"), state: word("state"), timeline: member["timeline"].as_i64() })
        };
        known["members"].as_array()?.iter().map(member).collect()
    }

    /// Returns the leading node in the view of the others.
    pub fn primary(&self, but: Option<usize>) -> Option<usize> {
        let members = self.members(but)?;
        members.iter().find(|member| member.role == "leader" && member.state == "running").map(|leader| leader.node)
    }

    /// Waits until another node leads; returns the time.
    pub fn wait_for_another(&self, primary: usize) -> Instant {
        let begun = Instant::now();
        while self.primary(Some(primary)).is_none_or(|leader| leader == primary) {
            assert!(begun.elapsed() < Duration::from_secs(90), "nobody takes the place of node {primary}");
            std::thread::park_timeout(Duration::from_millis(100));
        }
        Instant::now()
    }

    /// Waits until all three run again, on one timeline.
    pub fn wait_until_complete(&self) {
        let begun = Instant::now();
        let whole = |members: &[Member]| {
            let streams = members.iter().filter(|member| member.state == "streaming");
            let mut standbys: Vec<&str> = streams.map(|member| member.role.as_str()).collect();
            standbys.sort_unstable();
            let leads = members.iter().any(|member| member.role == "leader" && member.state == "running");
            let one_timeline = members.iter().all(|is| is.timeline.is_some() && is.timeline == members[0].timeline);
            leads && one_timeline && standbys == self.replication.standbys()
        };
        while !self.members(None).is_some_and(|members| whole(&members)) {
            if begun.elapsed() > Duration::from_secs(120) {
                let log = |place: usize| std::fs::read_to_string(self.folder.join(format!("{place}/log")));
                let logs: Vec<String> = (1..=3).filter_map(|node| log(node).ok()).collect();
                let ends = logs.iter().map(|log| &log[log.len().saturating_sub(3_000)..]);
                panic!("the cluster is not whole:\n{}", ends.collect::<Vec<_>>().join("\n=====\n"));
            }
            std::thread::park_timeout(Duration::from_millis(200));
        }
    }

    pub fn break_node(&self, node: usize, fault: Fault) {
        let others = (1..=self.hosts.len()).filter(|other| *other != node).map(|other| other.to_string());
        let others: Vec<String> = others.chain(["etcd".to_owned()]).collect();
        let cut = |ways: Vec<String>| self.command("cut", &ways);
        match fault {
            Fault::Killed => self.command("kill", &[node.to_string()]),
            Fault::Paused => self.command("pause", &[node.to_string()]),
            Fault::Unheard => cut(others.iter().map(|other| format!("{node}:{other}")).collect()),
            Fault::Deaf => cut(others.iter().map(|other| format!("{other}:{node}")).collect()),
            Fault::UnheardByEtcd => cut(vec![format!("{node}:etcd")]),
        }
    }

    /// Ends the fault of a node.
    pub fn mend_node(&self, node: usize, fault: Fault) {
        match fault {
            Fault::Killed => self.command("revive", &[node.to_string()]),
            Fault::Paused => self.command("resume", &[node.to_string()]),
            Fault::Unheard | Fault::Deaf | Fault::UnheardByEtcd => self.command("heal", &[]),
        }
    }

    fn command(&self, verb: &str, about: &[String]) {
        let about = about.iter().map(String::as_str);
        script(&[verb, self.folder.to_str().unwrap()].into_iter().chain(about).collect::<Vec<_>>());
    }
}

/// Runs the cluster's script; returns its output.
fn script(arguments: &[&str]) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/chaos/cluster.sh");
    let done = Command::new(script).args(arguments).output().expect("there is bash");
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("it prints text")
}

/// Returns a host's view of all nodes, or `None` without an immediate response.
fn ask(host: &str) -> Option<Value> {
    let address: SocketAddr = format!("{host}:8008").parse().expect("a host is an address");
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_millis(300)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(2))).ok()?;
    stream.write_all(b"GET /cluster HTTP/1.0\r\n\r\n").ok()?;
    let mut said = String::new();
    stream.read_to_string(&mut said).ok()?;
    serde_json::from_str(&said[said.find('{')?..]).ok()
}
