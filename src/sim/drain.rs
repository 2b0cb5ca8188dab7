//! The end of a simulation: faults and new requests cease, and all work must finish (20).

use std::collections::HashMap;

use super::directory::is_poll;
use super::report::Violation;
use super::simulation::Simulation;
use crate::clock::{DAY_SECONDS, Time};
use crate::events;
use crate::funding::Debt;
use crate::ids::AppId;
use crate::jobs::Job;
use crate::ledger::verify::Finding;
use crate::ledger::{Hold, HoldState, LedgerAccount, LedgerAccountKind};
use crate::messages::{Message, MessageStatus};
use crate::payout_links::{LinkStatus, PayoutLink};
use crate::platform::Platform;
use crate::store::StoreError;
use crate::transfers::{Transfer, TransferStatus};
use crate::webhooks::{DeliveryStatus, WebhookDelivery, WebhookEndpoint};

/// The limits of steps and of days; work that is unfinished then counts as stuck. The last link expires
/// after 30 days, and a bank is polled each day.
const STEPS_MAX: u64 = 2_000_000;
const DAYS_MAX: i64 = 100;

/// The days of the end in which the bank still has faults: its answers come days after the payments.
const BANK_FAULT_DAYS: i64 = 15;

impl Simulation {
    /// Runs until all work is finished, past the expiry of the last link, and checks the rest.
    pub(super) fn drain(&mut self) -> Result<(), Box<Violation>> {
        self.draining = true;
        self.rail.sound = true;
        self.provider.sound = true;
        self.receiver.sound = true;
        let limit = self.steps + STEPS_MAX;
        let from = self.system.now();
        let calm_from = from.plus_seconds(BANK_FAULT_DAYS * DAY_SECONDS);
        let last = from.plus_seconds(DAYS_MAX * DAY_SECONDS);
        while !self.is_at_rest() {
            self.far.sound = self.system.now() >= calm_from;
            self.step()?;
            self.pass_to_next();
            if self.steps >= limit || self.system.now() >= last {
                let jobs = self.directory.jobs();
                let what = format!(
                    "{jobs} jobs are left after {STEPS_MAX} steps or {DAYS_MAX} days without a fault, and at the bank {}",
                    self.desk.left()
                );
                return Err(self.violation(Finding { invariant: 20, what, place: "jobs".to_owned() }));
            }
        }
        self.check_everything()?;
        if let Some(finding) = self.checks.left_over().or_else(|| self.bank_left_over()) {
            return Err(self.violation(finding));
        }
        match self.left_over() {
            Ok(None) => Ok(()),
            Ok(Some(finding)) => Err(self.violation(finding)),
            Err(error) => {
                let what = error.to_string();
                Err(self.violation(Finding { invariant: Finding::UNNUMBERED, what, place: "the store".to_owned() }))
            }
        }
    }

    fn is_at_rest(&self) -> bool {
        let rail_is_silent = self.rail.next_return().is_none();
        self.directory.jobs() == 0
            && self.directory.flagged.is_empty()
            && self.hands.is_empty()
            && !self.seals.is_rekeying()
            && rail_is_silent
            && self.clients.is_idle()
            && self.far.is_silent()
            && self.desk.is_empty()
    }

    /// Advances the clock to the next due time, if no work is due now.
    fn pass_to_next(&mut self) {
        let now = self.system.now();
        let next =
            [self.directory.next_due(), self.rail.next_return(), self.far.next_answer()].into_iter().flatten().min();
        if let Some(next) = next.filter(|next| *next > now && self.hands.is_empty()) {
            self.system.pass(seconds_to(now, next));
        }
    }

    /// Returns an object that should be final and is not.
    fn left_over(&self) -> Result<Option<Finding>, StoreError> {
        let (mut left, mut endpoints) = (Vec::new(), Vec::new());
        let mut find = |what: String, place: String| left.push(Finding { invariant: 20, what, place });
        self.system.reads().snapshot(|snapshot| {
            snapshot.each::<Job>(|job| {
                if !is_poll(job) {
                    find(format!("is left: {:?}", job.work.0), format!("job {}", job.id));
                }
                Ok(())
            })?;
            // A debt that the app cannot pay yet stays open on the rail's account.
            let mut owed: HashMap<(AppId, Platform), i64> = HashMap::new();
            snapshot.each::<Debt>(|debt| {
                *owed.entry((debt.app, debt.platform)).or_default() += debt.left_open.get();
                Ok(())
            })?;
            snapshot.each::<LedgerAccount>(|account| {
                use LedgerAccountKind::{AppCollected, AppHeld, Clearing, Unbooked};
                let must_be_empty = matches!(account.kind, Clearing | AppHeld | AppCollected | Unbooked);
                let at = account.app.zip(account.platform);
                let short_of = at.and_then(|at| owed.get(&at)).copied().unwrap_or(0);
                if must_be_empty && account.balance.get() != -short_of {
                    let what = format!("{} still holds {} cents", account.name(), account.balance);
                    find(format!("{what}; {short_of} are owed there"), account.id.to_string());
                }
                Ok(())
            })?;
            snapshot.each::<Hold>(|hold| {
                if hold.state == HoldState::Open {
                    find("is still open".to_owned(), format!("hold {}", hold.id));
                }
                Ok(())
            })?;
            snapshot.each::<Transfer>(|transfer| {
                if !is_final(transfer.status) {
                    find(format!("is still {}", transfer.status), format!("transfer {}", transfer.id));
                }
                Ok(())
            })?;
            snapshot.each::<Message>(|message| {
                if message.status == MessageStatus::Queued {
                    find("still waits to be sent".to_owned(), format!("message {}", message.id));
                }
                Ok(())
            })?;
            snapshot.each::<WebhookDelivery>(|delivery| {
                if delivery.status == DeliveryStatus::Pending {
                    find("is still pending".to_owned(), format!("webhook delivery {}", delivery.id));
                }
                Ok(())
            })?;
            snapshot.each::<WebhookEndpoint>(|endpoint| {
                endpoints.push(endpoint.clone());
                Ok(())
            })?;
            events::each(snapshot, |event| {
                let of_app = endpoints.iter().filter(|endpoint| endpoint.app == event.app);
                for endpoint in of_app.filter(|endpoint| endpoint.wants(event)) {
                    if !self.receiver.has_heard(endpoint.id, event.sequence) {
                        find("was not delivered".to_owned(), format!("event {} of app {}", event.sequence, event.app));
                    }
                }
                Ok(())
            })?;
            snapshot.each::<PayoutLink>(|link| {
                if !is_over(link.status) {
                    find(format!("is still {}", link.status), format!("payout link {}", link.id));
                }
                Ok(())
            })
        })?;
        Ok(left.into_iter().next())
    }
}

/// Returns whole seconds, rounded up, so that the time is past afterwards.
fn seconds_to(now: Time, then: Time) -> i64 {
    then.seconds_since(now).clamp(0, 400 * DAY_SECONDS) + 1
}

const fn is_final(status: TransferStatus) -> bool {
    match status {
        TransferStatus::Created | TransferStatus::Flagged | TransferStatus::Pending => false,
        TransferStatus::Completed | TransferStatus::Failed | TransferStatus::Reversed | TransferStatus::Canceled => {
            true
        }
    }
}

const fn is_over(status: LinkStatus) -> bool {
    match status {
        LinkStatus::Created
        | LinkStatus::FundsPending
        | LinkStatus::DeliveryPending
        | LinkStatus::DeliveryFailed
        | LinkStatus::Sent
        | LinkStatus::Delivered => false,
        LinkStatus::Claimed
        | LinkStatus::Reversed
        | LinkStatus::Canceled
        | LinkStatus::Expired
        | LinkStatus::Failed => true,
    }
}
