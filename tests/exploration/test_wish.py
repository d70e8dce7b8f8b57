"""What may be wished for."""

import pytest

from fheasible.errors import UsageError
from fheasible.exploration.wish import LEAST_BITS, OBJECTIVES, SECURITY_LEVELS, Wish


@pytest.mark.parametrize("security", [0, 100, 127, 129, 512])
def test_a_security_level_that_nobody_offers_is_refused_with_those_that_there_are(security: int) -> None:
    with pytest.raises(UsageError, match=f"{security} bits") as caught:
        Wish(security=security)
    for level in (128, 192, 256):
        assert str(level) in caught.value.remedy


@pytest.mark.parametrize("bits", [0, -3, 52.5, 64, float("nan")])
def test_a_precision_beyond_doubles_is_refused(bits: float) -> None:
    with pytest.raises(UsageError, match="cannot be had") as caught:
        Wish(precision_bits=bits)
    assert "52" in caught.value.remedy


def test_an_unknown_objective_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="'speed'") as caught:
        Wish(objective="speed")
    assert all(objective in caught.value.remedy for objective in ("time", "memory", "size"))


def test_everything_that_is_offered_can_be_wished_for() -> None:
    for security in SECURITY_LEVELS:
        for objective in OBJECTIVES:
            assert Wish(security, True, 52, 0.1, 1, objective).least_bits == 52


def test_without_a_wish_a_result_must_still_be_better_than_garbage() -> None:
    assert Wish().least_bits == LEAST_BITS > 3
