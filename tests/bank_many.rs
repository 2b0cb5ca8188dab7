//! Many payments on one day: from the cut-off until the files are at the bank, in seconds, with bounded memory.
//!
//! `BURSAR_BANK_ENTRIES` sets their number: `make bank-long` has 100,000, and 1,000,000 are the bound of
//! docs/internals/performance.md. The payments are added by a command of the test, in their commits by the product's own
//! [`join`]; a million over HTTP would take an hour.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bursar::bank_files::{carrier, join};
use bursar::engine::Command;
use bursar::ids::{AppId, OrgId, PayoutMethodId, TransferId, UserId};
use bursar::money::Cents;
use bursar::payout_methods::{self, Details, PayoutMethod, Target, seal_context};
use bursar::platform::Platform;
use bursar::scope::Scope;
use bursar::transfers::{Transfer, TransferStatus, find};
use bursar::vault::Vault;
use bursar::worker;
use bursar::world::{Halt, World};
use bursar_formats::{Profile, nacha};
use tokio::sync::watch;

use crate::bank_files_transports::with_folder_of;
use crate::crash::setting;
use crate::harness::Server;
use crate::harness::postgres::aside;

/// The bound for a million payments.
const AT_MOST: Duration = Duration::from_secs(60);
const MEBIBYTES_AT_MOST: u64 = 512;
/// Payments of one commit.
const PART: u64 = 500;

/// Adds copies of a payment, each of another amount to another account.
#[derive(Clone)]
struct Fill {
    scope: Scope,
    transfer: TransferId,
    user: UserId,
    method: PayoutMethodId,
    first: u64,
    count: u64,
    vault: Arc<Vault>,
}

/// The amount of a payment, in cents.
fn amount(number: u64) -> i64 {
    i64::try_from(number % 97).unwrap() + 1
}

impl Fill {
    fn one(&self, world: &mut World, number: u64, from: (&Transfer, &PayoutMethod, &Details)) -> Result<(), Halt> {
        let (transfer, method, details) = from;
        let mut details = details.clone();
        let Target::UsBank { bank, .. } = &mut details.target else { panic!("the payee has an account at a US bank") };
        bank.account_number = format!("{:012}", 550_000_000_000 + number);
        let (id, now) = (world.id(), world.now());
        let mut method = PayoutMethod { id, created_at: now, ..method.clone() };
        let mut nonce = [1; 24];
        nonce[..8].copy_from_slice(&number.to_be_bytes());
        method.sealed_details = details.sealed(&self.vault, nonce).secret.seal(&seal_context(&method));
        let method = world.add(method);
        let amount = Cents::new(amount(number));
        let copy = Transfer { id: world.id(), payout_method: Some(method.id), created_at: now, ..transfer.clone() };
        let copy = world.add(Transfer { amount, arrives: amount, status: TransferStatus::Pending, ..copy });
        let carrier = carrier(world, self.scope, Platform::Ach, &method, amount)?.expect("the route is in force");
        join(world, &carrier, &copy, &format!("Payee {number}")).map(drop)
    }
}

impl Command for Fill {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let transfer = find(world, self.scope, self.transfer)?;
        let method = payout_methods::paid_to(world, self.scope.org, self.user, self.method)?;
        let details = Details::open(&method, &self.vault).expect("it is sealed by this program");
        (self.first..self.first + self.count)
            .try_for_each(|number| self.one(world, number, (&transfer, &method, &details)))
    }
}

/// Returns the most resident memory since the last call, in MiB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1_024
}

/// What the bank finds in its folder.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    files: usize,
    payments: usize,
    cents: u64,
    accounts: usize,
}

fn found(folder: &Path) -> Found {
    let (mut found, mut accounts) = (Found::default(), HashSet::new());
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        let (file, _) = nacha::read(&bytes, Profile::Strict).unwrap();
        found.files += 1;
        for payment in file.batches.iter().flat_map(|batch| &batch.entries) {
            found.payments += 1;
            found.cents += payment.amount;
            accounts.insert(payment.account.clone());
        }
    }
    Found { accounts: accounts.len(), ..found }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_payments_of_one_cut_off_are_at_the_bank_within_a_minute() {
    let count: u64 = setting("BURSAR_BANK_ENTRIES", 2_000);
    let folder = tempfile::tempdir().unwrap();
    let bank = with_folder_of(Server::sqlite().await, folder.path(), "").await;
    let paid = bank.pay(1_000, 100).await;
    let bursar = bank.server.bursar();
    let id = |name: &str| paid[name].as_str().unwrap().parse().unwrap();
    let org = OrgId(bank.server.credentials()["organization"]["id"].as_str().unwrap().parse().unwrap());
    let scope = Scope { org, app: AppId(bank.server.app_id().parse().unwrap()) };
    let (transfer, user) = (TransferId(id("id")), UserId(id("user_id")));
    let method = bursar.read(move |world| Ok(find(world, scope, transfer)?.payout_method.unwrap())).await.unwrap();
    let vault = bursar.vault.clone();
    let fill = Fill { scope, transfer, user, method, first: 0, count: PART, vault };
    // Some commits are in progress at a time.
    for first in (0..count).step_by(8 * usize::try_from(PART).unwrap()) {
        let parts = (first..count.min(first + 8 * PART)).step_by(usize::try_from(PART).unwrap());
        let parts = parts.map(|first| Fill { first, count: PART.min(count - first), ..fill.clone() });
        for done in futures::future::join_all(parts.map(|part| bursar.engine.run(org, part))).await {
            done.unwrap();
        }
    }
    let filled = memory();

    // From 10:00 to a minute after 17:30, with the program's own worker, which does many jobs at a time.
    let (stop, stopping) = watch::channel(false);
    let worker = worker::start(bursar.clone(), stopping);
    let begun = Instant::now();
    bank.server.advance(7 * 3_600 + 1_860);
    let mut files = bank.files().await;
    while !files.iter().all(|file| file["status"] == "sent") {
        assert!(begun.elapsed() < 2 * AT_MOST, "{files:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
        files = bank.files().await;
    }
    let took = begun.elapsed();
    let peak = memory();
    stop.send(true).unwrap();
    worker.await.unwrap();
    println!(
        "{count} payments in {} files at the bank {:.1} s after the cut-off; at most {peak} MiB of resident memory \
         ({filled} MiB while they were added)",
        files.len(),
        took.as_secs_f64()
    );
    let cents: i64 = 100 + (0..count).map(amount).sum::<i64>();
    let payments = usize::try_from(count).unwrap() + 1;
    let expected = Found { files: files.len(), payments, cents: cents.try_into().unwrap(), accounts: payments };
    assert_eq!(aside(|| found(folder.path())), expected);
    assert_eq!(files.iter().map(|file| file["credit"].as_i64().unwrap()).sum::<i64>(), cents);
    assert_eq!(files.len(), payments.div_ceil(100_000), "{files:?}");
    assert!(took < AT_MOST, "{took:?}");
    assert!(peak < MEBIBYTES_AT_MOST, "{peak} MiB");
}
