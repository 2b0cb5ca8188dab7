//! The JSON of a batch: every row is checked, and all errors are returned at once, each with its position.

use std::collections::HashMap;

use serde_json::{Value as Schema, json};
use uuid::{Builder, Uuid};

use super::model::{RowDelivery, ValidatedRow};
use crate::email::Email;
use crate::input::types::{Amount, CallingCode, LongText, Metadata, Name, NationalNumber, word_input};
use crate::input::{Fields, Input, Problems, gather, input, wrong};
use crate::payout_links::PayeeInput;
use crate::strict_json::Json;
use crate::vault::{Purpose, Vault};

/// The most rows of a batch (docs/specification.md 15).
pub const ROWS_MAX: usize = 500;

word_input!(RowDelivery);

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
        /// The first name.
        pub first_name: Option<Name>,
        /// The last name.
        pub last_name: Option<Name>,
        /// The e-mail address. Required for delivery_method email.
        pub email: Option<Email>,
        /// The country calling code, digits. Required with phone_number.
        pub country_code: Option<CallingCode>,
        /// The phone number within its country. Required with country_code, and for delivery_method sms.
        pub phone_number: Option<NationalNumber>,
        /// email, link or sms. By default sms if a phone is known, else email if an address is known, else link.
        pub delivery_method: Option<RowDelivery>,
        /// Cents.
        pub amount_cents: Amount,
        /// A memo, copied to the link.
        pub memo: Option<LongText>,
        /// The idempotency key of the row's link, as with POST /v2/payout-links. A row without a key gets one that is
        /// derived from the batch's content.
        pub idempotency_key: Option<Uuid>,
        /// Metadata: an object, copied to the link as text.
        pub metadata: Option<MetadataObject>,
        /// Require a tax form for any amount.
        pub force_collect_compliance_information: Option<bool>,
    }
}

/// A valid row with its key as sent.
#[derive(Clone, Debug)]
pub struct RowRequest {
    /// The key is nil if none was sent.
    row: ValidatedRow,
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

/// 1 to 500 rows with distinct keys.
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

/// Returns an error for each row that repeats an earlier row's key, even if the row has other errors.
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
    /// Returns the rows with their keys, and the fingerprint that identifies an equal batch.
    ///
    /// A row without a key gets one that is derived from the content of the whole batch, so an equal batch has equal
    /// keys.
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

/// Returns the names of a row's fields, in order; the result file uses them as its columns.
pub(super) fn columns() -> Vec<&'static str> {
    RowInput::parameters().into_iter().map(|(name, ..)| name).collect()
}
