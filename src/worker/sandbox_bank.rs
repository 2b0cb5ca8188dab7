//! The simulated bank of a sandbox: before each poll of its folder it takes our files, and writes its answers.

use std::io;
use std::path::{Path, PathBuf};

use crate::apps::App;
use crate::bank_statements::deposit_reference;
use crate::bankbox::{self, Account, Grain, StatementFormat};
use crate::banking::connections::BankConnection;
use crate::banking::settlement_accounts::{self, BookingGrain, StatementKind};
use crate::banking::{AcknowledgementKind, SetupStatus};
use crate::program::Bursar;
use crate::refusal::{Code, Refusal};
use crate::world::record::key;

/// The wire of an app that a new account begins with, in cents.
const WIRE: i64 = 100_000_000;

/// Lets the bank answer. If its folder cannot be written, the log has the reason, and the poll continues.
pub(super) async fn answer(bursar: &Bursar, connection: &BankConnection, folder: PathBuf) -> Result<(), Refusal> {
    let (org, id, vault) = (connection.org, connection.id, bursar.vault.clone());
    let accounts = bursar.read(move |world| settlement_accounts::of_connection(world, org, id)).await?;
    let mut opened = None;
    for account in accounts.iter().filter(|account| account.status == SetupStatus::Approved) {
        let format = match account.statement_kind {
            StatementKind::Bai2 => StatementFormat::Bai2,
            StatementKind::Camt053 => StatementFormat::Camt053,
            StatementKind::Manual => continue,
        };
        let grain = match account.booking_grain {
            BookingGrain::Entry => Grain::Entry,
            BookingGrain::Batch | BookingGrain::File | BookingGrain::Day => Grain::File,
        };
        let number = settlement_accounts::open(account, &vault)
            .map_err(|_| Refusal::new(Code::InternalError, "The sealed number of an account cannot be decrypted."))?;
        opened = opened.or(Some((number, format, grain)));
    }
    let apps = bursar.read(move |world| world.all::<App>(App::OF_ORG, key![org])).await?;
    let first = apps.iter().filter(|app| app.deleted_at.is_none()).min_by_key(|app| app.id);
    let funding = first.map(|app| format!("FUNDING {}", deposit_reference(org, app.id)));
    let acknowledges = connection.settings.0.acknowledgements.kind == AcknowledgementKind::Text;
    let now = bursar.clock.now().micros() / 1_000_000;
    let answered = tokio::task::spawn_blocking(move || answered(&folder, opened, funding, acknowledges, now)).await;
    if let Ok(Err(error)) = answered {
        tracing::error!(connection = %id, reason = %error, "the simulated bank of the sandbox cannot use its folder");
    }
    Ok(())
}

fn answered(
    folder: &Path,
    account: Option<(String, StatementFormat, Grain)>,
    funding: Option<String>,
    acknowledges: bool,
    now: i64,
) -> io::Result<()> {
    bankbox::with(folder, |bank| {
        if let Some((number, format, grain)) = account {
            let is_new = bank.balance().is_none();
            bank.keep(Account::open(&number, format, grain, 0, now));
            if let Some(text) = funding.filter(|_| is_new) {
                bank.wire(WIRE, &text, now);
            }
        }
        if acknowledges {
            bank.acknowledge();
        }
    })?;
    bankbox::tick(folder, now).map(drop)
}
