//! Read-only endpoints of the ledger: trial balance, ledger accounts, their entries, transactions.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::account::LedgerAccountKind;
use super::balances::{sides, trial_balance};
use super::model::{CURRENCY, Entry, LedgerAccount, Transaction, TransactionKind};
use crate::clock::Time;
use crate::http::lists::{ListEnvelope, PageRequest, list_query, page, page_of_several};
use crate::http::route::route;
use crate::http::{Answer, Call, Caller, Outcome, Route};
use crate::ids::{AppId, LedgerAccountId, UserId};
use crate::input::input;
use crate::input::types::word_input;
use crate::money::Cents;
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::world::record::{Cell, key};
use crate::world::{Halt, Query, World};
use uuid::Uuid;

word_input!(TransactionKind);
word_input!(LedgerAccountKind);

input! {
    /// Selects a trial balance.
    pub struct TrialBalanceQuery {
        /// The moment of the balances; now by default.
        pub as_of: Option<Time>,
    }
}

/// The balances of all ledger accounts at a moment.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TrialBalanceJson {
    /// The moment of the balances.
    #[schema(value_type = String, format = DateTime)]
    pub as_of: Time,
    /// Always USD.
    pub currency: &'static str,
    /// The ledger accounts that were open then, in the order in which they were opened.
    pub accounts: Vec<BalanceJson>,
    /// The sum of the balances, in cents.
    #[schema(value_type = i64, example = 0)]
    pub total: i128,
    /// Whether the sum is zero, as it must be.
    pub balanced: bool,
}

/// The balance of a ledger account.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BalanceJson {
    /// The id of the ledger account.
    pub id: LedgerAccountId,
    /// The display name of the ledger account.
    pub name: String,
    /// The type of the ledger account.
    #[serde(rename = "type")]
    pub kind: LedgerAccountKind,
    /// The balance in cents.
    #[schema(value_type = i64)]
    pub balance: Cents,
}

pub async fn show_trial_balance(call: Call) -> Outcome {
    let query: TrialBalanceQuery = call.query()?;
    let (org, app, now) = (call.caller.org, call.caller.app, call.bursar.clock.now());
    let as_of = query.as_of.unwrap_or(now);
    let balances = call.read(move |world| trial_balance(world, org, app, as_of)).await?;
    let total: i128 = balances.iter().map(|(_, balance)| i128::from(balance.get())).sum();
    let balance = |(account, balance): &(Arc<LedgerAccount>, Cents)| {
        let (id, name, kind) = (account.id, account.name(), account.kind);
        BalanceJson { id, name, kind, balance: *balance }
    };
    let accounts = balances.iter().map(balance).collect();
    Ok(Answer::ok(&TrialBalanceJson { as_of, currency: CURRENCY, accounts, total, balanced: total == 0 }))
}

list_query! {
    /// Selects ledger accounts.
    pub struct LedgerAccountsQuery {
        /// Only ledger accounts of this type.
        pub kind as "type": Option<LedgerAccountKind>,
        /// Only this user's wallets.
        pub user_id: Option<UserId>,
    }
}

/// A ledger account with its balance.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LedgerAccountJson {
    /// The id of the ledger account.
    pub id: LedgerAccountId,
    /// When the account was opened, by its first entry.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The display name of the ledger account.
    pub name: String,
    /// The type of the ledger account.
    #[serde(rename = "type")]
    pub kind: LedgerAccountKind,
    /// The app in whose part of the ledger the account is; null in the organization's own part.
    #[schema(required)]
    pub app_id: Option<AppId>,
    /// The user whose wallet it is.
    #[schema(required)]
    pub user_id: Option<UserId>,
    /// The rail whose clearing account it is.
    #[schema(required)]
    pub platform: Option<Platform>,
    /// The balance in cents.
    #[schema(value_type = i64)]
    pub balance: Cents,
    /// Always USD.
    pub currency: String,
    /// The number of entries.
    pub entry_count: i64,
    /// When the balance changed last.
    #[schema(value_type = String, format = DateTime)]
    pub updated: Time,
}

fn account_json(account: &LedgerAccount) -> LedgerAccountJson {
    LedgerAccountJson {
        id: account.id,
        created: account.created_at,
        name: account.name(),
        kind: account.kind,
        app_id: account.app,
        user_id: account.user,
        platform: account.platform,
        balance: account.balance,
        currency: account.currency.clone(),
        entry_count: account.entries,
        updated: account.changed_at,
    }
}

/// Returns an account that the caller may read: an app its own, an organization all of its own.
fn find_account(world: &World, caller: &Caller, id: LedgerAccountId) -> Result<Arc<LedgerAccount>, Halt> {
    let account = world.get::<LedgerAccount>(key![caller.org, id])?;
    let seen = account.filter(|account| caller.app.is_none() || account.app == caller.app);
    Ok(seen.ok_or_else(|| Refusal::not_found("ledger account"))?)
}

/// Selects all accounts that the caller may read, in the order in which they were opened.
fn accounts_of(caller: &Caller) -> Query {
    Query::of::<LedgerAccount>(caller.org.to_value(), "number", 1).matching("app", caller.app)
}

/// Converts cursors, which are ids as in all lists, to the numbers by which the list is ordered.
fn by_number(world: &World, caller: &Caller, asked: PageRequest) -> Result<PageRequest<i64>, Halt> {
    let number = |cursor: Option<Uuid>, name: &str| -> Result<Option<i64>, Halt> {
        let Some(id) = cursor else { return Ok(None) };
        match find_account(world, caller, LedgerAccountId(id)) {
            Ok(account) => Ok(Some(account.number)),
            Err(Halt::Refuse(_)) => {
                let message = "is not a ledger account of this list";
                Err(Refusal::field(Code::InvalidInput, name, message).into())
            }
            Err(load @ Halt::Load(_)) => Err(load),
        }
    };
    Ok(PageRequest {
        limit: asked.limit,
        starting_after: number(asked.starting_after, "starting_after")?,
        ending_before: number(asked.ending_before, "ending_before")?,
        created_after: asked.created_after,
        created_before: asked.created_before,
        ascending: asked.ascending,
    })
}

pub async fn list_accounts(call: Call) -> Outcome {
    let query: LedgerAccountsQuery = call.query()?;
    let caller = call.caller.clone();
    let list = call
        .read(move |world| {
            let asked = by_number(world, &caller, query.asked())?;
            let found = page::<LedgerAccount>(world, accounts_of(&caller), &asked, |accounts| {
                accounts.matching("kind", query.kind).matching("user", query.user_id)
            })?;
            Ok(found.envelope(account_json))
        })
        .await?;
    Ok(Answer::ok(&list))
}

pub async fn show_account(call: Call) -> Outcome {
    let id: LedgerAccountId = call.id("account_id", "ledger account")?;
    let caller = call.caller.clone();
    let account = call.read(move |world| find_account(world, &caller, id)).await?;
    Ok(Answer::ok(&account_json(&account)))
}

list_query! {
    /// Selects entries.
    pub struct EntriesQuery by i64 {}
}

/// One side of a transaction, in its ledger account.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EntryJson {
    /// The number of the transaction; unique within the ledger account.
    pub id: i64,
    /// When the entry was posted.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The ledger account.
    pub account_id: LedgerAccountId,
    /// The transaction.
    pub transaction_id: i64,
    /// Cents; negative if money left the account.
    #[schema(value_type = i64)]
    pub amount: Cents,
    /// The balance after the entry, in cents.
    #[schema(value_type = i64)]
    pub balance_after: Cents,
}

fn entry_json(entry: Entry) -> EntryJson {
    EntryJson {
        id: entry.number,
        created: entry.created_at,
        account_id: entry.account,
        transaction_id: entry.number,
        amount: entry.amount,
        balance_after: entry.balance_after,
    }
}

pub async fn list_entries(call: Call) -> Outcome {
    let id: LedgerAccountId = call.id("account_id", "ledger account")?;
    let query: EntriesQuery = call.query()?;
    let caller = call.caller.clone();
    let list = call
        .read(move |world| {
            let account = find_account(world, &caller, id)?;
            let found = page_of_several::<Transaction>(world, &sides(&account), &query.asked(), |side| side)?;
            let entries = found.records.iter().filter_map(|transaction| transaction.entry_in(account.id));
            Ok(ListEnvelope { has_more: found.has_more, data: entries.map(entry_json).collect() })
        })
        .await?;
    Ok(Answer::ok(&list))
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/ledger/trial-balance" AppOrOrganization "show_trial_balance" show_trial_balance)
            .about("Ledger", "Get the trial balance, now or at a past time")
            .describe("Returns the balances of the calling app; with an organization key and no Api-App-Id, those of the whole organization.")
            .asks::<TrialBalanceQuery>()
            .gives::<TrialBalanceJson>(200, "The trial balance."),
        route!(Get "/v2/ledger/accounts" AppOrOrganization "list_ledger_accounts" list_accounts)
            .about("Ledger", "List ledger accounts")
            .describe("Lists the ledger accounts with their balances.")
            .asks::<LedgerAccountsQuery>()
            .gives::<ListEnvelope<LedgerAccountJson>>(200, "One page of the list, the newest account first."),
        route!(Get "/v2/ledger/accounts/{account_id}" AppOrOrganization "show_ledger_account" show_account)
            .about("Ledger", "Get a ledger account")
            .describe("Returns one ledger account with its balance.")
            .gives::<LedgerAccountJson>(200, "The ledger account.")
            .refuses(&[Code::NotFound]),
        route!(Get "/v2/ledger/accounts/{account_id}/entries" AppOrOrganization "list_ledger_entries" list_entries)
            .about("Ledger", "List the entries of a ledger account")
            .describe("Lists entries, newest first. An entry has the number of its transaction; starting_after and ending_before take that number.")
            .asks::<EntriesQuery>()
            .gives::<ListEnvelope<EntryJson>>(200, "One page of the list.")
            .refuses(&[Code::NotFound]),
    ]
}
