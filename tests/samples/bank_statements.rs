//! Working requests for statements of bank accounts, and for their lines.

use bursar::bank_intake::{
    BankItem, Findings, InboundFile, InboundStatus, ItemKind, ItemReason, ItemStatus, LineMeaning,
};
use bursar::bank_statements::{BankBalance, BankStatement, StatementStatus};
use bursar::clock::Time;
use bursar::engine::Command;
use bursar::ids::{BankConnectionId, BankItemId, BankStatementId, InboundFileId, OrgId, SettlementAccountId};
use bursar::ledger;
use bursar::money::Cents;
use bursar::world::record::Document;
use bursar::world::{Halt, World};
use serde_json::{Value, json};
use uuid::Uuid;

use super::banking::{account, acting, approved};
use super::{Sample, Stage};

/// Adds a statement with its file and one line, which is in suspense if the statement is applied.
#[derive(Clone, Debug)]
pub struct NewBankStatement {
    pub org: OrgId,
    pub connection: BankConnectionId,
    pub settlement_account: SettlementAccountId,
    pub status: StatementStatus,
}

impl NewBankStatement {
    fn line(
        &self,
        id: BankItemId,
        statement: BankStatementId,
        file: InboundFileId,
        amount: Cents,
        now: Time,
    ) -> BankItem {
        let is_applied = self.status == StatementStatus::Applied;
        BankItem {
            org: self.org,
            id,
            inbound_file: file,
            connection: self.connection,
            line: 4,
            kind: ItemKind::Line,
            code: "165".to_owned(),
            bank_reason: None,
            trace: None,
            amount,
            individual_id: String::new(),
            text: Some("WIRE".to_owned()),
            status: match self.status {
                StatementStatus::Applied => ItemStatus::Unmatched,
                StatementStatus::Discarded => ItemStatus::Ignored,
                StatementStatus::Waiting | StatementStatus::Quarantined => ItemStatus::Waiting,
            },
            reason: is_applied.then_some(ItemReason::UnknownLine),
            transfer: None,
            bank_file: None,
            payout_method: None,
            matched_by: None,
            closed_by: None,
            closed_at: None,
            evidence: None,
            statement: Some(statement),
            settlement_account: Some(self.settlement_account),
            booked_on: Some("2026-11-23".to_owned()),
            reference: Some(String::new()),
            meaning: Some(LineMeaning::Deposit),
            booked_as: None,
            app: None,
            suspense: is_applied.then_some(self.settlement_account),
            proposal: None,
            version: 1,
            created_at: now,
        }
    }

    fn file(&self, id: InboundFileId, now: Time) -> InboundFile {
        InboundFile {
            org: self.org,
            id,
            connection: self.connection,
            name: "STATEMENT.bai".to_owned(),
            size: 950,
            modified: None,
            sha256: id.to_string(),
            status: InboundStatus::Applied,
            duplicate_of: None,
            findings: Document(Findings::default()),
            items: 1,
            reports_read: 0,
            unmatched: 0,
            uploaded_by: None,
            closed_by: None,
            evidence: None,
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }
}

impl Command for NewBankStatement {
    type Reply = (BankStatementId, BankItemId);

    fn decide(&self, world: &mut World) -> Result<Self::Reply, Halt> {
        let (id, item, file, now): (BankStatementId, BankItemId, InboundFileId, _) =
            (world.id(), world.id(), world.id(), world.now());
        let (org, connection, settlement_account) = (self.org, self.connection, self.settlement_account);
        let is_applied = self.status == StatementStatus::Applied;
        let (amount, booked_on) = (Cents::new(5_000), "2026-11-23".to_owned());
        world.add(self.file(file, now));
        world.add(BankStatement {
            org,
            id,
            connection,
            settlement_account,
            inbound_file: file,
            booked_on: booked_on.clone(),
            reference: "1".to_owned(),
            sequence: None,
            opening: Cents::ZERO,
            closing: amount,
            lines: 1,
            credits: 1,
            credit: amount,
            debits: 0,
            debit: Cents::ZERO,
            status: self.status,
            reason: None,
            position: is_applied.then_some(1),
            applied_at: is_applied.then_some(now),
            confirmed_by: None,
            closed_by: None,
            evidence: None,
            version: 1,
            created_at: now,
            updated_at: now,
        });
        if is_applied {
            ledger::post(world, &ledger::postings::line_to_explain(org, settlement_account, amount))?;
            let (sequence, closing, statements) = (None, amount, 1);
            world.add(BankBalance { org, settlement_account, statement: id, booked_on, sequence, closing, statements });
        }
        world.add(self.line(item, id, file, amount, now));
        Ok((id, item))
    }
}

/// Statements, their lines, and reconciliations.
pub async fn bank_statements(stage: &Stage, operation: &str) -> Option<Sample> {
    let org = OrgId(stage.server.credentials()["organization"]["id"].as_str().unwrap().parse().unwrap());
    let id = |text: &str| -> Uuid { text.parse().unwrap() };
    let new = async |status| {
        let connection = approved(stage).await;
        let account = account(stage, &connection).await;
        let (connection, settlement_account) = (BankConnectionId(id(&connection)), SettlementAccountId(id(&account)));
        let new = NewBankStatement { org, connection, settlement_account, status };
        let (statement, item) = stage.server.bursar().engine.run(org, new).await.unwrap();
        (stage.share(&statement.to_string()), stage.share(&item.to_string()), account)
    };
    let why = async || {
        let mut body: Value = acting(stage, "payer").await;
        body["reason"] = json!("By phone with J. Doe.");
        body
    };
    Some(match operation {
        "list_bank_statements" => Sample::bare().query("limit=100").shows(&new(StatementStatus::Applied).await.0),
        "get_bank_statement" => {
            let (statement, ..) = new(StatementStatus::Applied).await;
            Sample::at([&statement]).shows(&statement)
        }
        "discard_bank_statement" => {
            let (statement, ..) = new(StatementStatus::Waiting).await;
            Sample::at([&statement]).json(why().await).shows(&statement)
        }
        "restore_bank_statement" => {
            let (statement, ..) = new(StatementStatus::Discarded).await;
            Sample::at([&statement]).json(why().await).shows(&statement)
        }
        "confirm_bank_statement" => {
            let (statement, ..) = new(StatementStatus::Waiting).await;
            let mut body: Value = acting(stage, "payer").await;
            body["evidence"] = json!("By phone with J. Doe.");
            Sample::at([&statement]).json(body).shows(&statement)
        }
        "list_deposit_references" => Sample::bare().shows(&stage.server.app_id()),
        "get_bank_reconciliation" => {
            let (statement, _, account) = new(StatementStatus::Applied).await;
            Sample::bare().query(format!("settlement_account_id={account}&on=2026-11-23")).shows(&statement)
        }
        "assign_bank_item" => {
            let (_, item, _) = new(StatementStatus::Applied).await;
            let mut body: Value = acting(stage, "payer").await;
            body["booked_as"] = json!("deposit");
            body["app_id"] = json!(stage.server.app_id());
            body["evidence"] = json!("By phone with J. Doe.");
            Sample::at([&item]).json(body).shows(&item)
        }
        "write_off_bank_item" | "explain_bank_item" => {
            let (_, item, _) = new(StatementStatus::Applied).await;
            Sample::at([&item]).json(why().await).shows(&item)
        }
        _ => return None,
    })
}
