#!/usr/bin/env python3
"""Lets schemathesis call a fresh sandbox, with an organization's key and with an app's, until it has called often enough.

Usage: run.py --calls 2000 [--seed 1] [--examples 4]

Fails when a check fails, when fewer calls were made than asked for, when an operation of the document was never answered
with 2xx, and when the books do not balance afterwards.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sandbox import Client

HERE = Path(__file__).resolve().parent
BURSAR = os.environ.get("BURSAR_BIN", HERE.parent.parent / "target/release/bursar")
SCHEMATHESIS = HERE / ".venv/bin/schemathesis"


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
        self.client = Client(self.url, self.credentials)

    def seed(self):
        """Users who have proved their phones, with bank accounts: codes go to phones, where no schema leads."""
        users, methods = [], []
        for line in range(1000, 1008):
            phone = f"212736{line}"
            person = {"first_name": "Jane", "last_name": "Doe", "email": f"jane{line}@example.com",
                      "country_code": "1", "phone_number": phone}  # fmt: skip
            user = self.client.ask("POST", "/v2/users", person)["id"]
            self.client.ask("POST", f"/v2/users/{user}/send-verification-token", {})
            self.client.ask("POST", f"/v2/users/{user}/verify", {"token": self.client.code(phone)})
            account = {"platform": "ach", "routing_number": "110000000", "account_number": f"55501{line}"}
            method = self.client.ask("PUT", f"/v2/users/{user}/payout-methods", {**account, "is_default": True})["id"]
            users.append({"user_id": user})
            methods.append({"user_id": user, "method_id": method})
        members = [{"member_id": member["id"]} for member in self.credentials["members"]]
        return {
            "/v2/users/{user_id}": users,
            "/v2/users/{user_id}/payout-methods/{method_id}": methods,
            "/v2/members/{member_id}": members,
        }

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
    report, stage = folder / "report.ndjson", folder / "stage.json"
    stage.write_text(json.dumps({"url": sandbox.url, "credentials": sandbox.credentials, "seeds": sandbox.seed()}))
    command = [
        SCHEMATHESIS, "--config-file", HERE / "schemathesis.toml", "run", f"{sandbox.url}/openapi.json",
        "--url", sandbox.url, "--auth", f"{shown['client_id']}:{shown['api_key']}",
        "--seed", str(seed), "--max-examples", str(examples), "--report-ndjson-path", report, "--no-color",
    ]  # fmt: skip
    if key == "organization":
        command += ["--header", f"Api-App-Id: {sandbox.credentials['app']['id']}"]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(HERE), "BURSAR_STAGE": str(stage)}
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
    print(f"schemathesis: {calls} calls; every operation of the document succeeded")


# What no sandbox does, and where it is tested.
CUT_OFF = "a file is cut when a route is in force and days have passed: tests/bank_files_sent.rs"
FROM_A_BANK = "a file comes from a bank: tests/bank_intake.rs"
NOT_OF_A_SANDBOX = {
    "create_first_organization": "only the first start in production gives its token: tests/keys.rs",
    "get_bank_file": CUT_OFF,
    "download_bank_file": CUT_OFF,
    "release_bank_file": CUT_OFF,
    "mark_bank_file_sent": CUT_OFF,
    "mark_bank_file_unsent": CUT_OFF,
    "decide_bank_file": CUT_OFF,
    "redate_bank_file": CUT_OFF,
    "cancel_bank_file": CUT_OFF,
    "propose_bank_reversal": CUT_OFF,
    "get_bank_reversal": CUT_OFF,
    "approve_bank_reversal": CUT_OFF,
    "dismiss_bank_reversal": CUT_OFF,
    "get_inbound_file": FROM_A_BANK,
    "replay_inbound_file": FROM_A_BANK,
    "discard_inbound_file": FROM_A_BANK,
    "match_bank_item": FROM_A_BANK,
    "approve_bank_item": FROM_A_BANK,
    "ignore_bank_item": FROM_A_BANK,
    "assign_bank_item": FROM_A_BANK,
    "write_off_bank_item": FROM_A_BANK,
    "explain_bank_item": FROM_A_BANK,
    "get_bank_statement": FROM_A_BANK,
    "confirm_bank_statement": FROM_A_BANK,
    "discard_bank_statement": FROM_A_BANK,
    "restore_bank_statement": FROM_A_BANK,
    "get_bank_reconciliation": FROM_A_BANK,
}


def judge(answers):
    """Every operation of the document succeeded, but those that no sandbox has."""
    document = json.loads((HERE.parent.parent / "openapi.json").read_text())
    failed = []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            statuses = answers[method.upper(), path]
            is_left_out = operation["operationId"] in NOT_OF_A_SANDBOX
            if not is_left_out and not any(200 <= status < 300 for status in statuses):
                failed.append(f"{operation['operationId']}: {dict(statuses)}")
    if failed:
        sys.exit("schemathesis: never succeeded; give it an example, or a request in ready.py:\n" + "\n".join(failed))


if __name__ == "__main__":
    main()
