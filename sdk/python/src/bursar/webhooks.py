"""Verifies webhooks: the Standard Webhooks signature, HMAC-SHA256 over the id, the time and the body."""

from __future__ import annotations

import base64
import hmac
import json
import time
from collections.abc import Mapping
from typing import cast

from . import models
from .errors import BursarError

#: The largest difference between the time of a webhook and the clock, in seconds.
TOLERANCE = 300


class InvalidWebhook(BursarError):
    """The request is not a webhook of this endpoint. Answer it with status 400, and do not use it."""


def verify_webhook(
    secret: str, headers: Mapping[str, str], body: bytes, *, tolerance: int = TOLERANCE, now: float | None = None
) -> models.Event:
    """Returns the event of a webhook. Raises `InvalidWebhook` if the signature or the time is wrong.

    `secret` is the `whsec_…` of the endpoint and `body` the bytes that were received. Store `webhook-id` to process
    each event once.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        id, sent_at, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        age = (time.time() if now is None else now) - int(sent_at)
    except (KeyError, ValueError) as error:
        raise InvalidWebhook("a webhook header is missing or malformed") from error
    if abs(age) > tolerance:
        raise InvalidWebhook(f"the webhook is {age:.0f} seconds old")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = b".".join([id.encode(), sent_at.encode(), body])
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256"))
    if not any(hmac.compare_digest(expected, signature.encode()) for signature in signatures.split(" ")):
        raise InvalidWebhook("no signature of the webhook is valid")
    return cast(models.Event, json.loads(body))
