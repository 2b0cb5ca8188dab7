"""The client: every operation of the API, over one HTTP connection pool."""

from __future__ import annotations

from .operations import Operations


class Bursar(Operations):
    """A client of one bursar server. It is safe to share between threads."""
