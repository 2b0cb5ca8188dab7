//! The bank in a folder: payment files in `outbound`, answers in `inbound`, and its records.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::answers::Answer;
use super::bank::Bank;

/// The folder for payment files.
pub const OUTBOUND: &str = "outbound";
/// The folder for answers.
pub const INBOUND: &str = "inbound";
/// The file with what the bank remembers.
pub const RECORDS: &str = "records.json";
/// The largest payment file, in bytes.
const FILE_MAX: u64 = 64 << 20;

/// Takes the new payment files of a folder and writes the answers that are due; returns their names. `now` is in
/// seconds since 1970. After a crash the next call writes the same answers.
///
/// # Errors
/// A folder or a file cannot be read or written, or the records were changed.
pub fn tick(folder: &Path, now: i64) -> io::Result<Vec<String>> {
    let (outbound, inbound, records) = (folder.join(OUTBOUND), folder.join(INBOUND), folder.join(RECORDS));
    fs::create_dir_all(&outbound)?;
    fs::create_dir_all(&inbound)?;
    let mut bank = remembered(&records)?;
    let mut answers = Vec::new();
    for path in files(&outbound)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Err(refused) = bank.take(&fs::read(&path)?, now) {
            let bytes = format!("The file {name} is refused: {refused}\n").into_bytes();
            answers.push(Answer { name: format!("REFUSED_{name}.txt"), bytes });
        }
    }
    answers.extend(bank.answer(now));
    let mut names = Vec::new();
    for answer in answers {
        if publish(&inbound.join(&answer.name), &answer.bytes)? {
            names.push(answer.name);
        }
    }
    // The answers come first: a crash before this line writes them again under the same names.
    replace(&records, &serde_json::to_vec_pretty(&bank)?)?;
    Ok(names)
}

/// Lets a function change what the bank remembers, for example book a wire.
///
/// # Errors
/// The records cannot be read or written.
pub fn with(folder: &Path, act: impl FnOnce(&mut Bank)) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let records = folder.join(RECORDS);
    let mut bank = remembered(&records)?;
    act(&mut bank);
    replace(&records, &serde_json::to_vec_pretty(&bank)?)
}

fn remembered(records: &Path) -> io::Result<Bank> {
    match fs::read(records) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(io::Error::from),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Bank::default()),
        Err(error) => Err(error),
    }
}

/// Returns the complete files of a folder, in the order of their names.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let (entry, is_temporary) = {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            (entry, name.starts_with('.') || name.ends_with(".part"))
        };
        let stat = entry.metadata()?;
        if stat.is_file() && !is_temporary && stat.len() <= FILE_MAX {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

/// Writes a new file; returns `false` if it exists.
fn publish(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    if path.exists() {
        return Ok(false);
    }
    replace(path, bytes)?;
    Ok(true)
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut temp = path.as_os_str().to_owned();
    temp.push(".part");
    fs::write(&temp, bytes)?;
    fs::rename(&temp, path)
}
