//! Makes the link of one row, at most once.

use std::sync::Arc;

use serde_json::{Value, json};

use super::model::{BatchRow, PayoutLinkBatch, RowStatus, ValidatedRow, sum};
use crate::engine::Command;
use crate::http::idempotency::{Keyed, Once, Render, target};
use crate::http::{Answer, Content};
use crate::ids::{AppId, OrgId, PayoutLinkBatchId, PayoutLinkId};
use crate::jobs::{self, Job, Leased};
use crate::payout_links::{Create, DeliveryRequest, NewLink, NewToken, Payee, PayoutLink};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::strict_json::Json;
use crate::vault::Vault;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// Makes the link of a row and notes what came of it, in one commit.
///
/// Whatever was decided under the row's key before, by this batch, another one or a single request, is what comes
/// of the row. So it does not matter how often a row is run, by whom, and what died in between.
pub struct ProcessRow {
    /// The job that this is a part of.
    pub leased: Leased,
    /// The batch.
    pub batch: PayoutLinkBatchId,
    /// The row's place.
    pub number: i64,
    /// The request that the row stands for.
    pub make: Once<Create>,
}

impl Command for ProcessRow {
    type Reply = ();

    fn organization(&self) -> OrgId {
        self.leased.org
    }

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

/// The link that an answer shows, or the code and the words of its refusal. What was answered under a key is kept
/// as bytes, so it is read from them.
pub(super) fn made(answer: &Answer) -> Result<PayoutLinkId, (String, String)> {
    let body = match &answer.content {
        Content::Json(body) => serde_json::from_str(body).unwrap_or(Value::Null),
        Content::Empty | Content::Csv(_) | Content::Html(_) | Content::File { .. } => Value::Null,
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

/// The request to `POST /v2/payout-links` that a row stands for, under its key. A token that an attempt drew before
/// it died was shown to nobody, so each attempt may draw its own.
pub fn request(
    vault: &Arc<Vault>,
    scope: Scope,
    row: &ValidatedRow,
    token: NewToken,
    answer: Render<Arc<PayoutLink>>,
) -> Once<Create> {
    let keyed = Some(keyed(vault, scope.app, row));
    Once { org: scope.org, keyed, command: Ok(Create { scope, new: row.as_new_link(), token }), answer }
}

/// The key of that request.
fn keyed(vault: &Arc<Vault>, app: AppId, row: &ValidatedRow) -> Keyed {
    let target = target("POST /v2/payout-links", &[]);
    Keyed::of(vault, app.0, &row.idempotency_key.to_string(), target, &Json::from_serde(&body(row)))
}

/// The body of that request: the same fields in the same words, none that the row leaves empty.
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
    /// What its link is made of.
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
