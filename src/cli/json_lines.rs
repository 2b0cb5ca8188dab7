//! The lines of the log as JSON.
//!
//! Invariant: a line has the same bytes as a line of the library's formatter, which passes each character sequence
//! through four writers: that took a tenth of the instructions of a GET. Lines inside a span are left to it.

use std::cell::RefCell;
use std::fmt::{self, Debug, Write as _};
use std::time::UNIX_EPOCH;

use jiff::Timestamp;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, Json, Writer};
use tracing_subscriber::fmt::time::SystemTime;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The target of lines of the crate `log`, whose fields hold their true target.
const FOREIGN: &str = "log";

pub(super) struct JsonLines {
    library: Format<Json, SystemTime>,
}

impl Default for JsonLines {
    fn default() -> Self {
        // Collectors select the lines of the security log by their target.
        let library = tracing_subscriber::fmt::format().with_target(true).json();
        Self { library: library.flatten_event(true).with_span_list(false) }
    }
}

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut line: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let metadata = event.metadata();
        let span = event.parent().and_then(|id| context.span(id)).or_else(|| context.lookup_current());
        if span.is_some() || metadata.target() == FOREIGN {
            return self.library.format_event(context, line, event);
        }
        line.write_str("{\"timestamp\":\"")?;
        write_now(&mut line)?;
        line.write_str("\",\"level\":\"")?;
        line.write_str(metadata.level().as_str())?;
        line.write_str("\"")?;
        let mut fields = Fields { line, written: Ok(()) };
        event.record(&mut fields);
        let Fields { mut line, written } = fields;
        written?;
        line.write_str(",\"target\":")?;
        quote(&mut line, metadata.target())?;
        line.write_str("}\n")
    }
}

/// Writes the time as the library does. Its date and second are formatted once a second.
fn write_now(line: &mut Writer<'_>) -> fmt::Result {
    thread_local! {
        static SECOND: RefCell<(u64, String)> = const { RefCell::new((0, String::new())) };
    }
    let since_1970 = std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    SECOND.with_borrow_mut(|(second, text)| {
        if text.is_empty() || *second != since_1970.as_secs() {
            *second = since_1970.as_secs();
            let time = i64::try_from(*second).ok().and_then(|second| Timestamp::from_second(second).ok());
            *text = time.unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%S.").to_string();
        }
        line.write_str(text)
    })?;
    let mut micros = since_1970.subsec_micros();
    let mut digits = [0; 6];
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + u8::try_from(micros % 10).unwrap_or_default();
        micros /= 10;
    }
    line.write_str(std::str::from_utf8(&digits).unwrap_or_default())?;
    line.write_str("Z")
}

/// Writes the fields of an event, each after a comma.
struct Fields<'a> {
    line: Writer<'a>,
    written: fmt::Result,
}

impl Fields<'_> {
    fn add(&mut self, field: &Field, value: impl FnOnce(&mut Writer<'_>) -> fmt::Result) {
        let Self { line, written } = self;
        *written = written.and_then(|()| {
            line.write_str(",")?;
            quote(line, field.name())?;
            line.write_str(":")?;
            value(line)
        });
    }
}

impl Visit for Fields<'_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        // JSON has no infinity: the library writes null.
        self.add(field, |line| line.write_str(&serde_json::to_string(&value).map_err(|_| fmt::Error)?));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, |line| write!(line, "{value}"));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, |line| write!(line, "{value}"));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, |line| line.write_str(if value { "true" } else { "false" }));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, |line| quote(line, value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field, |line| {
            line.write_str("\"")?;
            write!(Escaped(line), "{value:?}")?;
            line.write_str("\"")
        });
    }
}

/// Escapes what is written for a JSON string.
struct Escaped<'a, 'b>(&'a mut Writer<'b>);

impl fmt::Write for Escaped<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        escape(self.0, text)
    }
}

fn quote(line: &mut Writer<'_>, text: &str) -> fmt::Result {
    line.write_str("\"")?;
    escape(line, text)?;
    line.write_str("\"")
}

fn escape(line: &mut Writer<'_>, text: &str) -> fmt::Result {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        let (plain, from) = rest.split_at(at);
        let (special, after) = from.split_at(1);
        line.write_str(plain)?;
        match special {
            "\"" => line.write_str("\\\"")?,
            "\\" => line.write_str("\\\\")?,
            "\n" => line.write_str("\\n")?,
            "\r" => line.write_str("\\r")?,
            "\t" => line.write_str("\\t")?,
            "\u{8}" => line.write_str("\\b")?,
            "\u{c}" => line.write_str("\\f")?,
            control => control.bytes().try_for_each(|byte| write!(line, "\\u{byte:04x}"))?,
        }
        rest = after;
    }
    line.write_str(rest)
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::fmt::MakeWriter;
    use tracing_subscriber::fmt::time::FormatTime as _;

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for Lines {
        type Writer = Self;

        fn make_writer(&'a self) -> Self {
            self.clone()
        }
    }

    impl Lines {
        /// Returns the lines, each without its time.
        fn of(subscriber: impl Subscriber + Send + Sync, lines: &Self, log: fn()) -> Vec<String> {
            tracing::subscriber::with_default(subscriber, log);
            let text = String::from_utf8(std::mem::take(&mut *lines.0.lock().unwrap())).unwrap();
            let without_time = |line: &str| {
                let from = line.find("Z\",\"level\"").unwrap();
                assert!(line.starts_with("{\"timestamp\":\"2") && from == 40, "{line}");
                line[from..].to_owned()
            };
            text.lines().map(without_time).collect()
        }
    }

    fn log() {
        let (millis, balance, missing) = (12_u64, -3_i64, None::<&str>);
        tracing::info!(parent: None, method = "GET", status = 200_u16, millis, missing, app = Some("a"), "answered");
        tracing::warn!(balance, ready = true, share = 0.1, none = f64::NAN, wide = u128::MAX, "numbers of {}", "all");
        let every: String = (0..0x250).filter_map(char::from_u32).collect();
        tracing::error!(every, ?missing, error = %"\"a\"\n\\b", quoted = ?every, "{every}");
        tracing::info!(target: "security", r#type = "login", "\u{2028} and 😀");
        tracing::debug!("");
        let error: &(dyn std::error::Error + 'static) = &io::Error::other("broken \u{1}");
        tracing::trace!(error, "with an error");
        let span = tracing::info_span!("request", id = "1 \"2\"");
        tracing::info!(parent: &span, "of a span");
        span.in_scope(|| tracing::info!(parent: None, "inside a span"));
    }

    #[test]
    fn lines_have_the_same_bytes_as_those_of_the_library() {
        let lines = Lines::default();
        let all = || tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(lines.clone());
        let library = all().with_target(true).json().flatten_event(true).with_span_list(false).finish();
        let library = Lines::of(library, &lines, log);
        let ours = all().json().event_format(JsonLines::default()).finish();
        assert_eq!(Lines::of(ours, &lines, log), library);
        assert_eq!(library.len(), 8);
    }

    #[test]
    fn a_time_is_that_of_the_library() {
        let (mut ours, mut before, mut after) = (String::new(), String::new(), String::new());
        for _ in 0..1_000 {
            [&mut ours, &mut before, &mut after].into_iter().for_each(|text| text.clear());
            SystemTime.format_time(&mut Writer::new(&mut before)).unwrap();
            write_now(&mut Writer::new(&mut ours)).unwrap();
            SystemTime.format_time(&mut Writer::new(&mut after)).unwrap();
            assert!(before <= ours && ours <= after && ours.len() == before.len(), "{before} {ours} {after}");
        }
    }
}
