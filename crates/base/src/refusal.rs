//! Refusals: all expected errors of the service, with their public codes.
//!
//! A refusal is a value. Rules return it, the engine keeps or drops the command's changes, and the HTTP layer turns it
//! into the error body of docs/decisions.md 3. Codes are never renamed; docs/errors.md is generated from this enum.

use serde::Serialize;

use crate::language::{Language, Text};
use crate::reason::{Details, Reason};

/// Fields that one refusal names at most, so that a small request cannot cause a large response.
pub const FIELDS_MAX: usize = 20;
/// Fields that are counted at most. A parser may stop there, because the request is refused in any case.
pub const COUNTED_MAX: usize = 1_000;

/// Declares all codes with their status, their meaning and the advice for the caller.
macro_rules! codes {
    ($($variant:ident $word:literal $status:literal, $meaning:literal, $advice:literal;)+) => {
        /// Every public error code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $meaning] $variant,)+
        }

        impl Code {
            /// All codes, in the order of docs/errors.md.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the word in `error_code`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            pub const fn status(self) -> u16 {
                match self { $(Self::$variant => $status,)+ }
            }

            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)+ }
            }

            pub const fn advice(self) -> &'static str {
                match self { $(Self::$variant => $advice,)+ }
            }
        }
    };
}

codes! {
    InvalidInput "invalid-input" 400, "The request is malformed or a field is invalid.", "Correct the fields listed in errors and send the request again.";
    InvalidPhoneNumber "invalid-phone-number" 400, "The phone number does not exist in its country's numbering plan.", "Check the country code and the number.";
    InvalidEmail "invalid-email" 400, "The e-mail address is not valid.", "Correct the address.";
    InvalidSsn "invalid-ssn" 400, "The social security number is not valid.", "Send nine digits; dashes are allowed.";
    AppIdRequired "app-id-required" 400, "An organization key was used on a route of an app without the header Api-App-Id.", "Send the header Api-App-Id.";
    WrongToken "wrong-token" 400, "The code is wrong, expired or used, or had too many attempts.", "Request a new code.";
    Unauthorized "unauthorized" 401, "The credentials are missing or not valid.", "Send Authorization: Basic with the client id and the secret key.";
    WrongEnvironment "wrong-environment" 401, "The key belongs to the other environment.", "Use a key of this environment, or the other base URL.";
    InsufficientFunds "transaction-insufficient-funds" 402, "The wallet does not cover the amount.", "Fund the wallet or send a smaller amount, with a new idempotency key.";
    SecretKeyRequired "secret-key-required" 403, "This call requires the secret key; the request has only a client id.", "Call from your server with the secret key.";
    OrganizationKeyRequired "organization-key-required" 403, "This call requires an organization key.", "Use an organization key.";
    VerificationLocked "verification-locked" 403, "The phone number or e-mail address is locked after 100 wrong codes.", "Unlock it with an organization key: POST /v2/verifications/unlock.";
    NotPermitted "not-permitted" 403, "The credentials are valid but do not permit this call.", "Use credentials that permit it.";
    MemberProofRequired "member-proof-required" 403, "The app's settings require the member's own session.", "Sign the member in and send the session in the header Member-Session.";
    SecondFactorRequired "second-factor-required" 403, "The password is correct, and the member has a second factor.", "Sign in again with code or recovery_code.";
    SelfApproval "self-approval" 403, "A member cannot approve a payable that they submitted.", "Let another member approve it.";
    NotFound "not-found" 404, "The object does not exist, or does not belong to the caller.", "Check the id and the key.";
    MethodNotAllowed "method-not-allowed" 405, "The path does not support this HTTP method.", "Use a method of the header Allow.";
    InvalidState "invalid-state" 409, "The object's state does not allow this call.", "Fetch the object and check its status before you retry.";
    DeliveryLimitReached "delivery-limit-reached" 409, "The link was delivered five times, which is the limit.", "Cancel the link and create a new one.";
    AlreadyClaimed "already-claimed" 409, "The link is already claimed.", "No action is required.";
    BatchAlreadyProcessed "batch-already-processed" 409, "An identical batch was already processed.", "Read that batch; errors has its id.";
    UserHasBalance "user-has-balance" 409, "The user has money in a wallet or a transfer in progress.", "Wait for the transfer, or move the money first.";
    UserInactive "user-inactive" 409, "The user is disabled or was deleted.", "Use an active user.";
    UserInAnotherApp "user-in-another-app" 409, "Another app of the organization has a user with this phone number.", "Connect the user with an organization key, or send a payout link that the payee claims.";
    UserInfoMissing "user-info-missing" 409, "The user lacks information that this call requires.", "Let the user complete it.";
    IdempotencyKeyReused "idempotency-key-reused" 409, "The idempotency key was used before, and the stored response cannot be returned.", "If errors lists differences, use a new key for the new request. With the reason response-expired or response-erased the request took effect: fetch its result, and do not send it again.";
    ResourceBusy "resource-busy" 409, "A request with the same idempotency key is in progress.", "Retry after the seconds in Retry-After, with the same key.";
    RailNotConnected "rail-not-connected" 409, "No route connects the rail to a bank or a provider.", "Use a rail of GET /v2/users/{user_id}/payout-options, or let an admin add a route.";
    LimitExceeded "limit-exceeded" 409, "The request exceeds a limit of the app or of the service.", "Read the limit in the message.";
    LinkExpired "link-expired" 410, "The link has expired.", "Ask the sender for a new link.";
    LinkCanceled "link-canceled" 410, "The link was canceled.", "Ask the sender.";
    PayloadTooLarge "payload-too-large" 413, "The body is larger than 1 MiB (11 MiB for the file of a bank), or than 64 KiB without a secret key.", "Send a smaller body.";
    UriTooLong "uri-too-long" 414, "The path and the query string are longer than 8 KiB.", "Send a shorter query string.";
    UnsupportedMediaType "unsupported-media-type" 415, "The content type of the body is not application/json.", "Send JSON with Content-Type: application/json.";
    RateLimited "rate-limited" 429, "The caller sent too many requests.", "Retry after the seconds in Retry-After.";
    HeadersTooLarge "headers-too-large" 431, "The headers are larger than 32 KiB in total.", "Send fewer or shorter headers; a large cookie is a common cause.";
    InternalError "internal-error" 500, "The server failed because of a bug.", "Report the X-Request-Id, and retry with the same idempotency key.";
    ServiceUnavailable "service-unavailable" 503, "The service cannot process the request now; this attempt changed nothing.", "Retry after the seconds in Retry-After.";
    StorageFull "storage-full" 503, "The storage is full; this attempt changed nothing.", "Retry after the seconds in Retry-After, with the same idempotency key. Operators: free or add storage.";
    OutcomeUnknown "outcome-unknown" 503, "The outcome is unknown: the request may or may not have taken effect.", "Retry with the same idempotency key; the response shows the outcome.";
}

/// The reasons of each code that has some.
const REASONS: [(Code, &[Reason]); 14] = [
    (
        Code::InvalidInput,
        &[
            Reason::FieldRequired,
            Reason::FieldUnknown,
            Reason::FieldRepeated,
            Reason::FieldConflict,
            Reason::WrongType,
            Reason::NullNotAllowed,
            Reason::NotAChoice,
            Reason::OutOfRange,
            Reason::BadFormat,
            Reason::BadText,
            Reason::BodyMalformed,
            Reason::PhoneNumberMissing,
            Reason::CountryCodeMissing,
        ],
    ),
    (
        Code::InvalidPhoneNumber,
        &[
            Reason::CountryCodeInvalid,
            Reason::CountryCodeContradicts,
            Reason::CountryCodeMissing,
            Reason::PhoneNumberMissing,
            Reason::PhoneNumberMalformed,
            Reason::PhoneNumberNotAssigned,
            Reason::PhoneNumberReserved,
            Reason::PhoneNumberCostly,
            Reason::PhoneNumberEmbargoed,
            Reason::CountryNotAllowed,
        ],
    ),
    (
        Code::WrongToken,
        &[
            Reason::CodeWrong,
            Reason::CodeExpired,
            Reason::CodeSpent,
            Reason::CodeMissing,
            Reason::BadFormat,
            Reason::PasswordWrong,
            Reason::SetUpTokenInvalid,
        ],
    ),
    (
        Code::Unauthorized,
        &[
            Reason::CredentialsMissing,
            Reason::CredentialsMalformed,
            Reason::CredentialsWrong,
            Reason::KeyExpired,
            Reason::SessionMissing,
        ],
    ),
    (Code::InsufficientFunds, &[Reason::BalanceTooLow]),
    (
        Code::NotPermitted,
        &[
            Reason::RoleNotAllowed,
            Reason::MembersNotAccepted,
            Reason::OtherApp,
            Reason::OtherApprovers,
            Reason::OtherContact,
            Reason::OtherSite,
            Reason::SessionLimited,
            Reason::SignatureWrong,
        ],
    ),
    (Code::NotFound, &[Reason::PathUnknown]),
    (
        Code::InvalidState,
        &[
            Reason::StatusNotAllowed,
            Reason::ObjectDeleted,
            Reason::AlreadyExists,
            Reason::AlreadyDone,
            Reason::VersionDiffers,
            Reason::TooEarly,
            Reason::TooLate,
            Reason::InUse,
            Reason::MoneyRemains,
            Reason::UnderReview,
            Reason::PayoutsFrozen,
            Reason::NotFrozen,
            Reason::OtherOwner,
            Reason::OtherApprovers,
            Reason::WrongKind,
            Reason::StepMissing,
            Reason::MemberNeeded,
            Reason::LastAdmin,
            Reason::SetUpIncomplete,
            Reason::BankExcludes,
            Reason::AccountReturned,
            Reason::AuthorizationEnded,
            Reason::RailExcluded,
            Reason::CountryNotAllowed,
            Reason::CountryCodeInvalid,
            Reason::CountryCodeContradicts,
            Reason::PhoneNumberMalformed,
            Reason::PhoneNumberNotAssigned,
            Reason::PhoneNumberReserved,
            Reason::PhoneNumberCostly,
            Reason::PhoneNumberEmbargoed,
            Reason::TextsStopped,
        ],
    ),
    (Code::AlreadyClaimed, &[Reason::ClaimedByAnother, Reason::PaidOut]),
    (Code::UserHasBalance, &[Reason::MoneyRemains, Reason::InUse]),
    (Code::UserInactive, &[Reason::ObjectDeleted, Reason::UserDisabled]),
    (
        Code::UserInfoMissing,
        &[
            Reason::TaxFormMissing,
            Reason::ContactMissing,
            Reason::AccountMissing,
            Reason::AccountIncomplete,
            Reason::AccountDisabled,
            Reason::StepMissing,
        ],
    ),
    (Code::IdempotencyKeyReused, &[Reason::RequestDiffers, Reason::ResponseExpired, Reason::ResponseErased]),
    (
        Code::LimitExceeded,
        &[Reason::AmountLimit, Reason::DailyLimit, Reason::CountLimit, Reason::BalanceLimit, Reason::ClockLimit],
    ),
];

impl Code {
    /// Returns the reasons that this code may have.
    #[must_use]
    pub fn reasons(self) -> &'static [Reason] {
        REASONS.iter().find(|(code, _)| *code == self).map_or(&[], |(_, reasons)| reasons)
    }

    /// Returns whether the refusal depends on state, so that it is stored with its idempotency key: a definite failure
    /// stays a failure (docs/decisions.md 4).
    pub const fn is_kept(self) -> bool {
        matches!(self.status(), 402 | 404 | 409 | 410)
            && !matches!(self, Self::ResourceBusy | Self::IdempotencyKeyReused)
    }
}

/// An error of one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FieldError {
    /// A JSON pointer into the body (`/payee/phone_number`) or the name of a parameter or header.
    pub field: String,
    /// A code, usually the same as `error_code`.
    pub code: &'static str,
    /// The rule that the field broke, if it has a name: `field-required`. The list of errors has all reasons.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, example = "field-required")]
    pub reason: Option<Reason>,
    /// What is wrong and how to correct it.
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub code: Code,
    /// The rule that was broken, if it has a name.
    pub reason: Option<Reason>,
    /// Values for programs.
    pub details: Option<Box<Details>>,
    /// For the caller: what was refused, and how to proceed.
    pub message: String,
    /// One entry for each invalid field.
    pub errors: Vec<FieldError>,
    /// The wait before a retry, if waiting helps.
    pub retry_after_seconds: Option<u32>,
    /// The message for payees, in each language; `None` for messages to callers of the API.
    pub said: Option<Text>,
}

impl Refusal {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let (errors, message) = (Vec::new(), message.into());
        Self { code, reason: None, details: None, message, errors, retry_after_seconds: None, said: None }
    }

    /// Returns a refusal with a text for payees; callers of the API get it in English.
    pub fn to_payee(code: Code, said: Text) -> Self {
        Self::new(code, Language::En.text(said)).saying(said)
    }

    /// Adds the text for payees.
    #[must_use]
    pub fn saying(mut self, said: Text) -> Self {
        self.said = Some(said);
        self
    }

    /// Returns a refusal of one field.
    pub fn field(code: Code, field: impl Into<String>, message: impl Into<String>) -> Self {
        let error = FieldError { field: field.into(), code: code.as_str(), reason: None, message: message.into() };
        Self { errors: vec![error.clone()], ..Self::new(code, told_of(&error)) }
    }

    /// Names the rule that was broken.
    #[must_use]
    pub fn because(mut self, reason: Reason) -> Self {
        self.reason = Some(reason);
        self.errors.iter_mut().for_each(|error| error.reason = Some(reason));
        self
    }

    /// Adds values for programs.
    #[must_use]
    pub fn with(mut self, details: Details) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// Returns the refusal of one more object or call than a limit allows.
    pub fn over_limit(name: &'static str, maximum: usize, message: impl Into<String>) -> Self {
        let details = Details::limit(name, i64::try_from(maximum).unwrap_or(i64::MAX));
        Self::new(Code::LimitExceeded, message).because(Reason::CountLimit).with(details)
    }

    /// Returns the refusal of a call in a status, with the statuses that allow it.
    pub fn in_status(message: impl Into<String>, status: &'static str, allowed: Vec<&'static str>) -> Self {
        let details = Details { current_status: Some(status), allowed_statuses: allowed, ..Details::default() };
        Self::new(Code::InvalidState, message).because(Reason::StatusNotAllowed).with(details)
    }

    /// Returns a refusal of several fields. The code is that of the fields if they agree, else `invalid-input`.
    ///
    /// At most [`FIELDS_MAX`] are named; the message has the number of the others.
    pub fn fields(mut errors: Vec<FieldError>) -> Self {
        let more = errors.len().saturating_sub(FIELDS_MAX);
        let most = if errors.len() >= COUNTED_MAX { "at least " } else { "" };
        errors.truncate(FIELDS_MAX);
        let agreed =
            errors.first().map(|error| error.code).filter(|code| errors.iter().all(|error| error.code == *code));
        let code = agreed
            .and_then(|word| Code::ALL.iter().copied().find(|code| code.as_str() == word))
            .unwrap_or(Code::InvalidInput);
        let message = match errors.as_slice() {
            [only] => told_of(only),
            _ if more > 0 => {
                let kind = kind_of(&errors);
                format!("errors lists the first {FIELDS_MAX} invalid {kind}; {most}{more} more omitted.")
            }
            several => format!("{} {} are invalid; see errors.", several.len(), kind_of(several)),
        };
        let first = errors.first().and_then(|error| error.reason);
        let reason = first.filter(|reason| errors.iter().all(|error| error.reason == Some(*reason)));
        Self { reason, errors, ..Self::new(code, message) }
    }

    /// The same refusal for a missing object and for another owner's object, so that it reveals nothing.
    pub fn not_found(what: &str) -> Self {
        Self::new(Code::NotFound, format!("The {what} does not exist."))
    }

    /// Returns the refusal of a change while the storage is full.
    #[must_use]
    pub fn storage_full() -> Self {
        let message = "The storage is full. This attempt changed nothing; reads still work. Retry later.";
        Self::new(Code::StorageFull, message).retry_after(10)
    }

    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after_seconds = Some(seconds);
        self
    }
}

/// Returns a field's message for use without the field: prefixed with the field's name, unless it is a sentence. Fields
/// begin with a slash, and headers have a hyphen or an upper-case letter.
fn told_of(error: &FieldError) -> String {
    if error.message.starts_with(char::is_uppercase) {
        error.message.clone()
    } else {
        let is_query = error.field.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let is_called_so = error.message.contains("query parameter");
        let kind = if is_query && !is_called_so { "query parameter " } else { "" };
        format!("{kind}{}: {}", error.field, error.message)
    }
}

/// Returns the kind of the named values: fields have JSON pointers, and a query has parameters.
fn kind_of(errors: &[FieldError]) -> &'static str {
    let fields = errors.iter().filter(|error| error.field.starts_with('/')).count();
    match fields {
        0 => "query parameters",
        _ if fields == errors.len() => "fields",
        _ => "fields and query parameters",
    }
}

/// The page with all error codes; each code is an anchor.
pub const ERRORS_PAGE: &str = "/guide/reference/errors";

/// The request that an error answers, and the server that answers it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorContext {
    /// `None` for work without a request, such as a row of a batch.
    pub request_id: Option<String>,
    /// The server's own address; empty makes `doc_url` relative.
    pub public_url: String,
}

/// The body of every error.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct ErrorBody {
    /// Always false.
    #[schema(example = false)]
    pub success: bool,
    /// The message for people.
    pub message: String,
    /// The code for programs; the reference lists all of them.
    #[schema(example = "invalid-input")]
    pub error_code: &'static str,
    /// The errors of individual fields.
    pub errors: Vec<FieldError>,
    /// The rule within the code that the request broke, if it has a name and all errors agree. New reasons may be added.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, example = "field-required")]
    pub reason: Option<Reason>,
    /// Values for programs: the status and the statuses that would be allowed, or the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Details, required = false)]
    pub details: Option<Details>,
    /// The id of the request that was refused. A stored response that is sent again has the id of the first request; the
    /// header X-Request-Id has the id of the present one. Absent if a row of a batch was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, example = "0195d8a4-6f00-7c3e-8a51-0c6a2f3b9d10")]
    pub request_id: Option<String>,
    /// The page of this server about the code.
    #[schema(example = "http://127.0.0.1:8080/guide/reference/errors#invalid-input")]
    pub doc_url: String,
}

impl Refusal {
    /// Returns the body of the refusal of a request.
    #[must_use]
    pub fn body(&self, context: &ErrorContext) -> ErrorBody {
        let word = self.code.as_str();
        debug_assert!(self.reason.is_none_or(|it| self.code.reasons().contains(&it)), "{word}: {:?}", self.reason);
        ErrorBody {
            success: false,
            message: self.message.clone(),
            error_code: word,
            reason: self.reason,
            details: self.details.as_deref().cloned(),
            errors: self.errors.clone(),
            request_id: context.request_id.clone(),
            doc_url: format!("{}{ERRORS_PAGE}#{word}", context.public_url.trim_end_matches('/')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_a_unique_hyphenated_word() {
        let mut words: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert!(words.iter().all(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Code::ALL.len());
    }

    #[test]
    fn every_reason_is_a_unique_hyphenated_word_and_no_code() {
        let mut words: Vec<&str> = Reason::ALL.iter().map(|reason| reason.as_str()).collect();
        assert!(words.iter().all(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
        words.extend(Code::ALL.iter().map(|code| code.as_str()));
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Reason::ALL.len() + Code::ALL.len());
        for reason in Reason::ALL {
            assert!(Code::ALL.iter().any(|code| code.reasons().contains(reason)), "{reason:?} belongs to no code");
        }
    }

    #[test]
    fn what_was_decided_against_state_is_kept_and_bad_input_is_not() {
        assert!(Code::InsufficientFunds.is_kept());
        assert!(Code::AlreadyClaimed.is_kept());
        for code in
            [Code::InvalidInput, Code::Unauthorized, Code::NotPermitted, Code::RateLimited, Code::OutcomeUnknown]
        {
            assert!(!code.is_kept(), "{code:?}");
        }
    }

    #[test]
    fn a_message_names_its_field_unless_it_is_a_sentence() {
        let refusal = |message: &str| Refusal::field(Code::InvalidInput, "/amount", message);
        assert_eq!(refusal("is required").message, "/amount: is required");
        assert_eq!(refusal("is required").errors[0].message, "is required");
        assert_eq!(refusal("The wallet is empty.").message, "The wallet is empty.");
        assert_eq!(Refusal::fields(refusal("is required").errors), refusal("is required"));
    }

    #[test]
    fn a_refusal_names_twenty_fields_and_how_many_more_there_are() {
        let errors = |count: usize| {
            let error = |at: usize| FieldError {
                field: format!("/{at}"),
                code: Code::InvalidInput.as_str(),
                reason: None,
                message: "no".into(),
            };
            Refusal::fields((0..count).map(error).collect())
        };
        let all = errors(20);
        assert_eq!((all.errors.len(), all.message.as_str()), (20, "20 fields are invalid; see errors."));
        let more = errors(21);
        assert_eq!(more.errors.last().map(|last| last.field.as_str()), Some("/19"));
        assert_eq!(more.message, "errors lists the first 20 invalid fields; 1 more omitted.");
        let message = errors(1_000).message;
        assert_eq!(message, "errors lists the first 20 invalid fields; at least 980 more omitted.");
    }

    #[test]
    fn fields_that_agree_give_their_code() {
        let error =
            |code: Code| FieldError { field: "/x".into(), code: code.as_str(), reason: None, message: "no".into() };
        assert_eq!(Refusal::fields(vec![error(Code::InvalidEmail)]).code, Code::InvalidEmail);
        let mixed = Refusal::fields(vec![error(Code::InvalidEmail), error(Code::InvalidInput)]);
        assert_eq!(mixed.code, Code::InvalidInput);
    }

    #[test]
    fn a_reason_of_all_fields_is_the_reason_of_the_refusal() {
        let error = |reason: Option<Reason>| FieldError {
            field: "/x".into(),
            code: Code::InvalidInput.as_str(),
            reason,
            message: "no".into(),
        };
        let refused =
            |reasons: &[Option<Reason>]| Refusal::fields(reasons.iter().map(|it| error(*it)).collect()).reason;
        assert_eq!(refused(&[Some(Reason::FieldRequired)]), Some(Reason::FieldRequired));
        assert_eq!(refused(&[Some(Reason::FieldRequired), Some(Reason::WrongType)]), None);
        assert_eq!(refused(&[Some(Reason::FieldRequired), None]), None);
    }

    #[test]
    fn a_body_names_its_request_and_the_page_of_its_code() {
        let context =
            ErrorContext { request_id: Some("r-1".to_owned()), public_url: "https://pay.example/".to_owned() };
        let body = Refusal::in_status("No.", "created", vec!["approved"]).body(&context);
        let expected = serde_json::json!({
            "success": false, "message": "No.", "error_code": "invalid-state", "reason": "status-not-allowed",
            "details": {"current_status": "created", "allowed_statuses": ["approved"]}, "errors": [], "request_id": "r-1",
            "doc_url": "https://pay.example/guide/reference/errors#invalid-state",
        });
        assert_eq!(serde_json::to_value(body).unwrap(), expected);
        let plain = serde_json::to_value(Refusal::not_found("link").body(&ErrorContext::default())).unwrap();
        assert_eq!(plain.as_object().unwrap().len(), 5);
    }
}
