//! OpenSSH's server on a loopback port, with temporary keys. The tests end only processes below the one they started.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bursar_transports::sftp::{Peer, Ssh};
use bursar_transports::{Kind, Transport};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::{SFTP_SERVER, limits, name};

pub struct Sshd {
    place: PathBuf,
    port: u16,
    child: Child,
}

fn key(path: &Path) {
    let mut command = Command::new("ssh-keygen");
    command.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(path);
    assert!(command.status().unwrap().success());
}

fn user() -> String {
    String::from_utf8(Command::new("id").arg("-un").output().unwrap().stdout).unwrap().trim().to_owned()
}

/// A port below those that the kernel gives to clients, so that it is still free after a restart.
fn free_port() -> u16 {
    let from = 20_000 + u16::try_from(std::process::id() % 10_000).unwrap();
    (from..32_000).find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).unwrap()
}

impl Sshd {
    /// Starts a server whose keys, settings and log are in this folder.
    pub fn start(place: &Path) -> Self {
        key(&place.join("host"));
        key(&place.join("client"));
        let port = free_port();
        fs::copy(place.join("client.pub"), place.join("authorized")).unwrap();
        let at = place.display();
        // With a shell level, the user's shell does not read its start-up file, which may wait for a lock of a session
        // that a test has killed.
        let settings = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {at}/host\nPidFile none\nAuthorizedKeysFile {at}/authorized\n\
             StrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n\
             PermitRootLogin prohibit-password\nMaxStartups 100\nSetEnv SHLVL=2\nSubsystem sftp {SFTP_SERVER}\n"
        );
        fs::write(place.join("settings"), settings).unwrap();
        let host = fs::read_to_string(place.join("host.pub")).unwrap();
        fs::write(place.join("known_hosts"), format!("[127.0.0.1]:{port} {host}")).unwrap();
        // As root, sshd needs the folder of its unprivileged process, which the init system creates elsewhere.
        drop(fs::create_dir("/run/sshd"));
        Self { place: place.to_owned(), port, child: Self::listen(place, port) }
    }

    fn listen(place: &Path, port: u16) -> Child {
        let log = fs::File::options().create(true).append(true).open(place.join("log")).unwrap();
        let mut command = Command::new("/usr/sbin/sshd");
        command.args(["-D", "-e", "-f"]).arg(place.join("settings"));
        let mut child = command.stdin(Stdio::null()).stderr(log).spawn().unwrap();
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let log = || fs::read_to_string(place.join("log")).unwrap();
            assert!(child.try_wait().unwrap().is_none() && begin.elapsed() < Duration::from_secs(10), "{}", log());
            std::thread::park_timeout(Duration::from_millis(5));
        }
        child
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Kills the server and all of its sessions, and starts it again.
    pub fn restarted(mut self) -> Self {
        self.kill();
        self.child = Self::listen(&self.place, self.port);
        self
    }

    fn kill(&mut self) {
        let listener = i32::try_from(self.child.id()).unwrap();
        let processes = below(listener);
        for process in processes {
            let _ = kill_process(Pid::from_raw(process).unwrap(), Signal::KILL);
        }
        drop(self.child.kill());
        self.child.wait().unwrap();
    }

    /// Returns a transport with the keys in this folder.
    pub fn transport(place: &Path, port: u16, folder: &Path) -> Transport {
        let ssh = Ssh {
            program: PathBuf::from("ssh"),
            host: "127.0.0.1".to_owned(),
            port,
            user: user(),
            identity: place.join("client"),
            known_hosts: place.join("known_hosts"),
        };
        Transport::sftp(Peer::Ssh(ssh), folder.to_str().unwrap(), limits())
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the processes below a process, the deepest first.
fn below(process: i32) -> Vec<i32> {
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    let mut found = Vec::new();
    for child in children.split_whitespace().map(|child| child.parse().unwrap()) {
        found.extend(below(child));
        found.push(child);
    }
    found
}

#[tokio::test]
async fn a_changed_or_unknown_host_key_stops_the_transfer() {
    let place = TempDir::new().unwrap();
    let far = place.path().join("far");
    fs::create_dir(&far).unwrap();
    let sshd = Sshd::start(place.path());
    let pinned = fs::read_to_string(place.path().join("known_hosts")).unwrap();

    key(&place.path().join("other"));
    let other = fs::read_to_string(place.path().join("other.pub")).unwrap();
    for known in [format!("[127.0.0.1]:{} {other}", sshd.port()), String::new()] {
        fs::write(place.path().join("known_hosts"), &known).unwrap();
        let mut transport = Sshd::transport(place.path(), sshd.port(), &far);
        let refused = transport.put(&name("a-1.part"), b"secret", false).await.unwrap_err();
        assert_eq!(refused.kind, Kind::HostKey, "{refused}");
        assert!(refused.to_string().contains("Ask the bank by phone"), "{refused}");
        assert_eq!(fs::read_dir(&far).unwrap().count(), 0, "nothing is written");
        assert_eq!(fs::read_to_string(place.path().join("known_hosts")).unwrap(), known, "no key is accepted");
    }

    fs::write(place.path().join("known_hosts"), pinned).unwrap();
    let mut transport = Sshd::transport(place.path(), sshd.port(), &far);
    transport.put(&name("a-1.part"), b"secret", true).await.unwrap();
    transport.close().await;

    fs::write(place.path().join("authorized"), other).unwrap();
    let mut stranger = Sshd::transport(place.path(), sshd.port(), &far);
    assert_eq!(stranger.list().await.unwrap_err().kind, Kind::SignIn);
    let port = sshd.port();
    drop(sshd);
    let mut gone = Sshd::transport(place.path(), port, &far);
    assert_eq!(gone.list().await.unwrap_err().kind, Kind::Unreachable);
}
