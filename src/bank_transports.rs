//! The ways to banks that the server's configuration names, each for one organization.
//!
//! *Deliberately absent*: a way for the API to name a host or a path.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bursar_transports::Transport;
use bursar_transports::entry::Limits;
use bursar_transports::intake::Watch;
use bursar_transports::sftp::{Peer, Ssh};
use serde::Deserialize;

use crate::ids::OrgId;

/// The transport of the simulated bank of a sandbox. With a hyphen and more letters it is the transport of another one.
pub const SANDBOX: &str = "sandbox";
/// The folders of a simulated bank for its files and for ours, which are those of `bankbox`.
const INBOUND_FOLDER: &str = "inbound";
const OUTBOUND_FOLDER: &str = "outbound";
/// The default port of SSH.
const SSH_PORT: u16 = 22;

/// The largest file of a bank that is read, in bytes: some 160,000 returns.
pub const INBOUND_BYTES_MAX: u64 = 32 << 20;
/// The limits of the folder with the bank's files.
const INBOUND: Limits = Limits {
    connect: Duration::from_secs(30),
    operation: Duration::from_secs(30),
    mebibyte: Duration::from_secs(20),
    read_max: INBOUND_BYTES_MAX,
    entries_max: 10_000,
};

/// A table `[transports.<name>]` of the configuration file.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TransportSettings {
    /// The only organization that may use it.
    pub organization: OrgId,
    /// A folder of this machine.
    pub folder: Option<PathBuf>,
    /// An SFTP server.
    pub host: Option<String>,
    pub port: Option<u16>,
    pub user: Option<String>,
    /// The private key, without a passphrase.
    pub identity_file: Option<PathBuf>,
    /// The pinned host keys.
    pub known_hosts_file: Option<PathBuf>,
    /// The folder on the server.
    pub remote_folder: Option<String>,
    /// The folder with the bank's files: an absolute path on this machine, or a folder on the server.
    pub inbound_folder: Option<String>,
    /// Whether files are written under their final name: for servers that cannot rename.
    #[serde(default)]
    pub direct: bool,
    /// Whether each file is read back before it is published.
    #[serde(default)]
    pub read_back: bool,
}

#[derive(Clone, Debug)]
enum Far {
    Folder(PathBuf),
    Sftp(Ssh, String),
}

#[derive(Clone, Debug)]
struct Way {
    organization: OrgId,
    far: Far,
    inbound: Option<String>,
    direct: bool,
    read_back: bool,
}

/// An opened way.
pub struct Opened {
    pub transport: Transport,
    pub direct: bool,
    pub read_back: bool,
}

/// The files of one bank that previous polls saw.
pub type Inbox = Arc<tokio::sync::Mutex<Watch>>;

/// The ways by their names.
#[derive(Clone, Debug, Default)]
pub struct Transports {
    ways: BTreeMap<String, Way>,
    /// The folder of the simulated banks, in a sandbox.
    sandbox: Option<PathBuf>,
    /// By the folders with the files of banks. Lost at a restart, which costs one more poll.
    inboxes: Arc<Mutex<BTreeMap<String, Inbox>>>,
}

impl Transports {
    /// Reads the tables of the configuration file.
    ///
    /// # Errors
    /// One sentence for each table that is not usable.
    pub fn read(tables: BTreeMap<String, TransportSettings>) -> Result<Self, Vec<String>> {
        let (mut ways, mut reasons) = (BTreeMap::new(), Vec::new());
        for (name, settings) in tables {
            if !is_name(&name) || is_sandbox(&name) {
                reasons.push(format!(
                    "transports.{name}: the name must have 1 to 40 lower-case letters, digits and hyphens, and not be manual or sandbox"
                ));
                continue;
            }
            match way(settings) {
                Ok(way) => drop(ways.insert(name, way)),
                Err(reason) => reasons.push(format!("transports.{name}: {reason}")),
            }
        }
        if reasons.is_empty() { Ok(Self { ways, ..Self::default() }) } else { Err(reasons) }
    }

    /// Adds simulated banks for each organization, in a folder.
    #[must_use]
    pub fn with_sandbox(self, folder: PathBuf) -> Self {
        Self { sandbox: Some(folder), ..self }
    }

    /// Returns the folder of a simulated bank.
    #[must_use]
    pub fn sandbox_bank(&self, org: OrgId, name: &str) -> Option<PathBuf> {
        let folder = self.sandbox.as_ref().filter(|_| is_name(name) && is_sandbox(name))?;
        Some(folder.join(org.to_string()).join(name))
    }

    fn way(&self, organization: OrgId, name: &str) -> Option<Way> {
        if let Some(bank) = self.sandbox_bank(organization, name) {
            let inbound = bank.join(INBOUND_FOLDER).to_str()?.to_owned();
            let far = Far::Folder(bank.join(OUTBOUND_FOLDER));
            return Some(Way { organization, far, inbound: Some(inbound), direct: false, read_back: false });
        }
        self.ways.get(name).filter(|way| way.organization == organization).cloned()
    }

    #[must_use]
    pub fn has(&self, org: OrgId, name: &str) -> bool {
        self.way(org, name).is_some()
    }

    /// Opens a way of this organization; no connection is made yet.
    #[must_use]
    pub fn open(&self, org: OrgId, name: &str) -> Option<Opened> {
        let way = self.way(org, name)?;
        let transport = match &way.far {
            Far::Folder(path) => Transport::folder(path, Limits::default()),
            Far::Sftp(ssh, folder) => Transport::sftp(Peer::Ssh(ssh.clone()), folder, Limits::default()),
        };
        Some(Opened { transport, direct: way.direct, read_back: way.read_back })
    }

    /// Opens the folder with the bank's files, if the way has one; no connection is made yet.
    #[must_use]
    pub fn open_inbound(&self, org: OrgId, name: &str) -> Option<(Transport, Inbox)> {
        let way = self.way(org, name)?;
        let inbound = way.inbound.as_deref()?;
        let transport = match &way.far {
            Far::Folder(_) => Transport::folder(Path::new(inbound), INBOUND),
            Far::Sftp(ssh, _) => Transport::sftp(Peer::Ssh(ssh.clone()), inbound, INBOUND),
        };
        let mut inboxes = self.inboxes.lock().unwrap_or_else(PoisonError::into_inner);
        Some((transport, inboxes.entry(inbound.to_owned()).or_default().clone()))
    }
}

fn is_sandbox(name: &str) -> bool {
    name.strip_prefix(SANDBOX).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Returns whether a text can be the name of a transport.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=40).contains(&text.len()) && text.bytes().all(is_letter) && text != "manual"
}

fn way(settings: TransportSettings) -> Result<Way, String> {
    let TransportSettings { organization, direct, read_back, folder, .. } = settings;
    let names = ["host", "user", "identity-file", "known-hosts-file", "remote-folder"];
    let inbound = settings.inbound_folder;
    if folder.is_some() && inbound.as_ref().is_some_and(|inbound| !Path::new(inbound).is_absolute()) {
        return Err("inbound-folder must be an absolute path".to_owned());
    }
    let is_same = folder.as_deref().and_then(Path::to_str).or(settings.remote_folder.as_deref()) == inbound.as_deref();
    if inbound.is_some() && is_same {
        return Err("inbound-folder must be another folder than the one for our files".to_owned());
    }
    let far = match (folder, settings.host, settings.user, settings.identity_file, settings.known_hosts_file) {
        (Some(folder), None, None, None, None) if folder.is_absolute() => Far::Folder(folder),
        (Some(_), None, None, None, None) => return Err("folder must be an absolute path".to_owned()),
        (None, Some(host), Some(user), Some(identity), Some(known_hosts)) => {
            let Some(folder) = settings.remote_folder else { return Err("needs remote-folder".to_owned()) };
            let (program, port) = (PathBuf::from("ssh"), settings.port.unwrap_or(SSH_PORT));
            Far::Sftp(Ssh { program, host, port, user, identity, known_hosts }, folder)
        }
        (_, _, _, _, _) => return Err(format!("needs either folder, or all of {}", names.join(", "))),
    };
    Ok(Way { organization, far, inbound, direct, read_back })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Transports, Vec<String>> {
        Transports::read(toml::from_str(text).unwrap())
    }

    const ORG: &str = "organization = '019a0000-0000-7000-8000-000000000000'";

    #[test]
    fn a_transport_belongs_to_one_organization() {
        let transports = read(&format!("[first-bank]\n{ORG}\nfolder = '/var/spool/bank'")).unwrap();
        let org = OrgId("019a0000-0000-7000-8000-000000000000".parse().unwrap());
        assert!(transports.has(org, "first-bank") && transports.open(org, "first-bank").is_some());
        let other = OrgId(uuid::Uuid::nil());
        assert!(!transports.has(other, "first-bank") && transports.open(other, "first-bank").is_none());
        assert!(!transports.has(org, "manual"));
    }

    #[test]
    fn each_organization_of_a_sandbox_has_simulated_banks_of_its_own() {
        let production = read("").unwrap();
        let (one, other) = (OrgId(uuid::Uuid::from_u128(1)), OrgId(uuid::Uuid::from_u128(2)));
        assert!(!production.has(one, SANDBOX));
        let sandbox = production.with_sandbox(PathBuf::from("/data/sandbox-bank"));
        let folders = [(one, "sandbox"), (one, "sandbox-messages"), (other, "sandbox")];
        let folders = folders.map(|(org, name)| sandbox.sandbox_bank(org, name).unwrap());
        assert!(folders[0] != folders[1] && folders[0] != folders[2], "{folders:?}");
        for name in ["sandboxes", "sandbox/..", "sandbox-/../x", "manual", "first-bank"] {
            assert!(!sandbox.has(one, name), "{name}");
        }
    }

    #[test]
    fn a_table_that_is_not_usable_names_what_is_missing() {
        for (text, expected) in [
            (format!("[a]\n{ORG}"), "transports.a: needs either folder"),
            (format!("[a]\n{ORG}\nfolder = 'spool'"), "transports.a: folder must be an absolute path"),
            (format!("[a]\n{ORG}\nfolder = '/a'\nhost = 'b'"), "transports.a: needs either folder"),
            (format!("[manual]\n{ORG}\nfolder = '/a'"), "transports.manual: the name must"),
            (
                format!("[a]\n{ORG}\nfolder = '/a'\ninbound-folder = 'in'"),
                "transports.a: inbound-folder must be an absolute path",
            ),
            (
                format!("[a]\n{ORG}\nfolder = '/a'\ninbound-folder = '/a'"),
                "transports.a: inbound-folder must be another folder",
            ),
            (format!("[A]\n{ORG}\nfolder = '/a'"), "transports.A: the name must"),
            (format!("[sandbox-two]\n{ORG}\nfolder = '/a'"), "transports.sandbox-two: the name must"),
        ] {
            let reasons = read(&text).unwrap_err();
            assert!(reasons.len() == 1 && reasons[0].starts_with(expected), "{reasons:?}");
        }
    }
}
