"""Generated from openapi.json by `make sdk`. Do not edit."""

from .errors import ApiError


class AlreadyClaimedError(ApiError):
    """The link is already claimed. No action is required."""

    code = "already-claimed"


class AppIdRequiredError(ApiError):
    """An organization key was used on a route of an app without the header Api-App-Id. Send the header Api-App-Id."""

    code = "app-id-required"


class BatchAlreadyProcessedError(ApiError):
    """An identical batch was already processed. Read that batch; errors has its id."""

    code = "batch-already-processed"


class DeliveryLimitReachedError(ApiError):
    """The link was delivered five times, which is the limit. Cancel the link and create a new one."""

    code = "delivery-limit-reached"


class IdempotencyKeyReusedError(ApiError):
    """The idempotency key was used before, and the stored response cannot be returned. If errors lists differences, use a new key for the new request. With the reason response-expired or response-erased the request took effect: fetch its result, and do not send it again."""

    code = "idempotency-key-reused"


class InsufficientFundsError(ApiError):
    """The wallet does not cover the amount. Fund the wallet or send a smaller amount, with a new idempotency key."""

    code = "transaction-insufficient-funds"


class InternalError(ApiError):
    """The server failed because of a bug. Report the X-Request-Id, and retry with the same idempotency key."""

    code = "internal-error"


class InvalidEmailError(ApiError):
    """The e-mail address is not valid. Correct the address."""

    code = "invalid-email"


class InvalidInputError(ApiError):
    """The request is malformed or a field is invalid. Correct the fields listed in errors and send the request again."""

    code = "invalid-input"


class InvalidPhoneNumberError(ApiError):
    """The phone number does not exist in its country's numbering plan. Check the country code and the number."""

    code = "invalid-phone-number"


class InvalidSsnError(ApiError):
    """The social security number is not valid. Send nine digits; dashes are allowed."""

    code = "invalid-ssn"


class InvalidStateError(ApiError):
    """The object's state does not allow this call. Fetch the object and check its status before you retry."""

    code = "invalid-state"


class LimitExceededError(ApiError):
    """The request exceeds a limit of the app or of the service. Read the limit in the message."""

    code = "limit-exceeded"


class LinkCanceledError(ApiError):
    """The link was canceled. Ask the sender."""

    code = "link-canceled"


class LinkExpiredError(ApiError):
    """The link has expired. Ask the sender for a new link."""

    code = "link-expired"


class MemberProofRequiredError(ApiError):
    """The app's settings require the member's own session. Sign the member in and send the session in the header Member-Session."""

    code = "member-proof-required"


class NotFoundError(ApiError):
    """The object does not exist, or does not belong to the caller. Check the id and the key."""

    code = "not-found"


class NotPermittedError(ApiError):
    """The credentials are valid but do not permit this call. Use credentials that permit it."""

    code = "not-permitted"


class OrganizationKeyRequiredError(ApiError):
    """This call requires an organization key. Use an organization key."""

    code = "organization-key-required"


class OutcomeUnknownError(ApiError):
    """The outcome is unknown: the request may or may not have taken effect. Retry with the same idempotency key; the response shows the outcome."""

    code = "outcome-unknown"


class PayloadTooLargeError(ApiError):
    """The body is larger than 1 MiB (11 MiB for the file of a bank), or than 64 KiB without a secret key. Send a smaller body."""

    code = "payload-too-large"


class RateLimitedError(ApiError):
    """The caller sent too many requests. Retry after the seconds in Retry-After."""

    code = "rate-limited"


class ResourceBusyError(ApiError):
    """A request with the same idempotency key is in progress. Retry after the seconds in Retry-After, with the same key."""

    code = "resource-busy"


class SecondFactorRequiredError(ApiError):
    """The password is correct, and the member has a second factor. Sign in again with code or recovery_code."""

    code = "second-factor-required"


class SecretKeyRequiredError(ApiError):
    """This call requires the secret key; the request has only a client id. Call from your server with the secret key."""

    code = "secret-key-required"


class SelfApprovalError(ApiError):
    """A member cannot approve a payable that they submitted. Let another member approve it."""

    code = "self-approval"


class ServiceUnavailableError(ApiError):
    """The service cannot process the request now; this attempt changed nothing. Retry after the seconds in Retry-After."""

    code = "service-unavailable"


class UnauthorizedError(ApiError):
    """The credentials are missing or not valid. Send Authorization: Basic with the client id and the secret key."""

    code = "unauthorized"


class UnsupportedMediaTypeError(ApiError):
    """The content type of the body is not application/json. Send JSON with Content-Type: application/json."""

    code = "unsupported-media-type"


class UserHasBalanceError(ApiError):
    """The user has money in a wallet or a transfer in progress. Wait for the transfer, or move the money first."""

    code = "user-has-balance"


class UserInAnotherAppError(ApiError):
    """Another app of the organization has a user with this phone number. Connect the user with an organization key, or send a payout link that the payee claims."""

    code = "user-in-another-app"


class UserInactiveError(ApiError):
    """The user is disabled or was deleted. Use an active user."""

    code = "user-inactive"


class UserInfoMissingError(ApiError):
    """The user lacks information that this call requires. Let the user complete it."""

    code = "user-info-missing"


class VerificationLockedError(ApiError):
    """The phone number or e-mail address is locked after 100 wrong codes. Unlock it with an organization key: POST /v2/verifications/unlock."""

    code = "verification-locked"


class WrongEnvironmentError(ApiError):
    """The key belongs to the other environment. Use a key of this environment, or the other base URL."""

    code = "wrong-environment"


class WrongTokenError(ApiError):
    """The code is wrong, expired or used, or had too many attempts. Request a new code."""

    code = "wrong-token"


BY_CODE: dict[str, type[ApiError]] = {
    "already-claimed": AlreadyClaimedError,
    "app-id-required": AppIdRequiredError,
    "batch-already-processed": BatchAlreadyProcessedError,
    "delivery-limit-reached": DeliveryLimitReachedError,
    "idempotency-key-reused": IdempotencyKeyReusedError,
    "transaction-insufficient-funds": InsufficientFundsError,
    "internal-error": InternalError,
    "invalid-email": InvalidEmailError,
    "invalid-input": InvalidInputError,
    "invalid-phone-number": InvalidPhoneNumberError,
    "invalid-ssn": InvalidSsnError,
    "invalid-state": InvalidStateError,
    "limit-exceeded": LimitExceededError,
    "link-canceled": LinkCanceledError,
    "link-expired": LinkExpiredError,
    "member-proof-required": MemberProofRequiredError,
    "not-found": NotFoundError,
    "not-permitted": NotPermittedError,
    "organization-key-required": OrganizationKeyRequiredError,
    "outcome-unknown": OutcomeUnknownError,
    "payload-too-large": PayloadTooLargeError,
    "rate-limited": RateLimitedError,
    "resource-busy": ResourceBusyError,
    "second-factor-required": SecondFactorRequiredError,
    "secret-key-required": SecretKeyRequiredError,
    "self-approval": SelfApprovalError,
    "service-unavailable": ServiceUnavailableError,
    "unauthorized": UnauthorizedError,
    "unsupported-media-type": UnsupportedMediaTypeError,
    "user-has-balance": UserHasBalanceError,
    "user-in-another-app": UserInAnotherAppError,
    "user-inactive": UserInactiveError,
    "user-info-missing": UserInfoMissingError,
    "verification-locked": VerificationLockedError,
    "wrong-environment": WrongEnvironmentError,
    "wrong-token": WrongTokenError,
}
