use serde_json::json;

use super::organization::{self, OrganizationTransfer, OrganizationTransferJson};
use super::{Deposit, MoveBetween, SetAchAccount, Withdraw, ach_account};
use crate::apps::{self, app_in_path};
use crate::bank_accounts::{BankAccountJson, OwnAccountInput};
use crate::http::lists::{ListEnvelope, list_query, page};
use crate::http::route::route;
use crate::http::{Answer, Call, CredentialKind, Outcome, Route};
use crate::ids::AppId;
use crate::input::input;
use crate::input::types::{Amount, Metadata, SignedAmount};
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers::TransferJson;
use crate::world::Query;
use crate::world::record::Cell;

input! {
    /// A deposit to an app's wallet, or a withdrawal from it.
    pub struct NewRefill {
        /// Cents.
        pub amount: Amount,
        /// A note, returned unchanged.
        pub metadata: Option<Metadata>,
    }
}

/// POST /v2/apps/{app_id}/deposit
pub async fn deposit(call: Call) -> Outcome {
    let command = call.body::<NewRefill>().and_then(|new| {
        let metadata = new.metadata.map(|metadata| metadata.0);
        Ok(Deposit { scope: app_in_path(&call)?, amount: new.amount.0, metadata })
    });
    call.once(command, Answer::ok).await
}

/// POST /v2/apps/{app_id}/withdraw
pub async fn withdraw(call: Call) -> Outcome {
    let command = call.body::<NewRefill>().and_then(|new| {
        let metadata = new.metadata.map(|metadata| metadata.0);
        let by_app = call.caller.kind == CredentialKind::App;
        Ok(Withdraw { scope: app_in_path(&call)?, amount: new.amount.0, metadata, by_app })
    });
    call.once(command, Answer::ok).await
}

/// GET /v2/apps/{app_id}/ach-account
pub async fn show_ach_account(call: Call) -> Outcome {
    let scope = app_in_path(&call)?;
    let account = call
        .read(move |world| {
            apps::find(world, scope)?;
            let account = ach_account(world, scope)?.ok_or_else(|| Refusal::not_found("bank account of the app"))?;
            Ok(BankAccountJson::from(&*account))
        })
        .await?;
    Ok(Answer::ok(&account))
}

/// PUT /v2/apps/{app_id}/ach-account
pub async fn set_ach_account(call: Call) -> Outcome {
    let command = call.body::<OwnAccountInput>().and_then(|input| {
        let account = input.sealed(&call.bursar.vault, call.bursar.entropy().bytes());
        Ok(SetAchAccount { scope: app_in_path(&call)?, account, by_app: call.caller.kind == CredentialKind::App })
    });
    call.once(command, Answer::ok).await
}

input! {
    /// A movement between the organization and an app.
    pub struct NewOrganizationTransfer {
        /// The app; also a deleted one, from which the organization takes late returns.
        pub app_id: AppId,
        /// Cents: negative from the organization to the app, positive from the app to the organization.
        pub amount: SignedAmount,
        /// A note, returned unchanged.
        pub metadata: Option<Metadata>,
    }
}

/// POST /v2/organization-transfers
pub async fn create_organization_transfer(call: Call) -> Outcome {
    let command = call.body::<NewOrganizationTransfer>().map(|new| {
        let scope = Scope { org: call.caller.org, app: new.app_id };
        MoveBetween { scope, amount: new.amount.0, metadata: new.metadata.map(|metadata| metadata.0) }
    });
    call.once(command, Answer::ok).await
}

list_query! {
    /// The filters of the list of movements.
    pub struct OrganizationTransfersQuery {
        /// Return only movements with this app.
        pub app_id: Option<AppId>,
    }
}

/// GET /v2/organization-transfers
pub async fn list_organization_transfers(call: Call) -> Outcome {
    let org = call.caller.org;
    let asked: OrganizationTransfersQuery = call.query()?;
    let seen = call
        .read(move |world| {
            let own = Query::of::<OrganizationTransfer>(org.to_value(), "id", 1);
            let of_app = |query: Query| query.matching("app", asked.app_id);
            let page = page::<OrganizationTransfer>(world, own, &asked.asked(), of_app)?;
            let data: Vec<OrganizationTransferJson> =
                page.records.iter().map(|moved| organization::json(world, moved)).collect::<Result<_, _>>()?;
            Ok(ListEnvelope { has_more: page.has_more, data })
        })
        .await?;
    Ok(Answer::ok(&seen))
}

pub fn routes() -> Vec<Route> {
    let refill = json!({"amount": 500_000});
    let account = json!({"account_number": "123456789", "routing_number": "110000000"});
    vec![
        route!(Post "/v2/apps/{app_id}/deposit" AppOrOrganization "deposit_to_app" deposit)
            .about("Funding", "Deposit money from an app's bank account into its wallet")
            .describe("Debits the bank account. When the bank has paid, the money is in the wallet and the transfer is completed.")
            .takes::<NewRefill>()
            .example(refill.clone())
            .gives::<TransferJson>(200, "The transfer, of type refill.")
            .refuses(&[Code::NotFound, Code::UserInfoMissing, Code::InvalidState, Code::LimitExceeded]),
        route!(Post "/v2/apps/{app_id}/withdraw" AppOrOrganization "withdraw_from_app" withdraw)
            .about("Funding", "Withdraw money from an app's wallet to its bank account")
            .describe("Debits the wallet immediately; if the withdrawal fails, the money returns to the wallet. The transfer's amount is negative. Requires the organization's key if the app's settings limit outgoing money or require its approval.")
            .takes::<NewRefill>()
            .example(refill)
            .gives::<TransferJson>(200, "The transfer, of type refill.")
            .refuses(&[Code::NotFound, Code::UserInfoMissing, Code::InsufficientFunds, Code::OrganizationKeyRequired, Code::InvalidState, Code::LimitExceeded]),
        route!(Get "/v2/apps/{app_id}/ach-account" AppOrOrganization "get_app_ach_account" show_ach_account)
            .about("Funding", "Get an app's bank account")
            .describe("Returns the bank account with which the app deposits and withdraws, with a masked number.")
            .gives::<BankAccountJson>(200, "The bank account.")
            .refuses(&[Code::NotFound]),
        route!(Put "/v2/apps/{app_id}/ach-account" AppOrOrganization "set_app_ach_account" set_ach_account)
            .about("Funding", "Set an app's bank account")
            .describe(
                "Deposits debit this account and withdrawals credit it. It replaces the previous account; transfers \
                 in progress are not affected. Requires the organization's key in production, and if the app's \
                 settings limit payouts, bills, transfers or payments, or require their approval.",
            )
            .takes::<OwnAccountInput>()
            .example(account)
            .gives::<BankAccountJson>(200, "The bank account.")
            .refuses(&[Code::NotFound, Code::OrganizationKeyRequired]),
        route!(Post "/v2/organization-transfers" Organization "create_organization_transfer" create_organization_transfer)
            .about("Funding", "Move money between the organization and an app")
            .describe("A negative amount goes from the organization to the app, a positive amount from the app to the organization. The transfer completes immediately. Money that was returned to a deleted app can be moved to the organization too.")
            .takes::<NewOrganizationTransfer>()
            .example(json!({"app_id": "019a0000-0000-7000-8000-000000000000", "amount": -1000}))
            .gives::<OrganizationTransferJson>(200, "The transfer.")
            .refuses(&[Code::NotFound, Code::InsufficientFunds]),
        route!(Get "/v2/organization-transfers" Organization "list_organization_transfers" list_organization_transfers)
            .about("Funding", "List transfers between the organization and its apps")
            .describe("Lists the transfers between the organization's balance and the balances of its apps, newest first.")
            .asks::<OrganizationTransfersQuery>()
            .gives::<ListEnvelope<OrganizationTransferJson>>(200, "One page of the list."),
    ]
}
