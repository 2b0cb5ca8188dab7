//! Fetches the files of banks, and reads those that are stored.

use bursar_transports::intake::{Verdict, Waits, Watch, fetch};
use bursar_transports::{Entry, Error, Kind, Transport};
use sha2::{Digest as _, Sha256};

use super::bank_files::hexadecimal;
use crate::bank_alarms::{self, BankAlarmJson};
use crate::bank_files::{self, BankAnswer};
use crate::bank_intake::{
    self, Applied, ApplyInbound, InboundStatus, KeepInbound, Kept, NewItem, PAGE, PART_BYTES, Page, Reading, Reported,
    Target,
};
use crate::bank_transports::INBOUND_BYTES_MAX;
use crate::banking::connections::{self, EndPoll};
use crate::ids::{BankConnectionId, InboundFileId, OrgId};
use crate::jobs::Leased;
use crate::program::Bursar;
use crate::refusal::{Code, Refusal};
use crate::vault::Unsealed;

/// The wait between polls, in seconds.
const POLL_SECONDS: i64 = 900;
/// The wait between polls of a simulated bank: a move of the sandbox's clock stops at each.
const POLL_SANDBOX_SECONDS: i64 = 3_600;
/// The wait while a file is still written, or more files are left.
const POLL_AGAIN_SECONDS: i64 = 60;
/// Files that are fetched in one poll.
const FILES_MAX: usize = 20;

fn count(outcome: &'static str) {
    metrics::counter!("bursar_bank_inbound_total", "outcome" => outcome).increment(1);
}

/// Fetches the complete files of a bank that are not stored yet.
pub(super) async fn poll(bursar: &Bursar, leased: Leased, id: BankConnectionId) -> Result<(), Refusal> {
    let org = leased.org;
    let connection = bursar.read(move |world| connections::find(world, org, id)).await?;
    let of = connection.clone();
    // The files of the bank are fetched also if its alarms cannot be computed.
    match bursar.read(move |world| bank_alarms::alarms_of(world, &of)).await {
        Ok(alarms) => alarms.iter().for_each(report),
        Err(refusal) => {
            tracing::error!(connection = %id, reason = refusal.message, "the alarms of a bank cannot be computed");
        }
    }
    let simulated = bursar.transports.sandbox_bank(org, &connection.transport);
    let poll_seconds = if simulated.is_some() { POLL_SANDBOX_SECONDS } else { POLL_SECONDS };
    if let Some(folder) = simulated {
        super::sandbox_bank::answer(bursar, &connection, folder).await?;
    }
    let Some((mut transport, inbox)) = bursar.transports.open_inbound(org, &connection.transport) else {
        let reason = "the configuration has no inbound folder for its transport";
        return rest(bursar, leased, id, (POLL_SECONDS, reason), None).await;
    };
    let mut watch = inbox.lock().await;
    let polled = take(bursar, &leased, id, &mut transport, &mut watch).await;
    drop(watch);
    transport.close().await;
    match polled {
        Ok(true) => {
            let reason = "a file is not complete yet, or more files wait";
            rest(bursar, leased, id, (POLL_AGAIN_SECONDS, reason), None).await
        }
        Ok(false) => rest(bursar, leased, id, (poll_seconds, "the folder has no other files"), None).await,
        Err(Failed::Refused(refusal)) => Err(refusal),
        Err(Failed::Transport(error)) => {
            count("failed");
            tracing::warn!(connection = %id, reason = %error, "the files of a bank cannot be fetched; it is retried");
            rest(bursar, leased, id, (POLL_AGAIN_SECONDS, &error.to_string()), Some(error.kind)).await
        }
    }
}

/// Logs and counts an alarm, with each poll until its cause has ended.
fn report(alarm: &BankAlarmJson) {
    metrics::counter!("bursar_bank_alarms_total", "kind" => alarm.kind.as_str()).increment(1);
    tracing::error!(
        connection = %alarm.bank_connection_id,
        kind = alarm.kind.as_str(),
        file = alarm.bank_file_id.map(tracing::field::display),
        "{}",
        alarm.message
    );
}

enum Failed {
    Transport(Error),
    Refused(Refusal),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Transport(error)
    }
}

async fn rest(
    bursar: &Bursar,
    leased: Leased,
    connection: BankConnectionId,
    (seconds, reason): (i64, &str),
    failed: Option<Kind>,
) -> Result<(), Refusal> {
    let (again, reason) = (bursar.clock.now().plus_seconds(seconds), reason.to_owned());
    let failed = failed.map(|kind| kind.code().to_owned());
    bursar.engine.run(leased.org, EndPoll { leased, connection, again, reason, failed }).await
}

/// Returns whether to poll again soon.
async fn take(
    bursar: &Bursar,
    leased: &Leased,
    connection: BankConnectionId,
    transport: &mut Transport,
    watch: &mut Watch,
) -> Result<bool, Failed> {
    let listing = transport.list().await?;
    for name in &listing.unusable {
        tracing::warn!(%connection, name, "a file of a bank has a name that is not usable; rename it");
    }
    let (mut soon, mut fetched) = (false, 0);
    for verdict in watch.poll(&listing, INBOUND_BYTES_MAX) {
        match verdict {
            Verdict::Waiting(_, Waits::New | Waits::Growing) => soon = true,
            Verdict::Waiting(name, Waits::TooLarge) => {
                count("too_large");
                tracing::error!(%connection, %name, most = INBOUND_BYTES_MAX, "a file of a bank is too large to be \
                                                                               read; ask the bank for several files");
            }
            Verdict::Waiting(_, Waits::Temporary | Waits::Empty | Waits::NotAFile) | Verdict::Received(_) => {}
            Verdict::Ready(_) if fetched == FILES_MAX => soon = true,
            Verdict::Ready(entry) => match take_one(bursar, leased, connection, transport, &entry).await {
                Ok(is_new) => {
                    fetched += usize::from(is_new);
                    watch.received(&entry);
                }
                Err(Failed::Transport(error)) if is_of_file(error.kind) => {
                    count("failed");
                    tracing::warn!(%connection, reason = %error, "a file of a bank cannot be read; it is retried");
                    (soon, fetched) = (true, fetched + 1);
                }
                Err(failed) => return Err(failed),
            },
        }
    }
    Ok(soon)
}

/// Returns whether other files of the folder may still be read after an error.
const fn is_of_file(kind: Kind) -> bool {
    match kind {
        Kind::Permission
        | Kind::Exists
        | Kind::Missing
        | Kind::TooLarge
        | Kind::Changed
        | Kind::Refused
        | Kind::NoSpace => true,
        Kind::Unreachable | Kind::HostKey | Kind::SignIn | Kind::TimedOut | Kind::Protocol => false,
    }
}

fn size(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// Fetches and stores one file; returns whether its bytes were not known by name, size and time.
async fn take_one(
    bursar: &Bursar,
    leased: &Leased,
    connection: BankConnectionId,
    transport: &mut Transport,
    entry: &Entry,
) -> Result<bool, Failed> {
    let (org, name, stat) = (leased.org, entry.name.to_string(), entry.stat);
    let is_known = bursar.read({
        let name = name.clone();
        move |world| bank_intake::is_known(world, org, connection, &name, size(stat.size), stat.modified)
    });
    if is_known.await.map_err(Failed::Refused)? {
        return Ok(false);
    }
    let received = fetch(transport, entry).await?;
    let mut entropy = bursar.entropy();
    let parts = received.bytes.chunks(PART_BYTES).map(|part| Unsealed::new(&bursar.vault, part, entropy.bytes()));
    let keep = KeepInbound {
        leased: leased.clone(),
        connection,
        name,
        size: size(stat.size),
        modified: stat.modified,
        sha256: hexadecimal(&received.sha256),
        parts: parts.collect(),
    };
    match bursar.engine.run(org, keep).await.map_err(Failed::Refused)? {
        Kept::New => count("stored"),
        Kept::Duplicate => {
            count("duplicate");
            tracing::warn!(%connection, name = %entry.name, "a bank sent a file again under another name; it is not \
                                                             applied");
        }
        Kept::Known => {}
    }
    Ok(true)
}

/// Reads a stored file, and applies or quarantines it.
pub(super) async fn read(bursar: &Bursar, leased: Leased, id: InboundFileId) -> Result<(), Refusal> {
    let (org, vault) = (leased.org, bursar.vault.clone());
    let found = bursar.read(move |world| {
        let file = bank_intake::find(world, org, id)?;
        let bytes = bank_intake::bytes(world, &vault, &file)?;
        let connection = connections::find(world, org, file.connection)?;
        Ok((file, bytes, connection))
    });
    let (file, bytes, connection) = found.await?;
    let settings = &connection.settings.0;
    if file.sha256 != hexadecimal(&Sha256::digest(&bytes)) {
        tracing::error!(file = %id, "the stored bytes of a bank's file have another hash; run bursar verify");
        return Err(Refusal::new(Code::InternalError, "The stored bytes of a bank's file were changed."));
    }
    if !bank_intake::has_reports(&bytes, settings.identity.format()) {
        return super::bank_statements::keep(bursar, leased, &file, &bytes).await;
    }
    let reports = match bank_intake::read(&bytes, &settings.acknowledgements) {
        _ if file.status != InboundStatus::Stored => Vec::new(),
        Ok(reports) => reports,
        Err(findings) => {
            let reading = Reading::Refused(findings);
            bursar.engine.run(org, ApplyInbound { leased, file: id, reading }).await?;
            count("quarantined");
            tracing::error!(file = %id, name = file.name, "a file of a bank cannot be read and is in quarantine");
            return Ok(());
        }
    };
    drop(bytes);
    apply(bursar, leased, id, &reports).await
}

/// Applies the reports of a file page by page, from where the worker before this one ended.
async fn apply(bursar: &Bursar, leased: Leased, id: InboundFileId, reports: &[Reported]) -> Result<(), Refusal> {
    let org = leased.org;
    loop {
        let file = bursar.read(move |world| bank_intake::find(world, org, id)).await?;
        let from = file.reports_read;
        let (page, to, is_last) = bank_intake::page(reports, from, PAGE);
        let mut items = matched(bursar, &leased, file.connection, page).await?;
        // Statuses of payments in progress change nothing.
        items.retain(|item| !matches!(item.target, Target::Answer(_, BankAnswer::Accepted)));
        let reading = Reading::Items(Page { from, to, is_last, items });
        let rejected = match bursar.engine.run(org, ApplyInbound { leased: leased.clone(), file: id, reading }).await? {
            Applied::Page { rejected } => rejected,
            Applied::Whole { items, unmatched, rejected } => {
                count("applied");
                tracing::info!(file = %id, name = file.name, items, "a file of a bank was applied");
                if unmatched > 0 {
                    count("unmatched");
                    tracing::error!(file = %id, unmatched, "reports of a bank match no payment; clarify them with the bank");
                }
                rejected
            }
            Applied::Quarantined | Applied::Before => return Ok(()),
        };
        if rejected > 0 {
            super::bank_files::count("rejected");
            tracing::error!(file = %id, rejected, "a bank refused a file of payments; move or cancel it");
        }
        if is_last {
            return warn_of_rates(bursar, org).await;
        }
    }
}

/// Reports return rates of debits that are near their limits or above them.
async fn warn_of_rates(bursar: &Bursar, org: OrgId) -> Result<(), Refusal> {
    for rates in bursar.read(move |world| bank_files::return_rates(world, org)).await? {
        for (rate, found) in rates.alarming() {
            count("return_rate");
            let (originator, status) = (rates.originator_id, found.status.as_str());
            let (basis_points, limit) = (found.basis_points, found.limit_basis_points);
            tracing::error!(%originator, rate, status, basis_points, limit, "a return rate of debits is near its limit");
        }
    }
    Ok(())
}

async fn matched(
    bursar: &Bursar,
    leased: &Leased,
    connection: BankConnectionId,
    reports: &[Reported],
) -> Result<Vec<NewItem>, Refusal> {
    let (org, vault) = (leased.org, bursar.vault.clone());
    let mut entropy = bursar.entropy();
    let reports: Vec<(Reported, [u8; 24])> =
        reports.iter().map(|reported| (reported.clone(), entropy.bytes())).collect();
    let target = move |world: &mut crate::world::World| {
        world.each(&reports, |world, (reported, nonce)| {
            let target = bank_intake::target(world, &vault, (org, connection), reported, *nonce)?;
            Ok(NewItem { reported: reported.clone(), target })
        })
    };
    bursar.read(target).await
}
