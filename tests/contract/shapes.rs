//! The tables of docs/specification.md as data, row by row and in its order, and the comparison of a response with
//! them.

use bursar::clock::Time;
use serde_json::Value;

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Uuid,
    Timestamp,
    Date,
    Integer,
    Number,
    Text,
    Url,
    Boolean,
    /// An amount in cents, as text.
    Cents,
    /// A share below 1, as text.
    Percent,
    /// A rail's identifier.
    Rail,
    /// Null or this type.
    Maybe(&'static Kind),
    Object(Table),
    List(&'static Kind),
    /// Any type; only for a field whose type the specification leaves open.
    Open,
}

/// Field → type.
pub type Table = &'static [(&'static str, Kind)];

use Kind::{
    Boolean, Cents, Date, Integer, List, Maybe, Number, Object, Open, Percent, Rail, Text, Timestamp, Url, Uuid,
};

const MAYBE_UUID: Kind = Maybe(&Uuid);
const MAYBE_TEXT: Kind = Maybe(&Text);
const MAYBE_INTEGER: Kind = Maybe(&Integer);

/// "Payable".
pub const PAYABLE: Table = &[
    ("id", Uuid),
    ("created", Timestamp),
    ("updated", Timestamp),
    ("amount", Integer),
    ("currency", Text),
    ("description", MAYBE_TEXT),
    ("external_id", MAYBE_TEXT),
    ("number", Text),
    ("file_url", Maybe(&Url)),
    ("status", Text),
    ("funding_source", Text),
    ("ap_payment_method_id", MAYBE_UUID),
    ("ap_payment_method_name", MAYBE_TEXT),
    ("ap_vendor_id", MAYBE_UUID),
    ("ap_vendor_name", MAYBE_TEXT),
    ("api_app_id", Uuid),
    ("transfer_id", MAYBE_UUID),
    ("items", List(&Object(ITEM))),
    ("action_history", List(&Object(ACTION))),
    ("approval_steps", List(&Object(APPROVAL_STEP))),
    ("status_history", List(&Object(&[("status", Text), ("timestamp", Timestamp)]))),
    ("transfer_history", List(&Object(TRANSFER_OF_PAYABLE))),
];
const ITEM: Table =
    &[("amount", Integer), ("description", MAYBE_TEXT), ("name", Text), ("quantity", Integer), ("unit_price", Integer)];
const ACTION: Table = &[
    ("action", Text),
    ("comment", MAYBE_TEXT),
    ("timestamp", Timestamp),
    ("user_id", Integer),
    ("user_name", Text),
    ("user_role", Text),
];
const APPROVAL_STEP: Table = &[
    ("completed", Boolean),
    ("completed_timestamp", Maybe(&Timestamp)),
    ("num_approvals_required", Integer),
    ("user_approvals", List(&Object(USER_APPROVAL))),
];
const USER_APPROVAL: Table = &[
    ("approval_comment", MAYBE_TEXT),
    ("approval_given", Boolean),
    ("approval_timestamp", Maybe(&Timestamp)),
    ("name", Text),
    ("user_id", Integer),
];
const TRANSFER_OF_PAYABLE: Table =
    &[("created_timestamp", Timestamp), ("idempotency_key", Uuid), ("transfer_id", Uuid)];

/// "Payout request".
pub const PAYOUT_REQUEST: Table = &[
    ("id", Uuid),
    ("created", Timestamp),
    ("amount", Integer),
    ("status", Text),
    ("payee", Object(&[("country_code", MAYBE_TEXT), ("phone_number", MAYBE_TEXT)])),
    ("payout_link", Maybe(&Object(PAYOUT_LINK))),
    ("user", Maybe(&Object(USER))),
    ("metadata", MAYBE_TEXT),
    ("memo", MAYBE_TEXT),
];

/// "Payout link".
pub const PAYOUT_LINK: Table = &[
    ("id", Uuid),
    ("created", Timestamp),
    ("link", Maybe(&Url)),
    ("amount", Integer),
    ("status", Text),
    ("payee", Object(PAYEE)),
    ("delivery", Object(DELIVERY)),
    ("tax_exempt", Boolean),
    ("claimed_user_id", MAYBE_UUID),
    ("flow_id", MAYBE_UUID),
    ("transfer_id", MAYBE_UUID),
    ("memo", MAYBE_TEXT),
    ("metadata", MAYBE_TEXT),
    ("description", MAYBE_TEXT),
    ("accounting_data", Object(&[("ledger_account_id", MAYBE_INTEGER), ("ledger_class_id", MAYBE_INTEGER)])),
    ("created_by_email", MAYBE_TEXT),
    ("funding_source", Text),
];
const PAYEE: Table = &[
    ("first_name", MAYBE_TEXT),
    ("last_name", MAYBE_TEXT),
    ("email", MAYBE_TEXT),
    ("country_code", MAYBE_TEXT),
    ("phone_number", MAYBE_TEXT),
];
const DELIVERY: Table =
    &[("method", Text), ("email", MAYBE_TEXT), ("country_code", MAYBE_TEXT), ("phone_number", MAYBE_TEXT)];

/// "Transfer (also the response of a payment)".
pub const TRANSFER: Table = &[
    ("id", Uuid),
    ("created", Timestamp),
    ("user_id", MAYBE_UUID),
    ("status", Text),
    ("error", MAYBE_TEXT),
    ("error_message", MAYBE_TEXT),
    ("sender_details", Object(SENDER_DETAILS)),
    ("type", Text),
    ("amount", Cents),
    ("external_data", Object(&[("account_id", MAYBE_TEXT), ("external_id", MAYBE_TEXT), ("platform", Maybe(&Text))])),
    ("transactions", List(&Object(TRANSACTION))),
    ("payout_link_id", MAYBE_UUID),
    ("metadata", MAYBE_TEXT),
];
const SENDER_DETAILS: Table = &[
    ("name", MAYBE_TEXT),
    ("bank_name", MAYBE_TEXT),
    ("routing_number", MAYBE_TEXT),
    ("account_number_last4", MAYBE_TEXT),
    ("trace_number", MAYBE_TEXT),
    ("reference", MAYBE_TEXT),
    ("memo", MAYBE_TEXT),
];
const TRANSACTION: Table = &[
    ("id", Integer),
    ("amount", Cents),
    ("created", Timestamp),
    ("source_name", Text),
    ("destination_name", Text),
    ("type", Text),
    ("metadata", MAYBE_TEXT),
    ("transfer_id", MAYBE_UUID),
    // A transaction inside a transfer does not repeat the transfer.
    ("transfer", Open),
];

/// "User".
pub const USER: Table = &[
    ("id", Uuid),
    ("first_name", MAYBE_TEXT),
    ("last_name", MAYBE_TEXT),
    ("email", MAYBE_TEXT),
    ("phone_number", Maybe(&Object(&[("country_code", Text), ("phone_number", Text)]))),
    ("verified", Boolean),
    ("country", MAYBE_TEXT),
    ("auto_payout_enabled", Boolean),
    ("default_payout_method", Maybe(&Rail)),
    ("default_payout_method_details", Maybe(&Object(METHOD_DETAILS))),
    ("wallet", Object(&[("amount", Integer), ("withdrawable_amount", Integer), ("credit_balance", Integer)])),
    ("status", Text),
    ("compliance", Object(COMPLIANCE)),
    ("metadata", MAYBE_TEXT),
    ("payout_options_exclude_list", List(&Rail)),
    ("1099_adjustment", Maybe(&Object(&[("year", Integer), ("form", Text), ("amount", Integer)]))),
];

/// "default_payout_method_details", which `/users/{user_id}/payout-methods` lists too.
pub const METHOD_DETAILS: Table = &[
    ("id", Text),
    ("platform", Rail),
    ("description", Text),
    ("mask", MAYBE_TEXT),
    ("email", MAYBE_TEXT),
    ("phone_number", MAYBE_TEXT),
    ("cash_tag", MAYBE_TEXT),
    ("country", MAYBE_TEXT),
    ("currency", Text),
    ("rtp_enabled", Boolean),
    ("meta", Open),
];

/// "User compliance object".
const COMPLIANCE: Table = &[
    ("tax_id_collected", Boolean),
    ("address_collected", Boolean),
    ("date_of_birth_collected", Boolean),
    ("must_collect_1099", Boolean),
    ("1099_collected", Boolean),
    ("w8_ben_collected", Boolean),
    ("flagged", Boolean),
    ("id_verified", Boolean),
    ("has_criminal_activity", Boolean),
    ("tax_id_verification", Text),
    ("background_check", Object(&[("status", Text), ("updated", Timestamp)])),
    (
        "w9",
        Object(&[
            ("entity_type", MAYBE_TEXT),
            ("business_name", MAYBE_TEXT),
            ("tax_id_collected", Boolean),
            ("address_collected", Boolean),
        ]),
    ),
    (
        "flags",
        Object(&[
            ("ofac", Boolean),
            ("ofac_status", Text),
            ("payout_method", Boolean),
            ("payout_method_cycle", Boolean),
            ("name_mismatch", Boolean),
        ]),
    ),
];

/// "App compliance information".
pub const APP_COMPLIANCE: Table = &[
    ("company_info", Object(COMPANY_INFO)),
    ("contact_info", Object(CONTACT_INFO)),
    ("directors", List(&Object(DIRECTOR))),
    ("flow_of_funds", Object(&[("reasons", MAYBE_TEXT), ("usage", MAYBE_TEXT)])),
];
const COMPANY_INFO: Table = &[
    ("dba", MAYBE_TEXT),
    ("ein", MAYBE_TEXT),
    ("incorporation_date", Maybe(&Date)),
    ("incorporation_state", MAYBE_TEXT),
    ("incorporation_type", MAYBE_TEXT),
    ("name", MAYBE_TEXT),
    ("website", MAYBE_TEXT),
    ("ubo_count", MAYBE_INTEGER),
];
const CONTACT_INFO: Table = &[
    ("city", MAYBE_TEXT),
    ("country", MAYBE_TEXT),
    ("email", MAYBE_TEXT),
    ("line1", MAYBE_TEXT),
    ("line2", MAYBE_TEXT),
    ("phone_number", MAYBE_TEXT),
    ("state", MAYBE_TEXT),
    ("zip", MAYBE_TEXT),
];
const DIRECTOR: Table = &[
    ("dob", Maybe(&Date)),
    ("ssn", MAYBE_TEXT),
    ("email", MAYBE_TEXT),
    ("first_name", MAYBE_TEXT),
    ("last_name", MAYBE_TEXT),
    ("ownership_percentage", Maybe(&Number)),
    ("phone", MAYBE_TEXT),
    ("title", MAYBE_TEXT),
    ("address", Object(DIRECTOR_ADDRESS)),
];
const DIRECTOR_ADDRESS: Table = &[
    ("city", MAYBE_TEXT),
    ("line1", MAYBE_TEXT),
    ("line2", MAYBE_TEXT),
    ("state", MAYBE_TEXT),
    ("zip", MAYBE_TEXT),
    ("country", MAYBE_TEXT),
];

/// "Fee estimate".
pub const FEE_ESTIMATE: Table = &[
    ("user_id", Uuid),
    ("platform", Text),
    ("payout_fee_party", Text),
    ("fee_settings", Object(FEE_SETTINGS)),
    ("platform_fee_settings", Object(FEE_SETTINGS)),
    ("amount", MAYBE_INTEGER),
    ("fee_amount", MAYBE_INTEGER),
    ("platform_fee_amount", MAYBE_INTEGER),
    ("fx_upcharge_amount", MAYBE_INTEGER),
    ("total_fee_amount", MAYBE_INTEGER),
    ("user_fee_amount", MAYBE_INTEGER),
    ("payout_amount", MAYBE_INTEGER),
];
const FEE_SETTINGS: Table = &[("fixed", Integer), ("percent", Percent), ("min", Integer), ("max", MAYBE_INTEGER)];

/// "Payout link batch".
pub const BATCH: Table = &[("success", Boolean), ("id", Uuid), ("validated_rows", List(&Object(VALIDATED_ROW)))];
const VALIDATED_ROW: Table = &[
    ("first_name", MAYBE_TEXT),
    ("last_name", MAYBE_TEXT),
    ("email", MAYBE_TEXT),
    ("country_code", MAYBE_TEXT),
    ("phone_number", MAYBE_TEXT),
    ("delivery_method", Text),
    ("amount_cents", Integer),
    ("memo", MAYBE_TEXT),
    ("idempotency_key", MAYBE_UUID),
    ("metadata", Open),
    ("force_collect_compliance_information", Boolean),
];

/// "Error body".
pub const ERROR: Table = &[
    ("success", Boolean),
    ("message", Text),
    ("error_code", Text),
    ("errors", List(&Object(&[("field", Text), ("code", Text), ("message", Text)]))),
];

/// Every resource by its name in the specification.
pub const RESOURCES: &[(&str, Table)] = &[
    ("Payable", PAYABLE),
    ("Payout request", PAYOUT_REQUEST),
    ("Payout link", PAYOUT_LINK),
    ("Transfer", TRANSFER),
    ("User", USER),
    ("App compliance information", APP_COMPLIANCE),
    ("Fee estimate", FEE_ESTIMATE),
    ("Payout link batch", BATCH),
    ("Error body", ERROR),
];

/// Our own fields in addition to those of the specification, by their place.
const OURS: [(&str, &[&str]); 8] = [
    ("Payout link.delivery", &["error"]),
    ("Payout request.payout_link.delivery", &["error"]),
    ("Payout link", &["expires_at", "deliveries", "new_link_requested_at"]),
    ("Payout request.payout_link", &["expires_at", "deliveries", "new_link_requested_at"]),
    ("Payout request", &["comment"]),
    ("Method", &["validated_at", "validation"]),
    ("User.default_payout_method_details", &["validated_at", "validation"]),
    (
        "Transfer",
        &[
            "fee_amount",
            "payout_amount",
            "payout_fee_party",
            "fee_basis",
            "approved_by",
            "customer_id",
            "debit",
            "held_until",
        ],
    ),
];

/// Compares a response with a table: every field is present with its type, and no other except our own.
#[track_caller]
pub fn assert_is(name: &str, table: Table, value: &Value) {
    let wrong = differences(name, table, value);
    assert!(wrong.is_empty(), "{}\nin {value:#}", wrong.join("\n"));
}

/// Compares a page with the list envelope, and each of its objects with their table.
#[track_caller]
pub fn assert_lists(name: &'static str, table: Table, page: &Value) {
    let mut wrong = Vec::new();
    let fields: Vec<&String> = page.as_object().expect("an envelope is an object").keys().collect();
    assert_eq!(fields, ["has_more", "data"], "the list envelope");
    assert!(page["has_more"].is_boolean(), "has_more is a boolean");
    let objects = page["data"].as_array().expect("data is an array");
    assert!(!objects.is_empty(), "an empty list of {name} shows nothing");
    objects.iter().for_each(|object| wrong.extend(differences(name, table, object)));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the missing, wrong and surplus fields.
pub fn differences(at: &str, table: Table, value: &Value) -> Vec<String> {
    let Some(object) = value.as_object() else { return vec![format!("{at} is no object: {value}")] };
    let mut wrong = Vec::new();
    for (name, kind) in table {
        match object.get(*name) {
            Some(value) => wrong.extend(mismatches(&format!("{at}.{name}"), *kind, value)),
            None => wrong.push(format!("{at}.{name} is missing")),
        }
    }
    let ours = OURS.iter().filter(|(place, _)| *place == at).flat_map(|(_, names)| names.iter());
    let known: Vec<&str> = table.iter().map(|(name, _)| *name).chain(ours.copied()).collect();
    wrong.extend(
        object.keys().filter(|name| !known.contains(&name.as_str())).map(|name| format!("{at}.{name} is extra")),
    );
    wrong
}

fn mismatches(at: &str, kind: Kind, value: &Value) -> Vec<String> {
    let text = value.as_str();
    let fits = match kind {
        Maybe(_) if value.is_null() => true,
        Maybe(inner) => return mismatches(at, *inner, value),
        Object(table) => return differences(at, table, value),
        List(inner) => {
            let Some(items) = value.as_array() else { return vec![format!("{at} is no list: {value}")] };
            return items.iter().flat_map(|item| mismatches(at, *inner, item)).collect();
        }
        Open => true,
        Uuid => text.is_some_and(|text| text.len() == 36 && uuid::Uuid::try_parse(text).is_ok()),
        // RFC 3339 in UTC with microseconds.
        Timestamp => text.is_some_and(|text| text.len() == 27 && text.ends_with('Z') && Time::parse(text).is_some()),
        Date => text.is_some_and(|text| text.len() == 10 && Time::parse(&format!("{text}T00:00:00Z")).is_some()),
        Integer => value.is_i64(),
        Number => value.is_number(),
        Text => text.is_some(),
        Url => text.is_some_and(|text| text.starts_with("http")),
        Boolean => value.is_boolean(),
        Cents => text.is_some_and(|text| text.parse::<i64>().is_ok_and(|cents| cents.to_string() == text)),
        Percent => text.is_some_and(|text| text == "0" || text.starts_with("0.") && text.len() > 2),
        Rail => text.is_some_and(|text| bursar::platform::Platform::ALL.iter().any(|rail| rail.as_str() == text)),
    };
    if fits { Vec::new() } else { vec![format!("{at} should be {kind:?} and is {value}")] }
}
