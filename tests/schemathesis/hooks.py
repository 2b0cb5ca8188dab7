"""Gives schemathesis what a schema cannot say, so that its requests get past the first guard.

Only what is meant to be valid is touched, and only by values that the schema allows as well; whatever is meant to be
invalid is sent as it was drawn. Everything is counted, nothing is drawn here: a seed repeats itself.
"""

import collections
import datetime
import itertools
import json
import os
import re
import urllib.error
from pathlib import Path

import schemathesis
from ready import Ready
from sandbox import Client
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import TestPhase

STAGE = json.loads(Path(os.environ["BURSAR_STAGE"]).read_text())
READY = Ready(Client(STAGE["url"], STAGE["credentials"]))
# How often each operation was called with what is meant to be valid.
CALLED = collections.Counter()
# The first of so many calls finds what it is about ready for it; the others go their own ways.
READY_EVERY = 4
NUMBERS = itertools.count(1)
PHONES = itertools.cycle(range(2000, 2040))
# A sandbox that is moved by years at a time has nothing left that is not expired.
SECONDS_MAX = 3600
# Objects that may be named, newest last: the placeholders of a path up to its last one, with values that belong together.
POOL = {}
# The same of objects that were there from the start; nothing removes them.
SEEDS = STAGE["seeds"]
POOL_MAX = 30
CURSORS = {}
# Claims that were not canceled: token and payee.
CLAIMS = []
# Names of fields in bodies, by the placeholder that stands for the same object in paths.
NAMED = {"acting_user_id": "member_id", "ap_vendor_id": "vendor_id", "ap_payment_method_id": "payment_method_id"}

# E-mail addresses with routes or quotes are addresses to a schema, and refused.
ADDRESSES = ("email", "admin_email", "contact_email")

# Texts that are looked up or have check digits, wherever their field stands.
PLACES_AND_NUMBERS = {
    "state": "NY", "incorporation_state": "NY", "postcode": "10001", "zip": "10001", "citizenship": "DE",
    "routing_number": "110000000", "ein": "12-3456789", "ssn": "123-45-6789",
}  # fmt: skip


def is_positive(case, location):
    component = case.meta.components.get(location) if case.meta else None
    return component is not None and component.mode.is_positive


# Invisible characters above U+FFFF, which no text may have and no pattern that every dialect reads can exclude.
INVISIBLE = re.compile("[\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]")


def visible(value):
    """The same value without invisible characters."""
    if isinstance(value, str):
        return INVISIBLE.sub("x", value)
    if isinstance(value, list):
        return [visible(inner) for inner in value]
    if isinstance(value, dict):
        return {name: visible(inner) for name, inner in value.items()}
    return value


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.path_parameters and is_positive(case, ParameterLocation.PATH):
        name_object(case)
    if not (case.meta and case.meta.generation.mode.is_positive):
        return
    if take_ready(case):
        return
    if isinstance(case.query, dict):
        choose_cursor(case)
        order_times(case.query)
        name_in(case.query)
        usable_addresses(case.query)
        for name in ("phone_number", "to"):
            if name in case.query:
                case.query[name] = f"+1212736{next(PHONES)}"
    if isinstance(case.body, dict):
        case.body = visible(case.body)
        take_example(case)
        realize(case.body)
        choose_key(case)
        if CLAIMS and case.path == "/v2/claims/{token}/contact":
            payee = CLAIMS[-1]["payee"]
            case.body.pop("email", None)
            case.body.update(country_code=payee["country_code"], phone_number=payee["phone_number"])


def take_ready(case):
    """A request that succeeds, where that takes more than a schema can say; tells whether there was one."""
    operation = case.operation.definition.raw["operationId"]
    CALLED[operation] += 1
    if CALLED[operation] % READY_EVERY != 1:
        return False
    try:
        request = READY.request(operation)
    except (urllib.error.HTTPError, TimeoutError):
        # What was drawn before left no funds, or no place. The run fails if an operation never succeeds.
        return False
    if request is None:
        return False
    case.path_parameters = {**(case.path_parameters or {}), **request.path}
    case.headers = {**(case.headers or {}), **request.headers}
    if request.query:
        case.query = request.query
    if request.is_whole or not isinstance(case.body, dict):
        case.body = request.body
    else:
        case.body = {**case.body, **request.body}
    choose_key(case)
    return True


def name_object(case):
    """Names an object that exists, three times of four; every other time one that was there from the start."""
    number = next(NUMBERS)
    if "token" in case.path_parameters:
        # Where the path is the credential, unknown ones are soon refused with 429, which would be all there is to see.
        if CLAIMS:
            case.path_parameters["token"] = CLAIMS[-1]["token"]
        return
    pool = SEEDS if number % 2 and case.method != "DELETE" else POOL
    known = [prefix for prefix in pool if case.path.startswith(prefix)]
    if case.method == "DELETE" and case.meta.phase.name == TestPhase.STATEFUL:
        # It could be what an earlier call of the same scenario made and a later one looks for.
        return
    # What a link names was made by the call that the link comes from; another in its place was not.
    linked = getattr(case._override, "path_parameters", None) or {}
    if known and number % 8 < 6 and not linked:
        values = pool[max(known, key=len)]
        case.path_parameters.update(values[number % len(values)])


def name_in(fields):
    """The same for the fields of a body or a query, every other time."""
    for field in fields:
        placeholder = "{" + NAMED.get(field, field) + "}"
        number = next(NUMBERS)
        pool = SEEDS if number % 4 == 1 else POOL
        known = [prefix for prefix in pool if prefix.endswith(placeholder)]
        if known and number % 2 and isinstance(fields[field], str):
            values = pool[known[0]]
            fields[field] = values[number % len(values)][placeholder.strip("{}")]


def take_example(case):
    """The document's example in place of a drawn body, every fourth time: fields that fit together are seldom drawn."""
    content = case.operation.definition.raw["requestBody"]["content"]["application/json"]
    if "example" in content and next(NUMBERS) % 4 == 0:
        case.body = json.loads(json.dumps(content["example"]))


def choose_cursor(case):
    """A cursor is an object of the list, and there is one at most."""
    # The requests of a sandbox are soon gone from their list.
    known = None if case.path == "/v2/sandbox/requests" else CURSORS.get(address(case))
    for name in ("ending_before", "starting_after"):
        if case.query.pop(name, None) is not None and known is not None:
            case.query[name] = known
            known = None


def order_times(fields):
    """A range begins before it ends."""
    for begin, end in (("created_after", "created_before"), ("start_date", "end_date")):
        if begin not in fields or end not in fields:
            continue
        try:
            times = [datetime.datetime.fromisoformat(fields[name].replace("Z", "+00:00")) for name in (begin, end)]
            if times[0] > times[1]:
                fields[begin], fields[end] = fields[end], fields[begin]
        except (AttributeError, OverflowError, TypeError, ValueError):
            # A time that only the service reads.
            del fields[end]


def address(case):
    """The path with its values: each list has cursors of its own."""
    return case.path.format(**case.path_parameters or {})


def choose_key(case):
    """An idempotency key is used once; the header and the body carry the same."""
    if case.headers and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = f"{next(NUMBERS)}"
        case.body.pop("idempotency_key", None)
    elif case.body.get("idempotency_key"):
        case.body["idempotency_key"] = f"00000000-0000-4000-8000-{next(NUMBERS):012}"


def usable_addresses(fields):
    """Addresses without what a mail server would read as a route; the others stay as they were drawn."""
    for name in ADDRESSES:
        value = fields.get(name)
        if isinstance(value, str) and not re.fullmatch(r"[A-Za-z0-9]+(\.[A-Za-z0-9]+)*@[a-z]+\.com", value):
            fields[name] = f"drawn{next(NUMBERS)}@example.com"


def realize(body):
    """Phones that a numbering plan has, places that exist, banks that there are."""
    if isinstance(body.get("phone_number"), str):
        if "country_code" in body:
            body["country_code"], body["phone_number"] = "1", f"212736{next(PHONES)}"
        else:
            body["phone_number"] = f"+1212736{next(PHONES)}"
    if isinstance(body.get("from"), str):
        body["from"] = f"+1212736{next(PHONES)}"
    if isinstance(body.get("country"), str):
        body["country"] = "US"
    for name, value in PLACES_AND_NUMBERS.items():
        if isinstance(body.get(name), str):
            body[name] = value
    if isinstance(body.get("seconds"), int):
        body["seconds"] = min(body["seconds"], SECONDS_MAX)
    usable_addresses(body)
    if isinstance(body.get("phone_countries"), list):
        # The phones of all other calls are of these countries.
        body["phone_countries"] = ["CA", "US"]
    if isinstance(body.get("metadata"), dict):
        # Control characters are refused at any depth, which takes a schema that refers to itself.
        body["metadata"] = {"order": next(NUMBERS)}
    name_in(body)
    for value in body.values():
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, dict):
                realize(inner)


@schemathesis.hook
def after_call(context, case, response):
    if not 200 <= response.status_code < 300 or not response.content.startswith(b"{"):
        return
    body = response.json()
    listed = body["data"][-1] if isinstance(body.get("data"), list) and body["data"] else None
    if isinstance(listed, dict) and "id" in listed:
        CURSORS[address(case)] = listed["id"]
    if case.method in ("POST", "PUT") or listed is not None:
        remember(case, listed or body)
    if isinstance(body.get("link"), str):
        claim = {"token": re.sub(".*/", "", body["link"]), "payee": body["payee"]}
        CLAIMS[:] = [known for known in CLAIMS if known["token"] != claim["token"]]
        if body["status"] in ("sent", "delivered", "delivery_pending") and body["payee"]["phone_number"]:
            CLAIMS.append(claim)


def remember(case, made):
    """Keeps the ids of what was made or listed, by the paths that name it."""
    for path in case.operation.schema:
        match = re.match(re.escape(case.path) + r"/\{(\w+)\}", path)
        name = match and match[1]
        id = name and (made.get(name) or made.get("id"))
        if isinstance(id, str):
            values = POOL.setdefault(match[0], [])
            values.append({**(case.path_parameters or {}), name: id})
            del values[:-POOL_MAX]
