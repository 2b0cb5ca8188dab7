//! How the bank's answers reach the folder: late, twice, truncated, with other line ends, or when they are asked for.

use bursar_formats::Profile;
use bursar_formats::nacha::{self, Addenda};

use super::far::{Far, Posted, Shown, hash};
use crate::bankbox::Answer;
use crate::clock::{DAY_SECONDS, Time};
use crate::sim::chance::Chance;

fn with_carriage_returns(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\n', "\r\n");
    text.into_bytes()
}

/// Removes trailing blanks, and the lines of nines after the last record.
fn without_padding(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let is_padding = |line: &&str| line.len() == 94 && line.bytes().all(|byte| byte == b'9');
    let lines: Vec<&str> = text.lines().filter(|line| !is_padding(line)).map(str::trim_end).collect();
    lines.join("\n").into_bytes()
}

impl Far {
    /// Records what the bank says, and sends it with a fault.
    pub(super) fn post(&mut self, answer: Answer, now: Time, chance: &mut Chance) {
        self.remember_returns(&answer.bytes);
        self.posts += 1;
        let number = self.posts;
        let is_statement = answer.name.starts_with("STATEMENT");
        // The simulated operator numbers its files from one each time.
        let name = if is_statement { answer.name } else { format!("{number:05}_{}", answer.name) };
        let days = |chance: &mut Chance| now.plus_seconds(chance.between(1, 4 * DAY_SECONDS));
        let soon = now.plus_seconds(chance.between(0, 7_200));
        let mut send = |at, name: String, bytes: Vec<u8>| self.arriving.push(Posted { at, name, bytes });
        let bytes = answer.bytes;
        let draw = if self.sound { usize::MAX } else { chance.position(24) };
        let fault = match draw {
            0 if is_statement => {
                self.lost.push(Posted { at: now, name, bytes });
                Some("statements that were lost until the bank was asked")
            }
            1 | 2 => {
                send(days(chance), format!("COPY_{name}"), bytes.clone());
                send(soon, name, bytes);
                Some("answers that came under two names")
            }
            3 => {
                let half = bytes.len() / 2;
                send(soon, format!("CUT_{name}"), bytes.get(..half).unwrap_or_default().to_vec());
                send(days(chance), name, bytes);
                Some("answers that came truncated first")
            }
            4 | 5 => {
                send(soon, name, with_carriage_returns(&bytes));
                Some("answers with other line ends")
            }
            6 if !is_statement => {
                send(soon, name, without_padding(&bytes));
                Some("answers without padding")
            }
            7 => {
                send(soon, name.clone(), bytes.clone());
                send(days(chance), name, bytes);
                Some("answers that were written again")
            }
            8 => {
                send(days(chance), format!("SECOND_{name}"), with_carriage_returns(&bytes));
                send(soon, name, bytes);
                Some("answers that came again in other bytes")
            }
            9..=12 => {
                send(days(chance), name, bytes);
                Some("answers that came days late")
            }
            _ => {
                send(soon, name, bytes);
                None
            }
        };
        if let Some(fault) = fault {
            self.count(fault);
        }
    }

    fn remember_returns(&mut self, bytes: &[u8]) {
        let Ok((file, _)) = nacha::read(bytes, Profile::Incoming) else { return };
        let entries = file.batches.iter().flat_map(|batch| &batch.entries);
        let is_return = |entry: &&nacha::Entry| entry.addenda.iter().any(|one| matches!(one, Addenda::Return(_)));
        self.returned.extend(entries.filter(is_return).map(|entry| entry.individual_id.clone()));
    }

    /// Puts the answers whose time has come into the folder. Without faults, lost ones come too.
    pub(super) fn show(&mut self, now: Time) {
        if self.sound {
            self.arriving.append(&mut self.lost);
        }
        let modified = now.micros() / 1_000_000;
        let (due, later) = std::mem::take(&mut self.arriving).into_iter().partition(|posted: &Posted| posted.at <= now);
        self.arriving = later;
        let due: Vec<Posted> = due;
        for Posted { name, bytes, .. } in due {
            self.hashes.insert(name.clone(), hash(&bytes));
            self.unread.retain(|(unread, _)| *unread != name);
            self.unread.insert((name.clone(), modified));
            self.inbound.insert(name, Shown { bytes, modified });
        }
    }

    /// A member asks the bank for statements that are missing.
    pub(super) fn ask_for_statements(&mut self) {
        self.arriving.append(&mut self.lost);
    }
}
