//! The rules of polling: pure, from one listing to the next.

use std::collections::BTreeMap;

use crate::entry::{Entry, EntryKind, Listing, Stat};
use crate::name::Name;

/// What previous polls saw. It may be lost: the files are then read again, and their bytes are known.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    seen: BTreeMap<Name, Seen>,
}

#[derive(Clone, Debug)]
struct Seen {
    stat: Stat,
    /// The bytes of this size and time were read.
    is_received: bool,
}

/// Why a file is not read yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// Seen for the first time.
    New,
    /// Size or time differ from the previous poll.
    Growing,
    /// Its name belongs to a file that is being written.
    Temporary,
    /// Nothing is written yet.
    Empty,
    /// Larger than the limit: an operator raises it or asks the bank.
    TooLarge,
    /// A link, a pipe or a device, which is never read.
    NotAFile,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Complete: fetch it.
    Ready(Entry),
    Waiting(Name, Waits),
    /// Its bytes were read, and size and time have not changed since.
    Received(Name),
}

impl Watch {
    /// Judges each file of a listing. Folders are left out.
    pub fn poll(&mut self, listing: &Listing, read_max: u64) -> Vec<Verdict> {
        let files: Vec<&Entry> = listing.entries.iter().filter(|entry| entry.stat.kind != EntryKind::Folder).collect();
        let verdicts = files.iter().map(|entry| self.judge(entry, read_max)).collect();
        let is_received = |entry: &Entry| self.is_received(entry);
        let seen =
            files.iter().map(|entry| (entry.name.clone(), Seen { stat: entry.stat, is_received: is_received(entry) }));
        self.seen = seen.collect();
        verdicts
    }

    /// Records that the bytes of this entry are stored. Until then each poll finds it ready.
    pub fn received(&mut self, entry: &Entry) {
        if let Some(seen) = self.seen.get_mut(&entry.name).filter(|seen| seen.stat == entry.stat) {
            seen.is_received = true;
        }
    }

    fn is_received(&self, entry: &Entry) -> bool {
        self.seen.get(&entry.name).is_some_and(|seen| seen.is_received && seen.stat == entry.stat)
    }

    fn judge(&self, entry: &Entry, read_max: u64) -> Verdict {
        let waiting = |why| Verdict::Waiting(entry.name.clone(), why);
        if entry.stat.kind != EntryKind::File {
            return waiting(Waits::NotAFile);
        }
        if entry.name.is_temporary() {
            return waiting(Waits::Temporary);
        }
        match self.seen.get(&entry.name) {
            _ if entry.stat.size == 0 => waiting(Waits::Empty),
            _ if entry.stat.size > read_max => waiting(Waits::TooLarge),
            None => waiting(Waits::New),
            Some(seen) if seen.stat != entry.stat => waiting(Waits::Growing),
            Some(seen) if seen.is_received => Verdict::Received(entry.name.clone()),
            Some(_) => Verdict::Ready(entry.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, EntryKind, Listing, Name, Stat, Verdict, Waits, Watch};

    const MOST: u64 = 100;

    fn entry(name: &str, kind: EntryKind, size: u64, modified: i64) -> Entry {
        Entry { name: Name::parse(name).unwrap(), stat: Stat { kind, size, modified: Some(modified) } }
    }

    fn file(name: &str, size: u64, modified: i64) -> Entry {
        entry(name, EntryKind::File, size, modified)
    }

    fn poll(watch: &mut Watch, entry: &Entry) -> Verdict {
        let listing = Listing { entries: vec![entry.clone()], unusable: Vec::new() };
        watch.poll(&listing, MOST).remove(0)
    }

    fn waits(entry: &Entry, why: Waits) -> Verdict {
        Verdict::Waiting(entry.name.clone(), why)
    }

    #[test]
    fn a_file_is_ready_when_two_polls_agree() {
        let mut watch = Watch::default();
        for (size, modified, why) in [(5, 1, Waits::New), (9, 1, Waits::Growing), (9, 2, Waits::Growing)] {
            let file = file("a", size, modified);
            assert_eq!(poll(&mut watch, &file), waits(&file, why));
        }
        let whole = file("a", 9, 2);
        assert_eq!(poll(&mut watch, &whole), Verdict::Ready(whole.clone()));
        assert_eq!(poll(&mut watch, &whole), Verdict::Ready(whole.clone()), "until its bytes are stored");
        watch.received(&whole);
        assert_eq!(poll(&mut watch, &whole), Verdict::Received(whole.name.clone()));
        let again = file("a", 9, 3);
        assert_eq!(poll(&mut watch, &again), waits(&again, Waits::Growing), "the name is used again");
        assert_eq!(poll(&mut watch, &again), Verdict::Ready(again.clone()));
    }

    #[test]
    fn a_file_that_disappears_begins_again() {
        let mut watch = Watch::default();
        let one = file("a", 5, 1);
        poll(&mut watch, &one);
        assert!(watch.poll(&Listing::default(), MOST).is_empty());
        assert_eq!(poll(&mut watch, &one), waits(&one, Waits::New));
    }

    #[test]
    fn what_is_no_complete_file_is_never_ready() {
        for (entry, why) in [
            (file("a.part", 5, 1), Waits::Temporary),
            (file(".a", 5, 1), Waits::Temporary),
            (file("a", 0, 1), Waits::Empty),
            (file("a", MOST + 1, 1), Waits::TooLarge),
            (entry("a", EntryKind::Other, 5, 1), Waits::NotAFile),
        ] {
            let mut watch = Watch::default();
            for _ in 0..3 {
                assert_eq!(poll(&mut watch, &entry), waits(&entry, why));
            }
        }
        let folder = entry("archive", EntryKind::Folder, 4096, 1);
        assert!(Watch::default().poll(&Listing { entries: vec![folder], unusable: Vec::new() }, MOST).is_empty());
    }

    #[test]
    fn a_receipt_for_an_older_version_does_not_count() {
        let mut watch = Watch::default();
        let (old, new) = (file("a", 5, 1), file("a", 6, 2));
        poll(&mut watch, &old);
        poll(&mut watch, &new);
        watch.received(&old);
        assert_eq!(poll(&mut watch, &new), Verdict::Ready(new.clone()));
    }
}
