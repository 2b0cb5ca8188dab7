//! Limits on connections, in all and from one IP address, and on their idle time.
//!
//! Invariant: no caller holds a descriptor for longer than the deadlines, and none can use up the descriptors of the
//! store and the probes. Requests have separate deadlines (`dispatch/`); this module limits a response that its caller
//! does not read.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::dispatch::{Network, neighbourhood};

/// The time limit for a caller to read a part of a response (docs/decisions.md 17).
const WRITE_DEADLINE: Duration = Duration::from_secs(30);
/// Default limit of simultaneous connections.
const TOTAL: usize = 8_192;
/// Default limit of simultaneous connections from one IP address.
const PER_ADDRESS: usize = 1_024;
/// Descriptors reserved for the store, outgoing calls and the probes.
const KEPT_FREE: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub total: usize,
    /// From one IP address, or one IPv6 network of 64 bits.
    pub per_address: usize,
    /// The time limit for a caller to read a part of a response.
    pub write_deadline: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { total: TOTAL, per_address: PER_ADDRESS, write_deadline: WRITE_DEADLINE }
    }
}

impl Limits {
    /// Returns the configured limits, reduced to the number of files that the process may open.
    #[must_use]
    pub fn within(total: Option<usize>, per_address: Option<usize>, open_files: usize) -> Self {
        // With very few descriptors, half of them.
        let possible = open_files.saturating_sub(KEPT_FREE).max(open_files / 2).max(1);
        let total = total.unwrap_or(TOTAL).min(possible);
        let per_address = per_address.unwrap_or(PER_ADDRESS.min(total.div_ceil(4))).min(total);
        Self { total, per_address, write_deadline: WRITE_DEADLINE }
    }
}

/// Raises the soft limit on open files to the hard one, and returns the new limit.
pub fn raise_open_files() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let mut raised = limit;
    raised.current = limit.maximum;
    let now = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => raised.current,
        Err(error) => {
            tracing::warn!(%error, "the limit on open files cannot be raised");
            limit.current
        }
    };
    // No number means no limit.
    now.map_or(usize::MAX, |files| usize::try_from(files).unwrap_or(usize::MAX))
}

#[derive(Debug)]
pub struct Gate {
    limits: Limits,
    /// A trusted proxy carries the connections of all callers, so it is not limited per address.
    trusted: Arc<[Network]>,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// Counts a connection until it is dropped.
#[derive(Debug)]
pub struct Permit {
    gate: Arc<Gate>,
    address: IpAddr,
}

impl Gate {
    #[must_use]
    pub fn new(limits: Limits, trusted: Arc<[Network]>) -> Arc<Self> {
        Arc::new(Self { limits, trusted, open: Mutex::default() })
    }

    /// Admits a connection from this address; returns `None` if there are too many.
    pub fn enter(self: &Arc<Self>, peer: IpAddr) -> Option<Permit> {
        let address = neighbourhood(peer.to_canonical());
        let carries_all = self.trusted.iter().any(|network| network.contains(peer.to_canonical()));
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address = open.by_address.get(&address).copied().unwrap_or(0);
        if open.total >= self.limits.total || (of_address >= self.limits.per_address && !carries_all) {
            return None;
        }
        open.total += 1;
        open.by_address.insert(address, of_address + 1);
        Some(Permit { gate: self.clone(), address })
    }

    /// Wraps the stream of a connection with the deadline for writes.
    pub fn guard<S>(&self, stream: S, permit: Permit) -> Guarded<S> {
        Guarded { stream, write_deadline: self.limits.write_deadline, is_stalled: None, _permit: permit }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut open = self.gate.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.total = open.total.saturating_sub(1);
        let left = open.by_address.get(&self.address).map_or(0, |count| count.saturating_sub(1));
        if left == 0 {
            open.by_address.remove(&self.address);
        } else {
            open.by_address.insert(self.address, left);
        }
    }
}

/// A stream that fails if the other side reads nothing for too long.
#[derive(Debug)]
pub struct Guarded<S> {
    stream: S,
    write_deadline: Duration,
    /// Runs while nothing can be written. Created on the first stall, which most connections never have.
    is_stalled: Option<Pin<Box<Sleep>>>,
    _permit: Permit,
}

impl<S> Guarded<S> {
    /// Returns the result of a write, or an error after the deadline.
    fn in_time<T>(&mut self, written: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.is_stalled = None;
            return written;
        }
        let deadline = self.write_deadline;
        let is_stalled = self.is_stalled.get_or_insert_with(|| Box::pin(sleep(deadline)));
        ready!(is_stalled.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read its response")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Guarded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Guarded<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.in_time(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.in_time(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::time::Instant;

    use super::*;

    const LIMITS: Limits = Limits { total: 5, per_address: 3, write_deadline: Duration::from_secs(30) };

    fn ip(last: u8) -> IpAddr {
        Ipv4Addr::new(192, 0, 2, last).into()
    }

    #[test]
    fn connections_are_limited_in_all_and_by_address() {
        let gate = Gate::new(LIMITS, Arc::from([]));
        let first: Vec<Permit> = (0..5).filter_map(|_| gate.enter(ip(1))).collect();
        assert_eq!(first.len(), 3, "one address has its share");
        let others: Vec<Permit> = (2..9).filter_map(|last| gate.enter(ip(last))).collect();
        assert_eq!(others.len(), 2, "all together have theirs");
        drop(first);
        assert!(gate.enter(ip(9)).is_some(), "what is closed makes room");
        drop(others);
        let open = gate.open.lock().unwrap();
        assert_eq!((open.total, open.by_address.len()), (0, 0), "nothing is remembered of what is closed");
    }

    #[test]
    fn a_trusted_proxy_carries_all_callers_and_a_network_of_64_bits_is_one() {
        let gate = Gate::new(LIMITS, Arc::from(["192.0.2.1/32".parse().unwrap()]));
        let permits: Vec<Permit> = (0..9).filter_map(|_| gate.enter(ip(1))).collect();
        assert_eq!(permits.len(), 5, "only the total bounds it");
        drop(permits);
        let v6 = |last: u16| IpAddr::from(Ipv6Addr::new(0x2001, 0xdb8, 0, 1, 0, 0, 0, last));
        let permits: Vec<Permit> = (0..9).filter_map(|last| gate.enter(v6(last))).collect();
        assert_eq!(permits.len(), 3);
    }

    #[test]
    fn limits_keep_descriptors_free() {
        let total = |total, files| Limits::within(total, None, files).total;
        assert_eq!((total(None, 1_024), total(None, 100_000), total(Some(100), 1_024)), (768, 8_192, 100));
        assert_eq!((total(None, 64), total(Some(50_000), 20_000)), (32, 19_744));
        assert_eq!(Limits::within(None, None, 100_000).per_address, 1_024);
        assert_eq!(Limits::within(None, None, 1_024).per_address, 192);
        assert_eq!(Limits::within(None, Some(5_000), 1_024).per_address, 768);
    }

    #[tokio::test]
    async fn a_stream_breaks_off_when_nothing_is_read_and_only_then() {
        let quick = Limits { write_deadline: Duration::from_millis(100), ..LIMITS };
        let gate = Gate::new(quick, Arc::from([]));
        let (ours, mut theirs) = tokio::io::duplex(16);
        let mut guarded = gate.guard(ours, gate.enter(ip(1)).unwrap());
        let reading = tokio::spawn(async move {
            let mut all = [0; 4_096];
            theirs.read_exact(&mut all).await.unwrap();
            theirs
        });
        guarded.write_all(&[0; 4_096]).await.unwrap();
        assert!(guarded.is_stalled.is_none(), "progress ends the deadline");
        let _theirs = reading.await.unwrap();
        let stopped = Instant::now();
        let error = guarded.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(stopped.elapsed() >= quick.write_deadline);
        drop(guarded);
        assert_eq!(gate.open.lock().unwrap().total, 0, "its place is free again");
    }
}
