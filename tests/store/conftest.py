from typing import Any

import pytest

from fheasible.store.rows import Entry

Json = dict[str, Any]


@pytest.fixture
def environment() -> Json:
    """What the store demands of an environment, and a little more."""
    return {
        "machine": "f83c2388b75de23a",
        "cpu": "Some CPU",
        "flags": ["avx2"],
        "library": "seal",
        "version": "4.4.0",
        "build": {"compression": "none"},
        "threads": 1,
        "load_before": 0.5,
        "load_after": 0.6,
        "commit": None,
        "seed": 7,
    }


@pytest.fixture
def entry() -> Entry:
    return Entry(
        app="std_dev",
        circuit="ab" * 32,
        library="seal",
        scheme="ckks",
        request={"depth": 3, "prime_bits": [60, 40, 40]},
        parameters={"ring_dimension": 8192, "q": [str(2**60 - 2**14 + 1)]},
        outcome="measured",
        estimate={"cpu_seconds": {"total": 1.5}},
        measurement={"cpu_seconds": {"total": {"samples": [1.4, 1.6], "min": 1.4}}, "peak_bytes": 2**31},
    )
