//! The magic values: inputs that make a payout fail, come back, or not be delivered (docs/sandbox.md).

use serde::Serialize;

use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::program::Environment;
use crate::rails::failures::FailureCode;
use crate::refusal::{Code, Refusal};

/// All magic values.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct MagicValues {
    /// The magic values and their effects.
    pub values: Vec<MagicValue>,
    /// Every code that can replace `<code>`, with its meaning.
    pub failures: Vec<MagicFailure>,
}

/// One magic value.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct MagicValue {
    /// The field that takes the value.
    pub field: &'static str,
    /// The value. Replace `RR` with the number of a bank return code, and `<code>` with a code from `failures`.
    pub value: &'static str,
    /// The effect of the value.
    pub effect: &'static str,
}

/// A failure that a magic value can select.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct MagicFailure {
    /// The `error` of the transfer.
    pub code: &'static str,
    /// Bank return codes with this meaning: 2 for R02.
    pub return_codes: &'static [u8],
    /// The `error_message` of the transfer.
    pub message: &'static str,
}

const VALUES: [MagicValue; 8] = [
    MagicValue {
        field: "account_number",
        value: "100000RR",
        effect: "The payout fails with return R<RR> when it settles; 10000002 is R02, account_closed.",
    },
    MagicValue {
        field: "account_number",
        value: "200000RR",
        effect: "The payout completes and is returned two days later with return R<RR>.",
    },
    MagicValue {
        field: "email",
        value: "fail+<code>@example.com",
        effect: "A payout to this wallet fails with the code.",
    },
    MagicValue {
        field: "email",
        value: "return+<code>@example.com",
        effect: "The payout completes and is returned two days later.",
    },
    MagicValue {
        field: "handle, cash_tag, card_token",
        value: "fail-<code>",
        effect: "A payout to this method fails with the code.",
    },
    MagicValue {
        field: "handle, cash_tag, card_token",
        value: "return-<code>",
        effect: "The payout completes and is returned two days later.",
    },
    MagicValue {
        field: "phone_number",
        value: "any that ends in 0199",
        effect: "A text message cannot be delivered; a link becomes delivery_failed.",
    },
    MagicValue {
        field: "first_name and last_name",
        value: "Test Sanctioned",
        effect: "The user is held for an OFAC review; nothing is paid out.",
    },
];

pub async fn list(call: Call) -> Outcome {
    if call.bursar.environment != Environment::Sandbox {
        return Err(Refusal::not_found("path outside the sandbox"));
    }
    let failure = |code: &FailureCode| MagicFailure {
        code: code.as_str(),
        return_codes: code.failure().return_codes,
        message: code.failure().message,
    };
    Ok(Answer::ok(&MagicValues { values: VALUES.to_vec(), failures: FailureCode::ALL.iter().map(failure).collect() }))
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/sandbox/magic-values" AppOrOrganization "list_magic_values" list)
            .about("Sandbox", "List the magic values")
            .describe("Lists the sandbox inputs that select the outcome of a payout or a message, such as a failure or a return.")
            .gives::<MagicValues>(200, "The magic values.")
            .refuses(&[Code::NotFound]),
    ]
}
