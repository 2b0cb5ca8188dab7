//! The real process: start, signals, lock.

use std::time::Duration;

use crate::harness::Process;

#[test]
fn it_says_where_it_listens_and_ends_cleanly() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(&folder.path().join("data"));
    assert_eq!(process.get("/livez").0, 200);
    assert_eq!(process.get("/readyz").0, 200);
    process.signal("TERM");
    let (status, said) = process.wait(Duration::from_secs(10));
    assert!(status.success(), "{status}: {said}");
}
