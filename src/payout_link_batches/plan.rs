//! The plan of a batch, which creates nothing (`?dry_run=true`).
//!
//! The plan runs the worker's commands, one row after the other, in a world that is read and never written, and rolls
//! them back. So it reports the same funds, limits and used keys as the worker would.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::model::{BatchStatus, PayoutLinkBatch, ValidatedRow, sum};
use super::row::made;
use crate::clock::DAY_SECONDS;
use crate::engine::Command;
use crate::fees::Party;
use crate::idempotency::{Once, StoredAnswer};
use crate::ids::{PayoutLinkBatchId, PayoutLinkId};
use crate::ledger::{self, Account};
use crate::money::Cents;
use crate::payout_links::PayoutLink;
use crate::payouts::{self, FeeRequest, Way};
use crate::phone::PhoneNumber;
use crate::platform::Platform;
use crate::scope::Scope;
use crate::screening::LookedUp;
use crate::users;
use crate::world::query::{Compare, Query};
use crate::world::record::{Cell, key, words};
use crate::world::{Halt, World};

/// The period in which links that resemble a row are searched.
const SIMILAR_WITHIN_SECONDS: i64 = 7 * DAY_SECONDS;
/// The most such links returned for a row.
const SIMILAR_MAX: usize = 3;

words! {
    /// The planned outcome of a row.
    pub enum PlannedOutcome {
        /// The row would create a link.
        Create = "create",
        /// The row's key has created its link before; no second one would be created.
        Repeat = "repeat",
        /// The row would fail; its error has the reason.
        Fail = "fail",
    }
}

/// The plan of a row.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = PlannedPayoutLinkBatchRow)]
pub struct PlannedRowJson {
    /// The row's position in the batch, from 0.
    pub row: i64,
    /// create, repeat, fail.
    pub outcome: PlannedOutcome,
    /// The link that the row's key created before.
    #[schema(required)]
    pub payout_link_id: Option<PayoutLinkId>,
    /// The code of the error.
    #[schema(required)]
    pub error_code: Option<String>,
    /// The message of the error.
    #[schema(required)]
    pub error_message: Option<String>,
    /// Whether the name resembles one on the sanctions list: its payee would be held for review.
    pub name_listed: bool,
    /// The likely rail: the payee's own choice if it is known, else ach.
    #[schema(value_type = String)]
    pub platform: Platform,
    /// Cents of fees that the payee would likely pay; null if the amount does not cover them.
    #[schema(required, value_type = Option<i64>)]
    pub user_fee_amount: Option<Cents>,
    /// Cents of fees that the app would likely pay.
    #[schema(required, value_type = Option<i64>)]
    pub platform_fee_amount: Option<Cents>,
    /// Earlier rows with the same payee and amount.
    pub similar_rows: Vec<i64>,
    /// Links of the last seven days to the same payee with the same amount; at most three.
    pub similar_payout_link_ids: Vec<PayoutLinkId>,
}

/// The plan of a batch.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = PayoutLinkBatchPlan)]
pub struct BatchPlanJson {
    /// Always true: the rows are well-formed.
    pub success: bool,
    /// Always true: nothing was created or stored.
    pub dry_run: bool,
    /// The batch of these rows, if they were submitted before.
    #[schema(required)]
    pub payout_link_batch_id: Option<PayoutLinkBatchId>,
    /// Its status. After submitted, another submission of these rows returns 409.
    #[schema(required)]
    pub payout_link_batch_status: Option<BatchStatus>,
    /// Rows that would create a link.
    pub creates: i64,
    /// Rows whose key has created its link before.
    pub repeats: i64,
    /// Rows that would fail.
    pub fails: i64,
    /// Cents in the app's wallet now.
    #[schema(value_type = i64)]
    pub balance_before: Cents,
    /// Cents in the app's wallet after the batch.
    #[schema(value_type = i64)]
    pub balance_after: Cents,
    /// Cents of fees that the app would likely pay after the links are claimed.
    #[schema(value_type = i64)]
    pub platform_fees: Cents,
    /// Cents of fees that the payees would likely pay.
    #[schema(value_type = i64)]
    pub user_fees: Cents,
    /// The plan of each row.
    pub rows: Vec<PlannedRowJson>,
    /// The rows as they were understood.
    pub validated_rows: Vec<ValidatedRow>,
}

/// Plans a batch. Each row comes with its request.
pub fn plan(
    world: &mut World,
    scope: Scope,
    names: &LookedUp,
    rows: &[(Once, ValidatedRow)],
    fingerprint: &[u8],
) -> Result<BatchPlanJson, Halt> {
    let before = world
        .find::<PayoutLinkBatch>(PayoutLinkBatch::BY_FINGERPRINT, key![scope.org, scope.app, fingerprint.to_vec()])?;
    let prospects = world.each(rows, |world, (_, row)| prospect(world, scope, names, row))?;

    let untouched = world.savepoint();
    let tried = try_all(world, scope, rows);
    world.roll_back(untouched);
    let tried = tried?;

    let similar_rows = similar_rows(rows);
    let planned: Vec<PlannedRowJson> = (0..)
        .zip(tried.outcomes.into_iter().zip(prospects).zip(similar_rows))
        .map(|(row, ((outcome, prospect), similar_rows))| planned(row, outcome, prospect, similar_rows))
        .collect();
    let count = |outcome| planned.iter().filter(|row| row.outcome == outcome).fold(0, |count, _| count + 1);
    let (creates, repeats, fails) =
        (count(PlannedOutcome::Create), count(PlannedOutcome::Repeat), count(PlannedOutcome::Fail));
    let user_fees = sum(planned.iter().filter_map(|row| row.user_fee_amount));
    let platform_fees = sum(planned.iter().filter_map(|row| row.platform_fee_amount));
    Ok(BatchPlanJson {
        success: true,
        dry_run: true,
        payout_link_batch_id: before.as_ref().map(|batch| batch.id),
        payout_link_batch_status: before.as_ref().map(|batch| batch.status),
        creates,
        repeats,
        fails,
        balance_before: tried.balance_before,
        balance_after: tried.balance_after,
        platform_fees,
        user_fees,
        rows: planned,
        validated_rows: rows.iter().map(|(_, row)| row.clone()).collect(),
    })
}

/// The outcome of a row: whether its key had been used, and its link or its error.
type Outcome = (bool, Result<PayoutLinkId, (String, String)>);

/// The outcomes of all rows, and the wallet's balance before and after.
struct Tried {
    outcomes: Vec<Outcome>,
    balance_before: Cents,
    balance_after: Cents,
}

/// Runs the request of each row as the worker would. This changes the world.
fn try_all(world: &mut World, scope: Scope, rows: &[(Once, ValidatedRow)]) -> Result<Tried, Halt> {
    let wallet = Account::AppWallet(scope.app);
    let balance_before = ledger::balance(world, scope.org, wallet)?;
    let now = world.now();
    let outcomes = world.each((0_u128..).zip(rows), |world, (account, (request, _))| {
        // As in the engine: a request that is repeated after a missing row was loaded generates the same ids.
        let mut seed = [0; 32];
        seed[..16].copy_from_slice(&account.to_be_bytes());
        world.begin(now, seed);
        let used = match &request.keyed {
            Some(keyed) => world.get::<StoredAnswer>(key![scope.org, keyed.scope, keyed.key])?.is_some(),
            None => false,
        };
        Ok(match world.attempt(|world| request.decide(world))? {
            Ok(answer) => (used, made(&answer)),
            Err(refusal) => (used, Err((refusal.code.as_str().to_owned(), refusal.message))),
        })
    })?;
    let balance_after = ledger::balance(world, scope.org, wallet)?;
    Ok(Tried { outcomes, balance_before, balance_after })
}

fn planned(row: i64, (used, made): Outcome, prospect: Prospect, similar_rows: Vec<i64>) -> PlannedRowJson {
    let (outcome, link, error) = match made {
        Ok(link) if used => (PlannedOutcome::Repeat, Some(link), None),
        // The id of a planned link is not returned, because the link will not exist.
        Ok(_) => (PlannedOutcome::Create, None, None),
        Err(error) => (PlannedOutcome::Fail, None, Some(error)),
    };
    let (error_code, error_message) = error.unzip();
    // Only a new link has fees or can be a duplicate.
    let (fees, similar_rows, similar_links) = match outcome {
        PlannedOutcome::Create => (prospect.fees, similar_rows, prospect.similar),
        PlannedOutcome::Repeat | PlannedOutcome::Fail => (None, Vec::new(), Vec::new()),
    };
    PlannedRowJson {
        row,
        outcome,
        payout_link_id: link,
        error_code,
        error_message,
        name_listed: prospect.name_listed,
        platform: prospect.platform,
        user_fee_amount: fees.map(|fees| fees.of_user),
        platform_fee_amount: fees.map(|fees| fees.of_app),
        similar_rows,
        similar_payout_link_ids: similar_links,
    }
}

#[derive(Clone, Copy)]
struct Fees {
    of_user: Cents,
    of_app: Cents,
}

struct Prospect {
    platform: Platform,
    fees: Option<Fees>,
    name_listed: bool,
    similar: Vec<PayoutLinkId>,
}

fn prospect(world: &mut World, scope: Scope, names: &LookedUp, row: &ValidatedRow) -> Result<Prospect, Halt> {
    let way = likely_way(world, scope, row)?;
    let asked = FeeRequest::default();
    let quoted = world.attempt(|world| payouts::quote(world, scope, &way, row.amount_cents, asked))?;
    Ok(Prospect {
        platform: quoted.as_ref().map_or(way.platform, |quote| quote.prices.platform),
        fees: quoted.ok().map(|quote| match quote.prices.party {
            Party::User => Fees { of_user: quote.charged.total, of_app: Cents::ZERO },
            Party::Platform => Fees { of_user: Cents::ZERO, of_app: quote.charged.total },
        }),
        name_listed: !names.hits(&name_of(row)).is_empty(),
        similar: similar_links(world, scope, row)?,
    })
}

/// Returns the first and last name, as far as they are given.
pub fn name_of(row: &ValidatedRow) -> String {
    let parts: Vec<&str> = [&row.first_name, &row.last_name].into_iter().flatten().map(String::as_str).collect();
    parts.join(" ")
}

/// Returns the default method of the payee, if that is a user of the app with a payout method; else ach.
fn likely_way(world: &mut World, scope: Scope, row: &ValidatedRow) -> Result<Way, Halt> {
    let otherwise = Way::by(Platform::Ach);
    let phone = row.as_new_link().payee.e164().and_then(|text| PhoneNumber::parse_e164(&text).ok());
    let Some(phone) = phone else { return Ok(otherwise) };
    let Some(user) = users::by_phone(world, scope.org, &phone.e164())? else { return Ok(otherwise) };
    // An app must not see the data that another app has about a user.
    if !users::is_connected(world, scope, user.id)? {
        return Ok(otherwise);
    }
    let method = users::default_payout_method(world, scope, user.id)?;
    Ok(method.map_or(otherwise, |method| Way::to(&method)))
}

/// Returns recent links to the same payee with the same amount, newest first.
fn similar_links(world: &mut World, scope: Scope, row: &ValidatedRow) -> Result<Vec<PayoutLinkId>, Halt> {
    let Some((column, payee)) = payee_column(row) else { return Ok(Vec::new()) };
    let since = world.now().plus_seconds(-SIMILAR_WITHIN_SECONDS);
    let links = Query::of::<PayoutLink>(scope.org.to_value(), "id", SIMILAR_MAX)
        .filter("app", Compare::Equal, scope.app.to_value())
        .filter(column, Compare::Equal, payee.to_value())
        .filter("amount", Compare::Equal, row.amount_cents.to_value())
        .filter("created_at", Compare::AtLeast, since.to_value());
    Ok(world.page::<PayoutLink>(&links)?.iter().map(|link: &Arc<PayoutLink>| link.id).collect())
}

/// Returns, for each row, the earlier rows with the same payee and amount.
fn similar_rows(rows: &[(Once, ValidatedRow)]) -> Vec<Vec<i64>> {
    let mut seen: HashMap<_, Vec<i64>> = HashMap::new();
    let before = (0..).zip(rows).map(|(account, (_, row))| match payee_column(row) {
        Some(payee) => {
            let alike = seen.entry((payee, row.amount_cents.get())).or_default();
            let before = alike.clone();
            alike.push(account);
            before
        }
        None => Vec::new(),
    });
    before.collect()
}

/// Returns the payee of a row, as a column of links to query and its value.
fn payee_column(row: &ValidatedRow) -> Option<(&'static str, String)> {
    let phone = row.as_new_link().payee.e164().map(|phone| ("payee_phone", phone));
    phone.or_else(|| Some(("payee_email", row.email.as_ref()?.to_lowercase())))
}
