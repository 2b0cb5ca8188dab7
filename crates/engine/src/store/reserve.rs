//! Disk space reserved for work in progress.
//!
//! Invariant: a full disk is a state, not a failure. The commit that meets it deletes the reserve file and is written
//! into the freed space. From then on changes are refused ([`Reserve::is_full`]), reads continue, and work in progress
//! uses the freed space. The reserve is created again as soon as there is room for it; then changes are accepted again.
//!
//! A quota works the same way: a store above its quota refuses changes until the quota is raised.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{FallocateFlags, fallocate, statvfs};

const RESERVE_BYTES: u64 = 8 * 1024 * 1024;

/// The space of an embedded store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storage {
    pub used_bytes: u64,
    /// The free space of the disk, or the rest of the quota if that is less.
    pub free_bytes: u64,
}

#[derive(Clone)]
pub struct Reserve(Arc<Inner>);

struct Inner {
    database: PathBuf,
    file: PathBuf,
    /// Held while the file is created or deleted.
    making: Mutex<()>,
    full: AtomicBool,
    /// In bytes; 0 without a quota.
    quota: AtomicU64,
}

impl Reserve {
    /// Returns the reserve of a database file. [`Self::keep`] creates the file.
    pub(super) fn of(database: &Path) -> Self {
        let mut file = database.as_os_str().to_owned();
        file.push("-reserve");
        Self(Arc::new(Inner {
            database: database.to_owned(),
            file: file.into(),
            making: Mutex::new(()),
            full: AtomicBool::new(false),
            quota: AtomicU64::new(0),
        }))
    }

    pub fn limit(&self, quota_bytes: Option<u64>) {
        self.0.quota.store(quota_bytes.unwrap_or(0), Ordering::Relaxed);
    }

    pub fn is_full(&self) -> bool {
        self.0.full.load(Ordering::Relaxed)
    }

    /// Deletes the reserve file after a write found no room. Returns whether it existed.
    pub(super) fn release(&self) -> bool {
        let _making = self.0.making.lock().unwrap_or_else(PoisonError::into_inner);
        self.set_full(true, "the disk is full: changes are refused until space is free");
        std::fs::remove_file(&self.0.file).is_ok()
    }

    /// Creates the reserve file if it is missing, and checks the quota. Called periodically.
    pub(super) fn keep(&self) {
        let _making = self.0.making.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_over_quota() {
            self.set_full(true, "the store is larger than its quota: changes are refused until the quota is raised");
            return;
        }
        if self.0.file.exists() {
            self.set_full(false, "the store is within its quota again: changes are accepted");
            return;
        }
        match self.make() {
            Ok(()) => self.set_full(false, "the disk has free space again: changes are accepted"),
            Err(error) if is_full(&error) => {
                self.set_full(true, "the disk has no space for the reserve file: changes are refused");
            }
            // The store works without a reserve; the next attempt may succeed.
            Err(error) => tracing::debug!(%error, "the reserve file cannot be created"),
        }
    }

    fn make(&self) -> io::Result<()> {
        let file = &self.0.file;
        let made = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(file);
        let filled = made.and_then(|made| fill(&made));
        if filled.is_err() {
            drop(std::fs::remove_file(file));
        }
        filled
    }

    fn is_over_quota(&self) -> bool {
        let quota = self.0.quota.load(Ordering::Relaxed);
        quota > 0 && self.used_bytes() > quota
    }

    fn used_bytes(&self) -> u64 {
        let mut log = self.0.database.as_os_str().to_owned();
        log.push("-wal");
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |data| data.len());
        size(&self.0.database) + size(Path::new(&log))
    }

    /// Returns the size of the store, and by how much it can grow; `None` if the disk does not report its space.
    pub(super) fn storage(&self) -> Option<Storage> {
        let (used_bytes, quota) = (self.used_bytes(), self.0.quota.load(Ordering::Relaxed));
        let disk = statvfs(self.0.database.parent()?).ok()?;
        let on_disk = disk.f_bavail.saturating_mul(disk.f_frsize);
        let of_quota = if quota > 0 { quota.saturating_sub(used_bytes) } else { u64::MAX };
        Some(Storage { used_bytes, free_bytes: on_disk.min(of_quota) })
    }

    fn set_full(&self, full: bool, message: &str) {
        if self.0.full.swap(full, Ordering::Relaxed) == full {
            return;
        }
        if full { tracing::error!("{message}") } else { tracing::info!("{message}") }
    }
}

/// Allocates the whole reserve on the disk.
fn fill(file: &File) -> io::Result<()> {
    match fallocate(file, FallocateFlags::empty(), 0, RESERVE_BYTES) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {
            io::copy(&mut io::Read::take(io::repeat(0), RESERVE_BYTES), &mut &*file).and_then(|_| file.sync_data())
        }
        Err(errno) => Err(errno.into()),
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reserve() -> (tempfile::TempDir, Reserve, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("x.sqlite");
        let reserve = Reserve::of(&database);
        let file = folder.path().join("x.sqlite-reserve");
        (folder, reserve, file)
    }

    #[test]
    fn the_reserve_is_released_once_and_made_again() {
        let (_folder, reserve, file) = reserve();
        reserve.keep();
        assert_eq!(std::fs::metadata(&file).unwrap().len(), RESERVE_BYTES);
        assert!(!reserve.is_full());
        assert!(reserve.release() && reserve.is_full() && !file.exists());
        assert!(!reserve.release(), "it is released already");
        reserve.keep();
        assert!(!reserve.is_full() && file.exists());
    }

    #[test]
    fn a_store_over_its_quota_is_full_until_the_quota_is_raised() {
        let (folder, reserve, _) = reserve();
        std::fs::write(folder.path().join("x.sqlite"), [0; 600]).unwrap();
        std::fs::write(folder.path().join("x.sqlite-wal"), [0; 600]).unwrap();
        for (quota, full) in [(Some(1_200), false), (Some(1_199), true), (Some(1_200), false), (None, false)] {
            reserve.limit(quota);
            reserve.keep();
            assert_eq!(reserve.is_full(), full, "{quota:?}");
            let storage = reserve.storage().unwrap();
            assert_eq!((storage.used_bytes, storage.free_bytes == 0), (1_200, quota.is_some()), "{quota:?}");
        }
    }
}
