"""Where an axis begins and ends, where its ticks stand and what is written on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log2, log10

MOST_TICKS = 9
_STEPS = (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis as it is drawn: its domain, and the ticks inside the domain, each with its label."""

    low: float
    high: float
    ticks: tuple[float, ...]
    labels: tuple[str, ...]
    log: bool = False


def along(values: Sequence[float], log: bool = False) -> Axis:
    """The horizontal axis: no wider than the values need, with a margin. Its ticks are whole numbers where
    all values are whole, and powers of two where the axis is logarithmic and all values are powers of two."""
    least, most = min(values), max(values)
    if log:
        return _powers_of_two(least, most) if all(map(_is_power_of_two, values)) else _log(least, most)
    margin = 0.5 * abs(most) or 1.0 if _flat(least, most) else 0.025 * (most - least)
    whole = all(float(value).is_integer() for value in values)
    return _linear(least - margin, most + margin, smallest_step=1 if whole else 0.0)


def upwards(values: Sequence[float], log: bool = False) -> Axis:
    """The vertical axis, which ends on ticks. A linear one contains 0, unless the values differ by so little
    (a fifth) that 0 would hide how they differ."""
    least, most = min(values), max(values)
    if log:
        return _log(least, most)
    if least >= 0 and (least <= 0.8 * most or _flat(least, most)):
        least, most = 0.0, most or 1.0
    elif most <= 0 and (most >= 0.8 * least or _flat(least, most)):
        most = 0.0
    step = _step(most - least)
    return _linear(floor(least / step) * step, ceil(most / step) * step)


def _flat(least: float, most: float) -> bool:
    """Whether the values differ by no more than the rounding of floats."""
    return most - least <= 1e-9 * max(abs(least), abs(most))


def _linear(low: float, high: float, smallest_step: float = 0.0) -> Axis:
    step = max(_step(high - low), smallest_step)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    ticks = tuple(k * step for k in range(first, last + 1))
    return Axis(low, high, ticks, _linear_labels(ticks, step))


def _step(span: float) -> float:
    """The least step that divides the span into at most `MOST_TICKS` - 2 whole parts and is 1, 2 or 5 times a
    power of ten."""
    rough = span / (MOST_TICKS - 2)
    power = floor(log10(rough))
    factor = next(step for step in _STEPS if step * 10.0**power >= rough * (1 - 1e-9))
    return factor * 10.0**power


def _linear_labels(ticks: Sequence[float], step: float) -> tuple[str, ...]:
    """The ticks as text: '1,250', '0.25'. Where they reach a million or are all below a thousandth, they
    share a power of a thousand: '20×10^9'. (Few fonts have raised figures.)"""
    most = max(map(abs, ticks), default=0.0)
    power = 3 * floor(log10(most) / 3) if most and not 1e-3 <= most < 1e6 else 0
    decimals = max(power - floor(log10(step) + 1e-9), 0)
    return tuple(_times_power(tick / 10.0**power, decimals, power) for tick in ticks)


def _times_power(factor: float, decimals: int, power: int) -> str:
    if not round(factor, decimals):
        return "0"
    sign = "\N{MINUS SIGN}" if factor < 0 else ""
    suffix = f"×10^{power}" if power else ""
    return f"{sign}{abs(factor):,.{decimals}f}{suffix}"


def _log(least: float, most: float) -> Axis:
    """The logarithmic axis, which begins and ends at 1, 2 or 5 times a power of ten. Where all such ticks
    would crowd, only powers of ten are shown."""
    first, last = floor(log10(least)), ceil(log10(most))
    marks = [(factor, power) for power in range(first - 1, last + 1) for factor in (1, 2, 5)]
    bottom = max(i for i, mark in enumerate(marks) if _value(mark) <= least)
    top = min(i for i, mark in enumerate(marks) if _value(mark) >= most and i > bottom)
    shown = marks[bottom : top + 1]
    if len(shown) > MOST_TICKS:
        powers = [mark for mark in shown if mark[0] == 1]
        shown = powers[:: _stride(len(powers))]
    ticks = tuple(map(_value, shown))
    return Axis(_value(marks[bottom]), _value(marks[top]), ticks, _log_labels(shown), log=True)


def _value(mark: tuple[int, int]) -> float:
    factor, power = mark
    return float(f"{factor}e{power}")


def _log_labels(marks: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """The marks as text: '1,000', '0.02'; on an axis that goes beyond the powers 10^-3 to 10^5, '10^6',
    '2×10^6'."""
    if all(-3 <= power <= 5 for _, power in marks):
        return tuple(_times_power(_value(mark), max(-mark[1], 0), 0) for mark in marks)
    return tuple(f"10^{power}" if factor == 1 else f"{factor}×10^{power}" for factor, power in marks)


def _powers_of_two(least: float, most: float) -> Axis:
    first, last = round(log2(least)), round(log2(most))
    ticks = [2.0**power for power in range(first, last + 1, _stride(last - first + 1))]
    whole = least >= 1 and most < 1e6
    labels = [f"{t:,.0f}" if whole else f"2^{round(log2(t))}" for t in ticks]
    return Axis(least / 2**0.125, most * 2**0.125, tuple(ticks), tuple(labels), log=True)


def _is_power_of_two(value: float) -> bool:
    return value > 0 and log2(value).is_integer()


def _stride(count: int) -> int:
    """The step from one shown mark to the next, so that at most `MOST_TICKS` are shown."""
    return ceil(count / MOST_TICKS)
