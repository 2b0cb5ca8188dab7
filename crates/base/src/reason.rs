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
    BodyMalformed "body-malformed" "The body is not valid JSON or not a valid form; the message has the line and the column.";
    CredentialsMissing "credentials-missing" "The request has no credentials.";
    CredentialsMalformed "credentials-malformed" "The header does not have the form of credentials.";
    CredentialsWrong "credentials-wrong" "The credentials match no active key, or no member.";
    KeyExpired "key-expired" "The key was valid and has expired.";
    SessionMissing "session-missing" "There is no session, or it has ended.";
    RoleNotAllowed "role-not-allowed" "The member's role does not permit the call.";
    MembersNotAccepted "members-not-accepted" "The operation does not accept a member session.";
    OtherApp "other-app" "The key belongs to another app.";
    OtherContact "other-contact" "The payout is for another phone number or e-mail address.";
    OtherSite "other-site" "The request came from another website or for another host name.";
    SessionLimited "session-limited" "The session may only withdraw this payout.";
    SignatureWrong "signature-wrong" "The request is not signed with the expected secret.";
    OtherApprovers "other-approvers" "The current approval step needs other members.";
    ObjectDeleted "object-deleted" "The object was deleted.";
    UserDisabled "user-disabled" "The user is disabled.";
    AlreadyExists "already-exists" "The object exists already, or another object has the same value.";
    AlreadyDone "already-done" "The call has taken effect already.";
    VersionDiffers "version-differs" "The object was changed since it was read. Fetch it again.";
    TooEarly "too-early" "The call is allowed later; details has the time as allowed_at if it is known.";
    TooLate "too-late" "The time in which the call was allowed is over.";
    InUse "in-use" "Other objects use this one, or work of it is in progress.";
    MoneyRemains "money-remains" "The object still holds or owes money.";
    UnderReview "under-review" "A sanctions review of the user is open.";
    PayoutsFrozen "payouts-frozen" "The payee has frozen payouts that they do not start.";
    NotFrozen "not-frozen" "The payee has not frozen payouts.";
    OtherOwner "other-owner" "The payee or another app owns the value. An organization key may change it.";
    WrongKind "wrong-kind" "The object is of a type that does not allow the call.";
    StepMissing "step-missing" "An earlier step must be completed first; the message names it.";
    MemberNeeded "member-needed" "Another member must approve or release it first.";
    LastAdmin "last-admin" "The member is the only admin of the organization.";
    SetUpIncomplete "set-up-incomplete" "An admin must change the set-up of a bank, a provider or an approval policy first.";
    BankExcludes "bank-excludes" "What the bank reported, or may have received, excludes the call.";
    AccountReturned "account-returned" "A bank returned an earlier payment to this account.";
    AuthorizationEnded "authorization-ended" "A bank returned an earlier debit of the account as not authorized.";
    RailExcluded "rail-excluded" "The app's settings or the user's profile exclude the rail.";
    TaxFormMissing "tax-form-missing" "A tax form is required first.";
    ContactMissing "contact-missing" "A phone number or an e-mail address is missing.";
    AccountMissing "account-missing" "There is no usable payout method or bank account.";
    AccountIncomplete "account-incomplete" "The account lacks a field that the bank requires, or has another currency.";
    AccountDisabled "account-disabled" "The payout method or bank account is no longer in use.";
    ClaimedByAnother "claimed-by-another" "Another person has claimed the link.";
    PaidOut "paid-out" "The link is fully paid out, or its money is on its way.";
    CodeWrong "code-wrong" "The code is wrong, and can be tried again.";
    CodeExpired "code-expired" "The code has expired. Request a new one.";
    CodeSpent "code-spent" "The code had too many wrong attempts. Request a new one.";
    CodeMissing "code-missing" "No code was sent, or it was used. Request a new one.";
    PasswordWrong "password-wrong" "The present password is wrong.";
    SetUpTokenInvalid "set-up-token-invalid" "The set-up token is not valid, was used or has expired.";
    ClockLimit "clock-limit" "The sandbox's clock cannot be moved further.";
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
    /// When the call is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, format = DateTime)]
    pub allowed_at: Option<String>,
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
    /// Returns the details of a call that is allowed later.
    #[must_use]
    pub fn allowed_at(time: impl ToString) -> Self {
        Self { allowed_at: Some(time.to_string()), ..Self::default() }
    }

    /// Returns the details of a limit.
    #[must_use]
    pub fn limit(name: &'static str, maximum: i64) -> Self {
        Self { limit: Some(name), maximum: Some(maximum), ..Self::default() }
    }
}
