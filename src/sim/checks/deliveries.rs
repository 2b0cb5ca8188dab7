//! A phone or address receives no more links a day than the apps of its organization may send (25). The check counts
//! the queued messages, not the product's own counts.

use std::collections::{HashMap, HashSet};

use super::changed::{changed, written};
use crate::apps::App;
use crate::ids::{AppId, OrgId};
use crate::ledger::verify::Finding;
use crate::messages::{Message, Template};
use crate::store::memory::Change;

const DELIVERIES: u8 = 25;

#[derive(Default)]
pub(super) struct Deliveries {
    limits: HashMap<AppId, i64>,
    /// By organization and recipient: the newest day with a delivery, and its count.
    counted: HashMap<(OrgId, String), (String, i64)>,
    pub reached: u64,
}

impl Deliveries {
    pub(super) fn commit(&mut self, changes: &[Change]) -> Vec<Finding> {
        for app in written::<App>(changes) {
            self.limits.insert(app.id, app.settings.0.delivery_limits.per_recipient_per_day);
        }
        let queued = changed::<Message>(changes).filter(|change| change.before.is_none());
        let queued = queued.filter_map(|change| change.after);
        let queued: Vec<_> = queued.filter(|it| matches!(it.template.0, Template::ClaimLink { .. })).collect();
        // If several apps send in one commit, their order is unknown: the highest limit holds.
        let mut limits: HashMap<(OrgId, &str), i64> = HashMap::new();
        for message in &queued {
            let own = self.limits.get(&message.app).copied().unwrap_or(0);
            let limit = limits.entry((message.org, &message.recipient)).or_default();
            *limit = own.max(*limit);
        }
        let mut findings = Vec::new();
        let mut full = HashSet::new();
        for message in &queued {
            let day = message.created_at.date().to_string();
            let of = (message.org, message.recipient.clone());
            let (counted_on, count) = self.counted.entry(of).or_default();
            if *counted_on != day {
                (*counted_on, *count) = (day, 0);
            }
            *count += 1;
            let limit = limits.get(&(message.org, message.recipient.as_str())).copied().unwrap_or(0);
            if *count == limit {
                full.insert((message.org, &message.recipient));
            }
            if *count > limit {
                let what = format!("is delivery {count} of links to {} on {counted_on}", message.recipient);
                findings.push(Finding { invariant: DELIVERIES, what, place: format!("message {}", message.id) });
            }
        }
        self.reached += u64::try_from(full.len()).unwrap_or(0);
        findings
    }
}
