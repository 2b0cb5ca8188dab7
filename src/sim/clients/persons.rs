//! Requests about persons: valid and invalid tax forms, new names, allowed and forbidden reviews, and deletion.

use serde_json::{Value, json};

use super::{Clients, Sight, tax_form, user_of};
use crate::email::Email;
use crate::phone::PhoneNumber;
use crate::scope::Scope;
use crate::sim::chance::Chance;
use crate::sim::requests::Minding;
use crate::users::screening::Decision;

impl Clients {
    /// Returns an app's next request about a person or about itself.
    pub(super) fn minding(&mut self, at: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<Minding> {
        let user = user_of(at, sight, chance)?;
        Some(match chance.position(14) {
            0..=3 => Minding::TaxForm { user, form: tax_form(chance) },
            4 | 5 => {
                let renamed = chance.one_in(3);
                // Some names are on the sanctions list.
                let name = if chance.one_in(10) { "Test Sanctioned".to_owned() } else { self.name() };
                let email = Email::parse(&format!("{}@example.com", self.name().replace(' ', "-"))).ok();
                let mark = Some(self.mark());
                // A thief's phone: if the change is accepted, links of this user are sent to it.
                let phone = format!("{}", 2_127_365_000 + chance.between(0, 999));
                let phone = PhoneNumber::parse("1", &phone).ok().filter(|_| chance.one_in(12));
                let email = email.filter(|_| !renamed);
                Minding::Change { user, first_name: renamed.then_some(name), email, phone, mark }
            }
            6..=11 => {
                let (acting, _) = *chance.pick(sight.directory.members.get(&at.org)?)?;
                let reviewed = sight.directory.reviewed.iter().find(|(org, _)| *org == at.org);
                let user = reviewed.map_or(user, |(_, user)| *user);
                let decision = if chance.one_in(5) { Decision::Confirm } else { Decision::Clear };
                Minding::Review { user, acting, decision }
            }
            12 if chance.one_in(4) => Minding::Delete(user),
            _ => Minding::ReportApp(self.reported_app(chance)),
        })
    }

    fn name(&mut self) -> String {
        self.marks += 1;
        format!("Person {}", self.marks)
    }

    fn reported_app(&mut self, chance: &mut Chance) -> Value {
        let count = if chance.one_in(8) { 0 } else { chance.between(1, 4) };
        json!({"company_info": {"name": self.name(), "ein": "12-3456789", "ubo_count": count}})
    }
}
