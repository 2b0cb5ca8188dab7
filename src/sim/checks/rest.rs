//! No automatic payout goes to a method younger than its rest (24): a payout of a link whose payee has no claim session
//! goes to a method that rested for the hours of the app's setting. The age counts from the commit that added the
//! method, not from its row.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::super::requests::{Request, Wish};
use super::changed::{changed, written};
use crate::apps::App;
use crate::claims::ClaimSession;
use crate::clock::Time;
use crate::http::{Answer, Content};
use crate::ids::{AppId, OrgId, PayoutLinkId, PayoutMethodId, UserId};
use crate::ledger::verify::Finding;
use crate::payout_links::PayoutLink;
use crate::payout_methods::PayoutMethod;
use crate::program::Environment;
use crate::store::memory::Change;
use crate::transfers::{Transfer, TransferKind};
use crate::users::{AppUser, User};

const REST: u8 = 24;

/// How often the simulation reached each side of the rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::sim) struct Reached {
    /// Automatic payouts to methods that had rested, at apps where methods rest.
    pub rested: u64,
    /// Payouts that became links because the payee's default method was too young.
    pub became_links: u64,
    pub by_payee: u64,
}

#[derive(Default)]
pub(super) struct Rest {
    /// Seconds for which methods rest.
    seconds: HashMap<AppId, i64>,
    added: HashMap<PayoutMethodId, Time>,
    /// The default method of each profile with automatic payouts.
    automatic: HashMap<(AppId, UserId), PayoutMethodId>,
    by_phone: HashMap<(OrgId, String), UserId>,
    /// The payees who had a claim session at each link.
    sessions: BTreeSet<(PayoutLinkId, UserId)>,
    /// New links to payees whose default method is too young.
    young: HashSet<PayoutLinkId>,
    pub reached: Reached,
}

impl Rest {
    pub(super) fn commit(&mut self, changes: &[Change]) -> Vec<Finding> {
        for app in written::<App>(changes) {
            self.seconds.insert(app.id, app.settings.0.method_rest_seconds(Environment::Sandbox));
        }
        for method in written::<PayoutMethod>(changes) {
            self.added.entry(method.id).or_insert(method.created_at);
        }
        for user in written::<User>(changes) {
            self.by_phone.extend(user.phone_e164.clone().map(|phone| ((user.org, phone), user.id)));
        }
        for profile in written::<AppUser>(changes) {
            let of = (profile.app, profile.user_id);
            match profile.default_payout_method.filter(|_| profile.auto_payout_enabled) {
                Some(method) => drop(self.automatic.insert(of, method)),
                None => drop(self.automatic.remove(&of)),
            }
        }
        self.sessions.extend(written::<ClaimSession>(changes).map(|session| (session.link, session.user_id)));
        let payouts = changed::<Transfer>(changes).filter(|change| change.before.is_none());
        let payouts = payouts.filter_map(|it| it.after).filter(|it| it.kind == TransferKind::Payout);
        let findings = payouts.filter_map(|payout| self.payout(&payout)).collect();
        for link in changed::<PayoutLink>(changes).filter(|it| it.before.is_none()).filter_map(|it| it.after) {
            self.note_young(&link);
        }
        findings
    }

    /// Returns the fault of a new payout.
    fn payout(&mut self, payout: &Transfer) -> Option<Finding> {
        // A payout without a link names the payee's method in the app's request, so the rule does not apply.
        let (link, user, method) = (payout.payout_link?, payout.user_id?, payout.payout_method?);
        let is_young = self.is_young(payout.app, method, payout.created_at);
        if self.sessions.contains(&(link, user)) {
            self.reached.by_payee += u64::from(is_young);
            return None;
        }
        let rests = self.seconds.get(&payout.app).is_some_and(|seconds| *seconds > 0);
        self.reached.rested += u64::from(rests && !is_young);
        let what = "is paid automatically to a method younger than its rest (docs/decisions.md 17)".to_owned();
        is_young.then(|| Finding { invariant: REST, what, place: format!("transfer {}", payout.id) })
    }

    fn is_young(&self, app: AppId, method: PayoutMethodId, now: Time) -> bool {
        let rest = self.seconds.get(&app).copied().unwrap_or(0);
        self.added.get(&method).is_none_or(|added| now < added.plus_seconds(rest))
    }

    fn note_young(&mut self, link: &PayoutLink) {
        let phone = || self.by_phone.get(&(link.org, link.payee_phone.clone()?)).copied();
        let Some(user) = link.for_user.or_else(phone) else { return };
        let method = self.automatic.get(&(link.app, user)).copied();
        if method.is_some_and(|method| self.is_young(link.app, method, link.created_at)) {
            self.young.insert(link.id);
        }
    }

    /// Counts payouts that would have been automatic and became links.
    pub(super) fn answered(&mut self, request: &Request, answer: &Answer) {
        let (Wish::SendPayout(_), Content::Json(body)) = (&request.wish, &answer.content) else { return };
        let shown: Option<Value> = serde_json::from_str(body).ok();
        let id = shown.and_then(|shown| serde_json::from_value(shown["id"].clone()).ok());
        if id.is_some_and(|id| self.young.remove(&id)) {
            self.reached.became_links += 1;
        }
    }
}
