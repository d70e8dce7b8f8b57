"""Sizes as they are typed."""

import pytest

from fheasible.errors import UsageError
from fheasible.measurement.limited.limit import MemoryLimit, limit_of


@pytest.mark.parametrize(
    ("memory", "swap", "limit"),
    [
        ("512MiB", None, MemoryLimit(512 * 2**20)),
        ("512", None, MemoryLimit(512 * 2**20)),
        ("1.5 gib", "4GiB", MemoryLimit(3 * 2**29, 2**32)),
        ("2048KiB", "1TiB", MemoryLimit(2**21, 2**40)),
    ],
)
def test_sizes_are_read_with_their_units(memory: str, swap: str | None, limit: MemoryLimit) -> None:
    assert limit_of(memory, swap) == limit


def test_without_an_option_there_is_no_limit() -> None:
    assert limit_of(None, None) is None


@pytest.mark.parametrize(
    "typed", ["much", "", "-1MiB", "512MB", "1KiB", "0", "9999999999TiB", "1e3MiB", "nan"]
)
def test_what_is_no_size_is_refused_with_an_example(typed: str) -> None:
    with pytest.raises(UsageError, match="--memory-limit") as caught:
        limit_of(typed, None)
    assert "512MiB" in caught.value.remedy


def test_swap_alone_limits_nothing() -> None:
    with pytest.raises(UsageError, match="needs a limit on memory"):
        limit_of(None, "4GiB")
