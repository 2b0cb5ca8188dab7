"""Requests that are ready to succeed, for the operations whose success takes more than a schema can say.

Who approves a bill must find one that was submitted; who goes on with a claim, the code that only the payee's phone
gets. What a request is about is made for it alone, just before it is sent: nothing that was drawn before can have used
it up, and no clock that was moved can have let it expire.
"""

import base64
import hmac
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

AP = "/v2/accounts-payable"
# The last digits of phone numbers; those of hooks.py and run.py are below.
LINES = 3000
NAME = {"first_name": "Jane", "last_name": "Doe"}
# No document of one page is smaller.
PDF = "JVBERi0xLjcKJSVFT0YK"
# An image of 16 by 16 pixels, in one color.
PNG = "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mOQ95tHEmIY1TCqYfhqAABz+AsQKXu1hgAAAABJRU5ErkJggg=="
# Nobody listens there: what is sent fails at once, and can be sent again.
NOWHERE = "http://127.0.0.1:9/hooks"
# Cents above which payouts need approval, while one that needs it is made.
APPROVAL_LIMIT = 100_000
# Endpoints that may stand, well below what an app may have.
ENDPOINTS_MAX = 8
# What every member here signs in with.
PASSWORD = "correct horse battery"


def totp(secret, seconds):
    """The code of RFC 6238 at a time."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    mac = hmac.digest(key, (seconds // 30).to_bytes(8, "big"), "sha1")
    at = mac[-1] & 15
    return f"{(int.from_bytes(mac[at:at + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"


@dataclass
class Request:
    """What makes a call succeed. The body is all of it, or what goes over the fields that were drawn."""

    path: dict = field(default_factory=dict)
    body: dict = field(default_factory=dict)
    headers: dict = field(default_factory=dict)
    query: dict = field(default_factory=dict)
    is_whole: bool = True


class Ready:
    """Makes them, by operation."""

    def __init__(self, client):
        self.client = client
        self.drawn = LINES

    def request(self, operation):
        """A request for this operation; None where what is drawn is enough."""
        prepare = PREPARED.get(operation)
        return prepare and prepare(self)

    def number(self):
        self.drawn += 1
        return self.drawn

    def person(self, last_name="Doe"):
        line = self.number()
        first_name = "Test" if last_name == "Sanctioned" else "Jane"
        return {"first_name": first_name, "last_name": last_name, "email": f"jane{line}@example.com",
                "country_code": "1", "phone_number": f"212736{line}"}  # fmt: skip

    def member(self, role):
        email = f"member{self.number()}@example.com"
        return self.client.make("/v2/members", {"name": "Mary Member", "email": email, "role": role})

    def acting(self, role):
        # What was drawn for the settings may ask for the member's own session, or for a day's wait.
        lax = {"member_proof": None, "payable_approval_limit": None, "payable_limits": None}
        self.client.ask("PUT", f"/v2/apps/{self.client.app}/settings", lax)
        return {"acting_user_id": self.member(role)}

    # Members

    def sign_in(self):
        """What signs a fresh member in. Wrong attempts before it have made this address wait: 15 minutes at most."""
        email = f"member{self.number()}@example.com"
        member = {"name": "Mary Member", "email": email, "role": "viewer", "password": PASSWORD}
        self.client.ask("POST", "/v2/members", member)
        self.client.ask("POST", "/v2/sandbox/clock/advance", {"seconds": 1000})
        return {"organization_id": self.client.organization, "email": email, "password": PASSWORD}

    def open_member_session(self):
        return Request(body=self.sign_in())

    def opened(self):
        return self.client.ask("POST", "/v2/member-sessions", self.sign_in())

    def end_member_session(self):
        return Request({"member_session_id": self.opened()["id"]})

    def own(self, body):
        return Request(body=body, headers={"Member-Session": self.opened()["token"]})

    def change_member_password(self):
        return self.own({"current_password": PASSWORD, "password": "another horse battery"})

    def proved(self):
        return self.own({"current_password": PASSWORD})

    def confirm_member_totp(self):
        request = self.proved()
        begun = self.client.ask("POST", "/v2/member-sessions/current/totp", request.body, request.headers)
        now = datetime.fromisoformat(self.client.ask("GET", "/v2/sandbox/clock")["now"])
        return Request(body={"code": totp(begun["secret"], int(now.timestamp()))}, headers=request.headers)

    def set_up_member(self):
        invited = self.client.ask("POST", f"/v2/members/{self.member('viewer')}/set-up-token", {})
        return Request(body={"token": invited["token"], "password": PASSWORD})

    def a_member(self):
        return Request({"member_id": self.member("viewer")})

    # Keys

    def new_app(self):
        """An app of its own: one app has two keys at most, and the sandbox's must live."""
        return self.client.ask("POST", "/v2/apps", {"name": f"Shop {self.number()}"})

    def update_app_brand(self):
        body = {"color": "#1f4e9e", "website": "https://example.com", "support_phone": "+12127361234"}
        return Request(self.own_app().path, body)

    def set_app_logo(self):
        return Request(self.own_app().path, {"image": PNG})

    def create_app_key(self):
        return Request({"app_id": self.new_app()["id"]})

    def delete_app_key(self):
        app = self.new_app()
        return Request({"app_id": app["id"], "client_id": app["keys"]["client_id"]})

    # Apps

    def set_app_ach_account(self):
        return Request({"app_id": self.client.app}, {"account_number": f"55501{self.number()}", "routing_number": "110000000"})

    def own_app(self):
        return Request({"app_id": self.client.app})

    def set_app_compliance(self):
        company = {"name": "Corner Shop LLC", "ein": "12-3456789", "incorporation_type": "llc", "ubo_count": 1}
        return Request({"app_id": self.client.app}, {"company_info": company})

    def create_member(self):
        email = f"member{self.number()}@example.com"
        return Request(body={"name": "Mary Member", "email": email, "role": "viewer"})

    # Users

    def unlock_verification(self):
        person = self.person()
        self.user_with_code(person)
        return Request(body={name: person[name] for name in ("country_code", "phone_number")})

    def user_with_code(self, person=None):
        person = person or self.person()
        user = self.client.make("/v2/users", person)
        self.client.ask("POST", f"/v2/users/{user}/send-verification-token", {})
        return user, self.client.code(person["phone_number"])

    def banked(self, person=None):
        user, code = self.user_with_code(person)
        self.client.ask("POST", f"/v2/users/{user}/verify", {"token": code})
        self.new_default(user)
        return user

    def new_default(self, user):
        self.client.ask("PUT", f"/v2/users/{user}/payout-methods", {**self.account(), "is_default": True})

    def noticed(self):
        """The path of a notice about a new default account, and the payee's phone."""
        person = self.person()
        user, phone = self.banked(person), person["phone_number"]
        self.new_default(user)

        def find():
            return next((link for link in self.client.sent(phone, "link") if "/notice/" in link), None)

        link = self.client.wait(find, f"no notice came to {phone}")
        return {"token": link.rsplit("/", 1)[1]}, phone

    def notice(self):
        return Request(self.noticed()[0])

    def frozen(self):
        path, phone = self.noticed()
        self.client.ask("POST", f"/v2/notices/{path['token']}/freeze", {})
        return path, phone

    def send_unfreeze_code(self):
        return Request(self.frozen()[0])

    def unfreeze_automatic_payouts(self):
        path, phone = self.frozen()
        self.client.ask("POST", f"/v2/notices/{path['token']}/code", {})
        return Request(path, {"token": self.client.code(phone, 2)})

    def account(self):
        return {"platform": "ach", "routing_number": "110000000", "account_number": f"55501{self.number()}"}

    def verify_user(self):
        user, code = self.user_with_code()
        return Request({"user_id": user}, {"token": code})

    def review(self):
        user = self.client.make("/v2/users", self.person("Sanctioned"))
        return Request({"user_id": user}, self.acting("admin"), is_whole=False)

    # Money

    def flagged(self):
        """A payout that waits for a member's approval."""
        limits = {"payout_approval_limit": APPROVAL_LIMIT, "payout_limits": None}
        self.client.ask("PUT", f"/v2/apps/{self.client.app}/settings", limits)
        payout = {"user_id": self.banked(), "amount": APPROVAL_LIMIT + 1, "platform": "ach", "fund": True}
        return {"transfer_id": self.client.make("/v2/payouts", payout)}

    def approve_transfer(self):
        return Request(self.flagged(), self.acting("payer"), is_whole=False)

    def cancel_transfer(self):
        return Request(self.flagged())

    def create_organization_transfer(self):
        return Request(body={"app_id": self.client.app, "amount": 100})

    # Bills

    def vendor(self):
        """A vendor with an account."""
        address = {"line_1": "1 Main St", "city": "New York", "state": "NY", "postcode": "10001", "country": "US"}
        vendor = self.client.make(f"{AP}/vendors", {"name": "Corner Shop", "address": address})
        self.client.ask("POST", f"{AP}/vendors/{vendor}/payment-methods", self.vendor_account("000123456789"))
        return vendor

    def vendor_account(self, number):
        return {"name": "Corner Shop", "account_number": number, "routing_number": "110000000"}

    def confirm_vendor_payment_method(self):
        vendor = self.vendor()
        second = {**self.vendor_account("000987654321"), **self.acting("ap_creator")}
        method = self.client.make(f"{AP}/vendors/{vendor}/payment-methods", second)
        path = {"vendor_id": vendor, "payment_method_id": method}
        return Request(path, self.acting("ap_approver"), is_whole=False)

    # Banks

    def bank_connection(self):
        windows = [{"name": "evening", "days": ["mon", "tue", "wed", "thu", "fri"], "submit_by": "18:00",
                    "lead_minutes": 30, "same_day": False}]  # fmt: skip
        nacha = {"odfi_routing_number": "011000015", "destination": "011000015", "destination_name": "SAMPLE BANK",
                 "origin": f"{self.number():010}", "origin_name": "ACME INC", "line_ending": "lf",
                 "balanced": False}  # fmt: skip
        credit = {"per_entry": 100, "per_file": 1_000, "per_day": 10_000}
        return {**self.by("admin"), "name": "First Bank", "transport": "manual", "format": "nacha",
                "nacha": nacha, "calendar": "fed", "time_zone": "America/New_York", "windows": windows,
                "limits": {"credit": credit}, "file_name": "ACME_{date}_{modifier}.ach"}  # fmt: skip

    def by(self, role):
        return {"acting_user_id": self.member(role)}

    def draft(self):
        return self.client.make("/v2/bank/connections", self.bank_connection())

    def tested(self):
        connection = self.draft()
        result = {**self.by("admin"), "evidence": "Accepted."}
        self.client.ask("POST", f"/v2/bank/connections/{connection}/test", result)
        return connection

    def approved(self):
        connection = self.tested()
        self.client.ask("POST", f"/v2/bank/connections/{connection}/approve", self.by("payer"))
        return connection

    def originator(self, connection):
        body = {**self.by("admin"), "bank_connection_id": connection, "company_name": "ACME INC",
                "company_id": "1234567890", "description": "PAYOUT", "entry_classes": ["PPD"]}  # fmt: skip
        return self.client.make("/v2/bank/originators", body)

    def settlement_account(self, connection):
        body = {**self.by("admin"), "bank_connection_id": connection, "name": "Operating", "currency": "USD",
                "account_number": f"{self.number():012}", "routing_number": "011000015", "account_type": "checking",
                "statement_kind": "bai2", "booking_grain": "file"}  # fmt: skip
        return self.client.make("/v2/bank/settlement-accounts", body)

    def new_route(self):
        connection = self.approved()
        originator, account = self.originator(connection), self.settlement_account(connection)
        for path in f"originators/{originator}", f"settlement-accounts/{account}":
            self.client.ask("POST", f"/v2/bank/{path}/approve", self.by("payer"))
        # A day of its own.
        day = date(2040, 1, 1) + timedelta(days=self.number())
        return {**self.by("admin"), "platform": "ach", "currency": "USD", "from_on": day.isoformat(),
                "bank_connection_id": connection, "originator_id": originator,
                "settlement_account_id": account}  # fmt: skip

    def route(self):
        return self.client.make("/v2/bank/routes", self.new_route())

    def rail_provider(self):
        return {**self.by("admin"), "name": f"Adapter {self.number()}", "kind": "adapter",
                "url": "http://127.0.0.1:9/v1", "secret": "a-secret-token"}  # fmt: skip

    def a_provider(self):
        return {"rail_provider_id": self.client.make("/v2/bank/providers", self.rail_provider())}

    def add_rail_provider(self):
        return Request(body=self.rail_provider())

    def approve_rail_provider(self):
        return Request(self.a_provider(), self.by("payer"))

    def rotate_rail_provider_secret(self):
        provider = self.a_provider()
        path = f"/v2/bank/providers/{provider['rail_provider_id']}/approve"
        self.client.ask("POST", path, self.by("payer"))
        return Request(provider, {**self.by("admin"), "secret": "another-secret"})

    def end_rail_provider(self):
        return Request(self.a_provider(), self.by("admin"))

    def decide_rail_payment(self):
        """A payout at a provider that does not answer. The route ends, for others pay by its rail too."""
        provider = self.a_provider()["rail_provider_id"]
        self.client.ask("POST", f"/v2/bank/providers/{provider}/approve", self.by("payer"))
        today = datetime.fromisoformat(self.client.ask("GET", "/v2/sandbox/clock")["now"]).date()
        route = self.client.make("/v2/bank/routes", {
            **self.by("admin"), "platform": "wallet_e", "currency": "USD",
            "from_on": (today + timedelta(days=1)).isoformat(), "rail_provider_id": provider})  # fmt: skip
        self.client.ask("POST", f"/v2/bank/routes/{route}/approve", self.by("payer"))
        self.client.ask("POST", "/v2/sandbox/clock/advance", {"seconds": 86_400})
        user = self.banked()
        method = {"platform": "wallet_e", "handle": f"jane{self.number()}"}
        self.client.ask("PUT", f"/v2/users/{user}/payout-methods", method)
        self.client.ask("PUT", f"/v2/apps/{self.client.app}/settings", {"payout_approval_limit": None, "payout_limits": None})
        payout = {"user_id": user, "amount": 100, "platform": "wallet_e", "fund": True}
        transfer = self.client.make("/v2/payouts", payout)
        self.client.ask("POST", f"/v2/bank/routes/{route}/end", self.by("admin"))
        payments = "/v2/bank/provider-payments?status=attempted&limit=100"

        def doubted():
            found = self.client.ask("GET", payments)["data"]
            return any(one["transfer_id"] == transfer and one["doubt"] for one in found)

        self.client.wait(doubted, "a payment is not in doubt")
        body = {**self.by("payer"), "outcome": "failed", "evidence": "Support, case 4711."}
        return Request({"transfer_id": transfer}, body)

    def create_bank_connection(self):
        return Request(body=self.bank_connection())

    def update_bank_connection(self):
        return Request({"bank_connection_id": self.draft()}, {**self.by("admin"), "name": "Second Bank"})

    def test_bank_connection(self):
        return Request({"bank_connection_id": self.draft()}, self.by("admin"), is_whole=False)

    def approve_bank_connection(self):
        return Request({"bank_connection_id": self.tested()}, self.by("payer"))

    def pause_bank_connection(self):
        return Request({"bank_connection_id": self.approved()}, self.by("payer"), is_whole=False)

    def resume_bank_connection(self):
        return Request({"bank_connection_id": self.approved()}, self.by("admin"))

    def pause_bank_connections(self):
        return Request(body=self.by("payer"), is_whole=False)

    def get_bank_calendar(self):
        days = {"from": "2026-12-20", "to": "2027-01-04"}
        return Request(query={"bank_connection_id": self.draft(), **days})

    def download_bank_test_file(self):
        connection = self.draft()
        parts = {"originator_id": self.originator(connection), "settlement_account_id": self.settlement_account(connection)}
        return Request({"bank_connection_id": connection}, query=parts)

    def upload_inbound_file(self):
        file = {"bank_connection_id": self.draft(), "name": f"FILE_{self.number()}.bai", "content": "aGVsbG8="}
        return Request(body={**self.by("payer"), **file})

    def add_originator(self):
        whose = {"bank_connection_id": self.draft(), "app_id": None, **self.by("admin")}
        return Request(body=whose, is_whole=False)

    def add_settlement_account(self):
        account = {"account_number": f"{self.number():012}", "routing_number": "011000015"}
        whose = {"bank_connection_id": self.draft(), **self.by("admin"), **account}
        return Request(body=whose, is_whole=False)

    def approve_originator(self):
        return Request({"originator_id": self.originator(self.draft())}, self.by("payer"))

    def end_originator(self):
        return Request({"originator_id": self.originator(self.draft())}, self.by("admin"))

    def approve_settlement_account(self):
        return Request({"settlement_account_id": self.settlement_account(self.draft())}, self.by("payer"))

    def end_settlement_account(self):
        return Request({"settlement_account_id": self.settlement_account(self.draft())}, self.by("admin"))

    def add_rail_route(self):
        return Request(body=self.new_route())

    def approve_rail_route(self):
        return Request({"rail_route_id": self.route()}, self.by("payer"))

    def end_rail_route(self):
        return Request({"rail_route_id": self.route()}, self.by("admin"))

    def new_policy(self, vendor):
        """A policy for the bills of one vendor, before any other."""
        conditions = [{"field": "vendor", "operator": "==", "value": vendor}]
        steps = [{"num_approvals_required": 1, "approvers": [self.member("ap_approver")]}]
        return {"name": "Its bills", "conditions": conditions, "steps": steps, "priority": 0}

    def create_approval_policy(self):
        return Request(body=self.new_policy(self.vendor()))

    def policy(self):
        policy = self.new_policy(self.vendor())
        return Request({"approval_policy_id": self.client.make(f"{AP}/approval-policies", policy)})

    def update_approval_policy(self):
        request = self.policy()
        request.body = {"name": "Bills of the shop", "priority": 7}
        return request

    def bill(self):
        """A bill that may be submitted."""
        body = {**self.acting("ap_creator"), "number": f"INV-{self.number()}", "ap_vendor_id": self.vendor()}
        body["items"] = [{"name": "Chair", "quantity": 5, "unit_price": 500}]
        return {"payable_id": self.client.make(f"{AP}/payables", body)}

    def update_payable(self):
        change = {"description": "Six chairs", "items": [{"name": "Chair", "quantity": 6, "unit_price": 500}]}
        return Request(self.bill(), {**self.acting("ap_creator"), **change})

    def submit_payable(self):
        return Request(self.bill(), self.acting("ap_creator"), is_whole=False)

    def cancel_payable(self):
        return Request(self.bill(), self.acting("ap_creator"), is_whole=False)

    def create_payable(self):
        item = {"name": "Chair", "quantity": 5, "unit_price": 500}
        bill = {"number": f"INV-{self.number()}", "ap_vendor_id": self.vendor(), "items": [item]}
        return Request(body={**self.acting("ap_creator"), **bill})

    def create_vendor_payment_method(self):
        vendor = self.client.make(f"{AP}/vendors", {"name": "Corner Shop"})
        return Request({"vendor_id": vendor}, self.vendor_account("000123456789"))

    def step(self, path, verb, acting):
        self.client.ask("POST", f"{AP}/payables/{path['payable_id']}/{verb}", acting)

    def submitted(self):
        """A bill that waits for the approval of the member who is in the body."""
        path, approver = self.bill(), self.acting("ap_approver")
        self.step(path, "submit-for-approval", self.acting("ap_creator"))
        return Request(path, approver, is_whole=False)

    def pay_payable(self):
        request = self.submitted()
        self.step(request.path, "approve", request.body)
        return Request(request.path, self.acting("payer"), is_whole=False)

    def get_payable_file(self):
        path = self.bill()
        self.step(path, "file", {"file": PDF})
        return Request(path)

    # Claims

    def link(self, **more):
        """A link of ten dollars to a phone that nobody has; its token and the phone."""
        phone = f"212736{self.number()}"
        new = {"amount": 1000, "payee": {"country_code": "1", "phone_number": phone}, **more}
        return self.client.ask("POST", "/v2/payout-links", new)["link"].rsplit("/", 1)[1], phone

    def send_sandbox_reply(self):
        _, phone = self.link()
        return Request(body={"from": f"+1{phone}", "text": "HELP"})

    def give_claim_contact(self):
        token, phone = self.link()
        return Request({"token": token}, {"country_code": "1", "phone_number": phone})

    def connect_user(self):
        """A user who is connected already, which changes nothing and is answered like the first time."""
        app = self.client.ask("GET", "/v2/apps")[0]["id"]
        return Request({}, {"user_id": self.client.make("/v2/users", self.person()), "app_id": app})

    def contacted(self, **more):
        token, phone = self.link(**more)
        self.client.ask("POST", f"/v2/claims/{token}/contact", {"country_code": "1", "phone_number": phone})
        return Request({"token": token}, {"token": self.client.code(phone)})

    def sitting(self, body, **more):
        """A claim by someone who has proved the phone."""
        request = self.contacted(**more)
        opened = self.client.ask("POST", f"/v2/claims/{request.path['token']}/code", request.body)
        return Request(request.path, body, {"Claim-Session": opened["session"]})

    def request_new_link(self):
        """A link that has expired."""
        now = datetime.fromisoformat(self.client.ask("GET", "/v2/sandbox/clock")["now"])
        token, _ = self.link(expires_at=(now + timedelta(seconds=30)).strftime("%Y-%m-%dT%H:%M:%SZ"))
        self.client.ask("POST", "/v2/sandbox/clock/advance", {"seconds": 31})
        return Request({"token": token})

    def fill_claim_profile(self):
        return self.sitting(NAME)

    def change_claim_contact(self):
        return self.sitting({"email": f"ada{self.number()}@example.com"})

    def confirm_claim_contact(self):
        """The codes of the link's phone and of the new phone."""
        new = f"212736{self.number()}"
        token, phone = self.link()
        path = f"/v2/claims/{token}"
        self.client.ask("POST", f"{path}/contact", {"country_code": "1", "phone_number": phone})
        opened = self.client.ask("POST", f"{path}/code", {"token": self.client.code(phone)})
        headers = {"Claim-Session": opened["session"]}
        self.client.ask("POST", f"{path}/contact-change", {"country_code": "1", "phone_number": new}, headers)
        # The code of the present contact is sent first: once the other one has come, the newest one there is that of the change.
        code = self.client.code(new)
        return Request({"token": token}, {"present_token": self.client.code(phone), "new_token": code}, headers)

    def named(self, body, **more):
        """The same, who has said a name as well."""
        request = self.sitting(body, **more)
        self.client.ask("POST", f"/v2/claims/{request.path['token']}/profile", NAME, request.headers)
        return request

    def give_claim_tax_form(self):
        form = {"entity_type": "individual", "tax_id_type": "ssn", "name": "Jane Doe", "tax_id": "123-45-6789", "line_1": "1 Main St", "city": "New York", "state": "NY",
                "postcode": "10001", "certified": True}  # fmt: skip
        return self.named({"w9": form}, force_collect_compliance_information=True)

    def choose_claim_method(self):
        return self.named(self.account())

    def pay_claim_out(self):
        request = self.choose_claim_method()
        self.client.ask("POST", f"/v2/claims/{request.path['token']}/method", request.body, request.headers)
        return Request(request.path, {"amount": 600}, request.headers)

    # Webhooks

    def replay_webhook_delivery(self):
        """A delivery to an endpoint that is there; the oldest makes room, for an app has few."""
        path = "/v2/webhook-endpoints"
        there = self.client.ask("GET", f"{path}?limit=100")["data"]
        for old in there[ENDPOINTS_MAX:]:
            self.client.ask("DELETE", f"{path}/{old['id']}")
        endpoint = self.client.make(path, {"url": NOWHERE})
        self.link()
        deliveries = f"{path}/{endpoint}/deliveries"
        told = self.client.wait(lambda: self.client.ask("GET", deliveries)["data"], "an endpoint was told nothing")
        return Request({"webhook_endpoint_id": endpoint, "delivery_id": told[0]["id"]})


PREPARED = {
    "add_rail_provider": Ready.add_rail_provider,
    "approve_rail_provider": Ready.approve_rail_provider,
    "rotate_rail_provider_secret": Ready.rotate_rail_provider_secret,
    "end_rail_provider": Ready.end_rail_provider,
    "decide_rail_payment": Ready.decide_rail_payment,
    "send_sandbox_reply": Ready.send_sandbox_reply,
    "request_new_link": Ready.request_new_link,
    "get_app_brand": Ready.own_app,
    "update_app_brand": Ready.update_app_brand,
    "set_app_logo": Ready.set_app_logo,
    "delete_app_logo": Ready.own_app,
    "get_bank_calendar": Ready.get_bank_calendar,
    "download_bank_test_file": Ready.download_bank_test_file,
    "open_member_session": Ready.open_member_session,
    "end_member_session": Ready.end_member_session,
    "change_member_password": Ready.change_member_password,
    "start_member_totp": Ready.proved,
    "remove_member_totp": Ready.proved,
    "confirm_member_totp": Ready.confirm_member_totp,
    "invite_member": Ready.a_member,
    "set_up_member": Ready.set_up_member,
    "reset_member_totp": Ready.a_member,
    "create_member": Ready.create_member,
    "set_app_ach_account": Ready.set_app_ach_account,
    "get_app_ach_account": Ready.own_app,
    "set_app_compliance": Ready.set_app_compliance,
    "get_app_compliance": Ready.own_app,
    "list_app_keys": Ready.own_app,
    "create_app_key": Ready.create_app_key,
    "delete_app_key": Ready.delete_app_key,
    "get_notice": Ready.notice,
    "freeze_automatic_payouts": Ready.notice,
    "send_unfreeze_code": Ready.send_unfreeze_code,
    "unfreeze_automatic_payouts": Ready.unfreeze_automatic_payouts,
    "unlock_verification": Ready.unlock_verification,
    "verify_user": Ready.verify_user,
    "clear_user_screening": Ready.review,
    "confirm_user_screening": Ready.review,
    "approve_transfer": Ready.approve_transfer,
    "cancel_transfer": Ready.cancel_transfer,
    "create_organization_transfer": Ready.create_organization_transfer,
    "confirm_vendor_payment_method": Ready.confirm_vendor_payment_method,
    "create_approval_policy": Ready.create_approval_policy,
    "get_approval_policy": Ready.policy,
    "update_approval_policy": Ready.update_approval_policy,
    "delete_approval_policy": Ready.policy,
    "create_bank_connection": Ready.create_bank_connection,
    "update_bank_connection": Ready.update_bank_connection,
    "test_bank_connection": Ready.test_bank_connection,
    "approve_bank_connection": Ready.approve_bank_connection,
    "pause_bank_connection": Ready.pause_bank_connection,
    "resume_bank_connection": Ready.resume_bank_connection,
    "pause_bank_connections": Ready.pause_bank_connections,
    "add_originator": Ready.add_originator,
    "approve_originator": Ready.approve_originator,
    "end_originator": Ready.end_originator,
    "add_settlement_account": Ready.add_settlement_account,
    "approve_settlement_account": Ready.approve_settlement_account,
    "end_settlement_account": Ready.end_settlement_account,
    "add_rail_route": Ready.add_rail_route,
    "approve_rail_route": Ready.approve_rail_route,
    "end_rail_route": Ready.end_rail_route,
    "create_vendor_payment_method": Ready.create_vendor_payment_method,
    "create_payable": Ready.create_payable,
    "update_payable": Ready.update_payable,
    "submit_payable": Ready.submit_payable,
    "approve_payable": Ready.submitted,
    "reject_payable": Ready.submitted,
    "pay_payable": Ready.pay_payable,
    "cancel_payable": Ready.cancel_payable,
    "get_payable_file": Ready.get_payable_file,
    "connect_user": Ready.connect_user,
    "give_claim_contact": Ready.give_claim_contact,
    "prove_claim_contact": Ready.contacted,
    "change_claim_contact": Ready.change_claim_contact,
    "confirm_claim_contact": Ready.confirm_claim_contact,
    "fill_claim_profile": Ready.fill_claim_profile,
    "give_claim_tax_form": Ready.give_claim_tax_form,
    "choose_claim_method": Ready.choose_claim_method,
    "pay_claim_out": Ready.pay_claim_out,
    "replay_webhook_delivery": Ready.replay_webhook_delivery,
}
