#!/usr/bin/env python3
"""Judges files of ours with independent tools, and writes files of theirs.

    independent.py judge FOLDER    prints one line of JSON for each file and tool: file, tool, ok, why
    independent.py write FOLDER    writes files of the tools into the folder
"""
import datetime
import glob
import json
import os
import sys

import achkit
from bai2 import bai2
from lxml import etree
from mockbank import bai2 as bank_bai2
from mockbank import messages, nacha, validate

PACKAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".packages")
DAY = datetime.date(2026, 11, 24)
TIME = datetime.datetime(2026, 11, 24, 9, 0, tzinfo=datetime.timezone.utc)
# No package has pain.002.001.10. Version 12 accepts all elements that version 10 has and we write.
SCHEMAS_OF = {"pain.002.001.10": "pain.002.001.12"}


def schema(message):
    """The published schema of a message."""
    wanted = SCHEMAS_OF.get(message, message)
    found = sorted(glob.glob(os.path.join(PACKAGES, "**", wanted + ".xsd"), recursive=True))
    return etree.XMLSchema(etree.parse(found[0])), wanted


def by_schema(data):
    message = etree.fromstring(data).nsmap[None].rsplit(":", 1)[1]
    checker, wanted = schema(message)
    checker.assertValid(etree.fromstring(data.replace(message.encode(), wanted.encode())))


def by_achkit(data):
    result = achkit.validate(data.decode("ascii"))
    assert result["ok"], result["errors"]


def by_mock_bank(data):
    errors = validate.errors(validate.validate(data, today=datetime.date(2026, 11, 23)))
    assert not errors, [validate.render(error) for error in errors]


def by_bai2(data):
    bai2.parse_from_string(data.decode("ascii"), check_integrity=True)


TOOLS = {
    ".ach": {"achkit": by_achkit, "mock-bank": by_mock_bank},
    ".bai": {"bai2": by_bai2},
    ".xml": {"schema": by_schema},
    ".pay.xml": {"schema": by_schema, "mock-bank": by_mock_bank},
}


def judge(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*"))):
        ending = next(ending for ending in sorted(TOOLS, key=len, reverse=True) if path.endswith(ending))
        for tool, check in TOOLS[ending].items():
            with open(path, "rb") as file:
                data = file.read()
            try:
                check(data)
                why = None
            except Exception as error:  # a tool may refuse in any way
                why = "%s: %s" % (type(error).__name__, error)
            print(json.dumps({"file": os.path.basename(path), "tool": tool, "ok": why is None, "why": why}))


def payment(number, **more):
    row = {
        "id": number, "amount": 1000 * number, "currency": "USD", "msg_id": "M%d" % number,
        "end_to_end_id": "7K3Q9X2M4T8V00%d" % number, "pmt_inf_id": "P%d" % number,
        "instruction_id": "12345678000000%d" % number, "creditor_name": "ADA BYRON %d" % number,
        "creditor_iban": None, "creditor_bic": None, "creditor_number": "00012345%d" % number,
        "creditor_clearing_id": "011000015", "return_reason": "R02", "transaction_code": "22",
        "entry_class": "PPD",
    }
    row.update(more)
    return row


def write(folder):
    account = {"id": "ACME", "name": "ACME INC", "iban": "DE89370400440532013000", "currency": "USD",
               "format": "nacha", "account_number": "0000000001", "bic": "MOCKDEFF"}
    payments = [payment(1), payment(2), payment(3, credit=True)]
    closing = 100000 - 1000 - 2000 + 3000
    zone = datetime.timezone.utc
    files = {
        "statement.bai": bank_bai2.write_statement(account, DAY, 1, 100000, closing, payments, created_at=TIME),
        "returns.ach": nacha.return_file("123456780", account, payments[:2], DAY, TIME),
        "statement.xml": messages.write_camt053(account, DAY, 1, 100000, closing, payments, "S1", TIME, zone),
        "notice.xml": messages.write_camt054(account, payments, DAY, "N1", TIME),
        "payment.ach": their_payment(),
    }
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode("ascii"))


def their_payment():
    file = achkit.AchFile.create("123456780", "1234567890", destination_routing="011000015",
                                 destination_name="SAMPLE BANK", origin_name="ACME INC", creation_date=TIME)
    batch = file.batch("PPD", "PAYOUT", "2026-11-25")
    batch.credit("ADA BYRON", "011000015", "000123456789", 1000, id_number="A1", addenda="INVOICE 17")
    batch.credit("BEN OKRI", "110000000", "98-7654", 1975, account_type="savings", id_number="A2")
    return file.render()


if __name__ == "__main__":
    {"judge": judge, "write": write}[sys.argv[1]](sys.argv[2])
