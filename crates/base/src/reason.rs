//! Reasons: finer codes within a public error code, and the values that a program needs to act on one.
//!
//! `error_code` is coarse and never changes its meaning. A reason names the rule within it, so that a program need not
//! parse the message. Reasons may be added; a caller treats an unknown one as absent.

use serde::Serialize;

/// Declares all reasons with their word and their meaning.
macro_rules! reasons {
    ($($variant:ident $word:literal $meaning:literal;)+) => {
        /// A rule that a refused request broke.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Reason {
            $(#[doc = $meaning] $variant,)+
        }

        impl Reason {
            /// All reasons, in the order of docs/errors.md.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the word in `reason`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)+ }
            }
        }
    };
}

reasons! {
    FieldRequired "field-required" "A required field, parameter or header is missing.";
    FieldUnknown "field-unknown" "The operation has no field or parameter of this name.";
    FieldRepeated "field-repeated" "A field, parameter or header is sent more than once.";
    FieldConflict "field-conflict" "Two fields contradict or exclude each other.";
    WrongType "wrong-type" "The value has another JSON type than the field.";
    NullNotAllowed "null-not-allowed" "The field cannot be null.";
    NotAChoice "not-a-choice" "The value is not one of the field's values.";
    OutOfRange "out-of-range" "The number is outside the field's range.";
    BadFormat "bad-format" "The text does not have the field's form, such as a UUID or a date-time.";
    BadText "bad-text" "The text is empty, too long, or has characters that are not allowed.";
    CountryCodeInvalid "country-code-invalid" "The country code is not one to three digits.";
    CountryCodeContradicts "country-code-contradicts" "The phone number begins with another country code than country_code.";
    CountryCodeMissing "country-code-missing" "A national number needs country_code; a number such as +12127361234 does not.";
    PhoneNumberMissing "phone-number-missing" "country_code is sent without phone_number.";
    PhoneNumberMalformed "phone-number-malformed" "The phone number has characters other than digits, spaces, dashes, dots and brackets.";
    PhoneNumberNotAssigned "phone-number-not-assigned" "No numbering plan assigns the number.";
    PhoneNumberReserved "phone-number-reserved" "The number is reserved for fiction and tests. Only a sandbox accepts it.";
    PhoneNumberCostly "phone-number-costly" "The number is a premium-rate, shared-cost, satellite or personal number.";
    PhoneNumberEmbargoed "phone-number-embargoed" "The number's country is under embargo.";
    CountryNotAllowed "country-not-allowed" "The app does not send messages to the number's country.";
    StatusNotAllowed "status-not-allowed" "The object's status does not allow the call; details has it as current_status, and the statuses that allow the call.";
    TextsStopped "texts-stopped" "The phone replied STOP, so it gets no text messages of the organization until it replies START.";
    AmountLimit "amount-limit" "The amount exceeds a limit for one movement; details has the limit.";
    DailyLimit "daily-limit" "The amount exceeds what is left of a limit of the day; details has the limit.";
    CountLimit "count-limit" "The most objects of this kind exist, or the most calls were made; details has the limit.";
    BalanceLimit "balance-limit" "A ledger account would exceed its maximum.";
    BalanceTooLow "balance-too-low" "The wallet holds less than the amount and its fees; details has both.";
    RequestDiffers "request-differs" "The key was used for a request with other fields; errors lists them.";
    ResponseExpired "response-expired" "The request took effect more than 30 days ago, and its response is no longer stored.";
    ResponseErased "response-erased" "The request took effect, and its response was deleted with the data of an erased payee.";
    PathUnknown "path-unknown" "No operation has this path.";
}

impl Serialize for Reason {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Values of a refusal, for programs. Fields without a value are absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = ErrorDetails)]
pub struct Details {
    /// The status of the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, example = "created")]
    pub current_status: Option<&'static str>,
    /// The statuses that allow the call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub allowed_statuses: Vec<&'static str>,
    /// The limit: the path of an app setting (`payout_limits.per_day`), or a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, example = "payout_limits.per_day")]
    pub limit: Option<&'static str>,
    /// The limit's value: cents, or a number of objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64, required = false)]
    pub maximum: Option<i64>,
    /// What is left of the limit, or in the wallet: cents.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64, required = false)]
    pub available: Option<i64>,
    /// What the request needs beyond that: cents.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64, required = false)]
    pub missing: Option<i64>,
    /// The known path that is most similar to the request's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub nearest_path: Option<&'static str>,
}

impl Details {
    /// Returns the details of a limit.
    #[must_use]
    pub fn limit(name: &'static str, maximum: i64) -> Self {
        Self { limit: Some(name), maximum: Some(maximum), ..Self::default() }
    }
}
