//! A real mail server in a separate process (`tests/mail/server.py`); `make setup` installs its dependencies.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use bursar::providers::{Smtp, SmtpSettings};
use secrecy::SecretString;
use serde_json::Value;

use super::CALL_DEADLINE;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailMode {
    /// Accepts all mail.
    Accept,
    /// 550 to every recipient.
    Refuse,
    /// 451 to every mail.
    Busy,
    /// Accepts the mail and hangs up.
    Drop,
    /// Accepts the mail and does not respond.
    Hang,
}

/// Killed when dropped.
pub struct FakeMail {
    child: Child,
    stdin: ChildStdin,
    lines: BufReader<ChildStdout>,
    port: u64,
    mails: Vec<Value>,
}

impl FakeMail {
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts a server for the user `bursar` only, without TLS.
    pub fn start_with_open_login() -> Self {
        Self::start_with(&["open-login"])
    }

    /// Starts a server for the user `bursar` only, after STARTTLS.
    pub fn start_with_login() -> Self {
        Self::start_with(&["login"])
    }

    /// Starts a server with TLS of this kind (`tls`, `starttls`) and a certificate for this name, signed by the
    /// authority in the file.
    pub fn start_with_tls(kind: &str, authority: &Path, name: &str) -> Self {
        Self::start_with(&[kind, authority.to_str().expect("a path of a test is text"), name])
    }

    fn start_with(arguments: &[&str]) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mail");
        let python = folder.join(".venv/bin/python");
        assert!(python.exists(), "the mail server is not installed; run `make setup`");
        let mut command = Command::new(python);
        command.arg(folder.join("server.py")).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        let mut mail = Self { child, stdin, lines, port: 0, mails: Vec::new() };
        mail.port = mail.line()["port"].as_u64().expect("its first line is its port");
        mail
    }

    /// Returns the value of `smtp-url`.
    pub fn url(&self) -> String {
        self.url_as("smtp", "127.0.0.1")
    }

    /// Returns the value of `smtp-url` with this scheme and host name.
    pub fn url_as(&self, scheme: &str, name: &str) -> String {
        format!("{scheme}://{name}:{}", self.port)
    }

    /// Returns a provider that uses it.
    pub fn provider(url: &str) -> Smtp {
        let settings = SmtpSettings::parse(url, "Bürsar Pay <pay@example.com>", None).unwrap();
        Smtp::new(settings, None, CALL_DEADLINE).unwrap()
    }

    /// Returns a provider that logs in.
    pub fn carrier_of(url: &str, password: &str) -> Smtp {
        let settings = SmtpSettings::parse(url, "pay@example.com", Some("bursar".to_owned())).unwrap();
        Smtp::new(settings, Some(&SecretString::from(password)), CALL_DEADLINE).unwrap()
    }

    fn line(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).expect("the mail server lives and talks JSON")
    }

    pub fn set(&mut self, mode: MailMode) {
        self.ask(&format!("{mode:?}").to_lowercase());
    }

    /// Returns all mails accepted so far, with any response.
    pub fn mails(&mut self) -> &[Value] {
        self.ask("?");
        &self.mails
    }

    /// Sends a command and records the mails that it returns.
    fn ask(&mut self, word: &str) {
        writeln!(self.stdin, "{word}").unwrap();
        loop {
            let line = self.line();
            if line["mode"] == word {
                return;
            }
            self.mails.push(line);
        }
    }
}

impl Drop for FakeMail {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
