//! The real program in a separate process, to test signals, crashes and locks.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A running `bursar serve` on a free port. Killed when dropped.
pub struct Process {
    child: Child,
    /// Reads its log until it ends: a process whose log is not read stops when the pipe is full.
    logs: Option<JoinHandle<String>>,
    /// `127.0.0.1:<port>`
    pub address: String,
    /// The output up to the line `listening on`.
    pub printed: Vec<String>,
}

/// Returns the program's command line without the settings of this process. `BURSAR_BIN` names another build of it.
pub fn bursar(arguments: &[&str]) -> Command {
    let built = env!("CARGO_BIN_EXE_bursar").into();
    let mut command = Command::new(std::env::var_os("BURSAR_BIN").unwrap_or(built));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BURSAR_")) {
        command.env_remove(name);
    }
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Process {
    /// Starts it over a data folder and waits until it accepts connections.
    pub fn start(data_dir: &Path) -> Self {
        Self::start_with(data_dir, &[])
    }

    pub fn start_with(data_dir: &Path, flags: &[&str]) -> Self {
        Self::listening("127.0.0.1:0", data_dir, flags, &[])
    }

    /// Starts it with further flags, trusting the certificates in a file instead of the machine's own.
    pub fn start_trusting(data_dir: &Path, flags: &[&str], authority: &Path) -> Self {
        Self::listening("127.0.0.1:0", data_dir, flags, &[("SSL_CERT_FILE", authority.as_os_str())])
    }

    /// Starts it with other programs on its path.
    pub fn start_on_path(data_dir: &Path, flags: &[&str], path: &OsStr) -> Self {
        Self::listening("127.0.0.1:0", data_dir, flags, &[("PATH", path)])
    }

    /// Starts it with a log line for each request.
    pub fn start_logging(data_dir: &Path) -> Self {
        Self::listening("127.0.0.1:0", data_dir, &[], &[("RUST_LOG", OsStr::new("info"))])
    }

    /// Starts it with a log line for each request, and further flags.
    pub fn start_logging_with(data_dir: &Path, flags: &[&str]) -> Self {
        Self::listening("127.0.0.1:0", data_dir, flags, &[("RUST_LOG", OsStr::new("info"))])
    }

    /// Starts it as systemd does, with a folder of credentials.
    pub fn start_with_credentials(data_dir: &Path, flags: &[&str], credentials: &Path) -> Self {
        Self::listening("127.0.0.1:0", data_dir, flags, &[("CREDENTIALS_DIRECTORY", credentials.as_os_str())])
    }

    /// Starts it at an address of an earlier process.
    pub fn start_at(data_dir: &Path, address: &str) -> Self {
        Self::listening(address, data_dir, &[], &[])
    }

    fn listening(address: &str, data_dir: &Path, flags: &[&str], environment: &[(&str, &OsStr)]) -> Self {
        let data_dir = data_dir.to_str().expect("a path of a test is text");
        let arguments = [&["serve", "--listen", address, "--data-dir", data_dir], flags].concat();
        let mut command = bursar(&arguments);
        command.env("RUST_LOG", "warn").envs(environment.iter().copied());
        let mut child = command.spawn().expect("the program was built");
        let stdout = child.stdout.take().expect("it is piped");
        let mut stderr = child.stderr.take().expect("it is piped");
        let logs = std::thread::spawn(move || {
            let mut said = Vec::new();
            drop(stderr.read_to_end(&mut said));
            String::from_utf8(said).expect("logs are text")
        });
        let mut printed = Vec::new();
        let mut address = None;
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            address = line.strip_prefix("listening on http://").map(str::to_owned);
            printed.push(line);
            if address.is_some() {
                break;
            }
        }
        let Some(address) = address else { panic!("it did not start: {}", logs.join().expect("it only reads")) };
        Self { child, logs: Some(logs), address, printed }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by its name (`TERM`, `INT`, `KILL`).
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("sh").args(["-c", &format!("kill -{name} {pid}")]).status().expect("there is a shell");
        assert!(sent.success());
    }

    /// Sends SIGSTOP, and waits until it has stopped: one of its threads takes the signal, and the others continue
    /// until then.
    pub fn stop(&self) {
        self.signal("STOP");
        let tasks = format!("/proc/{}/task", self.child.id());
        let is_stalled = |task: std::io::Result<std::fs::DirEntry>| {
            let stat = std::fs::read_to_string(task.expect("it lives").path().join("stat")).unwrap_or_default();
            // The state follows the name, which is in parentheses.
            stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('T'))
        };
        let begun = Instant::now();
        while !std::fs::read_dir(&tasks).expect("it lives").all(is_stalled) {
            assert!(begun.elapsed() < Duration::from_secs(10), "it does not stop");
            std::thread::park_timeout(Duration::from_millis(1));
        }
    }

    /// Sends `kill -9`, and waits until it is gone.
    pub fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it was killed");
    }

    /// Waits for its end; returns its standard error too.
    pub fn wait(mut self, at_most: Duration) -> (ExitStatus, String) {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("it is our child") {
                break status;
            }
            assert!(started.elapsed() < at_most, "it did not end within {at_most:?}");
            std::thread::park_timeout(Duration::from_millis(10));
        };
        let said = self.logs.take().map(|logs| logs.join().expect("it only reads"));
        (status, said.unwrap_or_default())
    }

    /// Sends one request on a new connection.
    pub fn get(&self, path: &str) -> (u16, String) {
        http(&self.address, &format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
        // Its log explains a failed test.
        if std::thread::panicking()
            && let Some(Ok(logs)) = self.logs.take().map(JoinHandle::join)
        {
            eprintln!("the log of the process:\n{logs}");
        }
    }
}

/// Sends a whole request as written; returns the status and everything after the first line.
pub fn http(address: &str, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("it answers in text");
    let (line, rest) = text.split_once("\r\n").unwrap_or((&text, ""));
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
    (status.unwrap_or_else(|| panic!("no status line: {text:?}")), rest.to_owned())
}
