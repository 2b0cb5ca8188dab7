"""Pays a person in a sandbox with a generated client: job.py openapi-python-client|openapi-generator <package folder>.

It sends a payout, claims it as the payee, moves the clock until the bank has paid, lists the transfers, and is refused.

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


TWO_DAYS_SECONDS = 172_800


def with_openapi_python_client():
    import httpx
    from bursar_client import Client
    from bursar_client.api.claims import (
        choose_claim_method, fill_claim_profile, give_claim_contact, pay_claim_out, prove_claim_contact,
    )  # fmt: skip
    from bursar_client.api.payout_links import list_payout_links
    from bursar_client.api.payouts import send_payout
    from bursar_client.api.sandbox import advance_sandbox_clock, list_sandbox_messages
    from bursar_client.api.transfers import list_transfers
    from bursar_client.models import (
        AdvanceSandboxClockRequest, ChooseClaimMethodRequest, FillClaimProfileRequest, GiveClaimContactRequest,
        InsufficientFundsError, PayClaimOutRequest, PayeeInput, ProveClaimContactRequest, SendPayoutRequest,
    )  # fmt: skip

    auth = httpx.BasicAuth(KEYS["client_id"], KEYS["api_key"])
    client = Client(base_url=URL, httpx_args={"auth": auth}, raise_on_unexpected_status=True)
    payee = PayeeInput(country_code="1", phone_number=PHONE)
    sent = send_payout.sync(client=client, body=SendPayoutRequest(amount=1000, payee=payee))
    assert sent.amount == 1000 and sent.status == "delivery_pending", sent
    listed = list_payout_links.sync(client=client, phone_number=f"+1{PHONE}")
    assert [link.id for link in listed.data] == [sent.id], listed

    def wait(seconds):
        advance_sandbox_clock.sync(client=client, body=AdvanceSandboxClockRequest(seconds=seconds))

    def newest():
        return list_sandbox_messages.sync(client=client, to=f"+1{PHONE}", limit=1).data[0]

    wait(1)
    token = newest().link.split("/")[-1]
    contact = GiveClaimContactRequest(country_code="1", phone_number=PHONE)
    give_claim_contact.sync(token, client=client, body=contact)
    wait(1)
    proven = prove_claim_contact.sync(token, client=client, body=ProveClaimContactRequest(token=newest().code))
    session = {"client": client, "claim_session": proven.session}
    name = FillClaimProfileRequest(first_name="Ada", last_name="Lovelace")
    fill_claim_profile.sync(token, **session, body=name)
    account = ChooseClaimMethodRequest(platform="ach", routing_number="110000000", account_number="000123456789")
    choose_claim_method.sync(token, **session, body=account)
    paid = pay_claim_out.sync(token, **session, body=PayClaimOutRequest())
    assert paid.remaining_amount == 0, paid
    wait(TWO_DAYS_SECONDS)
    transfer = list_transfers.sync(client=client, type_="payout", limit=1).data[0]
    assert (transfer.id, transfer.status, transfer.payout_link_id) == (paid.transfer.id, "completed", sent.id), transfer

    refused = send_payout.sync(client=client, body=SendPayoutRequest(amount=9_999_999_999, payee=payee))
    assert isinstance(refused, InsufficientFundsError), refused


def with_openapi_generator():
    import bursar_generated as bursar

    configuration = bursar.Configuration(host=URL, username=KEYS["client_id"], password=KEYS["api_key"])
    with bursar.ApiClient(configuration) as client:
        payouts, links = bursar.PayoutsApi(client), bursar.PayoutLinksApi(client)
        claims, sandbox = bursar.ClaimsApi(client), bursar.SandboxApi(client)
        payee = bursar.PayeeInput(country_code="1", phone_number=PHONE)
        sent = payouts.send_payout(bursar.SendPayoutRequest(amount=1000, payee=payee))
        assert sent.amount == 1000, sent
        listed = links.list_payout_links(phone_number=f"+1{PHONE}")
        assert [link.id for link in listed.data] == [sent.id], listed

        def wait(seconds):
            sandbox.advance_sandbox_clock(bursar.AdvanceSandboxClockRequest(seconds=seconds))

        def newest():
            return sandbox.list_sandbox_messages(to=f"+1{PHONE}", limit=1).data[0]

        wait(1)
        token = newest().link.split("/")[-1]
        contact = bursar.GiveClaimContactRequest(country_code="1", phone_number=PHONE)
        claims.give_claim_contact(token, give_claim_contact_request=contact)
        wait(1)
        code = bursar.ProveClaimContactRequest(token=newest().code)
        proven = claims.prove_claim_contact(token, prove_claim_contact_request=code)
        session = {"claim_session": proven.session}
        name = bursar.FillClaimProfileRequest(first_name="Ada", last_name="Lovelace")
        claims.fill_claim_profile(token, fill_claim_profile_request=name, **session)
        account = {"platform": "ach", "routing_number": "110000000", "account_number": "000123456789"}
        method = bursar.ChooseClaimMethodRequest(**account)
        claims.choose_claim_method(token, choose_claim_method_request=method, **session)
        paid = claims.pay_claim_out(token, pay_claim_out_request=bursar.PayClaimOutRequest(), **session)
        assert paid.remaining_amount == 0, paid
        wait(TWO_DAYS_SECONDS)
        transfer = bursar.TransfersApi(client).list_transfers(type="payout", limit=1).data[0]
        found = (transfer.id, transfer.status, transfer.payout_link_id)
        assert found == (paid.transfer.id, "completed", sent.id), transfer
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
