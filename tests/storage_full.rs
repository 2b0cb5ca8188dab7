//! A full disk: reads continue, changes are definitely refused, and the same process recovers.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::postgres::Cluster;
use crate::harness::{Process, bursar, http};

/// A small file system, unmounted when dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: PathBuf, mebibytes: u32) -> Self {
        std::fs::create_dir_all(&at).unwrap();
        let size = format!("size={mebibytes}m");
        let mount = ["mount", "-t", "tmpfs", "-o", &size, "tmpfs", at.to_str().unwrap()];
        let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
        let done = match is_root {
            true => Command::new(mount[0]).args(&mount[1..]).output(),
            false => Command::new("sudo").arg("-n").args(mount).output(),
        };
        let done = done.unwrap();
        assert!(done.status.success(), "a small disk needs root: {}", String::from_utf8_lossy(&done.stderr));
        Self(at)
    }

    /// Writes a file until the disk is full.
    fn fill(&self) {
        let mut file = std::fs::File::create(self.0.join("filler")).unwrap();
        // The last piece may be shorter than a page.
        for piece in [vec![7_u8; 1 << 20], vec![7; 4096], vec![7; 1]] {
            while file.write_all(&piece).is_ok() {}
        }
    }

    fn free(&self) {
        std::fs::remove_file(self.0.join("filler")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.0).output());
    }
}

struct Client<'a> {
    process: &'a Process,
    token: String,
}

impl<'a> Client<'a> {
    fn of(process: &'a Process, data_dir: &Path) -> Self {
        use base64::prelude::{BASE64_STANDARD, Engine as _};
        let file = std::fs::read_to_string(data_dir.join("sandbox-credentials.json")).unwrap();
        let credentials: Value = serde_json::from_str(&file).unwrap();
        let text = |name: &str| credentials["app"][name].as_str().unwrap().to_owned();
        let token = BASE64_STANDARD.encode(format!("{}:{}", text("client_id"), text("api_key")));
        Self { process, token }
    }

    fn send(&self, method: &str, path: &str, key: &str, body: &str) -> (u16, String) {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Basic {}\r\nidempotency-key: {key}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            self.process.address,
            self.token,
            body.len()
        );
        http(&self.process.address, &request)
    }

    /// Creates a link with much metadata: more than ten pages of the store.
    fn link(&self, number: usize) -> (u16, String) {
        let metadata = "m".repeat(12_000);
        let body = format!(r#"{{"amount":1,"delivery":{{"method":"link"}},"metadata":"{metadata}"}}"#);
        self.send("POST", "/v2/payout-links", &format!("link-{number}"), &body)
    }

    fn read(&self) -> u16 {
        let (status, _) = self.send("GET", "/v2/payout-links?limit=1", "", "");
        status
    }
}

fn ready(process: &Process) -> (u16, String) {
    let request = format!("GET /readyz HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", process.address);
    http(&process.address, &request)
}

/// Sends links until one is refused; returns its number. Every one before it succeeded.
fn until_refused(client: &Client<'_>) -> usize {
    for number in 0..5_000 {
        let (status, said) = client.link(number);
        if status != 201 {
            assert_eq!(status, 503, "{said}");
            assert!(said.contains("storage-full") && said.to_lowercase().contains("retry-after"), "{said}");
            return number;
        }
    }
    panic!("5,000 links fit on a small disk");
}

/// Retries the refused request with the same key until it succeeds.
fn until_accepted(client: &Client<'_>, number: usize) {
    let begun = Instant::now();
    loop {
        let (status, said) = client.link(number);
        if status == 201 {
            return;
        }
        assert!(status == 503 && said.contains("storage-full"), "{status} {said}");
        assert!(begun.elapsed() < Duration::from_secs(30), "it did not recover: {said}");
        std::thread::park_timeout(Duration::from_millis(100));
    }
}

/// The required behavior of every store on a full disk, and after space is free again.
fn fills_and_recovers(process: &Process, client: &Client<'_>, disk: &SmallDisk, when_full: impl FnOnce()) {
    assert_eq!(client.link(9_999).0, 201);
    disk.fill();
    when_full();
    let refused = until_refused(client);

    let (status, said) = ready(process);
    assert!(status == 503 && said.contains("storage"), "{status} {said}");
    for _ in 0..20 {
        assert_eq!(client.read(), 200, "reads continue");
        let (status, said) = client.link(refused);
        assert!(status == 503 && said.contains("storage-full"), "refused definitely: {status} {said}");
    }
    assert_eq!(process.get("/livez").0, 200);

    disk.free();
    until_accepted(client, refused);
    assert_eq!(client.link(9_999).0, 201, "what was acknowledged before is replayed");
    let begun = Instant::now();
    while ready(process).0 != 200 {
        assert!(begun.elapsed() < Duration::from_secs(30), "it does not become ready: {}", ready(process).1);
        std::thread::park_timeout(Duration::from_millis(100));
    }
    assert!(client.link(refused + 1).0 == 201 && client.read() == 200);
}

fn verify(arguments: &[&str]) {
    let verified = bursar(&[&["verify"], arguments].concat()).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn a_full_disk_refuses_changes_and_answers_reads_until_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let disk = SmallDisk::mount(folder.path().join("disk"), 64);
    let data_dir = disk.0.join("data");
    let process = Process::start(&data_dir);
    let client = Client::of(&process, &data_dir);
    fills_and_recovers(&process, &client, &disk, || {});
    verify(&["--data-dir", data_dir.to_str().unwrap()]);
}

/// A start on the full disk finds all acknowledged links.
#[test]
fn a_full_disk_and_kill_9_lose_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let disk = SmallDisk::mount(folder.path().join("disk"), 64);
    let data_dir = disk.0.join("data");
    let process = Process::start(&data_dir);
    let client = Client::of(&process, &data_dir);
    assert_eq!(client.link(9_999).0, 201);
    disk.fill();
    let refused = until_refused(&client);
    process.kill();
    disk.free();
    let again = Process::start(&data_dir);
    let client = Client::of(&again, &data_dir);
    assert_eq!(client.link(9_999).0, 201);
    until_accepted(&client, refused);
    for number in 0..refused {
        let (status, said) = client.link(number);
        assert!(status == 201 && said.contains("idempotent-replayed: true"), "{number}: {status} {said}");
    }
    verify(&["--data-dir", data_dir.to_str().unwrap()]);
}

#[test]
fn a_sandbox_has_a_quota() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start_with(folder.path(), &["--storage-quota-mib", "4"]);
    let client = Client::of(&process, folder.path());
    let refused = until_refused(&client);
    assert!(refused > 10, "{refused}");
    assert_eq!(client.read(), 200);
    process.signal("TERM");
    assert!(process.wait(Duration::from_secs(30)).0.success());
    let raised = Process::start_with(folder.path(), &["--storage-quota-mib", "64"]);
    until_accepted(&Client::of(&raised, folder.path()), refused);
}

#[test]
fn a_database_server_whose_disk_is_full_refuses_changes_until_there_is_room() {
    let cluster = Cluster::single();
    // A tablespace of the server's user; the server's log is on the other disk.
    let place = format!("/tmp/bursar-small-{}", uuid::Uuid::new_v4().simple());
    let disk = SmallDisk::mount(PathBuf::from(&place), 64);
    let owned = Command::new("chmod").args(["0777", &place]).status().unwrap();
    assert!(owned.success());
    cluster.script(&format!("mkdir -m 700 {place}/space"));
    let space = format!("small_{}", uuid::Uuid::new_v4().simple());
    crate::harness::postgres::aside(|| {
        cluster.run("postgres", &format!("CREATE TABLESPACE {space} LOCATION '{place}/space'"));
    });
    let database = cluster.bare_as(&format!("TEMPLATE template0 TABLESPACE {space}"));
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start_with(folder.path(), &["--database-url", &database.url()]);
    let client = Client::of(&process, folder.path());
    // As after each change of the schema or its statistics: a new connection must write this file first, and is
    // refused.
    let forget_cache = || cluster.script(&format!("rm -f {place}/space/PG_*/*/pg_internal.init"));
    fills_and_recovers(&process, &client, &disk, forget_cache);
    process.signal("TERM");
    assert!(process.wait(Duration::from_secs(30)).0.success());
    verify(&["--database-url", &database.url(), "--data-dir", folder.path().to_str().unwrap()]);
    crate::harness::postgres::aside(|| {
        cluster.run("postgres", &format!("DROP DATABASE {} WITH (FORCE)", database.name));
        cluster.run("postgres", &format!("DROP TABLESPACE {space}"));
    });
}
