use super::ach_account::needed_ach_account;
use crate::apps;
use crate::bank_files;
use crate::engine::Command;
use crate::ids::TransferId;
use crate::ledger::{self, postings};
use crate::money::Cents;
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers::{self, Transfer, TransferJson, TransferKind};
use crate::world::{Halt, World};

/// POST /v2/apps/{app_id}/withdraw
///
/// If the organization limits the app's outgoing money, only the organization withdraws: withdrawals count towards no
/// limit, and the app's key may have set the bank account before there was a limit.
#[derive(Clone, Debug)]
pub struct Withdraw {
    pub scope: Scope,
    /// Cents.
    pub amount: Cents,
    pub metadata: Option<String>,
    /// Whether the request has the app's own key.
    pub by_app: bool,
}

impl Command for Withdraw {
    type Reply = TransferJson;

    fn decide(&self, world: &mut World) -> Result<TransferJson, Halt> {
        let Scope { org, app } = self.scope;
        let settings = &apps::find(world, self.scope)?.settings;
        if self.by_app && settings.0.limits_money_out() {
            let message = "The organization limits this app's outgoing money. Withdraw with an organization key.";
            return Err(Refusal::new(Code::OrganizationKeyRequired, message).into());
        }
        let account = needed_ach_account(world, self.scope)?;
        let way = bank_files::way_to(world, self.scope, &account, self.amount, "withdrawals")?;
        let id: TransferId = world.id();
        ledger::post(world, &postings::withdraw(self.scope, id, Platform::Ach, self.amount))?;

        // From here it must succeed.
        let transfer = Transfer::new(org, app, id, TransferKind::Refill, self.amount.negated(), world.now());
        let transfer = Transfer {
            platform: Some(Platform::Ach),
            bank_account: Some(account.id),
            arrives: self.amount,
            metadata: self.metadata.clone(),
            ..transfer
        };
        let transfer = transfers::open(world, transfer)?;
        let transfer = bank_files::hand_over(world, &way, transfer, &account.name)?;
        transfers::json(world, &transfer)
    }
}
