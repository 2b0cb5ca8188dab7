//! The program at the other end of the pipe: how it is started, and why it ended.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use crate::error::{Error, Kind};

/// How a server is reached.
#[derive(Clone, Debug)]
pub enum Peer {
    Ssh(Ssh),
    /// A program that speaks SFTP on its standard input and output, such as `sftp-server`. Without ssh, for tests.
    Program {
        program: PathBuf,
        arguments: Vec<OsString>,
    },
}

/// The system's `ssh` as the way to a server.
///
/// No settings of the user or the machine are read, no agent is asked, and an unknown host key ends the connection.
#[derive(Clone, Debug)]
pub struct Ssh {
    /// `ssh`, or the path of one.
    pub program: PathBuf,
    pub host: String,
    pub port: u16,
    pub user: String,
    /// The private key, without a passphrase, readable by the server's user only.
    pub identity: PathBuf,
    /// The pinned host keys, in the format of OpenSSH.
    pub known_hosts: PathBuf,
}

/// Options that do not depend on the connection.
const OPTIONS: [&str; 13] = [
    "BatchMode=yes",
    "StrictHostKeyChecking=yes",
    "GlobalKnownHostsFile=none",
    "UpdateHostKeys=no",
    "VerifyHostKeyDNS=no",
    "CheckHostIP=no",
    "IdentitiesOnly=yes",
    "IdentityAgent=none",
    "PreferredAuthentications=publickey",
    "ClearAllForwardings=yes",
    "ServerAliveInterval=15",
    "ServerAliveCountMax=3",
    "LogLevel=ERROR",
];

impl Peer {
    /// Returns the name that errors show.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Ssh(ssh) => format!("sftp://{}@{}:{}", ssh.user, ssh.host, ssh.port),
            Self::Program { program, .. } => program.display().to_string(),
        }
    }

    /// Returns the command that starts the program, with its ends of the pipes.
    ///
    /// # Errors
    ///
    /// Returns a setting that ssh would read as something else.
    pub(super) fn command(&self, connect: Duration) -> Result<Command, Error> {
        let mut command = match self {
            Self::Ssh(ssh) => ssh.command(connect).map_err(|setting| {
                Error::new(Kind::Refused, "connect to", &self.name(), &format!("the setting `{setting}` is not usable"))
            })?,
            Self::Program { program, arguments } => {
                let mut command = Command::new(program);
                command.args(arguments);
                command
            }
        };
        command.env_clear().env("LC_ALL", "C");
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        Ok(command)
    }

    /// Returns why the program ended, from what it wrote to its standard error.
    #[must_use]
    pub(super) fn reason(&self, written: &str) -> Kind {
        let says = |words: &[&str]| words.iter().any(|word| written.contains(word));
        match self {
            Self::Program { .. } => Kind::Unreachable,
            Self::Ssh(_) if says(&["Host key verification failed", "HOST IDENTIFICATION HAS CHANGED"]) => Kind::HostKey,
            Self::Ssh(_) if says(&["Permission denied (", "Too many authentication failures", "PRIVATE KEY FILE"]) => {
                Kind::SignIn
            }
            Self::Ssh(_) if says(&["subsystem request failed"]) => Kind::Refused,
            Self::Ssh(_) => Kind::Unreachable,
        }
    }
}

impl Ssh {
    fn command(&self, connect: Duration) -> Result<Command, &'static str> {
        let is_plain = |text: &str| {
            !text.is_empty()
                && !text.starts_with('-')
                && text.chars().all(|letter| letter.is_ascii_alphanumeric() || ".-_:@+".contains(letter))
        };
        if !is_plain(&self.host) {
            return Err("host");
        }
        if !is_plain(&self.user) {
            return Err("user");
        }
        let mut command = Command::new(&self.program);
        command.args(["-F", "none", "-T", "-a", "-x"]);
        for option in OPTIONS {
            command.args(["-o", option]);
        }
        let seconds = connect.as_secs().max(1);
        command.arg("-o").arg(format!("ConnectTimeout={seconds}"));
        command.arg("-o").arg(format!("UserKnownHostsFile={}", quoted(&self.known_hosts).ok_or("known_hosts")?));
        command.arg("-o").arg(format!("IdentityFile={}", quoted(&self.identity).ok_or("identity")?));
        command.arg("-p").arg(self.port.to_string()).arg("-l").arg(&self.user);
        command.args(["-s", "--", &self.host, "sftp"]);
        Ok(command)
    }
}

/// Returns a path as one word of a setting of ssh, which splits at blanks and expands `%`, `~` and `$`.
fn quoted(path: &Path) -> Option<String> {
    let text = path.to_str()?;
    let is_usable = path.is_absolute() && !text.chars().any(|letter| letter.is_control() || "\"$\\".contains(letter));
    is_usable.then(|| format!("\"{}\"", text.replace('%', "%%")))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use super::{Kind, Peer, Ssh};

    fn ssh() -> Ssh {
        Ssh {
            program: PathBuf::from("ssh"),
            host: "sftp.bank.example".to_owned(),
            port: 2222,
            user: "acme".to_owned(),
            identity: PathBuf::from("/etc/bursar/bank key"),
            known_hosts: PathBuf::from("/etc/bursar/100%"),
        }
    }

    #[test]
    fn ssh_uses_nothing_but_the_settings_of_the_connection() {
        let command = Peer::Ssh(ssh()).command(Duration::from_secs(9)).unwrap();
        let arguments: Vec<&str> = command.as_std().get_args().map(|argument| argument.to_str().unwrap()).collect();
        assert_eq!(arguments[..5], ["-F", "none", "-T", "-a", "-x"]);
        assert_eq!(arguments[arguments.len() - 4..], ["-s", "--", "sftp.bank.example", "sftp"]);
        for wanted in [
            "BatchMode=yes",
            "StrictHostKeyChecking=yes",
            "IdentityAgent=none",
            "GlobalKnownHostsFile=none",
            "ConnectTimeout=9",
            "UserKnownHostsFile=\"/etc/bursar/100%%\"",
            "IdentityFile=\"/etc/bursar/bank key\"",
        ] {
            assert!(arguments.contains(&wanted), "{wanted}: {arguments:?}");
        }
    }

    #[test]
    fn a_setting_cannot_become_an_option_of_ssh() {
        let refused = |ssh: Ssh| Peer::Ssh(ssh).command(Duration::from_secs(9)).unwrap_err().detail;
        assert!(refused(Ssh { host: "-oProxyCommand=id".to_owned(), ..ssh() }).contains("`host`"));
        assert!(refused(Ssh { host: "a b".to_owned(), ..ssh() }).contains("`host`"));
        assert!(refused(Ssh { user: "-l".to_owned(), ..ssh() }).contains("`user`"));
        for path in ["relative", "/a\"b", "/${HOME}/key", "/a\nb"] {
            assert!(refused(Ssh { identity: PathBuf::from(path), ..ssh() }).contains("`identity`"), "{path}");
            assert!(refused(Ssh { known_hosts: PathBuf::from(path), ..ssh() }).contains("`known_hosts`"), "{path}");
        }
    }

    #[test]
    fn the_end_of_ssh_is_explained() {
        let peer = Peer::Ssh(ssh());
        for (written, kind) in [
            ("No ED25519 host key is known for bank.\nHost key verification failed.", Kind::HostKey),
            ("@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @", Kind::HostKey),
            ("acme@bank: Permission denied (publickey).", Kind::SignIn),
            ("WARNING: UNPROTECTED PRIVATE KEY FILE!", Kind::SignIn),
            ("subsystem request failed on channel 0", Kind::Refused),
            ("ssh: connect to host bank port 22: Connection refused", Kind::Unreachable),
            ("", Kind::Unreachable),
        ] {
            assert_eq!(peer.reason(written), kind, "{written}");
        }
    }
}
