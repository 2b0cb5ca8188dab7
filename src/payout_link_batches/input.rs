//! A batch as it is sent: every row is checked, and everything that is wrong is told at once, with its place.

use std::collections::HashMap;

use serde_json::{Value as Schema, json};
use uuid::{Builder, Uuid};

use super::model::{RowDelivery, ValidatedRow};
use crate::email::Email;
use crate::http::input::{Fields, Input, Problems, gather, input, wrong};
use crate::http::inputs::{Amount, CallingCode, LongText, Metadata, Name, NationalNumber, word_input};
use crate::payout_links::PayeeInput;
use crate::strict_json::Json;
use crate::vault::{Purpose, Vault};

/// Rows of a batch at most (docs/specification.md 15).
pub const ROWS_MAX: usize = 500;

word_input!(RowDelivery);

/// Metadata that is an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataObject(pub serde_json::Value);

impl Input for MetadataObject {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        if !matches!(json, Json::Object(_)) {
            return Err(wrong(at, format!("must be an object, not {}", json.kind())));
        }
        Metadata::read(json, at)?;
        Ok(Self(json.to_serde()))
    }
    fn schema() -> Schema {
        json!({"type": "object"})
    }
}

input! {
    /// One link of a batch.
    pub struct RowInput {
        /// First name.
        pub first_name: Option<Name>,
        /// Last name.
        pub last_name: Option<Name>,
        /// E-mail address; needed for delivery_method email.
        pub email: Option<Email>,
        /// Country calling code, digits; needed with phone_number.
        pub country_code: Option<CallingCode>,
        /// Phone number within its country; needed with country_code, and for delivery_method sms.
        pub phone_number: Option<NationalNumber>,
        /// email, link or sms. By default sms where a phone is known, else email where an address is, else link.
        pub delivery_method: Option<RowDelivery>,
        /// Cents.
        pub amount_cents: Amount,
        /// Memo; becomes the link's.
        pub memo: Option<LongText>,
        /// The key under which the row makes its link, as with POST /v2/payout-links. A row without one gets a
        /// key that is made of the batch's content.
        pub idempotency_key: Option<Uuid>,
        /// Metadata: an object. Becomes the link's, as its text.
        pub metadata: Option<MetadataObject>,
        /// Ask for a tax form whatever the amount.
        pub force_collect_compliance_information: Option<bool>,
    }
}

/// A row whose fields fit together, its key still as it was sent.
#[derive(Clone, Debug)]
pub struct RowRequest {
    /// All but the key, which is nil where none was sent.
    row: ValidatedRow,
    /// The key that was sent.
    key: Option<Uuid>,
}

impl Input for RowRequest {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let given = RowInput::read(json, at)?;
        let payee = PayeeInput {
            first_name: given.first_name,
            last_name: given.last_name,
            email: given.email,
            country_code: given.country_code,
            phone_number: given.phone_number,
        };
        let payee = payee.into_payee(at)?;
        let (phone, email) = (payee.phone_number.is_some(), payee.email.is_some());
        let delivery_method = given.delivery_method.unwrap_or(match (phone, email) {
            (true, _) => RowDelivery::Sms,
            (false, true) => RowDelivery::Email,
            (false, false) => RowDelivery::Link,
        });
        match delivery_method {
            RowDelivery::Email if !email => {
                return Err(wrong(&format!("{at}/email"), "is required if delivery_method is email"));
            }
            RowDelivery::Sms if !phone => {
                return Err(wrong(&format!("{at}/phone_number"), "is required if delivery_method is sms"));
            }
            RowDelivery::Email | RowDelivery::Sms | RowDelivery::Link => {}
        }
        let row = ValidatedRow {
            first_name: payee.first_name,
            last_name: payee.last_name,
            email: payee.email,
            country_code: payee.country_code,
            phone_number: payee.phone_number,
            delivery_method,
            amount_cents: given.amount_cents.0,
            memo: given.memo.map(|memo| memo.0),
            idempotency_key: given.idempotency_key.unwrap_or_default(),
            metadata: given.metadata.map(|metadata| metadata.0),
            force_collect_compliance_information: given.force_collect_compliance_information.unwrap_or(false),
        };
        Ok(Self { row, key: given.idempotency_key })
    }
    fn schema() -> Schema {
        RowInput::schema()
    }
}

/// 1 to 500 rows, no two with one key.
#[derive(Clone, Debug)]
pub struct Rows(Vec<RowRequest>);

impl Input for Rows {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        if let Json::List(rows) = json {
            if !(1..=ROWS_MAX).contains(&rows.len()) {
                return Err(wrong(at, format!("must have 1 to {ROWS_MAX} rows, not {}", rows.len())));
            }
            problems = repeated_keys(rows, at);
        }
        let rows = gather(Vec::<RowRequest>::read(json, at), &mut problems);
        rows.filter(|_| problems.is_empty()).map(Self).ok_or(problems)
    }
    fn schema() -> Schema {
        json!({"type": "array", "minItems": 1, "maxItems": ROWS_MAX, "items": RowInput::schema()})
    }
}

/// Each row after the first that carries a key again, whatever else is wrong with it.
fn repeated_keys(rows: &[Json], at: &str) -> Problems {
    let mut first = HashMap::new();
    let mut problems = Problems::new();
    for (place, row) in rows.iter().enumerate() {
        let at = format!("{at}/{place}/idempotency_key");
        let Some(Ok(key)) = row.get("idempotency_key").map(|key| Uuid::read(key, &at)) else { continue };
        if let Some(first) = first.get(&key) {
            problems.extend(wrong(&at, format!("is also the key of row {first}; each row needs its own key")));
        } else {
            first.insert(key, place);
        }
    }
    problems
}

input! {
    /// The links of a batch.
    pub struct NewBatch {
        /// 1 to 500 links.
        pub links: Rows,
    }
}

impl NewBatch {
    /// The rows with their keys, and the fingerprint by which the same batch is recognized.
    ///
    /// A row without a key gets one that is made of the content of the whole batch: who sends the same batch again
    /// sends the same keys.
    pub fn into_rows(self, vault: &Vault) -> (Vec<ValidatedRow>, Vec<u8>) {
        let rows: Vec<&ValidatedRow> = self.links.0.iter().map(|asked| &asked.row).collect();
        let content = serde_json::to_value(rows).expect("rows are plain data, which always serialize");
        let content = Json::from_serde(&content).canonical();
        let fingerprint = vault.keyed_hash(Purpose::Fingerprint, &[b"payout link batch", content.as_bytes()]);
        let keyed = self.links.0.into_iter().enumerate().map(|(place, asked)| {
            let idempotency_key = asked.key.unwrap_or_else(|| {
                let place = place.to_string();
                let hash = vault.keyed_hash(Purpose::Fingerprint, &[fingerprint.as_slice(), place.as_bytes()]);
                let bytes = hash.first_chunk::<16>().expect("a hash has 32 bytes");
                Builder::from_custom_bytes(*bytes).into_uuid()
            });
            ValidatedRow { idempotency_key, ..asked.row }
        });
        (keyed.collect(), fingerprint.to_vec())
    }
}

// The names of the columns of the result file are those of the input.
/// Names of a row's fields, in their order.
pub(super) fn columns() -> Vec<&'static str> {
    RowInput::parameters().into_iter().map(|(name, ..)| name).collect()
}
