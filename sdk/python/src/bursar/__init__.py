"""The Python client of bursar, a payments service.

    from bursar import Bursar

    with Bursar(client_id, api_key, base_url="http://127.0.0.1:8080") as bursar:
        link = bursar.send_payout({"amount": 1000, "payee": {"country_code": "1", "phone_number": "2127361234"}})
        for transfer in bursar.iterate_transfers():
            print(transfer["id"], transfer["status"])
"""

from . import models, refusals
from .client import Bursar
from .errors import ApiError, BursarError, NoResponse
from .webhooks import InvalidWebhook, verify_webhook

__all__ = [
    "ApiError",
    "Bursar",
    "BursarError",
    "InvalidWebhook",
    "NoResponse",
    "models",
    "refusals",
    "verify_webhook",
]
