//! The fields of each rail, for the claim page's form, `next_step.fields` and the parsing of bodies.

use serde::Serialize;
use serde_json::{Map, Value as Schema, json};

use crate::bank::Network;
use crate::input::Input as _;
use crate::platform::Platform;

/// Characters of any field; the rails have lower limits.
const TEXT_MAX: usize = 500;

/// A field of a payout rail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FieldSpec {
    /// The name in bodies and forms.
    pub name: &'static str,
    /// The type; always string.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Whether the rail always requires the field; false for alternatives of which one is enough.
    pub required: bool,
    /// The allowed values; empty for free text.
    pub choices: &'static [&'static str],
}

/// Returns the schema of the platform and all fields, with the rails that need or take each field.
pub fn described() -> Map<String, Schema> {
    let mut properties = Map::new();
    let mut platform = Platform::schema();
    platform["description"] =
        json!("The payout rail. The description of each field names the rails that require or accept it.");
    properties.insert("platform".to_owned(), platform);
    for field in Platform::ALL.into_iter().flat_map(fields_of) {
        let rails = |required: bool| {
            let asks =
                |rail: &Platform| fields_of(*rail).iter().any(|it| (it.name, it.required) == (field.name, required));
            Platform::ALL.into_iter().filter(asks).map(Platform::as_str).collect::<Vec<_>>().join(", ")
        };
        let reported = [("Required for", rails(true)), ("Optional for", rails(false))];
        let reported =
            reported.iter().filter(|(_, rails)| !rails.is_empty()).map(|(how, rails)| format!("{how} {rails}."));
        let description = reported.collect::<Vec<_>>().join(" ");
        let mut schema = json!({"type": ["string", "null"], "description": description});
        // Generators of zod schemas take no length of a choice.
        if field.choices.is_empty() {
            schema["maxLength"] = json!(TEXT_MAX);
        } else {
            // An empty text counts as missing, because forms send all their fields. Only null is documented for that.
            let choices = field.choices.iter().map(|word| json!(word)).chain([Schema::Null]);
            schema["enum"] = choices.collect();
        }
        properties.entry(field.name).or_insert(schema);
    }
    properties
}

const fn required(name: &'static str) -> FieldSpec {
    FieldSpec { name, kind: "string", required: true, choices: &[] }
}

const fn optional(name: &'static str) -> FieldSpec {
    FieldSpec { name, kind: "string", required: false, choices: &[] }
}

const ACCOUNT_TYPE: FieldSpec = FieldSpec { choices: &["checking", "savings"], ..optional("account_type") };
const NETWORK: FieldSpec = FieldSpec {
    choices: &[
        Network::Ethereum.as_str(),
        Network::Bitcoin.as_str(),
        Network::Solana.as_str(),
        Network::Tron.as_str(),
        Network::Polygon.as_str(),
    ],
    ..required("network")
};

/// Returns the fields of a rail in form order (docs/decisions.md 6).
///
/// wallet_b takes phone_number or handle, wallet_c cash_tag or an account, wallet_d and wallet_e email or handle,
/// intl_bank iban or country, bank_code and account_number; the cards take an email or nothing. A bank that is paid with
/// messages needs town and address_country for wire and intl_bank.
pub fn fields_of(platform: Platform) -> &'static [FieldSpec] {
    match platform {
        Platform::Ach | Platform::Rtp | Platform::BankTransfer => {
            &const { [required("routing_number"), required("account_number"), ACCOUNT_TYPE] }
        }
        Platform::Wire => {
            &const {
                [
                    required("routing_number"),
                    required("account_number"),
                    ACCOUNT_TYPE,
                    optional("address"),
                    optional("town"),
                    optional("address_country"),
                ]
            }
        }
        Platform::WalletA => &const { [required("email")] },
        Platform::WalletB => &const { [optional("phone_number"), optional("country_code"), optional("handle")] },
        Platform::WalletC => {
            &const { [optional("cash_tag"), optional("routing_number"), optional("account_number"), ACCOUNT_TYPE] }
        }
        Platform::WalletD | Platform::WalletE => &const { [optional("email"), optional("handle")] },
        Platform::PrepaidCardA | Platform::GiftCardA => &const { [optional("email")] },
        Platform::IntlBank => {
            &const {
                [
                    optional("iban"),
                    optional("bic"),
                    optional("country"),
                    optional("bank_code"),
                    optional("account_number"),
                    optional("account_holder_name"),
                    optional("currency"),
                    optional("address"),
                    optional("town"),
                    optional("address_country"),
                ]
            }
        }
        Platform::IntlTransfer => {
            &const {
                [
                    required("name"),
                    required("country"),
                    required("phone_number"),
                    optional("country_code"),
                    optional("currency"),
                ]
            }
        }
        Platform::Crypto => &const { [NETWORK, required("address")] },
        Platform::PushToCard => &const { [required("card_token")] },
    }
}
