//! Creates the link of one row, at most once.

use std::sync::Arc;

use serde_json::{Value, json};

use super::model::{BatchRow, PayoutLinkBatch, RowStatus, ValidatedRow, sum};
use crate::engine::Command;
use crate::idempotency::{Answer, Content, Keyed, Once, answering, target};
use crate::ids::{AppId, PayoutLinkBatchId, PayoutLinkId};
use crate::jobs::{self, Job, Leased};
use crate::originals::ORIGINALS;
use crate::payout_links::{Create, DeliveryRequest, NewLink, NewToken, Payee, PayoutLink};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::strict_json::Json;
use crate::vault::Vault;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// Creates the link of a row and records the outcome, in one commit.
///
/// The outcome is the one stored under the row's key, if this batch, another batch or a single request has used the key
/// before. So a row can run any number of times, on any worker, and after any crash.
pub struct ProcessRow {
    pub leased: Leased,
    pub batch: PayoutLinkBatchId,
    pub number: i64,
    pub make: Once,
}

impl Command for ProcessRow {
    type Reply = ();

    fn needs(&self) -> Vec<Want> {
        let org = self.leased.org;
        let own = [
            Want::row::<Job>(key![org, self.leased.id]),
            Want::row::<BatchRow>(key![org, self.batch, self.number]),
            Want::row::<PayoutLinkBatch>(key![org, self.batch]),
        ];
        own.into_iter().chain(self.make.needs()).collect()
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let org = self.leased.org;
        jobs::renew(world, &self.leased)?;
        let missing = || Refusal::not_found("row of a payout link batch");
        let row = world.get::<BatchRow>(key![org, self.batch, self.number])?.ok_or_else(missing)?;
        let batch = world.get::<PayoutLinkBatch>(key![org, self.batch])?.ok_or_else(missing)?;
        match row.status {
            RowStatus::Waiting => {}
            RowStatus::Succeeded | RowStatus::Failed => return Ok(()),
        }
        let made = match world.attempt(|world| self.make.decide(world))? {
            Ok(answer) => made(&answer),
            Err(refusal) => Err((refusal.code.as_str().to_owned(), refusal.message)),
        };

        // From here it must succeed.
        world.change(&batch, |batch| match &made {
            Ok(_) => {
                batch.succeeded += 1;
                batch.succeeded_amount = sum([batch.succeeded_amount, row.asked.0.amount_cents]);
            }
            Err(_) => batch.failed += 1,
        });
        world.change(&row, |row| match made {
            Ok(link) => {
                row.status = RowStatus::Succeeded;
                row.payout_link = Some(link);
            }
            Err((code, message)) => {
                row.status = RowStatus::Failed;
                (row.error_code, row.error_message) = (Some(code), Some(message));
            }
        });
        Ok(())
    }
}

/// Returns the link of a response, or the code and the message of its refusal. Stored responses are bytes, so it parses
/// them.
pub(super) fn made(answer: &Answer) -> Result<PayoutLinkId, (String, String)> {
    let body = match &answer.content {
        Content::Json(body) => serde_json::from_str(body).unwrap_or(Value::Null),
        Content::Empty | Content::Refusal(_) | Content::Csv(_) | Content::Html(_) | Content::File { .. } => Value::Null,
    };
    let text = |name: &str| body[name].as_str();
    if answer.status < 300
        && let Some(id) = text("id").and_then(|id| id.parse().ok())
    {
        return Ok(PayoutLinkId(id));
    }
    let word = |name, otherwise: &str| text(name).unwrap_or(otherwise).to_owned();
    Err((word("error_code", "internal-error"), word("message", "The stored response of this key has no link.")))
}

/// Returns the request to `POST /v2/payout-links` for a row, under the row's key. Each attempt may generate its own
/// token, because the token of a failed attempt was never shown.
pub fn request(
    vault: &Arc<Vault>,
    scope: Scope,
    row: &ValidatedRow,
    token: NewToken,
    answer: impl Fn(&Arc<PayoutLink>) -> Answer + Send + 'static,
) -> Once {
    let keyed = Some(keyed(vault, scope.app, row));
    let create = Create { scope, new: row.as_new_link(), token };
    Once { org: scope.org, keyed, command: Ok(answering(create, answer)) }
}

fn keyed(vault: &Arc<Vault>, app: AppId, row: &ValidatedRow) -> Keyed {
    let target = target("POST /v2/payout-links", &[]);
    let key = row.idempotency_key.to_string();
    Keyed::of(vault, ORIGINALS, app.0, &key, target, &Json::from_serde(&body(row)))
}

/// Returns the body of the request, without the row's empty fields.
fn body(row: &ValidatedRow) -> Value {
    let payee = [
        ("first_name", &row.first_name),
        ("last_name", &row.last_name),
        ("email", &row.email),
        ("country_code", &row.country_code),
        ("phone_number", &row.phone_number),
    ];
    let payee: serde_json::Map<String, Value> =
        payee.into_iter().filter_map(|(name, text)| Some((name.to_owned(), Value::String(text.clone()?)))).collect();
    let mut body = json!({"amount": row.amount_cents, "delivery": {"method": row.delivery_method}});
    if !payee.is_empty() {
        body["payee"] = Value::Object(payee);
    }
    if let Some(memo) = &row.memo {
        body["memo"] = json!(memo);
    }
    if let Some(metadata) = &row.metadata {
        body["metadata"] = metadata.clone();
    }
    if row.force_collect_compliance_information {
        body["force_collect_compliance_information"] = json!(true);
    }
    body
}

impl ValidatedRow {
    /// Returns the row as the fields of a new link.
    pub fn as_new_link(&self) -> NewLink {
        NewLink {
            payee: Payee {
                first_name: self.first_name.clone(),
                last_name: self.last_name.clone(),
                email: self.email.clone(),
                country_code: self.country_code.clone(),
                phone_number: self.phone_number.clone(),
            },
            delivery: DeliveryRequest { method: Some(self.delivery_method.into()), message: None },
            collect_compliance: self.force_collect_compliance_information,
            memo: self.memo.clone(),
            metadata: self.metadata.as_ref().map(Value::to_string),
            ..NewLink::of(self.amount_cents)
        }
    }
}
