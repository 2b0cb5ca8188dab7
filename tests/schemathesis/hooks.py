"""Gives schemathesis what a schema cannot say, so that its requests get past the first guard.

Only requests that are meant to be valid are touched, and only by values that the schema allows as well; whatever is
meant to be invalid is sent as it was drawn. Everything is counted, nothing is drawn here: a seed repeats itself.
"""

import itertools
import re

import schemathesis

KEYS = itertools.count(1)
PHONES = itertools.cycle(range(2000, 2040))
TOKENS = []
CURSORS = {}
# A sandbox that is moved by years at a time has nothing left that is not expired.
SECONDS_MAX = 3600


@schemathesis.hook
def before_call(context, case, kwargs):
    generation = case.meta.generation if case.meta else None
    if generation is None or not generation.mode.is_positive:
        return
    if isinstance(case.path_parameters, dict) and "token" in case.path_parameters and TOKENS:
        # Where the path is the credential, unknown ones are soon refused with 429, which would be all there is to see.
        case.path_parameters["token"] = TOKENS[next(KEYS) % len(TOKENS)]
    if isinstance(case.query, dict):
        choose_cursor(case)
        for name in ("phone_number", "to"):
            if name in case.query:
                case.query[name] = f"+1212736{next(PHONES)}"
    if isinstance(case.body, dict):
        realize(case.body)
        choose_key(case)


def choose_cursor(case):
    """A cursor is an object of the list, and there is one at most."""
    known = CURSORS.get(address(case))
    for name in ("ending_before", "starting_after"):
        if case.query.pop(name, None) is not None and known is not None:
            case.query[name] = known
            known = None


def address(case):
    """The path with its values: each list has cursors of its own."""
    return case.path.format(**case.path_parameters or {})


def choose_key(case):
    """An idempotency key is used once; the header and the body carry the same."""
    if case.headers and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = f"{next(KEYS)}"
        case.body.pop("idempotency_key", None)
    elif case.body.get("idempotency_key"):
        case.body["idempotency_key"] = f"00000000-0000-4000-8000-{next(KEYS):012}"


def realize(body):
    """Phones that a numbering plan has, places that exist, banks that there are."""
    if isinstance(body.get("phone_number"), str) and "country_code" in body:
        body["country_code"], body["phone_number"] = "1", f"212736{next(PHONES)}"
    if isinstance(body.get("country"), str):
        body["country"] = "US"
    for name, value in (("state", "NY"), ("postcode", "10001"), ("citizenship", "DE"), ("routing_number", "110000000")):
        if isinstance(body.get(name), str):
            body[name] = value
    if isinstance(body.get("seconds"), int):
        body["seconds"] = min(body["seconds"], SECONDS_MAX)
    for value in body.values():
        if isinstance(value, dict):
            realize(value)
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    realize(item)


@schemathesis.hook
def after_call(context, case, response):
    if not 200 <= response.status_code < 300 or not response.content.startswith(b"{"):
        return
    body = response.json()
    if isinstance(body.get("link"), str):
        TOKENS.append(re.sub(".*/", "", body["link"]))
    if isinstance(body.get("data"), list) and body["data"] and "id" in body["data"][-1]:
        CURSORS[address(case)] = body["data"][-1]["id"]
