"""Sends requests: authentication, idempotency keys, retries, errors, pages."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx

from .errors import ApiError, NoResponse
from .refusals import BY_CODE

T = TypeVar("T")

RETRIED = frozenset({429, 500, 502, 503, 504})
# The wait before the first retry, in seconds. It doubles with each retry, up to the largest wait.
WAIT_FIRST = 0.5
WAIT_MAX = 30.0


class Transport:
    """The part of the client that is independent of the operations."""

    def __init__(
        self,
        client_id: str = "",
        api_key: str = "",
        *,
        base_url: str = "http://127.0.0.1:8080",
        app_id: str | None = None,
        member_session: str | None = None,
        retries: int = 4,
        timeout: float = 35.0,
        http: httpx.Client | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Creates a client.

        `app_id` is the app that an organization key acts on. `member_session` authenticates a signed-in member.
        A request without a response, or with status 429 or 5xx, is sent again up to `retries` times if that is safe:
        every POST with an idempotency key carries the same key in every attempt.
        """
        self._http = http or httpx.Client(timeout=timeout)
        self._auth = httpx.BasicAuth(client_id, api_key) if client_id else None
        self._base_url = base_url.rstrip("/")
        self._app_id = app_id
        self._member_session = member_session
        self._retries = retries
        self._sleep = sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    @staticmethod
    def new_key() -> str:
        """Returns a new idempotency key."""
        return str(uuid.uuid4())

    @staticmethod
    def part(value: str) -> str:
        """Returns a value as a part of a path."""
        return quote(str(value), safe="")

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        csv: bytes | None = None,
        headers: Mapping[str, str | None] | None = None,
        app_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Sends a request; returns the decoded JSON, the bytes of a file, or None. `csv` is a body that is no JSON.

        Raises a subclass of `ApiError` for a refusal, and `NoResponse` if no response arrives.
        """
        given = {
            "Api-App-Id": app_id or self._app_id,
            "Member-Session": self._member_session,
            "Idempotency-Key": idempotency_key,
            "Content-Type": None if csv is None else "text/csv",
            **(headers or {}),
        }
        request = self._http.build_request(
            method,
            self._base_url + path,
            params={name: in_query(value) for name, value in (query or {}).items() if value is not None},
            headers={name: value for name, value in given.items() if value is not None},
            json=body,
            content=csv,
        )
        # Without a key, a second POST could have a second effect.
        retries = self._retries if method != "POST" or idempotency_key else 0
        return self._decoded(self._sent(request, retries, idempotency_key), idempotency_key)

    def _sent(self, request: httpx.Request, retries: int, key: str | None) -> httpx.Response:
        for attempt in range(retries + 1):
            try:
                response = self._http.send(request, auth=self._auth or httpx.USE_CLIENT_DEFAULT)
            except httpx.TransportError as error:
                if attempt == retries:
                    raise NoResponse(f"{request.method} {request.url}: {error}", key) from error
                self._sleep(wait(attempt, None))
                continue
            if attempt == retries or not is_retried(response):
                return response
            self._sleep(wait(attempt, response.headers.get("Retry-After")))
        raise AssertionError("the last attempt returns or raises")

    def _decoded(self, response: httpx.Response, key: str | None) -> Any:
        is_json = response.headers.get("Content-Type", "").startswith("application/json")
        if response.status_code >= 400:
            raise error_of(response.status_code, json_of(response) if is_json else {}, response, key)
        if is_json:
            return response.json()
        return response.content or None

    def pages(self, page: Callable[[Any], Any]) -> Iterator[Any]:
        """Yields the objects of all pages. `page` returns the page after an id."""
        after: Any = None
        while True:
            found = page(after)
            yield from found["data"]
            if not found["has_more"] or not found["data"]:
                return
            after = found["data"][-1]["id"]


def in_query(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def is_retried(response: httpx.Response) -> bool:
    if response.status_code == 409:
        return json_of(response).get("error_code") == "resource-busy"
    return response.status_code in RETRIED


def wait(attempt: int, retry_after: str | None) -> float:
    """Returns the seconds before the next attempt: those that the server asks for, else a random part of a doubling wait."""
    if retry_after and retry_after.isdigit():
        return min(float(retry_after), WAIT_MAX)
    return random.uniform(0.5, 1.0) * min(WAIT_FIRST * float(2**attempt), WAIT_MAX)


def json_of(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def error_of(status: int, body: dict[str, Any], response: httpx.Response, key: str | None) -> ApiError:
    kind = BY_CODE.get(body.get("error_code", ""), ApiError)
    return kind(status, body, response.headers.get("X-Request-Id"), key)
