"""Figures as people read them. They are for reports alone, since data carries base units."""

from collections.abc import Sequence
from math import floor, isfinite, log2

ABSENT = "-"
MIB = 2**20  # bytes
GIB = 2**30
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_BELOW_A_SECOND = ((1e-3, 1e3, "ms"), (1e-6, 1e6, "µs"), (0.0, 1e9, "ns"))


def seconds(value: float | None) -> str:
    """A time: '870 ns', '12.5 ms', '3.90 s', '1 min 20 s', '2 h 5 min', '3 d 4 h'."""
    if value is None or not isfinite(value):
        return ABSENT
    if value < 0:
        return "-" + seconds(-value)
    if value == 0:
        return "0 s"
    if value >= 59.95:
        return _long(value)
    return f"{_three_digits(value)} s" if value >= 0.9995 else _short(value)


def size(count: float | None) -> str:
    """A number of bytes: '512 B', '1.50 MiB', '310 MiB', '10.1 GiB'."""
    if count is None or not isfinite(count):
        return ABSENT
    if count < 0:
        return "-" + size(-count)
    if count < 1024:
        return f"{count:.0f} B"
    power = min(int(log2(count) // 10), len(_BINARY) - 1)
    if power + 1 < len(_BINARY) and count / 1024**power >= 999.5:
        power += 1
    return f"{_three_digits(count / 1024**power)} {_BINARY[power]}"


def number(value: int | None) -> str:
    """An integer with separators: '65,536'."""
    return ABSENT if value is None else f"{value:,}"


def power_of_two(value: int) -> str:
    """A power of two as such, '2^14' for 16384; any other integer as `number` writes it."""
    exact = value > 0 and value & (value - 1) == 0
    return f"2^{value.bit_length() - 1}" if exact else number(value)


def bits(value: float | None) -> str:
    """A number of bits: '19.6 bit', or 'exact' if it is infinite."""
    if value is None or value != value:
        return ABSENT
    return f"{value:.1f} bit" if isfinite(value) else "exact"


def security(value: float | None) -> str:
    """Bits of security, never rounded up: '127 bit' for 127.9."""
    return ABSENT if value is None or not isfinite(value) else f"{floor(value)} bit"


def percent(ratio: float | None) -> str:
    """A relative error: '+12.3 %'."""
    if ratio is None or not isfinite(ratio):
        return ABSENT
    return "0.0 %" if abs(ratio) < 0.0005 else f"{100 * ratio:+.1f} %"


def listing(names: Sequence[str], last: str = "and") -> str:
    """The names in one phrase: 'a', 'a and b', 'a, b and c'."""
    return " ".join([*([", ".join(names[:-1]), last] if len(names) > 1 else []), *names[-1:]])


def _three_digits(value: float) -> str:
    """Three significant digits of a value of 0 to 9999, without an exponent."""
    decimals = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    return f"{value:.{decimals}f}"


def _short(value: float) -> str:
    for least, factor, unit in _BELOW_A_SECOND:
        if value >= least * 0.9995:
            return f"{_three_digits(value * factor)} {unit}"
    raise AssertionError(value)


def _long(value: float) -> str:
    """A time in its largest unit, from days to seconds, and in the next smaller unit unless that is 0."""
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    first = next(i for i, (count, _) in enumerate(parts) if count)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2] if count)
