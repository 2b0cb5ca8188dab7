//! Inputs of the steps of a claim.

use serde_json::json;

use super::verbs::Contact;
use crate::email::Email;
use crate::ids::PayoutMethodId;
use crate::input::types::{Amount, CallingCode, Name, NationalNumber, phone_of};
use crate::input::{Input, Problems, because, broken, gather, input, problem, wrong};
use crate::payout_methods::{self, Details};
use crate::platform::Platform;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::strict_json::Json;

input! {
    /// The contact for a code: a phone or an address.
    pub struct ContactStep {
        /// Country calling code, digits; required with a phone_number that does not begin with a plus.
        pub country_code: Option<CallingCode>,
        /// Phone number within its country, with country_code; or in the form +12127361234.
        pub phone_number: Option<NationalNumber>,
        /// E-mail address; excludes the phone.
        pub email: Option<Email>,
    }
}

impl ContactStep {
    /// Returns the only contact of the input.
    pub fn contact(self) -> Result<Contact, Refusal> {
        match (self.country_code, self.phone_number, self.email) {
            (None, None, Some(email)) => Ok(Contact::Email(email)),
            (_, _, Some(_)) => {
                let message = "cannot be combined with the phone number; send only one of them";
                Err(Refusal::fields(broken(Reason::FieldConflict, "/email", message)))
            }
            (country, number, None) => {
                let phone =
                    phone_of(country.as_ref(), number.as_ref(), "", Code::InvalidInput).map_err(Refusal::fields)?;
                let message = "is required unless email is sent";
                let needed = || Refusal::fields(broken(Reason::FieldRequired, "/phone_number", message));
                phone.map(Contact::Phone).ok_or_else(needed)
            }
        }
    }
}

/// The six digits of a code; spaces between them are ignored.
#[derive(Clone, Debug)]
pub struct SixDigits(pub String);

impl Input for SixDigits {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let digits: String = crate::input::text(json, at)?.chars().filter(|c| !c.is_whitespace()).collect();
        if digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return Ok(Self(digits));
        }
        Err(because(Reason::BadFormat, problem(Code::WrongToken, at, "must be the six-digit code")))
    }
    fn schema() -> serde_json::Value {
        json!({"type": "string", "pattern": r"^\s*([0-9]\s*){6}$", "maxLength": 16, "examples": ["123456"]})
    }
}

input! {
    /// The code that was sent.
    pub struct CodeStep {
        /// Six digits.
        pub token: SixDigits,
    }
}

input! {
    /// The codes of a change of contact.
    pub struct ContactCodesStep {
        /// The six digits that were sent to the present phone number or e-mail address.
        pub present_token: SixDigits,
        /// The six digits that were sent to the new one.
        pub new_token: SixDigits,
    }
}

input! {
    /// The payee's name.
    pub struct ProfileStep {
        /// First name.
        pub first_name: Name,
        /// Last name.
        pub last_name: Name,
        /// E-mail address.
        pub email: Option<Email>,
    }
}

input! {
    /// The amount to pay out now.
    pub struct PayoutStep {
        /// Cents; the whole remaining amount by default.
        pub amount: Option<Amount>,
    }
}

/// A new method: its platform, and the fields of that platform.
#[derive(Clone, Debug)]
pub struct NewMethodStep {
    pub details: Details,
    /// By default, only the first method becomes the default.
    pub is_default: Option<bool>,
    /// Whether later payouts go to the default without a claim.
    pub auto_payout_enabled: Option<bool>,
}

impl Input for NewMethodStep {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let mut flag = |name: &str| {
            let read = json.get(name).map_or(Ok(None), |given| Option::<bool>::read(given, &format!("{at}/{name}")));
            gather(read, &mut problems).flatten()
        };
        let (is_default, auto_payout_enabled) = (flag("is_default"), flag("auto_payout_enabled"));
        let other_fields = ["platform", "is_default", "auto_payout_enabled"];
        let details = match json.get("platform") {
            Some(platform) => Platform::read(platform, &format!("{at}/platform")),
            None => Err(wrong(&format!("{at}/platform"), "is required unless payout_method_id is sent")),
        };
        let details = details.and_then(|platform| payout_methods::read_details(platform, json, at, &other_fields));
        match gather(details, &mut problems) {
            Some(details) if problems.is_empty() => Ok(Self { details, is_default, auto_payout_enabled }),
            Some(_) | None => Err(problems),
        }
    }

    fn schema() -> serde_json::Value {
        let mut properties = payout_methods::described();
        let mut also = |name: &str, mut schema: serde_json::Value, description: &str| {
            schema["description"] = json!(description);
            properties.insert(name.to_owned(), schema);
        };
        also(
            "payout_method_id",
            Option::<PayoutMethodId>::schema(),
            "The id of a stored payout method, instead of platform and its fields.",
        );
        also(
            "is_default",
            Option::<bool>::schema(),
            "Whether it becomes the default payout method. If omitted, only the first method does.",
        );
        also(
            "auto_payout_enabled",
            Option::<bool>::schema(),
            "Whether later payouts go to the default payout method automatically.",
        );
        json!({"type": "object", "properties": properties, "additionalProperties": false})
    }
}

input! {
    /// A saved method.
    pub struct SavedMethodStep {
        /// The id of the saved method.
        pub payout_method_id: PayoutMethodId,
        /// Whether it becomes the default.
        pub is_default: Option<bool>,
        /// Whether later payouts go to it without a claim.
        pub auto_payout_enabled: Option<bool>,
    }
}
