//! The bank: files that it took, and answers that it owes.

use std::collections::BTreeMap;

use bursar_formats::iso20022::pain001::CreditTransfers;
use bursar_formats::nacha::{self, Batch, Entry, File};
use bursar_formats::{Format, Profile, Refused};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::account::{Account, Grain, Kind};
use super::acknowledgement::Acknowledgement;
use super::answers::{self, Answer, Paid, Report, is_credit, is_debit, is_prenote};
use super::magic::{Selected, selected};
use super::messages::{self, Executed, Owed as OwedMessage};

/// The time until a late return, in seconds: two days after the next morning.
const LATE_SECONDS: i64 = 3 * 86_400;
/// The same for a debit, in seconds: after it was presumed settled.
const LATE_DEBIT_SECONDS: i64 = 10 * 86_400;
/// The name of the entry that balances a batch, which is for the customer's own account.
const OFFSET: &str = "OFFSET";
/// The description of a batch that takes earlier entries back.
const REVERSAL: &str = "REVERSAL";
/// The time between the two returns of one payment.
const AGAIN_SECONDS: i64 = 86_400;

/// A report that the bank owes from a time on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Owed {
    at: i64,
    report: Report,
}

/// What the bank remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bank {
    /// The hashes of the files that it took.
    taken: Vec<String>,
    owed: Vec<Owed>,
    next_trace: u64,
    next_file: u32,
    /// The ids of the messages that it took.
    #[serde(default)]
    messages: Vec<String>,
    /// The messages that it owes, each from a time on.
    #[serde(default)]
    owed_messages: Vec<(i64, OwedMessage)>,
    /// The debits of accounts that lack money at first.
    #[serde(default)]
    short: BTreeMap<String, u8>,
    /// The customer's account, if the bank keeps one.
    #[serde(default)]
    account: Option<Account>,
    /// Whether it acknowledges each NACHA file.
    #[serde(default)]
    acknowledges: bool,
    /// The acknowledgements that it owes.
    #[serde(default)]
    acknowledged: Vec<Acknowledgement>,
}

impl Bank {
    /// Keeps the customer's account from now on, unless it keeps one.
    pub fn keep(&mut self, account: Account) {
        self.account.get_or_insert(account);
    }

    /// Acknowledges each NACHA file from now on.
    pub fn acknowledge(&mut self) {
        self.acknowledges = true;
    }

    /// Returns whether it owes no answer, and has booked nothing since the last statement.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.owed.is_empty() && self.acknowledged.is_empty() && self.account.as_ref().is_none_or(Account::is_idle)
    }

    /// Returns the money in the customer's account after the last statement, in cents.
    #[must_use]
    pub fn balance(&self) -> Option<i64> {
        self.account.as_ref().map(|account| account.balance)
    }

    /// Returns the number of the customer's account, if it keeps one.
    #[must_use]
    pub fn account_number(&self) -> Option<&str> {
        self.account.as_ref().map(Account::number)
    }

    /// Books a wire to the customer.
    pub fn wire(&mut self, amount: i64, text: &str, now: i64) {
        self.book(now, Kind::Wire, amount, text);
    }

    /// Books a fee of the bank.
    pub fn fee(&mut self, amount: i64, now: i64) {
        self.book(now, Kind::Fee, amount, "ANALYSIS FEE");
    }

    /// Books interest of the bank.
    pub fn interest(&mut self, amount: i64, now: i64) {
        self.book(now, Kind::Interest, amount, "INTEREST");
    }

    /// Books the debit of a third party.
    pub fn debit_by_other(&mut self, amount: i64, now: i64) {
        self.book(now, Kind::Debit, amount, "GYM MEMBERSHIP");
    }

    fn book(&mut self, now: i64, kind: Kind, amount: i64, text: &str) {
        if let Some(account) = &mut self.account {
            account.book_now(now, kind, amount, "", text);
        }
    }

    /// Takes a payment file at a time, in seconds since 1970. The same bytes are taken once.
    ///
    /// # Errors
    /// The findings, if a bank would refuse the file.
    pub fn take(&mut self, bytes: &[u8], now: i64) -> Result<(), Refused> {
        let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        if self.taken.contains(&hash) {
            return Ok(());
        }
        if Format::of(bytes) == Some(Format::Iso20022) {
            let taken = messages::read(bytes)?;
            self.taken.push(hash);
            self.take_message(&taken, now);
            return Ok(());
        }
        let (file, _) = nacha::read(bytes, Profile::Strict)?;
        self.taken.push(hash);
        if self.acknowledges {
            let all = || file.batches.iter().flat_map(|batch| &batch.entries);
            let is_refused = all().any(|entry| selected(&entry.account) == Selected::Rejected);
            self.acknowledged.push(Acknowledgement::of(&file, is_refused));
            // A file that its bank refuses does not reach the operator.
            if is_refused {
                return Ok(());
            }
        }
        for batch in &file.batches {
            self.take_batch(&file, batch, now);
        }
        Ok(())
    }

    fn take_batch(&mut self, file: &File, batch: &Batch, now: i64) {
        let of = |is: fn(&str) -> bool| {
            let others = batch.entries.iter().filter(|entry| entry.name.trim_end() != OFFSET);
            others.filter(|entry| is(&entry.code)).collect::<Vec<&Entry>>()
        };
        let (credits, debits, prenotes) = (of(is_credit), of(is_debit), of(is_prenote));
        let all = || credits.iter().chain(&debits).chain(&prenotes);
        if all().any(|entry| selected(&entry.account) == Selected::Rejected) {
            let entries = batch.entries.iter().map(|entry| Paid::of(file, batch, entry)).collect();
            return self.owe(now, Report::Rejected { entries });
        }
        self.move_money(batch, &credits, Kind::Payments, now);
        self.move_money(batch, &debits, Kind::Collections, now);
        let is_reversal = batch.header.description.trim_end() == REVERSAL;
        for entry in all() {
            let paid = Paid::of(file, batch, entry);
            let late = if paid.is_debit() { LATE_DEBIT_SECONDS } else { LATE_SECONDS };
            let returned = |reason: u8| Report::Returned { paid: paid.clone(), reason: format!("R{reason:02}") };
            match selected(&entry.account) {
                Selected::ReversalReturned(reason) if is_reversal => self.owe(now, returned(reason)),
                Selected::ReversalReturnedLate(reason) if is_reversal => self.owe(now + late, returned(reason)),
                Selected::ShortOfFunds(times) if is_debit(&entry.code) && self.is_short(&entry.account, times) => {
                    self.owe(now, returned(1));
                }
                Selected::Nothing
                | Selected::ShortOfFunds(_)
                | Selected::ReversalReturned(_)
                | Selected::ReversalReturnedLate(_)
                | Selected::Rejected
                | Selected::Duplicate
                | Selected::Contradicted => {}
                Selected::Returned(reason) => self.owe(now, returned(reason)),
                Selected::ReturnedLate(reason) => self.owe(now + late, returned(reason)),
                Selected::Changed(code) => {
                    self.owe(now, Report::Changed { code: format!("C{code:02}"), paid: paid.clone() });
                }
                Selected::ReturnedTwice => {
                    self.owe(now, returned(2));
                    self.owe(now + AGAIN_SECONDS, returned(2));
                }
                Selected::ReturnedWithAnotherAmount => {
                    let paid = paid.with(paid.amount + 1, paid.trace);
                    self.owe(now, Report::Returned { paid, reason: "R02".to_owned() });
                }
                Selected::ReturnedWithAnotherTrace => {
                    let paid = paid.with(paid.amount, paid.trace + 5_000_000);
                    self.owe(now, Report::Returned { paid, reason: "R02".to_owned() });
                }
            }
        }
    }

    /// Returns whether an account still lacks the money for a debit, and counts the debit.
    fn is_short(&mut self, account: &str, times: u8) -> bool {
        let debits = self.short.entry(account.to_owned()).or_default();
        *debits = debits.saturating_add(1);
        *debits <= times
    }

    /// Executes the payments of a message, unless an account selects another answer.
    fn take_message(&mut self, taken: &CreditTransfers, now: i64) {
        let known = self.messages.contains(&taken.message_id);
        self.messages.push(taken.message_id.clone());
        let answers = messages::answers(taken, known, now);
        if let Some(account) = &mut self.account {
            for Executed { on, text, payments } in answers.executed {
                let payments: Vec<(&str, i64)> = payments.iter().map(|(id, amount)| (id.as_str(), *amount)).collect();
                account.book_message(on, &taken.message_id, &payments, &text);
            }
        }
        self.owed_messages.extend(answers.owed);
    }

    /// Debits the customer on the effective day of a batch, or credits what the batch collects.
    fn move_money(&mut self, batch: &Batch, entries: &[&Entry], kind: Kind, now: i64) {
        let Some(account) = &mut self.account else { return };
        let today = jiff::Timestamp::from_second(now).map(|now| now.to_zoned(jiff::tz::TimeZone::UTC).date());
        let Some(on) = batch.header.effective_on.or(today.ok()).filter(|_| !entries.is_empty()) else { return };
        let cents = |amount: u64| i64::try_from(amount).unwrap_or(i64::MAX);
        let text = format!("{} {} {}", batch.header.company_name, batch.header.sec, batch.header.description);
        match account.grain {
            Grain::File => {
                let sum = entries.iter().map(|entry| entry.amount).sum();
                account.book(on, kind, cents(sum), "", &text);
            }
            Grain::Entry => {
                for entry in entries {
                    account.book(on, kind, cents(entry.amount), &entry.individual_id, &text);
                }
            }
        }
    }

    /// Credits the payments that come back, and debits what was collected and comes back.
    fn credit(&mut self, due: &[Report], now: i64) {
        let Some(account) = &mut self.account else { return };
        for report in due {
            match report {
                Report::Returned { paid, .. } if paid.amount == 0 => {}
                Report::Returned { paid, reason } => {
                    let amount = i64::try_from(paid.amount).unwrap_or(i64::MAX);
                    let kind = if paid.is_debit() { Kind::ReturnedDebits } else { Kind::Returns };
                    account.book_now(now, kind, amount, &paid.individual_id, &format!("RETURN {reason}"));
                }
                Report::Changed { .. } | Report::Rejected { .. } => {}
            }
        }
    }

    fn owe(&mut self, at: i64, report: Report) {
        self.owed.push(Owed { at, report });
    }

    /// Returns the messages that are due, and credits the payments that come back.
    fn answer_messages(&mut self, now: i64) -> Vec<Answer> {
        let (due, later) = std::mem::take(&mut self.owed_messages).into_iter().partition(|(at, _)| *at <= now);
        self.owed_messages = later;
        let due: Vec<(i64, OwedMessage)> = due;
        let mut answers = Vec::new();
        for (_, owed) in due {
            let number = self.account.as_ref().map(|account| account.number.clone()).unwrap_or_default();
            if let (Some(account), OwedMessage::Return { id, amount, reason }) = (&mut self.account, &owed) {
                account.book_return(now, *amount, id, reason);
            }
            answers.extend(messages::written(&owed, &number, now, &mut self.next_file));
        }
        answers
    }

    /// Returns the answers that are due, each as a file, and forgets them.
    pub fn answer(&mut self, now: i64) -> Vec<Answer> {
        let (due, later) = std::mem::take(&mut self.owed).into_iter().partition(|owed: &Owed| owed.at <= now);
        self.owed = later;
        let due: Vec<Report> = due.into_iter().map(|owed| owed.report).collect();
        self.credit(&due, now);
        let mut answers = answers::files(due, now, &mut self.next_trace, &mut self.next_file);
        let acknowledged = std::mem::take(&mut self.acknowledged);
        answers.extend(acknowledged.iter().map(|one| one.written(&mut self.next_file)));
        answers.extend(self.answer_messages(now));
        answers.extend(self.account.iter_mut().flat_map(|account| account.statements(now)));
        answers
    }
}
