"""What the page asks, until the whole answer is there."""

import time
from typing import Any

from starlette.testclient import TestClient

SECONDS = 120.0


def asked(
    client: TestClient,
    source: str,
    fresh: bool = False,
    whole: bool = True,
    data: str = "",
    **settings: int,
) -> dict[str, Any]:
    """The answer, exact and with its reasons, or the error."""
    late = time.monotonic() + SECONDS
    while time.monotonic() < late:
        body = {
            "source": source, "data": data, "settings": settings, "wait": 2, "whole": whole, "fresh": fresh
        }  # fmt: skip
        found: dict[str, Any] = client.post("/api/answer", json=body).json()
        fresh = False
        if found["state"] == "error" or (found["state"] == "answer" and found["whole"]):
            return found
    raise AssertionError("no answer")
