//! Writes files that were cut, delivers them to the bank, and records the outcomes of their payments.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, LazyLock};

use bursar_transports::Name;
use bursar_transports::publish::{
    End, Journal, NotCommitted, Order, Publishing, State, Stopped, Way, deliver, remove_strays,
};
use sha2::{Digest as _, Sha256};
use tokio::sync::oneshot;

use crate::bank_alarms;
use crate::bank_files::{
    self, Advance, BankFile, Begin, Contents, DeliveryFailed, FileStatus, Rest, Step, StopForBytes, Swept, Written,
};
use crate::bank_reversals::{self, JoinReversals};
use crate::bank_transports::Opened;
use crate::banking::TRANSPORT_MANUAL;
use crate::banking::connections::{self, BankConnection, ConnectionStatus};
use crate::engine::view;
use crate::ids::{BankFileId, BankReversalId, OrgId};
use crate::jobs::Leased;
use crate::program::Bursar;
use crate::refusal::{Code, Refusal};
use crate::settlements::{EndEntries, RefuseEntries, Waits};

/// Outcomes that are recorded in one commit.
const PAGE: usize = 100;
/// The wait before a file is sent again, in seconds.
const AGAIN_SECONDS: i64 = 60;

/// Records the next outcomes of a file.
pub(super) async fn end(bursar: &Bursar, leased: Leased, file: BankFileId) -> Result<(), Refusal> {
    let org = leased.org;
    let (after, entries) = bursar
        .read(move |world| {
            let file = bank_files::find(world, org, file)?;
            let page = bank_files::after(world, &file, file.ended_through, PAGE)?;
            Ok((file.ended_through, page.iter().map(|entry| entry.transfer).collect()))
        })
        .await?;
    match bursar.engine.run(org, EndEntries { leased, file, after, entries }).await? {
        None => {}
        Some(Waits::ForLine) => {
            count("unbooked");
            tracing::error!(%file, "the bank has not credited debits that a member marked as sent; ask the bank");
        }
        Some(Waits::ForOriginal) => {
            count("unbooked");
            tracing::error!(%file, "the bank refused the file of a payment that is reversed; move or cancel that file");
        }
        Some(Waits::ForMembers) => {
            count("contested");
            tracing::error!(%file, "the bank contests a file; ask the bank, then two members decide about it");
        }
        Some(Waits::ForAcknowledgement) => {
            count("unacknowledged");
            tracing::error!(%file, "the bank has not acknowledged a file; ask the bank, then two members decide about it");
        }
    }
    Ok(())
}

/// Reverses the next entries of a file.
pub(super) async fn reverse(bursar: &Bursar, leased: Leased, reversal: BankReversalId) -> Result<(), Refusal> {
    let org = leased.org;
    let (after, entries) = bursar
        .read(move |world| {
            let order = bank_reversals::find(world, org, reversal)?;
            let file = bank_files::find(world, org, order.file)?;
            let page = bank_files::after(world, &file, order.through, PAGE)?;
            Ok((order.through, page.iter().map(|entry| entry.transfer).collect()))
        })
        .await?;
    bursar.engine.run(org, JoinReversals { leased, reversal, after, entries }).await
}

type Build = Box<dyn FnOnce() + Send>;

/// Builds one file after another, on a thread of its own. The files of a day have their cut-offs at the same moment, and
/// each may have 100,000 payments: the next file uses the memory of the one before it again.
static BUILDER: LazyLock<Sender<Build>> = LazyLock::new(|| {
    let (builds, waiting) = channel::<Build>();
    std::thread::spawn(move || {
        for build in waiting {
            // A panic was logged; its caller notices that there is no answer.
            drop(catch_unwind(AssertUnwindSafe(build)));
        }
    });
    builds
});

type Built = (Arc<BankFile>, Arc<BankConnection>, Option<Contents>);

/// Returns a file with its connection, and with its contents if it may be sent.
async fn build(bursar: &Bursar, org: OrgId, id: BankFileId) -> Result<Built, Refusal> {
    let (reads, vault, now) = (bursar.reads.clone(), bursar.vault.clone(), bursar.clock.now());
    let (answer, answered) = oneshot::channel();
    let build = move || {
        let built = view(&reads, now, |world| {
            let file = bank_files::find(world, org, id)?;
            let connection = connections::find(world, org, file.connection)?;
            let contents =
                bank_files::may_be_sent(file.status).then(|| bank_files::contents(world, &vault, &file)).transpose()?;
            Ok((file, connection, contents))
        });
        drop(answer.send(built));
    };
    let bug = || Refusal::new(Code::InternalError, "A bug stopped the bank file.");
    BUILDER.send(Box::new(build)).map_err(|_| bug())?;
    answered.await.unwrap_or_else(|_| Err(bug()))
}

/// Writes a file, and delivers it unless it waits for a person.
pub(super) async fn send(bursar: &Bursar, leased: Leased, id: BankFileId) -> Result<(), Refusal> {
    let org = leased.org;
    let (file, connection, contents) = build(bursar, org, id).await?;
    let (file, bytes) = match contents {
        None => return rest(bursar, leased, None).await,
        Some(Contents::Unusable(entries)) if file.sha256.is_none() => {
            tracing::error!(file = %id, count = entries.len(), "entries of a bank file must not be sent: accounts are not \
                                                                 usable, or originals of reversals came back");
            return bursar.engine.run(org, RefuseEntries { leased, file: id, entries }).await;
        }
        Some(Contents::Unusable(_) | Contents::Erased) => return changed(bursar, leased, &file).await,
        Some(Contents::Nothing) => {
            bursar
                .engine
                .run(org, Written { leased: leased.clone(), file: id, version: file.version, bytes: None })
                .await?;
            return rest(bursar, leased, None).await;
        }
        Some(Contents::Bytes(bytes)) => {
            let hash = hexadecimal(&Sha256::digest(&bytes));
            let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
            let bytes_of = Some((size, hash.clone()));
            let written = Written { leased: leased.clone(), file: id, version: file.version, bytes: bytes_of };
            let file = bursar.engine.run(org, written).await?;
            if file.sha256.is_none() {
                return rest(bursar, leased, Some("a payment of the file changed while it was written".to_owned()))
                    .await;
            }
            if file.sha256.as_ref() != Some(&hash) {
                count("changed");
                tracing::error!(file = %id, "the records of a bank file give other bytes than its hash; its connection \
                                             is stopped");
                let again_at = bursar.clock.now().plus_seconds(AGAIN_SECONDS);
                return bursar.engine.run(org, StopForBytes { leased, file: id, again_at }).await;
            }
            (file, bytes)
        }
    };
    dispatch(bursar, leased, file, &connection, &bytes).await
}

async fn rest(bursar: &Bursar, leased: Leased, reason: Option<String>) -> Result<(), Refusal> {
    let again = reason.map(|reason| (bursar.clock.now().plus_seconds(AGAIN_SECONDS), reason));
    bursar.engine.run(leased.org, Rest { leased, again }).await
}

pub(super) fn count(outcome: &'static str) {
    metrics::counter!("bursar_bank_files_total", "outcome" => outcome).increment(1);
}

/// A payee of a written file was erased, or an account was changed in the store.
async fn changed(bursar: &Bursar, leased: Leased, file: &BankFile) -> Result<(), Refusal> {
    count("changed");
    tracing::error!(file = %file.id, "a bank file cannot be built again; move it into a later window, or cancel it");
    retry(bursar, leased, file, "the bytes of the file cannot be built again").await
}

/// A member takes the file to the bank, or releases it, which adds another job. Shortly before the bank's deadline it is an
/// alarm.
async fn wait_for_a_person(bursar: &Bursar, leased: Leased, file: &BankFile) -> Result<(), Refusal> {
    let due = file.submit_by.plus_seconds(-bank_alarms::BEFORE_DEADLINE_SECONDS);
    if bursar.clock.now() < due {
        let again = Some((due, "a member must release it or take it to the bank".to_owned()));
        return bursar.engine.run(leased.org, Rest { leased, again }).await;
    }
    count("unsent");
    tracing::error!(file = %file.id, "a bank file waits for a member, and the bank's deadline is near or over");
    rest(bursar, leased, None).await
}

/// Decides whether the server delivers a written file now.
async fn dispatch(
    bursar: &Bursar,
    leased: Leased,
    file: Arc<BankFile>,
    connection: &BankConnection,
    bytes: &[u8],
) -> Result<(), Refusal> {
    if connection.transport == TRANSPORT_MANUAL || file.must_wait_for_release() {
        return wait_for_a_person(bursar, leased, &file).await;
    }
    // After the deadline a file would settle on another day than it names.
    if file.status == FileStatus::Renaming && bursar.clock.now() >= file.submit_by {
        return end_at_deadline(bursar, leased, &file, connection).await;
    }
    if connection.status != ConnectionStatus::Approved {
        return rest(bursar, leased, Some(format!("the bank connection is {}", connection.status))).await;
    }
    let Some(mut opened) = bursar.transports.open(file.org, &connection.transport) else {
        count("failed");
        tracing::error!(file = %file.id, transport = connection.transport, "the configuration has no such transport");
        return retry(bursar, leased, &file, "the configuration does not have its transport").await;
    };
    let is_unpublished = matches!(file.status, FileStatus::Sealed | FileStatus::Sending);
    // Copies that earlier deliveries left would be payments for a bank that takes every file.
    let file = if file.unswept || is_unpublished && file.leases > 0 {
        if let Err(error) = remove_strays(&mut opened.transport, &file.id.to_string()).await {
            return failed(bursar, leased, &file, &error.to_string()).await;
        }
        if file.unswept {
            bursar.engine.run(file.org, Swept { leased: leased.clone(), file: file.id }).await?
        } else {
            file
        }
    } else {
        file
    };
    // A member moves it, or has taken it there.
    if bursar.clock.now() >= file.submit_by {
        count("late");
        tracing::error!(file = %file.id, "a bank file missed the bank's deadline; move it, or mark it as sent");
        return rest(bursar, leased, None).await;
    }
    let delivered = delivered(bursar, &leased, &file, &mut opened, bytes).await;
    if matches!(delivered, Ok(End::NameTaken | End::NotRenamed))
        && let Err(error) = remove_strays(&mut opened.transport, &file.id.to_string()).await
    {
        tracing::warn!(file = %file.id, reason = %error, "a copy of a bank file stays in the bank's folder until the retry");
    }
    opened.transport.close().await;
    match delivered {
        Ok(End::Sent) => {
            count("sent");
            rest(bursar, leased, None).await
        }
        Ok(End::InDoubt(doubt)) => {
            count("in_doubt");
            tracing::error!(file = %file.id, doubt = doubt.code(), advice = doubt.advice(), "a bank file is in doubt");
            rest(bursar, leased, None).await
        }
        Ok(End::NameTaken) => failed(bursar, leased, &file, "the bank's folder has a file of this name").await,
        Ok(End::NotRenamed) => failed(bursar, leased, &file, "the bank's server refused the final name").await,
        Err(Stopped::Stale) => {
            Err(Refusal::new(Code::ResourceBusy, "Another delivery or a member has changed the bank file."))
        }
        Err(stopped) => failed(bursar, leased, &file, &stopped.to_string()).await,
    }
}

/// Ends a delivery that did not end before the deadline: the bank has the file under its final name, or members ask it.
async fn end_at_deadline(
    bursar: &Bursar,
    leased: Leased,
    file: &BankFile,
    connection: &BankConnection,
) -> Result<(), Refusal> {
    let file = bursar.engine.run(file.org, Begin { leased: leased.clone(), file: file.id }).await?;
    let is_there = match bursar.transports.open(file.org, &connection.transport) {
        Some(mut opened) => {
            let is_there = is_published(&mut opened.transport, &file).await;
            opened.transport.close().await;
            is_there
        }
        None => false,
    };
    let step = if is_there { Step::Sent } else { Step::InDoubt(AT_DEADLINE) };
    bursar.engine.run(file.org, Advance { leased: leased.clone(), file: file.id, lease: file.leases, step }).await?;
    if is_there {
        count("sent");
    } else {
        count("in_doubt");
        tracing::error!(file = %file.id, doubt = AT_DEADLINE, "a bank file is in doubt; ask the bank whether it has it");
    }
    rest(bursar, leased, None).await
}

async fn is_published(transport: &mut bursar_transports::Transport, file: &BankFile) -> bool {
    let Ok(name) = Name::parse(file.name.as_deref().unwrap_or_default()) else { return false };
    let stat = transport.stat(&name).await;
    matches!(stat, Ok(Some(stat)) if i64::try_from(stat.size).ok() == file.size)
}

async fn failed(bursar: &Bursar, leased: Leased, file: &BankFile, reason: &str) -> Result<(), Refusal> {
    count("failed");
    tracing::warn!(file = %file.id, reason, "a bank file cannot be delivered; it is retried");
    retry(bursar, leased, file, reason).await
}

async fn retry(bursar: &Bursar, leased: Leased, file: &BankFile, reason: &str) -> Result<(), Refusal> {
    let (reason, again_at) = (reason.to_owned(), bursar.clock.now().plus_seconds(AGAIN_SECONDS));
    bursar.engine.run(leased.org, DeliveryFailed { leased, file: file.id, reason, again_at }).await
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _written = write!(text, "{byte:02x}");
        text
    })
}

/// Runs the publish protocol from the committed state of the file.
async fn delivered(
    bursar: &Bursar,
    leased: &Leased,
    file: &BankFile,
    opened: &mut Opened,
    bytes: &[u8],
) -> Result<End, Stopped> {
    let not_committed = |refusal: Refusal| Stopped::NotCommitted(refusal.message.to_string());
    let begin = Begin { leased: leased.clone(), file: file.id };
    let file = bursar.engine.run(file.org, begin).await.map_err(not_committed)?;
    let bad = |reason: &str| Stopped::NotCommitted(reason.to_owned());
    let name = Name::parse(file.name.as_deref().unwrap_or_default()).map_err(|error| bad(&error.to_string()))?;
    let way = if opened.direct {
        Way::Direct
    } else if opened.transport.renames_atomically().await? {
        Way::AtomicRename
    } else {
        Way::PlainRename
    };
    let lease = u64::try_from(file.leases).map_err(|_| bad("the number of the delivery is negative"))?;
    let order = Order::new(&file.id.to_string(), lease, name, bytes, way).map_err(|error| bad(&error.to_string()))?;
    let committed = committed(&file).ok_or_else(|| bad("the state of the file was changed"))?;
    let mut record = Record { bursar, leased, file: file.id };
    deliver(&mut opened.transport, &mut record, &order, bytes, committed, opened.read_back).await
}

/// Returns the state of the protocol that the file has.
pub(crate) fn committed(file: &BankFile) -> Option<State> {
    let temp = || file.temp_name.as_deref().and_then(|name| Name::parse(name).ok());
    match (file.status, file.way.as_deref()) {
        (FileStatus::Sealed, _) => Some(State::Sealed),
        (FileStatus::Sending, _) => Some(State::Sending),
        (FileStatus::Renaming, Some(ATOMIC)) => Some(State::Renaming(Publishing::Atomic { temp: temp()? })),
        (FileStatus::Renaming, Some(PLAIN)) => Some(State::Renaming(Publishing::Plain { temp: temp()? })),
        (FileStatus::Renaming, Some(DIRECT)) => Some(State::Renaming(Publishing::Direct)),
        (FileStatus::Renaming, Some(_) | None) => None,
        (
            FileStatus::Open
            | FileStatus::InDoubt
            | FileStatus::Sent
            | FileStatus::Rejected
            | FileStatus::Canceled
            | FileStatus::Dropped,
            _,
        ) => None,
    }
}

/// The doubt about a file whose delivery did not end before the deadline.
const AT_DEADLINE: &str = "deadline";
const ATOMIC: &str = "atomic";
const PLAIN: &str = "plain";
const DIRECT: &str = "direct";

/// Returns the step that commits a state of the protocol.
pub(crate) fn step_of(state: &State) -> Option<Step> {
    Some(match state {
        State::Sealed => return None,
        State::Sending => Step::Sending,
        State::Renaming(Publishing::Atomic { temp }) => {
            Step::Renaming { way: ATOMIC, temp_name: Some(temp.to_string()) }
        }
        State::Renaming(Publishing::Plain { temp }) => Step::Renaming { way: PLAIN, temp_name: Some(temp.to_string()) },
        State::Renaming(Publishing::Direct) => Step::Renaming { way: DIRECT, temp_name: None },
        State::Sent => Step::Sent,
        State::InDoubt(doubt) => Step::InDoubt(doubt.code()),
    })
}

/// Commits the states of the protocol.
struct Record<'a> {
    bursar: &'a Bursar,
    leased: &'a Leased,
    file: BankFileId,
}

impl Journal for Record<'_> {
    async fn commit(&mut self, lease: u64, state: &State) -> Result<(), NotCommitted> {
        let Some(step) = step_of(state) else { return Ok(()) };
        let lease = i64::try_from(lease).map_err(|_| NotCommitted::Stale)?;
        let advance = Advance { leased: self.leased.clone(), file: self.file, lease, step };
        self.bursar.engine.run(self.leased.org, advance).await.map_err(|refusal| {
            if refusal.code == Code::ResourceBusy {
                NotCommitted::Stale
            } else {
                NotCommitted::Failed(refusal.message.to_string())
            }
        })
    }
}
