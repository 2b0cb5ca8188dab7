#!/usr/bin/env python3
"""Lets schemathesis call a fresh sandbox, with an organization's key and with an app's, until it has called often enough.

Usage: run.py --calls 2000 [--seed 1] [--examples 4]

Fails when a check fails, when fewer calls were made than asked for, when an operation never succeeded though it is not
listed below with its reason, and when the books do not balance afterwards.
"""

import argparse
import base64
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
BURSAR = os.environ.get("BURSAR_BIN", HERE.parent.parent / "target/release/bursar")
SCHEMATHESIS = HERE / ".venv/bin/schemathesis"

# Operations that need not succeed here, and why. Each has tests of its own, which succeed; here they are only called.
BEYOND = {
    "prove_claim_contact": "needs the code that only the payee's phone gets",
    "fill_claim_profile": "needs a sitting, which a code opens",
    "give_claim_tax_form": "needs a sitting",
    "choose_claim_method": "needs a sitting",
    "pay_claim_out": "needs a sitting",
    "verify_user": "needs the code that only the user's phone gets",
    # What depends on the state that other calls left behind, in an order that is not drawn often.
    "clear_user_screening": "needs a user who is under review for a listed name, and an admin who decides",
    "confirm_user_screening": "needs the same",
    "approve_transfer": "needs a transfer that was flagged, and an admin who decides",
    "cancel_transfer": "needs a transfer that is still under way; those that are drawn are soon over",
    "create_organization_transfer": "needs money on the side from which it goes",
    "create_approval_policy": "needs members in its steps who may approve",
    "get_approval_policy": "needs a policy",
    "update_approval_policy": "needs a policy",
    "delete_approval_policy": "needs a policy",
    "submit_payable": "needs a bill with a vendor and its account, and a member whose role lets him",
    "update_payable": "needs items that sum up, of a bill that was not submitted, and a member whose role lets him",
    "approve_payable": "needs a bill that was submitted",
    "reject_payable": "needs a bill that was submitted",
    "pay_payable": "needs a bill that was approved",
    "get_payable_file": "needs a document that is PDF",
    "confirm_vendor_payment_method": "needs an account that another member gave",
    "replay_webhook_delivery": "needs something that was sent to an endpoint, which must still be enabled",
}


class Sandbox:
    """A server over a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.log = open(folder / "log", "w")
        command = [BURSAR, "serve", "--listen", "127.0.0.1:0", "--data-dir", folder / "data"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BURSAR_")}
        environment["RUST_LOG"] = "warn"
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment)
        for line in self.process.stdout:
            if line.startswith("listening on "):
                self.url = line.removeprefix("listening on ").strip()
                break
        else:
            sys.exit((folder / "log").read_text())
        self.credentials = json.loads((folder / "data/sandbox-credentials.json").read_text())

    def ask(self, method, path, body=None):
        """A request with the app's key."""
        app = self.credentials["app"]
        token = base64.b64encode(f"{app['client_id']}:{app['api_key']}".encode()).decode()
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Authorization", f"Basic {token}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def seed(self):
        """Users who have proved their phones, with bank accounts: codes go to phones, where no schema leads."""
        users, methods = [], []
        for line in range(1000, 1008):
            phone = f"212736{line}"
            person = {"first_name": "Jane", "last_name": "Doe", "email": f"jane{line}@example.com",
                      "country_code": "1", "phone_number": phone}  # fmt: skip
            user = self.ask("POST", "/v2/users", person)["id"]
            self.ask("POST", f"/v2/users/{user}/send-verification-token", {})
            self.ask("POST", f"/v2/users/{user}/verify", {"token": self.code(phone)})
            account = {"platform": "ach", "routing_number": "110000000", "account_number": f"55501{line}"}
            method = self.ask("PUT", f"/v2/users/{user}/payout-methods", {**account, "is_default": True})["id"]
            users.append({"user_id": user})
            methods.append({"user_id": user, "method_id": method})
        members = [{"member_id": member["id"]} for member in self.credentials["members"]]
        return {
            "/v2/users/{user_id}": users,
            "/v2/users/{user_id}/payout-methods/{method_id}": methods,
            "/v2/members/{member_id}": members,
        }

    def code(self, phone):
        """The newest code to a phone, once the worker has sent it."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            for message in self.ask("GET", f"/v2/sandbox/messages?to=%2B1{phone}")["data"]:
                if message["code"]:
                    return message["code"]
            time.sleep(0.02)
        sys.exit(f"no code came to {phone}")

    def stop(self):
        """Ends it and looks whether the books balance."""
        self.process.terminate()
        if self.process.wait(60) != 0:
            sys.exit(f"the server ended badly:\n{(self.folder / 'log').read_text()[-2000:]}")
        verified = subprocess.run([BURSAR, "verify", "--data-dir", self.folder / "data"], capture_output=True, text=True)
        if verified.returncode != 0:
            sys.exit(f"the stored data are wrong:\n{verified.stdout}{verified.stderr}")


def run(key, seed, examples, folder):
    """One run; gives what it called and how each operation was answered."""
    sandbox = Sandbox(folder)
    shown = sandbox.credentials["organization" if key == "organization" else "app"]
    report, seeds = folder / "report.ndjson", folder / "seeds.json"
    seeds.write_text(json.dumps(sandbox.seed()))
    command = [
        SCHEMATHESIS, "--config-file", HERE / "schemathesis.toml", "run", f"{sandbox.url}/openapi.json",
        "--url", sandbox.url, "--auth", f"{shown['client_id']}:{shown['api_key']}",
        "--seed", str(seed), "--max-examples", str(examples), "--report-ndjson-path", report, "--no-color",
    ]  # fmt: skip
    if key == "organization":
        command += ["--header", f"Api-App-Id: {sandbox.credentials['app']['id']}"]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(HERE), "BURSAR_SEEDS": str(seeds)}
    with open(folder / "said", "w") as said:
        ended = subprocess.run(command, stdout=said, stderr=subprocess.STDOUT, env=environment, cwd=folder)
    calls, answers = read(report)
    if ended.returncode != 0:
        print((folder / "said").read_text(), flush=True)
        sandbox.process.kill()
        sys.exit(f"schemathesis: failed with the {key}'s key, seed {seed}")
    sandbox.stop()
    return calls, answers


def run_afresh(key, seed, examples):
    """One run in a folder of its own, which is removed however it ends."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="bursar-schemathesis-") as folder:
        made, answered = run(key, seed, examples, Path(folder))
    seconds = round(time.monotonic() - begun)
    print(f"schemathesis: {made} calls with the {key}'s key, seed {seed}, in {seconds} s", flush=True)
    return made, answered


def read(report):
    """How many calls there were, and the statuses that each operation answered with."""
    calls, answers = 0, collections.defaultdict(collections.Counter)
    with open(report) as lines:
        for line in lines:
            recorder = json.loads(line).get("ScenarioFinished", {}).get("recorder", {})
            for id, interaction in recorder.get("interactions", {}).items():
                calls += 1
                case = recorder["cases"][id]["value"]
                status = (interaction.get("response") or {}).get("status_code", 0)
                answers[case["method"], case["path"]][status] += 1
    return calls, answers


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--calls", type=int, required=True)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--examples", type=int, default=4)
    asked = arguments.parse_args()
    calls, answers = 0, collections.defaultdict(collections.Counter)
    # Each round is two runs at once, over a fresh sandbox each; there are few, because a run makes thousands of calls.
    for seed in range(asked.seed, asked.seed + 100):
        with concurrent.futures.ThreadPoolExecutor() as side_by_side:
            runs = side_by_side.map(lambda key: run_afresh(key, seed, asked.examples), ("organization", "app"))
            for made, answered in runs:
                calls += made
                for operation, statuses in answered.items():
                    answers[operation].update(statuses)
        if calls >= asked.calls:
            break
    if calls < asked.calls:
        sys.exit(f"schemathesis: {calls} calls, {asked.calls} were asked for")
    judge(answers)
    print(f"schemathesis: {calls} calls; every operation was called, and succeeded but for up to {len(BEYOND)} excused")


def judge(answers):
    """Every operation of the document was called, and succeeded unless it is excused."""
    document = json.loads((HERE.parent.parent / "openapi.json").read_text())
    failed = []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            statuses = answers[method.upper(), path]
            succeeded = any(200 <= status < 400 for status in statuses)
            if not statuses or not succeeded and operation["operationId"] not in BEYOND:
                failed.append(f"{operation['operationId']}: {dict(statuses)}")
    if failed:
        sys.exit("schemathesis: never succeeded; give it an example, or a reason in BEYOND:\n" + "\n".join(failed))


main()
