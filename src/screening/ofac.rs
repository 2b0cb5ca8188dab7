//! Parses the files of OFAC's list of specially designated nationals: SDN.CSV, ADD.CSV, ALT.CSV and SDN_COMMENTS.CSV.
//!
//! The files have no header line; `-0-` means no value; the last line may be the end-of-file mark 0x1A; text is Latin-1
//! unless it is valid UTF-8. Weak aliases, which are too common to identify a person, are not in ALT.CSV but in the
//! remarks: `a.k.a. 'ABU ALI'`.

use sha2::{Digest, Sha256};

use super::entry::{Entry, EntryKind, NameKind};
use std::collections::HashMap;

#[derive(Clone, Debug, Default)]
pub struct Files {
    /// SDN.CSV: the entries.
    pub sdn: Vec<u8>,
    /// ALT.CSV: aliases.
    pub alt: Vec<u8>,
    /// ADD.CSV: addresses.
    pub add: Vec<u8>,
    /// SDN_COMMENTS.CSV: continuations of long remarks.
    pub comments: Option<Vec<u8>>,
}

impl Files {
    /// Returns the version of the list: SHA-256 over all files with their lengths, in hex.
    pub fn hash(&self) -> String {
        let mut hash = Sha256::new();
        let comments = self.comments.as_deref().unwrap_or_default();
        for bytes in [self.sdn.as_slice(), &self.alt, &self.add, comments] {
            hash.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(bytes);
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A file that OFAC's format does not allow. One bad row rejects the whole list, because an incomplete list is worse
/// than none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}, row {row}: {problem}")]
pub struct BadList {
    pub file: &'static str,
    /// Counted from 1; 0 for the file as a whole.
    pub row: usize,
    pub problem: String,
}

const SDN_COLUMNS: usize = 12;
const ALT_COLUMNS: usize = 5;
const ADD_COLUMNS: usize = 6;
const COMMENTS_COLUMNS: usize = 2;

/// Returns all entries in the order of the file.
///
/// # Errors
/// [`BadList`] for the first invalid row, or for an empty list.
pub fn read(files: &Files) -> Result<Vec<Entry>, BadList> {
    let mut entries = Vec::new();
    let mut places = HashMap::new();
    for (row, cells) in rows("SDN.CSV", &files.sdn, SDN_COLUMNS)? {
        let entry = entry("SDN.CSV", row, &cells)?;
        if places.insert(entry.number, entries.len()).is_some() {
            return Err(bad("SDN.CSV", row, format!("ent_num {} is duplicated", entry.number)));
        }
        entries.push(entry);
    }
    if entries.is_empty() {
        return Err(bad("SDN.CSV", 0, "the list is empty".to_owned()));
    }
    let of = |file: &'static str, row: usize, cell: &str| -> Result<usize, BadList> {
        let number = number(file, row, cell)?;
        places.get(&number).copied().ok_or_else(|| bad(file, row, format!("ent_num {number} is not in SDN.CSV")))
    };
    for (row, cells) in rows("ALT.CSV", &files.alt, ALT_COLUMNS)? {
        let place = of("ALT.CSV", row, &cells[0])?;
        let name = some(&cells[3]).ok_or_else(|| bad("ALT.CSV", row, "alt_name is missing".to_owned()))?;
        entries[place].names.push((NameKind::of_alias(&cells[2]), name));
    }
    for (row, cells) in rows("ADD.CSV", &files.add, ADD_COLUMNS)? {
        let place = of("ADD.CSV", row, &cells[0])?;
        let parts: Vec<String> = cells[2..5].iter().filter_map(|cell| some(cell)).collect();
        if !parts.is_empty() {
            entries[place].addresses.push(parts.join(", "));
        }
    }
    for (row, cells) in rows("SDN_COMMENTS.CSV", files.comments.as_deref().unwrap_or_default(), COMMENTS_COLUMNS)? {
        let place = of("SDN_COMMENTS.CSV", row, &cells[0])?;
        if let Some(more) = some(&cells[1]) {
            let remarks = entries[place].remarks.get_or_insert_default();
            remarks.push_str(&more);
        }
    }
    for entry in &mut entries {
        let weak = entry.remarks.as_deref().map(weak_aliases).unwrap_or_default();
        entry.names.extend(weak.into_iter().map(|name| (NameKind::Weak, name)));
    }
    Ok(entries)
}

/// ent_num, SDN_Name, SDN_Type, Program, Title, Call_Sign, Vess_type, Tonnage, GRT, Vess_flag, Vess_owner, Remarks.
fn entry(file: &'static str, row: usize, cells: &[String]) -> Result<Entry, BadList> {
    let name = some(&cells[1]).ok_or_else(|| bad(file, row, "SDN_Name is missing".to_owned()))?;
    Ok(Entry {
        number: number(file, row, &cells[0])?,
        kind: EntryKind::of_type(&cells[2]),
        names: vec![(NameKind::Primary, name)],
        program: some(&cells[3]),
        title: some(&cells[4]),
        remarks: some(&cells[11]),
        addresses: Vec::new(),
    })
}

fn rows(file: &'static str, bytes: &[u8], columns: usize) -> Result<Vec<(usize, Vec<String>)>, BadList> {
    let text = latin(bytes);
    let text = text.trim_end_matches(|letter: char| letter == '\u{1a}' || letter.is_whitespace());
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut rows = Vec::new();
    for (at, record) in reader.records().enumerate() {
        let row = at + 1;
        let record = record.map_err(|error| bad(file, row, error.to_string()))?;
        if record.len() != columns {
            return Err(bad(file, row, format!("has {} columns, not {columns}", record.len())));
        }
        rows.push((row, record.iter().map(str::to_owned).collect()));
    }
    Ok(rows)
}

/// Decodes UTF-8, or else Latin-1, in which every byte is valid.
fn latin(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

fn some(cell: &str) -> Option<String> {
    let cell = cell.trim();
    (!cell.is_empty() && cell != "-0-").then(|| cell.to_owned())
}

fn number(file: &'static str, row: usize, cell: &str) -> Result<i64, BadList> {
    cell.trim().parse().map_err(|_| bad(file, row, format!("ent_num {cell:?} is no number")))
}

fn bad(file: &'static str, row: usize, problem: String) -> BadList {
    BadList { file, row, problem }
}

/// Returns the quoted names after `a.k.a.` in the remarks.
fn weak_aliases(remarks: &str) -> Vec<String> {
    let mut names = Vec::new();
    for rest in remarks.split("a.k.a. ").skip(1) {
        let quote = rest.chars().next().filter(|letter| matches!(letter, '\'' | '"'));
        let name = quote.and_then(|quote| rest[1..].split_once(quote)).map(|(name, _)| name.trim());
        names.extend(name.filter(|name| !name.is_empty()).map(str::to_owned));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(sdn: &str, alt: &str, add: &str, comments: Option<&str>) -> Files {
        let bytes = |text: &str| text.as_bytes().to_vec();
        Files { sdn: bytes(sdn), alt: bytes(alt), add: bytes(add), comments: comments.map(bytes) }
    }

    const SDN: &str = concat!(
        "36,\"PELLUCID TRADING CO.\",-0- ,\"SYNTH\",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \r\n",
        "173,\"VEXLER, Ondrej\",\"individual\",\"SYNTH] [SYNTH2\",\"Director, Works\",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,",
        "\"DOB 01 Feb 1960; a.k.a. 'THE GLAZIER'.\"\r\n",
        "\u{1a}\r\n"
    );

    #[test]
    fn files_are_read_as_they_are_published() {
        let alt = "173,7,\"aka\",\"WEXLER, Andrej\",-0- \r\n173,8,\"fka\",\"VEXLER, A.\",-0- \r\n\u{1a}";
        let add = "36,1,\"1 Glass Road\",\"Nowhere 12345\",\"Ruritania\",-0- \r\n36,2,-0- ,-0- ,-0- ,-0- \r\n";
        let comments = "173,\" Linked To: a.k.a. 'GLAZIER TWO'.\"\r\n\u{1a}";
        let entries = read(&files(SDN, alt, add, Some(comments))).unwrap();
        assert_eq!((entries[0].kind, entries[1].kind), (EntryKind::Entity, EntryKind::Individual));
        assert_eq!((entries[0].title.as_deref(), entries[1].title.as_deref()), (None, Some("Director, Works")));
        assert_eq!(entries[0].addresses, ["1 Glass Road, Nowhere 12345, Ruritania"]);
        let names: Vec<(NameKind, &str)> = entries[1].names.iter().map(|(kind, name)| (*kind, name.as_str())).collect();
        assert_eq!(
            names,
            [
                (NameKind::Primary, "VEXLER, Ondrej"),
                (NameKind::Alias, "WEXLER, Andrej"),
                (NameKind::Formerly, "VEXLER, A."),
                (NameKind::Weak, "THE GLAZIER"),
                (NameKind::Weak, "GLAZIER TWO"),
            ]
        );
    }

    #[test]
    fn letters_beyond_ascii_are_latin_1_unless_they_are_utf_8() {
        let mut sdn = b"1,\"NU".to_vec();
        sdn.push(0xd1);
        sdn.extend(b"EZ, Jos\",individual,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \n");
        let read_name = |sdn: Vec<u8>| read(&Files { sdn, ..Files::default() }).unwrap()[0].names[0].1.clone();
        assert_eq!(read_name(sdn), "NU\u{d1}EZ, Jos");
        let utf_8 = "1,\"NU\u{d1}EZ, Jos\",individual,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \n";
        assert_eq!(read_name(utf_8.as_bytes().to_vec()), "NU\u{d1}EZ, Jos");
    }

    #[test]
    fn one_bad_row_refuses_the_whole_list() {
        let refused = |files: Files| {
            let BadList { file, row, .. } = read(&files).unwrap_err();
            (file, row)
        };
        assert_eq!(refused(Files::default()), ("SDN.CSV", 0));
        assert_eq!(refused(files("<html>no list</html>", "", "", None)), ("SDN.CSV", 1));
        assert_eq!(refused(files(&SDN.replace("173,", "x,"), "", "", None)), ("SDN.CSV", 2));
        assert_eq!(refused(files(&SDN.replace("173,", "36,"), "", "", None)), ("SDN.CSV", 2));
        assert_eq!(refused(files(SDN, "999,1,aka,NAME,-0- ", "", None)), ("ALT.CSV", 1));
        assert_eq!(refused(files(SDN, "36,1,aka,-0- ,-0- ", "", None)), ("ALT.CSV", 1));
        assert_eq!(refused(files(SDN, "", "36,1,x", None)), ("ADD.CSV", 1));
    }

    #[test]
    fn another_list_has_another_hash() {
        let one = files(SDN, "a", "b", None);
        assert_eq!(one.hash(), one.clone().hash());
        assert_ne!(one.hash(), files(SDN, "ab", "", None).hash(), "the bounds of the files count");
    }
}
