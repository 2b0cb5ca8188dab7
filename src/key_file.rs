//! The file with the master keys: its format, its sources, its creation.
//!
//! A key file is either 64 hex digits, which is a ring with the single key 1, or lines of `<id> <64 hex digits>`, of
//! which one ends in ` active`, and a line `hashing <64 hex digits>`. Lines that begin with `#` are comments.
//!
//! Invariant: the keys are never in an argument, the environment, a log line or an error. A command (on its standard
//! input) or an HTTP call unwraps a wrapped file; this process has the keys in memory only.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::json;
use zeroize::Zeroizing;

use crate::outbound;
use crate::vault::{Ring, Vault};

/// The time limit for a command or a server to unwrap the keys.
const UNWRAP_WITHIN: Duration = Duration::from_secs(30);
/// Bytes of a key file at most.
const FILE_MAX: usize = 64 * 1024;

type Key = Zeroizing<[u8; 32]>;

/// The source of the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySource {
    /// The file; wrapped if one of the next two is set.
    pub file: PathBuf,
    /// A program and its arguments that unwrap the file. It gets the file on standard input and prints the keys.
    pub command: Option<String>,
    /// A URL that unwraps the file: a POST with `{"ciphertext": base64}` returns `{"plaintext": base64}`.
    pub url: Option<String>,
    /// File with the bearer token for that call.
    pub token_file: Option<PathBuf>,
}

impl KeySource {
    /// Returns whether the file holds the keys in clear text.
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        self.command.is_none() && self.url.is_none()
    }

    /// Returns the source if its settings are valid, else the reason.
    pub fn checked(self) -> Result<Self, String> {
        if self.command.is_some() && self.url.is_some() {
            return Err("master-key-command and master-key-url cannot be combined; set only one of them".to_owned());
        }
        let is_local = |url: &String| {
            let here = ["http://127.0.0.1", "http://[::1]", "http://localhost"];
            let rest = here.iter().find_map(|here| url.strip_prefix(here));
            rest.is_some_and(|rest| (rest.is_empty() || rest.starts_with([':', '/'])) && !rest.contains('@'))
        };
        match &self.url {
            Some(url) if !url.starts_with("https://") && !is_local(url) => {
                Err("master-key-url must begin with https://, unless it is on this machine, because it returns keys"
                    .to_owned())
            }
            Some(_) | None => Ok(self),
        }
    }

    /// Reads the keys. An error gives the reason and the remedy, without a byte of the file.
    pub fn read(&self) -> Result<MasterKeys, String> {
        if !self.file.exists() {
            let file = self.file.display();
            return Err(format!("key-file {file}: does not exist; create it with: bursar keys master {file}"));
        }
        let text = secret_text(&self.file).map_err(|reason| format!("key-file {}: {reason}", self.file.display()))?;
        let (text, at) = match (&self.command, &self.url) {
            (Some(command), _) => (unwrap_by_command(command, &text)?, "the output of master-key-command".to_owned()),
            (None, Some(url)) => {
                let token = match &self.token_file {
                    Some(path) => Some(
                        secret_text(path)
                            .map_err(|reason| format!("master-key-token-file {}: {reason}", path.display()))?,
                    ),
                    None => None,
                };
                (unwrap_by_call(url, token, &text)?, "the response of master-key-url".to_owned())
            }
            (None, None) => (text, format!("key-file {}", self.file.display())),
        };
        MasterKeys::parse(&text).map_err(|reason| format!("{at}: {reason}"))
    }
}

#[derive(Clone, PartialEq, Eq)]
pub struct MasterKeys {
    hashing: Key,
    keys: BTreeMap<u16, Key>,
    active: u16,
}

/// Shows no byte of the keys.
impl std::fmt::Debug for MasterKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MasterKeys({:?}, active: {})", self.keys.keys(), self.active)
    }
}

impl MasterKeys {
    /// Creates a ring with one random key.
    #[must_use]
    pub fn draw() -> Self {
        let keys = BTreeMap::from([(Vault::FIRST_KEY, draw())]);
        Self { hashing: draw(), keys, active: Vault::FIRST_KEY }
    }

    /// Parses the text of a key file. An error names the wrong line.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(only) = key(text.trim()) {
            let keys = BTreeMap::from([(Vault::FIRST_KEY, only.clone())]);
            return Ok(Self { hashing: only, keys, active: Vault::FIRST_KEY });
        }
        let (mut keys, mut hashing, mut active) = (BTreeMap::new(), None, None);
        for (number, line) in text.lines().enumerate() {
            let wrong = |what: &str| format!("line {}: {what}", number + 1);
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                [] => {}
                [comment, ..] if comment.starts_with('#') => {}
                ["hashing", digits] if hashing.is_none() => {
                    hashing = Some(key(digits).ok_or_else(|| wrong("must contain 64 hex digits after \"hashing\""))?);
                }
                [id, digits] | [id, digits, "active"] => {
                    let id: u16 = id
                        .parse()
                        .ok()
                        .filter(|id| *id > 0)
                        .ok_or_else(|| wrong("must begin with a key id from 1 to 65535"))?;
                    let key = key(digits).ok_or_else(|| wrong("must contain 64 hex digits after the key id"))?;
                    if keys.insert(id, key).is_some() {
                        return Err(wrong("duplicate key id"));
                    }
                    if words.len() == 3 && active.replace(id).is_some() {
                        return Err(wrong("a second active key"));
                    }
                }
                _ => {
                    return Err(wrong(
                        "must be \"<id> <64 hex digits>\", \"<id> <64 hex digits> active\" or \"hashing <64 hex digits>\"",
                    ));
                }
            }
        }
        match (hashing, active) {
            (Some(hashing), Some(active)) => Ok(Self { hashing, keys, active }),
            (None, _) if keys.is_empty() => {
                Err("must contain 64 hex digits, or the lines that `bursar keys master` writes".to_owned())
            }
            (None, _) => Err("has no line \"hashing <64 hex digits>\"".to_owned()),
            (_, None) => Err("has no line that ends in \"active\"".to_owned()),
        }
    }

    /// Formats the keys as the text of a key file.
    #[must_use]
    pub fn text(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(FILE_MAX / 64));
        text.push_str(
            "# Master keys of bursar. They decrypt every sealed value. Keep a copy of this file in another place.\n",
        );
        let mut line = |name: &str, key: &Key, end: &str| {
            text.push_str(name);
            text.push(' ');
            for byte in key.iter() {
                text.push_str(&format!("{byte:02x}"));
            }
            text.push_str(end);
        };
        line("hashing", &self.hashing, "\n");
        for (id, key) in &self.keys {
            line(&id.to_string(), key, if *id == self.active { " active\n" } else { "\n" });
        }
        text
    }

    #[must_use]
    pub fn ids(&self) -> Vec<u16> {
        self.keys.keys().copied().collect()
    }

    #[must_use]
    pub const fn active(&self) -> u16 {
        self.active
    }

    /// Returns the ring with one more key, which is not active yet, and its id.
    #[must_use]
    pub fn with_another(&self) -> (Self, u16) {
        let id = self.keys.keys().next_back().map_or(Vault::FIRST_KEY, |last| last.saturating_add(1));
        let mut more = self.clone();
        more.keys.insert(id, draw());
        (more, id)
    }

    /// Returns the ring with another active key; `None` if there is no such key.
    #[must_use]
    pub fn activated(&self, id: u16) -> Option<Self> {
        self.keys.contains_key(&id).then(|| Self { active: id, ..self.clone() })
    }

    /// Returns the ring without a key; `None` if there is no such key, or it is the active one.
    #[must_use]
    pub fn without(&self, id: u16) -> Option<Self> {
        let mut fewer = self.clone();
        (id != self.active && fewer.keys.remove(&id).is_some()).then_some(fewer)
    }

    /// Returns the ring for a vault.
    #[must_use]
    pub fn ring(&self) -> Ring {
        Ring::new(&self.hashing, &self.keys, self.active).expect("the active key is one of the keys")
    }
}

fn draw() -> Key {
    Zeroizing::new(rand::random())
}

fn key(text: &str) -> Option<Key> {
    let mut key = Zeroizing::new([0; 32]);
    if text.len() != 64 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, place) in key.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&text[place..place + 2], 16).ok()?;
    }
    Some(key)
}

/// Reads a file that only its owner may read. An error gives the reason and the remedy.
pub fn secret_text(path: &Path) -> Result<Zeroizing<String>, String> {
    let unread = |error: io::Error| {
        let missing = "does not exist; write the secret into it and set its mode to 600";
        if error.kind() == io::ErrorKind::NotFound { missing.to_owned() } else { error.to_string() }
    };
    let mode = std::fs::metadata(path).map_err(unread)?.permissions().mode();
    let others = if is_credential(path) { 0o037 } else { 0o077 };
    if mode & others != 0 {
        return Err(format!("is readable by other users (mode {:o}); set its mode to 600", mode & 0o777));
    }
    Ok(Zeroizing::new(std::fs::read_to_string(path).map_err(unread)?))
}

/// Returns whether systemd passes the file as a credential. It may grant the service's user access by an access control
/// list, which shows as a bit of the group; the folder is closed to all other users.
fn is_credential(path: &Path) -> bool {
    std::env::var_os("CREDENTIALS_DIRECTORY").is_some_and(|folder| path.parent() == Some(Path::new(&folder)))
}

/// Writes keys into a new file that only its owner may read. Fails with `AlreadyExists` if the file exists.
pub fn write_new(path: &Path, keys: &MasterKeys) -> io::Result<()> {
    let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(path)?;
    file.write_all(keys.text().as_bytes())?;
    // Sealed values are lost without their key, so the key is on the disk before anything is sealed.
    file.sync_all()
}

/// Replaces the keys in a file atomically.
pub fn replace(path: &Path, keys: &MasterKeys) -> io::Result<()> {
    let mut draft = path.to_owned().into_os_string();
    draft.push(".draft");
    let draft = PathBuf::from(draft);
    match std::fs::remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    write_new(&draft, keys)?;
    std::fs::rename(&draft, path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

fn unwrap_by_command(command: &str, wrapped: &str) -> Result<Zeroizing<String>, String> {
    let failed = |reason: &dyn std::fmt::Display| format!("master-key-command: {reason}");
    let mut words = command.split_whitespace();
    let program = words.next().ok_or_else(|| failed(&"is empty"))?;
    let child =
        Command::new(program).args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.map_err(|error| failed(&format!("cannot run {program}: {error}")))?;
    // A command that does not read its input may end before it is written.
    if let Some(mut input) = child.stdin.take() {
        drop(input.write_all(wrapped.as_bytes()));
    }
    let (done, finished) = std::sync::mpsc::channel();
    let id = child.id();
    std::thread::spawn(move || drop(done.send(child.wait_with_output())));
    let Ok(output) = finished.recv_timeout(UNWRAP_WITHIN) else {
        return Err(failed(&format!("did not end within {} seconds (process {id})", UNWRAP_WITHIN.as_secs())));
    };
    let output = output.map_err(|error| failed(&error))?;
    if !output.status.success() {
        return Err(failed(&format!("{program} ended with {}", output.status)));
    }
    String::from_utf8(output.stdout).map(Zeroizing::new).map_err(|_| failed(&"printed output that is not valid UTF-8"))
}

fn unwrap_by_call(url: &str, token: Option<Zeroizing<String>>, wrapped: &str) -> Result<Zeroizing<String>, String> {
    let (url, wrapped) = (url.to_owned(), BASE64_STANDARD.encode(wrapped.trim()));
    // The call has its own thread and runtime, because the caller may be in another runtime.
    let call = std::thread::spawn(move || {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
        runtime.block_on(async {
            outbound::install_tls();
            let client = reqwest::Client::builder()
                .timeout(UNWRAP_WITHIN)
                .redirect(reqwest::redirect::Policy::none())
                .no_proxy();
            let client = client.build().map_err(|error| error.without_url().to_string())?;
            let mut request = client.post(&url).json(&json!({"ciphertext": wrapped}));
            if let Some(token) = token {
                request = request.bearer_auth(token.trim());
            }
            let answer = request.send().await.map_err(|error| error.without_url().to_string())?;
            let status = answer.status();
            if !status.is_success() {
                return Err(format!("responded with {status}"));
            }
            let body: serde_json::Value = answer.json().await.map_err(|_| "the response is not JSON".to_owned())?;
            let plain = body["plaintext"].as_str().ok_or("the response has no \"plaintext\"")?;
            let plain = BASE64_STANDARD.decode(plain).map_err(|_| "\"plaintext\" is not Base64".to_owned())?;
            String::from_utf8(plain).map(Zeroizing::new).map_err(|_| "\"plaintext\" is not text".to_owned())
        })
    });
    let answered = call.join().unwrap_or_else(|_| Err("the connection closed during the call".to_owned()));
    answered.map_err(|reason| format!("master-key-url: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_64_hex_digits_is_a_ring_of_one() {
        let keys = MasterKeys::parse(&format!("{}\n", "0f".repeat(32))).unwrap();
        assert_eq!((keys.ids(), keys.active()), (vec![1], 1));
        assert!(keys.ring().contains(&Vault::new([15; 32]).ring()), "it opens what the one key sealed");
        for wrong in ["", "0f", &"0g".repeat(32), &"+f".repeat(32), &"0f".repeat(33)] {
            assert!(MasterKeys::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_ring_is_written_and_read() {
        let keys = MasterKeys::draw();
        assert_eq!(MasterKeys::parse(&keys.text()), Ok(keys.clone()));
        let (more, id) = keys.with_another();
        assert_eq!((id, more.ids(), more.active()), (2, vec![1, 2], 1));
        let active = more.activated(2).unwrap();
        assert_eq!(MasterKeys::parse(&active.text()).unwrap().active(), 2);
        assert!(active.ring().contains(&keys.ring()) && !keys.ring().contains(&active.ring()));
        assert_eq!(active.without(1).unwrap().ids(), [2]);
        assert!(active.without(2).is_none() && active.without(3).is_none() && more.activated(9).is_none());
        assert!(!format!("{keys:?}").contains(&keys.text()[110..140]));
    }

    #[test]
    fn each_wrong_line_is_named() {
        let digits = "0f".repeat(32);
        for (text, said) in [
            (format!("1 {digits} active"), "has no line \"hashing"),
            (format!("hashing {digits}\n1 {digits}"), "has no line that ends in \"active\""),
            (format!("hashing {digits}\n1 {digits} active\n1 {digits}"), "line 3: duplicate key id"),
            (format!("hashing {digits}\n1 {digits} active\n2 {digits} active"), "line 3: a second active key"),
            (format!("hashing {digits}\n0 {digits} active"), "line 2: must begin with a key id"),
            (format!("hashing {digits}\n1 {digits} active now"), "line 2: must be"),
            ("hashing 0f".to_owned(), "line 1: must contain 64 hex digits"),
        ] {
            let wrong = MasterKeys::parse(&text).unwrap_err();
            assert!(wrong.contains(said) && !wrong.contains(&digits), "{wrong}");
        }
    }

    #[test]
    fn a_file_is_replaced_whole_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let keys = MasterKeys::draw();
        write_new(&path, &keys).unwrap();
        assert_eq!(write_new(&path, &keys).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        replace(&path, &keys.with_another().0).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let source = KeySource { file: path.clone(), command: None, url: None, token_file: None };
        assert_eq!(source.read().unwrap().ids(), [1, 2]);
        let unwrap = |command: &str| KeySource { command: Some(command.to_owned()), ..source.clone() }.read();
        assert_eq!(unwrap("cat").unwrap().ids(), [1, 2]);
        assert!(unwrap("false").unwrap_err().contains("ended with"));
        assert!(unwrap("/no/such/program").unwrap_err().contains("cannot run"));
        assert!(unwrap("echo nothing").unwrap_err().contains("the output of master-key-command"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(source.read().unwrap_err().contains("set its mode to 600"));
    }
}
