//! Payout link batches as apps send them: valid and invalid rows, repeated rows, and keys that were used for another
//! request.

use serde_json::{Value, json};

use super::{Clients, Sight, amount};
use crate::scope::Scope;
use crate::sim::chance::Chance;

/// The number of batches that are kept to be repeated.
const OLD_BATCHES: usize = 40;

impl Clients {
    pub(super) fn batch(&mut self, at: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<Vec<Value>> {
        let old: Vec<&Vec<Value>> =
            self.old_batches.iter().filter(|(scope, _)| *scope == at).map(|(_, rows)| rows).collect();
        if chance.one_in(4)
            && let Some(again) = chance.pick(&old)
        {
            return Some((*again).clone());
        }
        let repeated = chance.pick(&old).and_then(|rows| chance.pick(rows)).cloned();
        let size = if chance.one_in(20) { chance.between(10, 30) } else { chance.between(1, 4) };
        let mut rows: Vec<Value> = (0..size).filter_map(|_| self.row(sight, chance)).collect();
        if chance.one_in(3)
            && let Some(row) = repeated
            && !row["idempotency_key"].is_null()
        {
            rows.push(row);
        }
        if chance.one_in(10) {
            // A key of another row or of another request.
            let key = self.old_keys.iter().rev().find(|(scope, _)| *scope == at);
            rows[0]["idempotency_key"] = key.map_or(Value::Null, |(_, key)| json!(key));
        }
        if chance.one_in(15) {
            spoil(&mut rows, chance);
            return Some(rows);
        }
        self.old_batches.push_back((at, rows.clone()));
        let keys = rows.iter().filter_map(|row| row["idempotency_key"].as_str());
        self.old_keys.extend(keys.take(1).map(|key| (at, key.to_owned())));
        if self.old_batches.len() > OLD_BATCHES {
            self.old_batches.pop_front();
        }
        Some(rows)
    }

    fn row(&mut self, sight: &Sight<'_>, chance: &mut Chance) -> Option<Value> {
        let person = sight.stage.payee(chance)?;
        let key = (!chance.one_in(4)).then(|| super::uuid(chance));
        let method = if chance.one_in(5) { Some("link") } else { None };
        Some(json!({
            "first_name": person.first_name,
            "last_name": person.last_name,
            "country_code": person.phone.country_code(),
            "phone_number": person.phone.national(),
            "delivery_method": method,
            "amount_cents": amount(chance),
            "metadata": self.mark_of_row(),
            "idempotency_key": key,
        }))
    }
}

/// Adds an error to one row, for which the whole batch is refused.
fn spoil(rows: &mut Vec<Value>, chance: &mut Chance) {
    match chance.position(3) {
        0 => rows[0]["amount_cents"] = json!(0),
        1 => rows[0]["phone_number"] = json!("1"),
        _ => {
            let mut twice = rows[0].clone();
            twice["idempotency_key"] = json!("019a0000-0000-7000-8000-000000000000");
            rows.extend([twice.clone(), twice]);
        }
    }
}
