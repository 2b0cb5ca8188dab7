//! The output of the log. Lines of level info and below wait in memory, and a thread writes them together, so that no
//! request waits for the log's reader.
//!
//! Invariants: lines keep their order. At most [`WAITING_MAX`] bytes wait; a line that does not fit is dropped and
//! counted, and a later line reports the number. Lines of the security log, warnings and errors are never dropped: the
//! thread that logs writes them, after the lines that wait.

use std::io::{self, Write};
use std::mem;
use std::panic::PanicHookInfo;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

use crate::security_log;

/// Bytes: the lines of about 3,000 requests.
const WAITING_MAX: usize = 1024 * 1024;
/// How long the first line waits for others, so that one system call writes them all.
const GATHER: Duration = Duration::from_millis(10);
/// The time limit for the waiting lines when the process ends, because their reader may have stopped.
const LAST_LINES: Duration = Duration::from_secs(2);
const DROPPED: &str = "bursar_log_lines_dropped_total";

/// The output of this process, once logging has started.
static STARTED: OnceLock<LogOutput> = OnceLock::new();

/// Writes the log's lines to a stream.
#[derive(Clone)]
pub struct LogOutput(Arc<Shared>);

struct Shared {
    waiting: Mutex<Waiting>,
    /// Signaled when a line waits and none did before.
    first: Condvar,
    stream: Mutex<Stream>,
}

#[derive(Default)]
struct Waiting {
    lines: Vec<u8>,
    dropped: u64,
}

/// Locked before [`Waiting`], so that lines keep their order.
struct Stream {
    to: Box<dyn Write + Send>,
    /// The lines that are being written, then empty memory for the next ones.
    lines: Vec<u8>,
}

/// Takes one line. The formatter passes each line in one call.
pub struct LineWriter<'a> {
    shared: &'a Shared,
    may_wait: bool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LogOutput {
    /// Starts the thread that writes the waiting lines; it lives as long as the process.
    pub fn start(to: impl Write + Send + 'static) -> io::Result<Self> {
        let stream = Mutex::new(Stream { to: Box::new(to), lines: Vec::new() });
        let shared = Arc::new(Shared { waiting: Mutex::default(), first: Condvar::new(), stream });
        let output = Self(shared.clone());
        std::thread::Builder::new().name("log".into()).spawn(move || {
            loop {
                shared.await_lines();
                std::thread::park_timeout(GATHER);
                shared.write_waiting();
                shared.report_dropped();
            }
        })?;
        Ok(output)
    }

    /// Makes it the output that [`flush`] and [`log_panic`] use.
    pub fn of_process(&self) {
        // Logging starts once.
        drop(STARTED.set(self.clone()));
    }
}

impl Shared {
    fn await_lines(&self) {
        let waiting = locked(&self.waiting);
        drop(self.first.wait_while(waiting, |waiting| waiting.lines.is_empty()));
    }

    /// Adds a line for the thread, or counts it if it does not fit.
    fn add(&self, line: &[u8]) {
        let mut waiting = locked(&self.waiting);
        if waiting.lines.len() + line.len() > WAITING_MAX {
            waiting.dropped += 1;
            drop(waiting);
            metrics::counter!(DROPPED).increment(1);
            return;
        }
        let is_first = waiting.lines.is_empty();
        waiting.lines.extend_from_slice(line);
        drop(waiting);
        if is_first {
            self.first.notify_one();
        }
    }

    /// Writes a line and those that wait before it returns.
    fn write(&self, line: &[u8]) {
        locked(&self.waiting).lines.extend_from_slice(line);
        self.write_waiting();
    }

    fn write_waiting(&self) {
        let Stream { to, lines } = &mut *locked(&self.stream);
        mem::swap(lines, &mut locked(&self.waiting).lines);
        // A log that cannot be written is no reason to stop.
        drop(to.write_all(lines).and_then(|()| to.flush()));
        lines.clear();
    }

    fn report_dropped(&self) {
        let dropped = mem::take(&mut locked(&self.waiting).dropped);
        if dropped > 0 {
            tracing::warn!(dropped, "log lines were dropped because the log was not read fast enough");
        }
    }
}

impl<'a> MakeWriter<'a> for LogOutput {
    type Writer = LineWriter<'a>;

    fn make_writer(&'a self) -> LineWriter<'a> {
        LineWriter { shared: &self.0, may_wait: false }
    }

    fn make_writer_for(&'a self, about: &Metadata<'_>) -> LineWriter<'a> {
        let may_wait = *about.level() >= Level::INFO && about.target() != security_log::TARGET;
        LineWriter { shared: &self.0, may_wait }
    }
}

impl Write for LineWriter<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match self.may_wait {
            true => self.shared.add(line),
            false => self.shared.write(line),
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes the lines that wait, before the process ends. Gives up after [`LAST_LINES`].
pub fn flush() {
    let Some(LogOutput(shared)) = STARTED.get() else { return };
    let (done, written) = mpsc::channel::<()>();
    let writing = std::thread::Builder::new().name("last lines".into()).spawn(move || {
        shared.write_waiting();
        shared.report_dropped();
        drop(done);
    });
    if writing.is_ok() {
        // It ends with the sender, or at the limit.
        let (Ok(()) | Err(_)) = written.recv_timeout(LAST_LINES);
    }
}

/// Logs panics as errors, which also writes the lines that wait. Without a log for errors the previous hook reports them.
pub fn log_panics() {
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if tracing::enabled!(Level::ERROR) {
            log_panic(panic);
        } else {
            flush();
            previous(panic);
        }
    }));
}

fn log_panic(panic: &PanicHookInfo<'_>) {
    let thread = std::thread::current();
    let location = panic.location().map(ToString::to_string);
    let reason = panic.payload_as_str().unwrap_or("no text");
    // Empty unless RUST_BACKTRACE asks for one.
    let backtrace = std::backtrace::Backtrace::capture();
    let is_captured = backtrace.status() == std::backtrace::BacktraceStatus::Captured;
    let backtrace = is_captured.then(|| backtrace.to_string());
    tracing::error!(thread = thread.name(), location, reason, backtrace, "a panic");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Text(Arc<Mutex<Vec<u8>>>);

    impl Write for Text {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            locked(&self.0).write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Returns the messages that are written when the last of these lines has been logged.
    fn written(log: impl FnOnce()) -> Vec<String> {
        let text = Text::default();
        let output = LogOutput::start(text.clone()).unwrap();
        let subscriber = tracing_subscriber::fmt().with_writer(output).without_time().with_level(false);
        tracing::subscriber::with_default(subscriber.with_target(false).with_ansi(false).finish(), log);
        let lines = String::from_utf8(locked(&text.0).clone()).unwrap();
        lines.lines().map(|line| line.trim().to_owned()).collect()
    }

    #[test]
    fn a_warning_an_error_and_a_security_line_are_written_at_once_after_those_that_wait() {
        let lines = written(|| {
            tracing::info!("one");
            tracing::warn!("two");
        });
        assert_eq!(lines, ["one", "two"]);
        assert_eq!(written(|| tracing::error!("three")), ["three"]);
        assert_eq!(written(|| tracing::info!(target: security_log::TARGET, "four")), ["four"]);
    }

    #[test]
    fn a_line_that_does_not_fit_is_dropped_and_counted_and_one_of_security_is_not() {
        let text = Text::default();
        let output = LogOutput::start(text.clone()).unwrap();
        // The lock of the stream stops the thread that writes.
        let stream = locked(&output.0.stream);
        output.0.add(&vec![b'x'; WAITING_MAX]);
        output.0.add(b"dropped");
        assert_eq!(locked(&output.0.waiting).dropped, 1);
        drop(stream);
        output.0.write(b"security");
        assert_eq!(locked(&text.0).len(), WAITING_MAX + "security".len());
    }
}
