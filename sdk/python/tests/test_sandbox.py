"""The client against a running sandbox: BURSAR_URL is its address, BURSAR_CREDENTIALS its file of credentials."""

import base64
import hmac
import json
import os
import time
import unittest
import uuid
from pathlib import Path

import httpx
from bursar import ApiError, Bursar, InvalidWebhook, NoResponse, refusals, verify_webhook

URL = os.environ["BURSAR_URL"]
CREDENTIALS = json.loads(Path(os.environ["BURSAR_CREDENTIALS"]).read_text())


def client(of="app", **options):
    keys = CREDENTIALS[of]
    return Bursar(keys["client_id"], keys["api_key"], base_url=URL, **options)


def to_phone(number, amount=1000):
    return {"amount": amount, "payee": {"country_code": "1", "phone_number": number}}


class Flaky(httpx.BaseTransport):
    """Sends each request, and loses or replaces the first responses."""

    def __init__(self, *failures):
        self.failures, self.keys, self.inner = list(failures), [], httpx.HTTPTransport()

    def handle_request(self, request):
        self.keys.append(request.headers.get("Idempotency-Key"))
        failure = self.failures.pop(0) if self.failures else None
        if isinstance(failure, httpx.Response):
            return failure
        response = self.inner.handle_request(request)
        response.read()
        if failure == "lost":
            raise httpx.ReadError("the connection was closed")
        return response


class Sandbox(unittest.TestCase):
    def test_a_payout_is_sent_claimed_and_settled(self):
        bursar = client()
        sent = bursar.send_payout(to_phone("2127362001"))
        self.assertEqual(sent["amount"], 1000)
        token = sent["link"].rsplit("/", 1)[1]
        bursar.give_claim_contact(token, {"country_code": "1", "phone_number": "2127362001"})
        code = next(
            message["code"]
            for message in bursar.list_sandbox_messages(to="+12127362001")["data"]
            if message.get("code")
        )
        session = bursar.prove_claim_contact(token, {"token": code})["session"]
        bursar.fill_claim_profile(token, {"first_name": "Jane", "last_name": "Doe"}, claim_session=session)
        account = {"platform": "ach", "routing_number": "110000000", "account_number": "5550001", "account_type": "checking"}
        bursar.choose_claim_method(token, account, claim_session=session)
        claim = bursar.pay_claim_out(token, {"amount": 1000}, claim_session=session)
        self.assertEqual(claim["status"], "claimed")
        bursar.advance_sandbox_clock({"seconds": 2 * 86_400})
        transfer = next(found for found in bursar.iterate_transfers(type="payout") if found["payout_link_id"] == sent["id"])
        self.assertEqual(transfer["status"], "completed")

    def test_a_lost_response_is_asked_for_again_with_the_same_key(self):
        flaky = Flaky("lost")
        bursar = client(http=httpx.Client(transport=flaky), sleep=lambda _: None)
        sent = bursar.send_payout(to_phone("2127362002"))
        self.assertEqual(flaky.keys, [flaky.keys[0]] * 2)
        self.assertIsNotNone(flaky.keys[0])
        links = [link["id"] for link in bursar.iterate_payout_links(phone_number="+12127362002")]
        self.assertEqual(links, [sent["id"]])

    def test_the_server_says_how_long_to_wait(self):
        waits = []
        busy = httpx.Response(503, headers={"Retry-After": "7"}, json={"error_code": "service-unavailable"})
        bursar = client(http=httpx.Client(transport=Flaky(busy)), sleep=waits.append)
        bursar.get_sandbox_clock()
        self.assertEqual(waits, [7.0])

    def test_retries_end_and_leave_the_key(self):
        flaky = Flaky(*["lost"] * 3)
        bursar = client(http=httpx.Client(transport=flaky), retries=2, sleep=lambda _: None)
        with self.assertRaises(NoResponse) as raised:
            bursar.send_payout(to_phone("2127362003"), idempotency_key="order-2003")
        self.assertEqual(raised.exception.idempotency_key, "order-2003")
        self.assertEqual(flaky.keys, ["order-2003"] * 3)

    def test_refusals_have_a_type_and_are_not_retried(self):
        flaky = Flaky()
        bursar = client(http=httpx.Client(transport=flaky))
        with self.assertRaises(refusals.InvalidInputError) as raised:
            bursar.send_payout({**to_phone("2127362004"), "amount": 0})
        self.assertEqual([error["field"] for error in raised.exception.errors], ["/amount"])
        self.assertEqual((raised.exception.status, len(flaky.keys)), (400, 1))
        self.assertTrue(raised.exception.request_id)
        self.assertEqual(raised.exception.request_id, raised.exception.body["request_id"])
        self.assertTrue(raised.exception.doc_url.endswith("/guide/reference/errors#" + raised.exception.code))
        self.assertEqual(raised.exception.reason, raised.exception.errors[0]["reason"])
        with self.assertRaises(refusals.NotFoundError):
            bursar.get_payout_link(str(uuid.uuid4()))
        with self.assertRaises(refusals.UnauthorizedError):
            Bursar("pk_sandbox_no", "sk_sandbox_no", base_url=URL).list_users()
        with self.assertRaises(ApiError):
            bursar.send_payout(to_phone("2127362004", amount=9_999_999_999))

    def test_lists_are_read_to_their_end(self):
        bursar = client()
        made = {bursar.send_payout(to_phone("2127362005"))["id"] for _ in range(5)}
        found = [link["id"] for link in bursar.iterate_payout_links(limit=2, phone_number="+12127362005")]
        self.assertEqual((len(found), set(found)), (5, made))

    def test_an_organization_key_names_its_app(self):
        app = CREDENTIALS["app"]["id"]
        bursar = client("organization")
        with self.assertRaises(refusals.AppIdRequiredError):
            bursar.list_users()
        self.assertIn("data", bursar.list_users(app_id=app))
        self.assertIn("data", client("organization", app_id=app).list_users())

    def test_a_batch_may_be_a_csv_file(self):
        bursar = client()
        plan = bursar.submit_payout_link_batch_file(b"amount_cents,memo\n100,July\n200,July\n", dry_run=True)
        self.assertEqual((plan["creates"], plan["fails"]), (2, 0))
        named = "Betrag;Notiz\n12.50;M\u00e4rz\n".encode()
        batch = bursar.submit_payout_link_batch_file(named, columns={"amount": "Betrag", "memo": "Notiz"})
        row = batch["validated_rows"][0]
        self.assertEqual((row["amount_cents"], row["memo"]), (1250, "M\u00e4rz"))
        with self.assertRaises(refusals.InvalidInputError):
            bursar.submit_payout_link_batch_file(b"amount_cents\nten\n")

    def test_files_are_bytes_and_nothing_is_none(self):
        bursar = client()
        row = {"email": "jane@example.com", "delivery_method": "email", "amount_cents": 1, "idempotency_key": str(uuid.uuid4())}
        batch = bursar.submit_payout_link_batch({"links": [row]})
        self.assertIn(b"jane@example.com", bursar.get_payout_link_batch_results(batch["id"]))
        endpoint = bursar.create_webhook_endpoint({"url": "https://example.com/hooks"})
        self.assertIsNone(bursar.delete_webhook_endpoint(endpoint["id"]))


class Webhooks(unittest.TestCase):
    SECRET = "whsec_" + base64.b64encode(b"a secret of an endpoint").decode()
    BODY = b'{"id": "1", "name": "transfer.completed"}'

    def headers(self, body, at):
        signed = f"event-1.{at}.".encode() + body
        signature = base64.b64encode(hmac.digest(b"a secret of an endpoint", signed, "sha256")).decode()
        return {"Webhook-Id": "event-1", "Webhook-Timestamp": str(at), "Webhook-Signature": f"v1,b2xk v1,{signature}"}

    def test_a_signed_event_is_returned_and_every_other_is_refused(self):
        now = int(time.time())
        headers = self.headers(self.BODY, now)
        self.assertEqual(verify_webhook(self.SECRET, headers, self.BODY)["name"], "transfer.completed")
        for secret, given, body in [
            (self.SECRET, headers, self.BODY + b" "),
            (self.SECRET, self.headers(self.BODY, now - 301), self.BODY),
            (self.SECRET, {**headers, "Webhook-Id": "event-2"}, self.BODY),
            (self.SECRET, {"Webhook-Id": "event-1"}, self.BODY),
            ("whsec_" + base64.b64encode(b"another secret").decode(), headers, self.BODY),
        ]:
            with self.assertRaises(InvalidWebhook):
                verify_webhook(secret, given, body)


if __name__ == "__main__":
    unittest.main()
