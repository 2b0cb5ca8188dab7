//! Working requests for files that banks sent.

use bursar::bank_intake::{BankItem, Findings, InboundFile, InboundStatus, ItemKind, ItemReason, ItemStatus};
use bursar::engine::Command;
use bursar::ids::{BankConnectionId, BankItemId, InboundFileId, MemberId, OrgId, TransferId};
use bursar::money::Cents;
use bursar::world::record::Document;
use bursar::world::{Halt, World};

use serde_json::{Value, json};

use super::bank_files::sent;
use super::banking::{acting, approved};
use super::{Sample, Stage};

/// Adds a file with one report that matches nothing, without its days of waiting.
#[derive(Clone, Debug)]
pub struct NewInboundFile {
    pub org: OrgId,
    pub connection: BankConnectionId,
    pub status: InboundStatus,
    /// The amount of the report.
    pub amount: Cents,
    /// The payout that a member has matched with the report.
    pub matched: Option<(TransferId, MemberId)>,
}

impl Command for NewInboundFile {
    type Reply = (InboundFileId, BankItemId);

    fn decide(&self, world: &mut World) -> Result<Self::Reply, Halt> {
        let (file, item, now): (InboundFileId, BankItemId, _) = (world.id(), world.id(), world.now());
        let (org, connection) = (self.org, self.connection);
        world.add(InboundFile {
            org,
            id: file,
            connection,
            name: "RETURNS.ach".to_owned(),
            size: 950,
            modified: None,
            // Of no bytes, which the file has: it can be read again.
            sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".to_owned(),
            status: self.status,
            duplicate_of: None,
            findings: Document(Findings::default()),
            items: i64::from(self.status == InboundStatus::Applied),
            reports_read: i64::from(self.status == InboundStatus::Applied),
            unmatched: i64::from(self.status == InboundStatus::Applied),
            uploaded_by: None,
            closed_by: None,
            evidence: None,
            version: 1,
            created_at: now,
            updated_at: now,
        });
        if self.status != InboundStatus::Applied {
            return Ok((file, item));
        }
        world.add(BankItem {
            org,
            id: item,
            inbound_file: file,
            connection,
            line: 3,
            kind: ItemKind::Return,
            code: "R02".to_owned(),
            bank_reason: None,
            trace: Some("011000010000001".to_owned()),
            amount: self.amount,
            individual_id: "7K3Q9X2M4T8V000".to_owned(),
            text: Some(String::new()),
            status: if self.matched.is_some() { ItemStatus::Matched } else { ItemStatus::Unmatched },
            reason: Some(ItemReason::UnknownTrace),
            transfer: self.matched.map(|(transfer, _)| transfer),
            bank_file: None,
            payout_method: None,
            matched_by: self.matched.map(|(_, by)| by),
            closed_by: None,
            closed_at: None,
            evidence: None,
            statement: None,
            settlement_account: None,
            booked_on: None,
            reference: None,
            meaning: None,
            booked_as: None,
            app: None,
            suspense: None,
            proposal: None,
            version: 1,
            created_at: now,
        });
        Ok((file, item))
    }
}

async fn new(stage: &Stage, new: NewInboundFile) -> (String, String) {
    let (file, item) = stage.server.bursar().engine.run(new.org, new).await.unwrap();
    (stage.share(&file.to_string()), stage.share(&item.to_string()))
}

/// Files of banks and their reports.
pub async fn bank_intake(stage: &Stage, operation: &str) -> Option<Sample> {
    let org = OrgId(stage.server.credentials()["organization"]["id"].as_str().unwrap().parse().unwrap());
    let file = async |status| {
        let connection = BankConnectionId(approved(stage).await.parse().unwrap());
        new(stage, NewInboundFile { org, connection, status, amount: Cents::new(1_000), matched: None }).await
    };
    let why = async || {
        let mut body: Value = acting(stage, "payer").await;
        body["reason"] = json!("By phone with J. Doe.");
        body
    };
    Some(match operation {
        "list_inbound_files" => Sample::bare().query("limit=100").shows(&file(InboundStatus::Applied).await.0),
        "upload_inbound_file" => {
            let mut body: Value = acting(stage, "payer").await;
            body["bank_connection_id"] = json!(approved(stage).await);
            body["name"] = json!(format!("FILE_{}.bai", stage.draw()));
            body["content"] = json!("aGVsbG8=");
            Sample::bare().json(body)
        }
        "get_inbound_file" => {
            let (file, _) = file(InboundStatus::Applied).await;
            Sample::at([&file]).shows(&file)
        }
        "list_bank_items" => Sample::bare().query("limit=100").shows(&file(InboundStatus::Applied).await.1),
        "replay_inbound_file" => {
            let (file, _) = file(InboundStatus::Quarantined).await;
            Sample::at([&file]).json(acting(stage, "payer").await).shows(&file)
        }
        "discard_inbound_file" => {
            let (file, _) = file(InboundStatus::Quarantined).await;
            Sample::at([&file]).json(why().await).shows(&file)
        }
        "ignore_bank_item" => {
            let (_, item) = file(InboundStatus::Applied).await;
            Sample::at([&item]).json(why().await).shows(&item)
        }
        "match_bank_item" | "approve_bank_item" => decided(stage, org, operation).await,
        _ => return None,
    })
}

/// A match of a return with a payout at the bank, or its approval.
async fn decided(stage: &Stage, org: OrgId, operation: &str) -> Sample {
    let (connection, transfer) = sent(stage).await;
    let is_match = operation == "match_bank_item";
    let admin = MemberId(acting(stage, "admin").await["acting_user_id"].as_str().unwrap().parse().unwrap());
    let matched = (!is_match).then_some((transfer, admin));
    let entry = stage.server.bursar().read(move |world| bursar::bank_files::entry(world, org, transfer)).await;
    let amount = entry.unwrap().expect("the payout is in a file").amount;
    let (_, item) =
        new(stage, NewInboundFile { org, connection, status: InboundStatus::Applied, amount, matched }).await;
    let mut body: Value = acting(stage, "payer").await;
    if is_match {
        body["transfer_id"] = json!(transfer);
        body["evidence"] = json!("By phone with J. Doe.");
    } else {
        body["version"] = json!(1);
    }
    Sample::at([&item]).json(body).shows(&item)
}
