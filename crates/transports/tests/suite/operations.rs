//! Each operation over a folder and over `sftp-server`, and the error of each failure.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use bursar_transports::intake::{Verdict, Watch, fetch};
use bursar_transports::{Error, Kind, Limits, Transport};
use tempfile::TempDir;

use crate::{folder, limits, name, pipe, program};

fn both(path: &Path) -> [Transport; 2] {
    [folder(path), pipe(path, &[])]
}

fn kind<T: std::fmt::Debug>(result: Result<T, Error>) -> Kind {
    result.unwrap_err().kind
}

#[tokio::test]
async fn files_are_written_listed_read_renamed_archived_and_removed() {
    for which in 0..2 {
        let far = TempDir::new().unwrap();
        let transport = &mut both(far.path())[which];
        // More than a window of requests, and no whole number of pieces.
        let bytes: Vec<u8> = (0..3_000_001_u32).map(|at| at.to_le_bytes()[0] ^ at.to_le_bytes()[1]).collect();
        transport.put(&name("a-1.part"), &bytes, true).await.unwrap();
        assert_eq!(kind(transport.put(&name("a-1.part"), b"x", false).await), Kind::Exists);
        assert_eq!(fs::read(far.path().join("a-1.part")).unwrap(), bytes, "an existing file is not touched");
        assert!(transport.renames_atomically().await.unwrap());

        fs::write(far.path().join("taken"), "theirs").unwrap();
        assert_eq!(kind(transport.rename(&name("a-1.part"), &name("taken")).await), Kind::Exists);
        assert_eq!(fs::read(far.path().join("taken")).unwrap(), b"theirs");
        transport.rename(&name("a-1.part"), &name("a")).await.unwrap();
        assert_eq!(kind(transport.rename(&name("a-1.part"), &name("b")).await), Kind::Missing);

        fs::create_dir(far.path().join("folder")).unwrap();
        fs::write(far.path().join("bad\nname"), "").unwrap();
        let listing = transport.list().await.unwrap();
        let names: Vec<&str> = listing.entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["a", "folder", "taken"]);
        assert_eq!(listing.unusable, ["bad\\nname"]);
        assert_eq!(transport.stat(&name("a")).await.unwrap().unwrap(), listing.entries[0].stat);
        assert_eq!(listing.entries[0].stat.size, 3_000_001);
        assert_eq!(transport.stat(&name("none")).await.unwrap(), None);

        assert_eq!(transport.read(&name("a"), u64::MAX).await.unwrap(), bytes);
        assert_eq!(kind(transport.read(&name("a"), 3_000_000).await), Kind::TooLarge);
        assert_eq!(kind(transport.read(&name("none"), 9).await), Kind::Missing);
        transport.archive(&name("a"), &name("20261123-a")).await.unwrap();
        fs::write(far.path().join("a"), "second").unwrap();
        assert_eq!(kind(transport.archive(&name("a"), &name("20261123-a")).await), Kind::Exists);
        assert_eq!(fs::read(far.path().join("archive/20261123-a")).unwrap(), bytes);
        transport.remove(&name("a")).await.unwrap();
        assert_eq!(kind(transport.remove(&name("a")).await), Kind::Missing);
        transport.close().await;
    }
}

#[tokio::test]
async fn refused_permission_and_missing_folders_are_named() {
    let far = TempDir::new().unwrap();
    let mut read_only = pipe(far.path(), &["-R"]);
    let refused = read_only.put(&name("a"), b"x", false).await.unwrap_err();
    assert_eq!(refused.kind, Kind::Permission);
    assert!(refused.to_string().contains("Ask the bank for the right"), "{refused}");
    assert_eq!(fs::read_dir(far.path()).unwrap().count(), 0);
    // The kernel refuses new files here to every user.
    let mut system = folder(Path::new("/sys"));
    assert_eq!(kind(system.put(&name("bursar-test"), b"x", false).await), Kind::Permission);
    for transport in &mut both(&far.path().join("none")) {
        assert_eq!(kind(transport.list().await), Kind::Missing);
        assert_eq!(kind(transport.put(&name("a"), b"x", false).await), Kind::Missing);
    }
}

/// A small file system, unmounted when dropped.
struct SmallDisk(PathBuf);

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.0).output());
    }
}

#[tokio::test]
async fn a_full_disk_is_named_and_the_next_attempt_succeeds() {
    let place = TempDir::new().unwrap();
    let mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", place.path().to_str().unwrap()];
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let mount = if is_root {
        Command::new(mount[0]).args(&mount[1..]).output()
    } else {
        Command::new("sudo").arg("-n").args(mount).output()
    };
    let mount = mount.unwrap();
    assert!(mount.status.success(), "a small disk needs root: {}", String::from_utf8_lossy(&mount.stderr));
    let disk = SmallDisk(place.path().to_owned());
    for transport in &mut both(&disk.0) {
        let full = transport.put(&name("big.part"), &vec![7; 400_000], false).await.unwrap_err();
        assert_eq!(full.kind, Kind::NoSpace, "{full}");
        assert!(full.to_string().contains("Free space"), "{full}");
        transport.remove(&name("big.part")).await.unwrap();
        transport.put(&name("small.part"), &vec![7; 100_000], true).await.unwrap();
        transport.remove(&name("small.part")).await.unwrap();
    }
}

#[tokio::test]
async fn a_server_that_hangs_ends_or_sends_nonsense_is_an_error_in_time() {
    let short = Duration::from_millis(300);
    let limits = Limits { connect: short, operation: short, ..limits() };
    for (command, wanted) in [
        ("exec sleep 1000", Kind::TimedOut),
        ("exit 3", Kind::Unreachable),
        ("echo Last login: today; cat", Kind::Protocol),
        ("cat", Kind::Protocol),
        // A version, then silence.
        (r"printf '\000\000\000\005\002\000\000\000\003'; exec sleep 1000", Kind::TimedOut),
        // A version, then a packet of 4 GiB.
        (r"printf '\000\000\000\005\002\000\000\000\003\377\377\377\377'; cat >/dev/null", Kind::Protocol),
    ] {
        let begin = Instant::now();
        let limits = if wanted == Kind::TimedOut { limits } else { crate::limits() };
        let mut sftp = Transport::sftp(program("/bin/sh", &["-c", command]), "", limits);
        assert_eq!(kind(sftp.stat(&name("a")).await), wanted, "{command}");
        assert!(begin.elapsed() < Duration::from_secs(15), "{command}: {:?}", begin.elapsed());
    }
    let mut none = Transport::sftp(program("/nonexistent", &[]), "", limits);
    assert_eq!(kind(none.list().await), Kind::Unreachable);
}

#[tokio::test]
async fn a_growing_file_is_not_read() {
    for which in 0..2 {
        let far = TempDir::new().unwrap();
        let transport = &mut both(far.path())[which];
        let (file, mut watch) = (far.path().join("returns.ach"), Watch::default());
        let write = |text: &str| fs::write(&file, text).unwrap();
        write("101");
        fs::write(far.path().join("next.ach.part"), "101").unwrap();
        let mut ready = Vec::new();
        for text in ["101 a", "101 a b", "101 a b c"] {
            let verdicts = watch.poll(&transport.list().await.unwrap(), 1_000);
            ready.extend(verdicts.into_iter().filter(|verdict| matches!(verdict, Verdict::Ready(_))));
            write(text);
        }
        assert_eq!(ready, []);
        watch.poll(&transport.list().await.unwrap(), 1_000);
        let verdicts = watch.poll(&transport.list().await.unwrap(), 1_000);
        let entries = verdicts.into_iter().filter_map(|verdict| match verdict {
            Verdict::Ready(entry) => Some(entry),
            Verdict::Waiting(..) | Verdict::Received(_) => None,
        });
        let entries: Vec<_> = entries.collect();
        assert_eq!(entries.len(), 1, "only the file without a temporary name");
        // It grows once more, between the listing and the read.
        write("101 a b c d");
        assert_eq!(kind(fetch(transport, &entries[0]).await), Kind::Changed);
        watch.poll(&transport.list().await.unwrap(), 1_000);
        let Some(Verdict::Ready(entry)) = watch.poll(&transport.list().await.unwrap(), 1_000).pop() else {
            panic!("not ready")
        };
        let one = fetch(transport, &entry).await.unwrap();
        assert_eq!(one.bytes, b"101 a b c d");
        fs::copy(&file, far.path().join("copy.ach")).unwrap();
        watch.poll(&transport.list().await.unwrap(), 1_000);
        let copy = transport.list().await.unwrap().entries.into_iter().find(|entry| entry.name.as_str() == "copy.ach");
        let copy = fetch(transport, &copy.unwrap()).await.unwrap();
        assert_eq!(copy.sha256, one.sha256, "the same bytes are the same file");
    }
}
