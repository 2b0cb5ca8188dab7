"""Pays a person in a sandbox with a generated client: job.py openapi-python-client|openapi-generator <package folder>.

BURSAR_URL is the sandbox's address, BURSAR_CREDENTIALS its file of credentials.
"""

import json
import os
import sys
from pathlib import Path

URL = os.environ["BURSAR_URL"]
KEYS = json.loads(Path(os.environ["BURSAR_CREDENTIALS"]).read_text())["app"]
# Each client pays a phone of its own.
PHONE = {"openapi-python-client": "2127364001", "openapi-generator": "2127364002"}[sys.argv[1]]


def with_openapi_python_client():
    import httpx
    from bursar_client import Client
    from bursar_client.api.payout_links import list_payout_links
    from bursar_client.api.payouts import send_payout
    from bursar_client.models import InsufficientFundsError, PayeeInput, SendPayoutRequest

    auth = httpx.BasicAuth(KEYS["client_id"], KEYS["api_key"])
    client = Client(base_url=URL, httpx_args={"auth": auth}, raise_on_unexpected_status=True)
    payee = PayeeInput(country_code="1", phone_number=PHONE)
    sent = send_payout.sync(client=client, body=SendPayoutRequest(amount=1000, payee=payee))
    assert sent.amount == 1000 and sent.status == "delivery_pending", sent
    listed = list_payout_links.sync(client=client, phone_number=f"+1{PHONE}")
    assert [link.id for link in listed.data] == [sent.id], listed
    refused = send_payout.sync(client=client, body=SendPayoutRequest(amount=9_999_999_999, payee=payee))
    assert isinstance(refused, InsufficientFundsError), refused


def with_openapi_generator():
    import bursar_generated as bursar

    configuration = bursar.Configuration(host=URL, username=KEYS["client_id"], password=KEYS["api_key"])
    with bursar.ApiClient(configuration) as client:
        payouts, links = bursar.PayoutsApi(client), bursar.PayoutLinksApi(client)
        payee = bursar.PayeeInput(country_code="1", phone_number=PHONE)
        sent = payouts.send_payout(bursar.SendPayoutRequest(amount=1000, payee=payee))
        assert sent.amount == 1000, sent
        listed = links.list_payout_links(phone_number=f"+1{PHONE}")
        assert [link.id for link in listed.data] == [sent.id], listed
        try:
            payouts.send_payout(bursar.SendPayoutRequest(amount=9_999_999_999, payee=payee))
            raise AssertionError("the wallet does not hold that much")
        except bursar.ApiException as refused:
            assert refused.status == 402, refused
        # The operations on endpoints are there although events have a similar tag.
        assert callable(bursar.WebhooksApi(client).create_webhook_endpoint)


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[2])
    {"openapi-python-client": with_openapi_python_client, "openapi-generator": with_openapi_generator}[sys.argv[1]]()
