//! Stores the statements of a file, and applies those that wait.

use crate::bank_files::Rest;
use crate::bank_intake::InboundFile;
use crate::bank_statements::{
    self, AppliedStatement, ApplyStatement, Content, KeepStatements, KeptStatements, MatchedStatements, Plan,
};
use crate::ids::SettlementAccountId;
use crate::jobs::Leased;
use crate::program::Bursar;
use crate::refusal::Refusal;

fn count(outcome: &'static str) {
    metrics::counter!("bursar_bank_statements_total", "outcome" => outcome).increment(1);
}

fn count_file(outcome: &'static str) {
    metrics::counter!("bursar_bank_inbound_total", "outcome" => outcome).increment(1);
}

/// Stores the statements of a file, or quarantines the file.
pub(super) async fn keep(bursar: &Bursar, leased: Leased, file: &InboundFile, bytes: &[u8]) -> Result<(), Refusal> {
    let (org, connection, vault) = (leased.org, file.connection, bursar.vault.clone());
    let reading = match bank_statements::read(bytes) {
        Ok(Content::Information) => Ok(MatchedStatements::default()),
        Ok(Content::Statements(statements)) => {
            bursar.read(move |world| bank_statements::matched(world, &vault, (org, connection), &statements)).await?
        }
        Err(findings) => Err(findings),
    };
    match bursar.engine.run(org, KeepStatements { leased, file: file.id, reading }).await? {
        KeptStatements::Before => {}
        KeptStatements::Quarantined => {
            count_file("quarantined");
            tracing::error!(file = %file.id, name = file.name, "a file of statements is in quarantine");
        }
        KeptStatements::Stored { statements, left_out } => {
            count_file("applied");
            if left_out > 0 {
                count_file("unmatched");
                tracing::error!(file = %file.id, left_out, "statements of accounts that are not set up are left out");
            }
            tracing::info!(file = %file.id, name = file.name, statements, "the statements of a file are stored");
        }
    }
    Ok(())
}

/// Applies the next statement of an account.
pub(super) async fn apply(bursar: &Bursar, leased: Leased, account: SettlementAccountId) -> Result<(), Refusal> {
    let org = leased.org;
    let command = match bursar.read(move |world| bank_statements::plan(world, org, account)).await? {
        Plan::Nothing => return bursar.engine.run(org, Rest { leased, again: None }).await,
        Plan::Stopped { statement, after, reason } => ApplyStatement { leased, statement, after, lines: Err(reason) },
        Plan::Apply { statement, after, lines } => ApplyStatement { leased, statement, after, lines: Ok(lines) },
    };
    let statement = command.statement;
    match bursar.engine.run(org, command).await? {
        AppliedStatement::Changed => {}
        AppliedStatement::Waiting => {
            count("waiting");
            tracing::error!(%statement, %account, "a statement waits for the one before it; ask the bank for it");
        }
        AppliedStatement::Quarantined => {
            count("quarantined");
            tracing::error!(%statement, %account, "the opening balance of a statement is not the closing balance \
                                                   before it; clarify it with the bank");
        }
        AppliedStatement::Now { lines, unmatched, debits_by_others } => {
            count("applied");
            tracing::info!(%statement, %account, lines, "a statement was applied");
            if unmatched > 0 {
                count("unmatched");
                tracing::error!(%statement, unmatched, "lines of a statement are in suspense; say what they are");
            }
            if debits_by_others > 0 {
                count("debit_by_other");
                tracing::error!(%statement, debits_by_others, "a third party debited a bank account; a bank returns \
                                                               such debits for about one banking day");
            }
        }
    }
    Ok(())
}
