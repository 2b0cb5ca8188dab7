//! The way to the server: which host takes writes, and whether it is worth asking again.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Settings;
use super::link::{Link, Trouble};
use crate::store::StoreError;

/// After all hosts have refused, whoever comes within this time is refused without asking them again: while there is
/// no primary everyone is answered at once.
const REST: Duration = Duration::from_millis(300);

/// See the module's comment.
pub(super) struct Door {
    pub settings: Settings,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// The host that took writes the last time, or is to be asked first because another was silent.
    primary: usize,
    /// When there was none, and why.
    closed: Option<(Instant, String)>,
}

impl Door {
    /// To the server of these settings.
    pub fn new(settings: Settings) -> Self {
        Self { settings, seen: Mutex::default() }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a connection leads to the host that took writes when that was last found out. A primary that stood
    /// still may come back and not know yet that it has been replaced: what it shows is old.
    pub fn leads_to(&self, link: &Link) -> bool {
        self.seen().primary == link.host
    }

    /// The host of a connection did not answer, or did not say what became of a commit: the others are asked before
    /// it. Cut off from its standbys it still says that it takes writes, and never says that one is done.
    pub fn doubt(&self, link: &Link) {
        let mut seen = self.seen();
        if seen.primary == link.host {
            seen.primary = (link.host + 1) % self.settings.hosts().len();
        }
    }

    /// What trouble with a connection means for who has not asked for a commit yet.
    pub fn told(&self, link: &Link, trouble: Trouble) -> StoreError {
        if matches!(trouble, Trouble::Silent(_)) {
            self.doubt(link);
        }
        trouble.of_read()
    }

    /// A new connection to the host that takes writes; the one of the last time is asked first. `aside` where the
    /// thread is one of an async runtime.
    pub fn open(&self, aside: bool) -> Result<Link, String> {
        let hosts = self.settings.hosts();
        let first = {
            let seen = self.seen();
            match &seen.closed {
                Some((at, reason)) if at.elapsed() < REST => return Err(reason.clone()),
                Some(_) | None => seen.primary,
            }
        };
        let mut reasons = Vec::new();
        for place in (0..hosts.len()).map(|offset| (first + offset) % hosts.len()) {
            let opened = self.settings.tls().map_err(Trouble::Broken);
            match opened.and_then(|tls| Link::open((place, &hosts[place]), tls, self.settings.pooled, aside)) {
                Ok(link) => {
                    *self.seen() = Seen { primary: place, closed: None };
                    return Ok(link);
                }
                Err(trouble) => reasons.push(trouble.to_string()),
            }
        }
        let reason = reasons.join("; ");
        tracing::warn!(database = %self.settings, reason, "PostgreSQL cannot be reached");
        self.seen().closed = Some((Instant::now(), reason.clone()));
        Err(reason)
    }
}
