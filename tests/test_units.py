import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible import units


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 s"),
        (8.7e-7, "870 ns"),
        (0.0125, "12.5 ms"),
        (0.9996, "1.00 s"),
        (3.9, "3.90 s"),
        (59.96, "1 min"),
        (80, "1 min 20 s"),
        (7500, "2 h 5 min"),
        (3 * 86400 + 4 * 3600 + 59, "3 d 4 h"),
        (-2, "-2.00 s"),
        (None, "-"),
    ],
)
def test_times_read_as_people_say_them(value: float | None, text: str) -> None:
    assert units.seconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.00 KiB"), (310 * 2**20, "310 MiB"), (999.6 * 2**20, "0.98 GiB")],
)
def test_sizes_read_in_binary_units(value: float, text: str) -> None:
    assert units.size(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(127.99, "127 bit"), (128, "128 bit"), (42.58, "42 bit"), (None, "-"), (float("nan"), "-")],
)
def test_security_is_never_rounded_up(value: float | None, text: str) -> None:
    assert units.security(value) == text


UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400}


@given(st.floats(1e-9, 1e7))
def test_a_time_can_be_read_back_within_its_last_digit(value: float) -> None:
    words = units.seconds(value).split()
    read = sum(float(n) * UNITS[u] for n, u in zip(words[::2], words[1::2], strict=True))
    assert read == pytest.approx(value, rel=0.05)


def test_powers_of_two_are_told_from_other_numbers() -> None:
    assert units.power_of_two(16384) == "2^14"
    assert units.power_of_two(65_537) == "65,537"


def test_bits_of_an_exact_result_have_no_number() -> None:
    assert (units.bits(19.62), units.bits(float("inf")), units.bits(None)) == ("19.6 bit", "exact", "-")


def test_lists_read_as_sentences() -> None:
    assert [units.listing(n) for n in ([], ["a"], ["a", "b", "c"])] == ["", "a", "a, b and c"]
    assert units.listing(["a", "b"], "or") == "a or b"
