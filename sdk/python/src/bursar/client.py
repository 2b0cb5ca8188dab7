"""The client: every operation of the API, over one HTTP connection pool."""

from __future__ import annotations

import json
from collections.abc import Mapping

from . import models
from .operations import Operations


class Bursar(Operations):
    """A client of one bursar server. It is safe to share between threads."""

    def submit_payout_link_batch_file(
        self,
        file: bytes,
        *,
        columns: Mapping[str, str] | None = None,
        dry_run: bool | None = None,
        app_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.EnqueuedOrPlanned:
        """Submit 1 to 500 payout links as a CSV file in UTF-8.

        The first line names the fields. `columns` gives the names of the columns that have another name than their
        field, such as `{"phone_number": "Phone", "amount": "Amount"}`; columns that it does not name are left out.
        """
        mapping = None if columns is None else json.dumps(dict(columns))
        return self.request(
            "POST",
            "/v2/payout-link-batches",
            query={"dry_run": dry_run, "columns": mapping},
            csv=file,
            app_id=app_id,
            idempotency_key=idempotency_key or self.new_key(),
        )
