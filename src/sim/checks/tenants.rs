//! Nothing crosses tenants (16): a commit changes rows only of the organizations whose commands it holds, and a row
//! references apps and users of its own organization only.

use std::collections::HashMap;

use uuid::Uuid;

use super::changed::written;
use crate::apps::App;
use crate::ids::OrgId;
use crate::ledger::verify::Finding;
use crate::store::memory::Change;
use crate::users::User;
use crate::world::{Value, ValueRef};

const REFERENCES: [&str; 8] =
    ["app", "user_id", "claimed_user", "payee_user", "for_user", "transfer", "link", "payout_link"];

/// The organization of each object.
#[derive(Default)]
pub(super) struct Tenants {
    owners: HashMap<Uuid, OrgId>,
}

impl Tenants {
    pub(super) fn commit(&mut self, changes: &[Change], organizations: &[OrgId]) -> Vec<Finding> {
        self.owners.extend(written::<App>(changes).map(|app| (app.id.0, app.org)));
        self.owners.extend(written::<User>(changes).map(|user| (user.id.0, user.org)));
        for change in changes.iter().filter(|change| ["transfers", "payout_links"].contains(&change.table.name)) {
            if let (Some(ValueRef::Id(org)), Some(ValueRef::Id(id))) = (change.key.get(0), change.key.get(1)) {
                self.owners.insert(id, OrgId(org));
            }
        }
        changes.iter().filter_map(|change| self.row(change, organizations)).collect()
    }

    fn row(&self, change: &Change, organizations: &[OrgId]) -> Option<Finding> {
        let Some(ValueRef::Id(org)) = change.key.first() else { return None };
        let org = OrgId(org);
        let finding =
            |what| Some(Finding { invariant: 16, what, place: format!("{} {:?}", change.table.name, change.key) });
        if !organizations.contains(&org) {
            return finding("was changed by a commit of other organizations".to_owned());
        }
        let row = change.after.as_ref()?;
        for (column, value) in change.table.columns.iter().zip(row) {
            if let Value::Id(id) = value
                && REFERENCES.contains(&column.name)
                && self.owners.get(id).is_some_and(|owner| *owner != org)
            {
                return finding(format!("names another organization's {} {id}", column.name));
            }
        }
        None
    }
}
