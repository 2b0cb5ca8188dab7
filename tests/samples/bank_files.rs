//! Working requests for files with payments.

use bursar::bank_files::{BankEntry, BankFile, EntryKind, EntryStatus, FilePurpose, FileStatus, Header};
use bursar::banking::connections;
use bursar::banking::originators::EntryClass;
use bursar::engine::Command;
use bursar::ids::{BankConnectionId, BankFileId, OrgId, OriginatorId, SettlementAccountId, TransferId};
use bursar::jobs;
use bursar::money::Cents;
use bursar::platform::Platform;
use bursar::rails::Direction;
use bursar::scope::Scope;
use bursar::transfers::{self, rules::TransferEvent};
use bursar::world::record::Document;
use bursar::world::{Halt, World};
use serde_json::{Value, json};
use uuid::Uuid;

use super::banking::{account, acting, approved, originator};
use super::{Sample, Stage};

/// Adds a file in a state, without its days of waiting.
#[derive(Clone, Debug)]
pub struct NewFile {
    pub org: OrgId,
    pub connection: BankConnectionId,
    pub originator: OriginatorId,
    pub settlement_account: SettlementAccountId,
    pub status: FileStatus,
    pub must_release: bool,
    /// The only payment.
    pub transfer: Option<TransferId>,
}

impl Command for NewFile {
    type Reply = BankFileId;

    fn decide(&self, world: &mut World) -> Result<BankFileId, Halt> {
        let connection = connections::find(world, self.org, self.connection)?;
        let (id, now) = (world.id(), world.now());
        let amount = match self.transfer {
            Some(transfer) => self.join(world, id, transfer)?,
            None => Cents::ZERO,
        };
        let identity = connection.settings.0.identity.clone();
        let (created_on, created_at) = ("2026-11-23".to_owned(), "17:30".to_owned());
        let (modifier, message_id) = ("A".to_owned(), None);
        let header = Header { identity, created_on, created_at, modifier, first_trace: 1, message_id };
        world.add(BankFile {
            org: self.org,
            id,
            connection: self.connection,
            originator: self.originator,
            settlement_account: self.settlement_account,
            platform: Platform::Ach,
            direction: Direction::Credit,
            purpose: FilePurpose::Payments,
            send_by: None,
            entry_class: Some(EntryClass::Ppd),
            status: self.status,
            window_name: "evening".to_owned(),
            window_at: now,
            submit_by: now.plus_seconds(1_800),
            effective_on: "2026-11-24".to_owned(),
            settles_at: now.plus_seconds(86_400),
            same_day: false,
            entries: i64::from(self.transfer.is_some()),
            credit: amount,
            entries_ever: i64::from(self.transfer.is_some()),
            header: Some(Document(header)),
            cuts: 1,
            first_trace: Some(1),
            name: Some(format!("ACME_{id}.ach")),
            size: Some(950),
            sha256: Some("ab".repeat(32)),
            must_release: self.must_release,
            uncovered: None,
            contested: None,
            decision: None,
            open_at: (self.status != FileStatus::Sent).then_some(self.connection),
            released_by: None,
            released_at: None,
            leases: 0,
            way: None,
            temp_name: None,
            doubt: None,
            unswept: false,
            failure: None,
            sealed_at: Some(now),
            sent_at: None,
            answer: None,
            returned: 0,
            unauthorized: 0,
            administrative: 0,
            refused: 0,
            refused_credit: Cents::ZERO,
            ended_through: None,
            debit_due: (self.status == FileStatus::Sent).then_some(self.settlement_account),
            debit_line: None,
            booked: 0,
            closed_by: None,
            evidence: None,
            version: 1,
            created_at: now,
            updated_at: now,
        });
        Ok(id)
    }
}

impl NewFile {
    fn join(&self, world: &mut World, file: BankFileId, id: TransferId) -> Result<Cents, Halt> {
        let found = world.get::<transfers::Transfer>(bursar::world::record::key![self.org, id])?;
        let found = found.expect("the payout was made");
        let transfer = transfers::find(world, Scope { org: self.org, app: found.app }, id)?;
        jobs::withdraw(world, self.org, bursar::ids::JobId(id.0))?;
        let now = world.now();
        transfers::advance(world, &transfer, TransferEvent::Submitted, |transfer| transfer.settles_at = Some(now))?;
        world.add(BankEntry {
            org: self.org,
            transfer: id,
            kind: EntryKind::Payment,
            of_transfer: None,
            follows: None,
            followed_by: None,
            reversal: None,
            file,
            number: 0,
            app: transfer.app,
            user_id: transfer.user_id,
            payout_method: transfer.payout_method,
            bank_account: transfer.bank_account,
            corrected_in: None,
            corrected_method: None,
            corrected_account: None,
            settlement_account: self.settlement_account,
            direction: Direction::Credit,
            amount: transfer.arrives,
            name: Some("JANE DOE".to_owned()),
            status: EntryStatus::Joined,
            answer: None,
            error: None,
            debit_line: None,
            credit_due: None,
            credit_line: None,
            created_at: now,
            ended_at: None,
        });
        Ok(transfer.arrives)
    }
}

fn id(text: &str) -> Uuid {
    text.parse().unwrap()
}

/// Returns a connection and a payout in a file at the bank.
pub(super) async fn sent(stage: &Stage) -> (BankConnectionId, TransferId) {
    let (connection, transfer, _) = paid(stage, FileStatus::Sent, false).await;
    (connection, transfer)
}

/// Returns the id of a new file.
async fn file(stage: &Stage, status: FileStatus, must_release: bool) -> String {
    paid(stage, status, must_release).await.2
}

async fn paid(stage: &Stage, status: FileStatus, must_release: bool) -> (BankConnectionId, TransferId, String) {
    let (user, _) = stage.banked().await;
    let order = json!({"user_id": user, "amount": 1_000, "platform": "ach", "fund": true});
    let payout = stage.server.post("/v2/payouts").app_key().json(order).send().await.expect(201).id();
    let connection = approved(stage).await;
    let (originator, account) = (originator(stage, &connection).await, account(stage, &connection).await);
    let org = OrgId(id(stage.server.credentials()["organization"]["id"].as_str().unwrap()));
    let (connection, transfer) = (BankConnectionId(id(&connection)), TransferId(id(&payout)));
    let new = NewFile {
        org,
        connection,
        originator: OriginatorId(id(&originator)),
        settlement_account: SettlementAccountId(id(&account)),
        status,
        must_release,
        transfer: Some(transfer),
    };
    let file = stage.server.bursar().engine.run(org, new).await.unwrap();
    (connection, transfer, stage.share(&file.to_string()))
}

/// Files and their payments.
pub async fn bank_files(stage: &Stage, operation: &str) -> Option<Sample> {
    let sealed = || file(stage, FileStatus::Sealed, false);
    Some(match operation {
        "list_bank_files" => Sample::bare().query("limit=100").shows(&sealed().await),
        "get_bank_file" => {
            let file = sealed().await;
            Sample::at([&file]).shows(&file)
        }
        "download_bank_file" => Sample::at([&sealed().await]),
        "list_return_rates" => {
            let connection = approved(stage).await;
            Sample::bare().shows(&originator(stage, &connection).await)
        }
        "list_bank_alarms" => Sample::bare().shows(&file(stage, FileStatus::Rejected, false).await),
        "list_bank_entries" => Sample::bare().query("limit=100").shows(&sealed().await),
        "release_bank_file" => {
            let file = file(stage, FileStatus::Sealed, true).await;
            Sample::at([&file]).json(acting(stage, "payer").await).shows(&file)
        }
        "mark_bank_file_sent" => marked(stage, &sealed().await).await,
        "mark_bank_file_unsent" => marked(stage, &file(stage, FileStatus::InDoubt, false).await).await,
        "decide_bank_file" => {
            let file = file(stage, FileStatus::Sent, false).await;
            let mut body: Value = acting(stage, "payer").await;
            (body["outcome"], body["evidence"]) = (json!("accepted"), json!("By phone with J. Doe."));
            Sample::at([&file]).json(body).shows(&file)
        }
        "redate_bank_file" => {
            let file = sealed().await;
            Sample::at([&file]).json(acting(stage, "payer").await).shows(&file)
        }
        "cancel_bank_file" => {
            let file = sealed().await;
            let mut body: Value = acting(stage, "payer").await;
            body["reason"] = json!("A mistyped company id.");
            Sample::at([&file]).json(body).shows(&file)
        }
        _ => return reversals(stage, operation).await,
    })
}

/// Reversals of a payout at the bank.
async fn reversals(stage: &Stage, operation: &str) -> Option<Sample> {
    let proposal = async || {
        let (_, transfer, file) = paid(stage, FileStatus::Sent, false).await;
        let mut body: Value = acting(stage, "payer").await;
        body["entry_id"] = json!(transfer);
        body["reason"] = json!("duplicate");
        body["found_at"] = json!(stage.server.now().to_string());
        body["evidence"] = json!("Order 4711 was paid twice.");
        (file, body)
    };
    let proposed = async || {
        let (file, body) = proposal().await;
        let path = format!("/v2/bank/files/{file}/reverse");
        stage.share(&stage.server.post(&path).as_org().json(body).send().await.expect(201).id())
    };
    Some(match operation {
        "propose_bank_reversal" => {
            let (file, body) = proposal().await;
            Sample::at([&file]).json(body)
        }
        "list_bank_reversals" => Sample::bare().query("limit=100").shows(&proposed().await),
        "get_bank_reversal" => {
            let reversal = proposed().await;
            Sample::at([&reversal]).shows(&reversal)
        }
        "approve_bank_reversal" => {
            let reversal = proposed().await;
            let mut body: Value = acting(stage, "admin").await;
            body["version"] = json!(1);
            Sample::at([&reversal]).json(body).shows(&reversal)
        }
        "dismiss_bank_reversal" => {
            let reversal = proposed().await;
            let mut body: Value = acting(stage, "payer").await;
            body["reason"] = json!("The payment was right.");
            Sample::at([&reversal]).json(body).shows(&reversal)
        }
        _ => return None,
    })
}

async fn marked(stage: &Stage, file: &str) -> Sample {
    let mut body: Value = acting(stage, "payer").await;
    body["evidence"] = json!("By phone with J. Doe.");
    Sample::at([file]).json(body).shows(file)
}
