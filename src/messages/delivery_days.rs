//! The deliveries of links on one UTC day, to one phone or address and by one app.
//!
//! Invariant: a delivery is counted in the commit that queues it, and no count is decreased, because a link that is
//! canceled later was still delivered. A recipient is counted across all apps of the organization, so that no app can
//! flood a phone. Each recipient has one row, which restarts with the first delivery of a day.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::apps;
use crate::clock::DAY_SECONDS;
use crate::ids::OrgId;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::{key, record};
use crate::world::{Halt, Want, World};

record! {
    /// Deliveries of the latest day with a delivery.
    pub struct DeliveryDay in "delivery_days" {
        key (org, counted);
        pub org: OrgId,
        /// A recipient; `app:` and an id for all deliveries of an app; `erased:` and three digits for erased
        /// recipients.
        pub counted: String,
        /// The day, `2026-01-31`.
        pub day_on: String,
        pub deliveries: i64,
    }
}

fn of_app(scope: Scope) -> String {
    format!("app:{}", scope.app)
}

/// Returns the key that counts an erased recipient for the rest of the day. All phones and addresses share 4,096 keys,
/// so a key does not identify a person, and a deleted user's count does not restart.
fn of_erased(recipient: &str) -> String {
    let hash = Sha256::digest(recipient);
    format!("erased:{:02x}{:x}", hash[0], hash[1] >> 4)
}

/// Returns the rows that [`count`] reads.
pub fn wants(scope: Scope, recipient: Option<String>) -> impl Iterator<Item = Want> {
    let counted = recipient.into_iter().flat_map(|recipient| [of_erased(&recipient), recipient]);
    counted.chain([of_app(scope)]).map(move |counted| Want::row::<DeliveryDay>(key![scope.org, counted]))
}

/// Counts one delivery of a link today. With `must` it ignores the limits, because the delivery was promised before.
///
/// # Errors
/// `limit-exceeded`, with the seconds until midnight UTC.
pub fn count(world: &mut World, scope: Scope, recipient: &str, must: bool) -> Result<(), Halt> {
    let limits = apps::find_even_deleted(world, scope)?.settings.0.delivery_limits;
    let today = world.now().date().to_string();
    let own = find(world, scope.org, recipient)?;
    // Without a limit, no count is needed and a payout writes one row less.
    let of_app_today = match limits.per_day {
        Some(_) => find(world, scope.org, &of_app(scope))?,
        None => None,
    };
    let before = match on(own.as_deref(), &today) {
        Some(deliveries) => deliveries,
        None => on(find(world, scope.org, &of_erased(recipient))?.as_deref(), &today).unwrap_or(0),
    };
    let by_app = on(of_app_today.as_deref(), &today).unwrap_or(0);
    if !must && before >= limits.per_recipient_per_day {
        return Err(refused(world, &format!("{before} links were delivered to this recipient today")));
    }
    if let Some(limit) = limits.per_day.filter(|limit| !must && by_app >= *limit) {
        return Err(refused(world, &format!("this app delivered {limit} links today")));
    }

    // From here it must succeed.
    set(world, own, scope.org, recipient, &today, before + 1);
    if limits.per_day.is_some() {
        set(world, of_app_today, scope.org, &of_app(scope), &today, by_app + 1);
    }
    Ok(())
}

fn find(world: &mut World, org: OrgId, counted: &str) -> Result<Option<Arc<DeliveryDay>>, Halt> {
    world.get::<DeliveryDay>(key![org, counted.to_owned()])
}

/// Returns the deliveries on a day; `None` if the row is of another day.
fn on(row: Option<&DeliveryDay>, day: &str) -> Option<i64> {
    row.filter(|row| row.day_on == day).map(|row| row.deliveries)
}

fn set(world: &mut World, row: Option<Arc<DeliveryDay>>, org: OrgId, counted: &str, day: &str, deliveries: i64) {
    let fresh = DeliveryDay { org, counted: counted.to_owned(), day_on: day.to_owned(), deliveries };
    match row {
        Some(row) => world.change(&row, |row| *row = fresh),
        None => world.add(fresh),
    };
}

fn refused(world: &World, what: &str) -> Halt {
    let wait = DAY_SECONDS - world.now().seconds().rem_euclid(DAY_SECONDS);
    let message = format!(
        "Nothing was delivered: {what}, which is the limit. Send the link after midnight UTC with a new idempotency \
         key, or deliver it yourself (delivery.method link). An organization key can change the app setting \
         delivery_limits."
    );
    Refusal::new(Code::LimitExceeded, message)
        .because(Reason::DailyLimit)
        .retry_after(u32::try_from(wait).unwrap_or(u32::MAX))
        .into()
}

/// Removes an erased recipient from the counts; today's deliveries still count.
pub fn forget(world: &mut World, org: OrgId, recipient: &str) -> Result<(), Halt> {
    let Some(own) = find(world, org, recipient)? else { return Ok(()) };
    let today = world.now().date().to_string();
    if let Some(deliveries) = on(Some(&own), &today) {
        let erased = find(world, org, &of_erased(recipient))?;
        let most = on(erased.as_deref(), &today).unwrap_or(0).max(deliveries);
        set(world, erased, org, &of_erased(recipient), &today, most);
    }
    world.remove(&own);
    Ok(())
}
