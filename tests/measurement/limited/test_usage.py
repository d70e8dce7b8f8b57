"""Traffic over time, and the form in which what a limited run did is kept."""

import json

import pytest

from fheasible.measurement.limited.group import MACHINE
from fheasible.measurement.limited.usage import Traffic, Usage

KIB = 1024
TRAFFIC = Traffic((0.0, 0.5, 2.5), (0, 100 * KIB, 100 * KIB), (0, 0, 4000 * KIB), (0, 0, 3900 * KIB))


def test_the_bandwidth_is_that_of_each_interval() -> None:
    assert TRAFFIC.bandwidth() == ((0.5, 200 * KIB, 0), (2.5, 0, 2000 * KIB))


@pytest.mark.parametrize("traffic", [TRAFFIC, None])
def test_the_usage_is_stored_by_name_and_read_back(traffic: Traffic | None) -> None:
    usage = Usage(
        2**28,
        2**31,
        1,
        821357,
        96248,
        2 * KIB,
        3 * KIB,
        MACHINE,
        7,
        2**28,
        183114,
        3.63,
        None,
        MACHINE,
        traffic,
    )
    stored = json.loads(json.dumps(usage.to_json()))
    assert stored["swap_read_bytes"] == 2 * KIB
    assert stored["pressure_full_seconds"] is None
    assert Usage.from_json(stored) == usage
