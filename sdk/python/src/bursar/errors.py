"""What a call raises. `refusals` has one class for each error code."""

from __future__ import annotations

from typing import Any


class BursarError(Exception):
    """Any error of this package."""


class NoResponse(BursarError):
    """No response arrived, also after retries. The request may have taken effect.

    Call again with the same `idempotency_key` to find out: a request is executed once per key.
    """

    def __init__(self, message: str, idempotency_key: str | None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key


class ApiError(BursarError):
    """The server refused the request. A subclass names each known code."""

    code: str = ""

    def __init__(self, status: int, body: dict[str, Any], request_id: str | None, idempotency_key: str | None) -> None:
        super().__init__(body.get("message") or f"HTTP status {status}")
        self.status = status
        self.code = body.get("error_code") or self.code
        #: The rule within the code, if it has a name: `field-required`. A newer server may send other reasons.
        self.reason: str | None = body.get("reason")
        #: Values for programs: `current_status` and `allowed_statuses`, or `limit` and `maximum`.
        self.details: dict[str, Any] = body.get("details") or {}
        #: The invalid fields: each has `field`, `code`, `message` and sometimes `reason`.
        self.errors: list[dict[str, str]] = body.get("errors") or []
        #: The page of the server about the code.
        self.doc_url: str | None = body.get("doc_url")
        self.body = body
        self.request_id = request_id or body.get("request_id")
        self.idempotency_key = idempotency_key

    def __str__(self) -> str:
        page = f", {self.doc_url}" if self.doc_url else ""
        return f"{self.code}: {self.args[0]} (request {self.request_id}{page})"
