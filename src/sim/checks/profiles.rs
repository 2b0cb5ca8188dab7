//! Checks that an app moves no money or methods of another app's profile (docs/decisions.md 17). The rule has no number
//! among the invariants.

use std::collections::{BTreeSet, HashMap};

use super::changed::{changed, written};
use crate::claims::ClaimSession;
use crate::ids::{AppId, PayoutMethodId, UserId};
use crate::ledger::verify::Finding;
use crate::payout_methods::PayoutMethod;
use crate::store::memory::Change;
use crate::transfers::Transfer;
use crate::users::{AppUser, User};

/// The first owner of each payout method, and the apps that may act on each user.
#[derive(Default)]
pub(super) struct Profiles {
    owners: HashMap<PayoutMethodId, (AppId, UserId)>,
    /// The apps that were connected in an allowed way.
    connected: BTreeSet<(AppId, UserId)>,
}

impl Profiles {
    pub(super) fn commit(&mut self, changes: &[Change]) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut find = |what: &str, place: String| {
            findings.push(Finding { invariant: Finding::UNNUMBERED, what: what.to_owned(), place });
        };
        for method in written::<PayoutMethod>(changes) {
            let owner = *self.owners.entry(method.id).or_insert((method.app, method.user_id));
            if owner != (method.app, method.user_id) {
                find("went to another app or user (docs/decisions.md 17)", format!("payout method {}", method.id));
            }
        }
        let made: BTreeSet<UserId> =
            changed::<User>(changes).filter(|it| it.before.is_none()).filter_map(|it| Some(it.after?.id)).collect();
        let proven: BTreeSet<(AppId, UserId)> =
            written::<ClaimSession>(changes).map(|session| (session.app, session.user_id)).collect();
        for change in changed::<AppUser>(changes) {
            let Some(profile) = change.after else { continue };
            let place = format!("profile of user {} with app {}", profile.user_id, profile.app);
            let default = profile.default_payout_method.map(|method| self.owners.get(&method));
            if default.is_some_and(|owner| owner != Some(&(profile.app, profile.user_id))) {
                find("pays by a default method that is not its own (docs/decisions.md 17)", place.clone());
            }
            let connection = (profile.app, profile.user_id);
            if !profile.is_connected() {
                self.connected.remove(&connection);
            } else if made.contains(&profile.user_id) || proven.contains(&connection) {
                self.connected.insert(connection);
            } else if !self.connected.contains(&connection) {
                find("was connected on the app's own word (docs/decisions.md 17)", place);
            }
        }
        for transfer in changed::<Transfer>(changes).filter(|it| it.before.is_none()).filter_map(|it| it.after) {
            let (Some(method), Some(user)) = (transfer.payout_method, transfer.user_id) else { continue };
            if self.owners.get(&method) != Some(&(transfer.app, user)) {
                find(
                    "moves money by a method of another app or user (docs/decisions.md 17)",
                    format!("transfer {}", transfer.id),
                );
            }
        }
        findings
    }
}
