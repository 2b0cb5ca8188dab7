//! Damaged and hostile files: no panic, no wrong acceptance, bounded work.

use std::fs;

use bursar_formats::finding::KEPT_MAX;
use bursar_formats::{Profile, Severity, inspect, nacha, show};

use crate::{files, fixtures};

/// Changed files in one run.
const FILES: usize = 10_000;

/// A generator of numbers from a seed (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }
}

/// Changes a file in one of eight ways.
fn changed(bytes: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.is_empty() {
        return bytes;
    }
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let (at, line, other) = (numbers.below(bytes.len()), numbers.below(lines.len()), numbers.below(lines.len()));
    let letter = u8::try_from(numbers.below(256)).unwrap();
    match numbers.below(8) {
        0 => bytes.truncate(at),
        1 => bytes[at] = letter,
        2 => drop(bytes.remove(at)),
        3 => bytes.insert(at, letter),
        4 => {
            let end = (at + numbers.below(64)).min(bytes.len());
            bytes[at..end].reverse();
        }
        of_lines => {
            match of_lines {
                5 => lines.swap(line, other),
                6 => lines.insert(other, lines[line].clone()),
                _ => drop(lines.remove(line)),
            }
            bytes = lines.concat();
        }
    }
    bytes
}

#[test]
fn ten_thousand_changed_files_cause_no_panic() {
    let originals: Vec<Vec<u8>> = files(&fixtures())
        .into_iter()
        .filter(|path| path.extension().is_none_or(|ending| ending != "tsv"))
        .map(|path| fs::read(path).unwrap())
        .collect();
    assert!(originals.len() > 200);
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let (mut refused, mut unknown) = (0, 0);
    for _ in 0..FILES {
        let mut bytes = originals[numbers.below(originals.len())].clone();
        for _ in 0..=numbers.below(3) {
            bytes = changed(&bytes, &mut numbers);
        }
        for profile in [Profile::Strict, Profile::Incoming] {
            match inspect(&bytes, profile) {
                Some(found) => refused += usize::from(found.findings.refuses()),
                None => unknown += 1,
            }
        }
        drop(show(&bytes));
    }
    assert!(refused > FILES && unknown > 0, "{refused} refused, {unknown} unknown");
}

#[test]
fn hostile_files_are_refused_with_bounded_findings() {
    let header = "101 123456780 1234567802611230930A094101".to_owned();
    let cases: [Vec<u8>; 7] = [
        [header.as_bytes(), &vec![0; 4_000_000]].concat(),
        [header.as_bytes(), &b"\n\xff\xfe".repeat(500_000)].concat(),
        [header.as_bytes(), &b"\r".repeat(1_000_000)].concat(),
        [header.as_bytes(), &vec![b'9'; 4_000_000]].concat(),
        [&b"01,A,B,261123,0600,1,,,2/"[..], &b"\n88,/".repeat(500_000)].concat(),
        [&b"01,A,B,261123,0600,1,,,2/\n16,447,1,D,99999999999999"[..], &b",1".repeat(500_000)].concat(),
        [&b"<Document>"[..], &b"&lt;".repeat(500_000)].concat(),
    ];
    for bytes in cases {
        let found = inspect(&bytes, Profile::Incoming).unwrap();
        assert!(found.findings.count(Severity::Error) > 0);
        assert!(found.findings.in_order().len() <= KEPT_MAX + 1);
    }
    let large = vec![b'1'; nacha::BYTES_MAX + 1];
    let findings = nacha::check(&large, Profile::Incoming).findings;
    assert_eq!(findings.first_error().unwrap().rule.code, "nacha.too-large");
}

/// An expansion of entities would need a DTD, which is refused before it is read.
#[test]
fn entities_are_not_expanded() {
    let bomb = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b \"&c;&c;\"><!ENTITY c \"x\">]><a>&b;</a>";
    let found = inspect(bomb.as_bytes(), Profile::Incoming).unwrap();
    assert_eq!(found.findings.first_error().unwrap().rule.code, "iso20022.dtd");
}
