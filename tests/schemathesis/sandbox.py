"""A client of a sandbox, with the key of its organization: it makes the objects that calls are about."""

import base64
import itertools
import json
import time
import urllib.request

# How long the worker may take until a message stands in the inbox or an endpoint was called, in seconds.
PATIENCE = 30


class Client:
    """Asks on behalf of the sandbox's app, whose own keys may be revoked meanwhile."""

    def __init__(self, url, credentials):
        self.url = url
        self.app = credentials["app"]["id"]
        organization = credentials["organization"]
        self.organization = organization["id"]
        pair = f"{organization['client_id']}:{organization['api_key']}"
        self.token = base64.b64encode(pair.encode()).decode()
        self.numbers = itertools.count(1)

    def ask(self, method, path, body=None, headers=None):
        """A request; whatever is not 2xx is an error."""
        request = urllib.request.Request(self.url + path, method=method, headers=headers or {})
        request.add_header("Authorization", f"Basic {self.token}")
        request.add_header("Api-App-Id", self.app)
        # An app may be set to want a key of each POST.
        request.add_header("Idempotency-Key", f"prepared-{next(self.numbers)}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def make(self, path, body):
        """The id of what a POST made."""
        return self.ask("POST", path, body)["id"]

    def sent(self, phone, field):
        """This field of all messages to a phone that have it, newest first."""
        messages = self.ask("GET", f"/v2/sandbox/messages?to=%2B1{phone}")["data"]
        return [message[field] for message in messages if message[field]]

    def code(self, phone, nth=1):
        """The newest code to a phone, once the worker has sent so many."""

        def find():
            codes = self.sent(phone, "code")
            return codes[0] if len(codes) >= nth else None

        return self.wait(find, f"no code came to {phone}")

    def wait(self, find, otherwise):
        """What is found, once it is there."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            found = find()
            if found:
                return found
            time.sleep(0.02)
        raise TimeoutError(otherwise)
