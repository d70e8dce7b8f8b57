"""Value ranges: an interval that holds every element of every vector, for inputs in their declared ranges."""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from math import inf

import numpy as np

from fheasible.aliases import Interval
from fheasible.circuit.chebyshev import evaluate_series, values_of
from fheasible.circuit.deviations import factors
from fheasible.circuit.discrete import Function, span
from fheasible.circuit.modulus import modulus, signed_range
from fheasible.circuit.node import Chebyshev, Circuit, Input, Kind, Node, Op
from fheasible.circuit.quadratics import extremes, quadratics
from fheasible.circuit.where import at
from fheasible.errors import UnsupportedOperation

_SAMPLES = 4001
_MOST_COEFFICIENTS = 64  # of a polynomial whose extremes are looked for
_SLACK = 1e-9  # for what rounding may do to the extremes


def intervals(circuit: Circuit, most_bits: float = inf) -> dict[Node, Interval]:
    """The interval of every node; for integers its ends are Python integers, exact at any size.

    It is tight for squares, for reals that are polynomials of degree 2 of one value, for sums and means with
    plain weights, and for the deviation from the mean and its mean square (Popoviciu: a variance is at most a
    quarter of the squared width). Integers that wrap around stay in (-t/2, t/2]. UnsupportedOperation, with
    the line, as soon as a value may have more than `most_bits` bits: squares of squares soon have more than
    any memory holds.
    """
    t = modulus(circuit)
    found: dict[Node, Interval] = {}
    for n in circuit.nodes():
        own = interval(n, found)
        found[n] = own if t is None else _wrapped(own, t)
        if most_bits < inf and max(map(abs, found[n])) >= 2**most_bits:
            what = f"the result of this {n.op} may have more than {most_bits} bits"
            raise UnsupportedOperation(
                at(n.where, what), "declare narrower ranges, in which values grow less"
            )
    return found


def interval(n: Node, found: Mapping[Node, Interval]) -> Interval:
    """The interval of a node, from those of its operands, if integers do not wrap around."""
    return (
        _variance(n, found)
        or _weighted(n, found)
        or _chosen(n, found)
        or _side_by_side(n, found)
        or _narrowed(n, _FORMULA[n.op](n, [found[a] for a in n.args]), found)
    )


def _narrowed(n: Node, own: Interval, found: Mapping[Node, Interval]) -> Interval:
    """The interval of a node of reals, narrowed where both operands are made of one value: x - x^2 is at most
    1/4, whatever x and x^2 are apart from each other."""
    if n.kind is not Kind.REAL or n.op not in (Op.ADD, Op.SUBTRACT, Op.MULTIPLY):
        return own
    for v, polynomial in quadratics(n).items():
        within = found.get(v) if v is not n else None
        if within is not None and np.isfinite(within).all():
            low, high = extremes(polynomial, within)
            slack = _SLACK * max(abs(low), abs(high))
            own = max(own[0], low - slack), min(own[1], high + slack)
    return own


class Ranges:
    """The intervals of nodes, each found when it is first asked for."""

    def __init__(
        self, known: MutableMapping[Node, Interval] | None = None, modulus: int | None = None
    ) -> None:
        """They are kept in `known`, with those that are known already. `modulus`: as in `intervals`."""
        self._known: MutableMapping[Node, Interval] = {} if known is None else known
        self._modulus = modulus

    def of(self, n: Node) -> Interval:
        """The interval of n. Operands are visited before their users, since recursion might go too deep."""
        waiting = [n]
        while waiting:
            last = waiting[-1]
            missing = [a for a in last.args if a not in self._known]
            waiting.extend(missing)
            if not missing:
                own = interval(last, self._known)
                self._known[waiting.pop()] = own if self._modulus is None else _wrapped(own, self._modulus)
        return self._known[n]


def warnings(circuit: Circuit) -> list[str]:
    """One sentence for each approximated function whose argument may leave the interval promised for it, or
    may be nearer to a jump than promised; equal ones, as of a line that compares often, once."""
    found = intervals(circuit)
    functions = [n for n in circuit.nodes() if n.op is Op.CHEBYSHEV]
    outside = [n for n in functions if not _within(found[n.args[0]], (n.attribute.low, n.attribute.high))]
    jumps = [n for n in functions if n.attribute.jump and n.attribute.jump.promised]
    said = [
        *(_warning(n, found[n.args[0]]) for n in outside),
        *(_margin(n) for n in jumps if _reaches(found[n.args[0]], n.attribute.jump.margin)),
    ]
    return list(dict.fromkeys(said))


def _reaches(estimate: Interval, margin: float) -> bool:
    """Whether some of the interval is nearer to 0 than the margin."""
    return estimate[0] < margin and estimate[1] > -margin


def _margin(n: Node) -> str:
    found: Chebyshev = n.attribute
    assert found.jump is not None
    return at(
        n.where,
        f"{found.function} is right for arguments at least {found.jump.margin:g} away from 0; for nearer"
        " ones, which the declared inputs allow, its result lies anywhere between its two values",
    )


def _warning(n: Node, estimate: Interval) -> str:
    series: Chebyshev = n.attribute
    return at(
        n.where,
        f"{series.function} is promised values in [{series.low:g}, {series.high:g}], but with the declared"
        f" inputs they could lie anywhere in [{estimate[0]:g}, {estimate[1]:g}]",
    )


def _within(inner: Interval, outer: Interval) -> bool:
    slack = 1e-9 * (outer[1] - outer[0])
    return outer[0] - slack <= inner[0] and inner[1] <= outer[1] + slack


def _input(n: Node, _: Sequence[Interval]) -> Interval:
    declared: Input = n.attribute
    return declared.low, declared.high


def _constant(n: Node, _: Sequence[Interval]) -> Interval:
    return n.attribute.array.min().item(), n.attribute.array.max().item()


def _sum(n: Node, a: Sequence[Interval]) -> Interval:
    count = n.args[0].length
    return count * a[0][0], count * a[0][1]


def _weighted(n: Node, found: Mapping[Node, Interval]) -> Interval | None:
    """The interval of a sum or mean of a vector times plain weights, each element with its own; else None."""
    if n.op not in (Op.SUM, Op.MEAN) or n.args[0].op is not Op.MULTIPLY:
        return None
    plain = [x for x in n.args[0].args if x.op is Op.CONSTANT and x.length > 1]
    others = [x for x in n.args[0].args if x.op is not Op.CONSTANT]
    if not plain or not others:
        return None
    weights = plain[0].attribute.array.tolist()
    signed = sum(w for w in weights if w > 0), sum(w for w in weights if w < 0)
    low, high = _between(*signed, found[others[0]])
    return (low, high) if n.op is Op.SUM else (low / len(weights), high / len(weights))


def _subtract(n: Node, a: Sequence[Interval]) -> Interval:
    if n.args[0] is n.args[1]:
        return 0, 0
    return a[0][0] - a[1][1], a[0][1] - a[1][0]


def _multiply(n: Node, a: Sequence[Interval]) -> Interval:
    if n.args[0] is n.args[1]:
        return power(a[0], 2)
    return product(a[0], a[1])


def product(a: Interval, b: Interval) -> Interval:
    """The interval of x y for x in a and y in b."""
    corners = [_times(x, y) for x in a for y in b]
    return min(corners), max(corners)


def power(a: Interval, k: int) -> Interval:
    """The interval of x^k for x in a: never negative for even k."""
    ends = sorted((_raised(a[0], k), _raised(a[1], k)))
    if k % 2 == 0 and a[0] <= 0 <= a[1]:
        return 0, ends[1]
    return ends[0], ends[1]


def _times(x: float, y: float) -> float:
    return x * y if x and y else 0  # 0 * infinity would be NaN


def _raised(x: float, k: int) -> float:
    try:
        return x**k
    except OverflowError:
        return -inf if x < 0 and k % 2 else inf


def _polynomial(n: Node, a: Sequence[Interval]) -> Interval:
    """What the intervals by Horner's rule and by the sum of the powers share, since both hold all values;
    for reals also what is found at the ends, where the slope is 0, and at samples in between."""
    horner: Interval = (0, 0)
    for c in reversed(n.attribute):
        horner = _shifted(product(horner, a[0]), c)
    powers: Interval = (n.attribute[0], n.attribute[0])
    for k, c in enumerate(n.attribute[1:], start=1):
        term = product((c, c), power(a[0], k))
        powers = (powers[0] + term[0], powers[1] + term[1])
    low, high = max(horner[0], powers[0]), min(horner[1], powers[1])
    if n.kind is not Kind.REAL or len(n.attribute) > _MOST_COEFFICIENTS or not np.isfinite((low, high)).all():
        return low, high
    seen = _extremes(n.attribute, a[0])
    return max(low, seen[0]), min(high, seen[1])


def _extremes(coefficients: Sequence[float], a: Interval) -> Interval:
    """The least and the largest value of a polynomial in an interval, a little wider than was found."""
    slope = np.polynomial.polynomial.polyder(np.asarray(coefficients, dtype=np.float64))
    flat = np.polynomial.polynomial.polyroots(np.trim_zeros(slope, "b")).real if slope.any() else np.zeros(0)
    x = np.concatenate([np.linspace(*a, _SAMPLES), flat[(flat >= a[0]) & (flat <= a[1])]])
    found = np.polynomial.polynomial.polyval(x, coefficients)
    slack = _SLACK * float(np.abs(found).max())
    return float(found.min()) - slack, float(found.max()) + slack


def _shifted(a: Interval, c: float) -> Interval:
    return a[0] + c, a[1] + c


def _linear(n: Node, a: Sequence[Interval]) -> Interval:
    """The interval over all rows. For a row's largest value, its positive entries meet the upper end of the
    operand's interval, and its negative entries the lower end."""
    positive, negative = n.attribute.signed_sums()
    ends = [_between(p, q, a[0]) for p, q in set(zip(positive.tolist(), negative.tolist(), strict=True))]
    return min(e[0] for e in ends), max(e[1] for e in ends)


def _between(positive: float, negative: float, a: Interval) -> Interval:
    """The interval of a weighted sum of values in `a`, given the sums of the weights of either sign."""
    low, high = a
    return _times(positive, low) + _times(negative, high), _times(positive, high) + _times(negative, low)


def _chebyshev(n: Node, a: Sequence[Interval]) -> Interval:
    """The range of the function and its series, sampled on as much of the promised interval as can occur."""
    series: Chebyshev = n.attribute
    low, high = max(series.low, a[0][0]), min(series.high, a[0][1])
    x = np.linspace(low, high, _SAMPLES) if low < high else np.array([series.low, series.high])
    x = np.linspace(*series.places) if series.places else x
    seen = evaluate_series(series, x)
    if series.exact is not None:
        exact = values_of(series.exact, x)
        seen = np.concatenate([seen, exact[np.isfinite(exact)]])
    return float(seen.min()), float(seen.max())


def _variance(n: Node, found: Mapping[Node, Interval]) -> Interval | None:
    """The interval of a node that is mean((x - mean(x))^2), else None."""
    pair = factors(n.args[0]) if n.op is Op.MEAN else None
    if pair is None or pair[0] != pair[1] or not pair[0].from_mean:
        return None
    low, high = found[pair[0].x]
    return 0.0, (high - low) ** 2 / 4


def _chosen(n: Node, found: Mapping[Node, Interval]) -> Interval | None:
    """The interval of a larger or smaller one of two values, as `comparisons.py` writes them; else None."""
    pair = chosen_of(n)
    if pair is not None:
        (a, b), (c, d) = (found[v] for v in pair)
        return (max(a, c), max(b, d)) if n.op is Op.ADD else (min(a, c), min(b, d))
    return found[n.args[0]] if n.op is Op.SUBTRACT and _exchanged(n.args[1], n.args[0]) else None


def _side_by_side(n: Node, found: Mapping[Node, Interval]) -> Interval | None:
    """The interval of vectors that are joined to a longer one, as `linear.concatenate` writes it; else
    None."""
    parts = joined(n) if n.op is Op.ADD else []
    if not parts:
        return None
    ends = [found[part] for part, _ in parts] + ([(0, 0)] if sum(c for _, c in parts) < n.length else [])
    return min(low for low, _ in ends), max(high for _, high in ends)


def joined(n: Node) -> list[tuple[Node, int]]:
    """The vectors that are side by side in n, each with the number of its elements there; none where an
    element of n is made of several, or is more than moved."""
    parts, left = list[tuple[Node, int]](), [n]
    taken = np.zeros(n.length, dtype=np.bool_)
    while left:
        each = left.pop()
        if each.op is Op.ADD and each.length == n.length:
            left += each.args
            continue
        if each.op is Op.LINEAR and each.attribute.selects:
            part, rows = each.args[0], each.attribute.rows
        elif each.op is Op.CONSTANT and each.length == n.length:
            part, rows = each, np.flatnonzero(each.attribute.array)
        elif _placed(each):
            part, rows = each.args[0], np.flatnonzero(each.args[1].attribute.array)
        else:
            return []
        if taken[rows].any():
            return []
        taken[rows] = True
        parts.append((part, len(rows)))
    return parts


def _placed(n: Node) -> bool:
    """Whether n is a single number that stands in some places of a vector of zeros."""
    if n.op is not Op.MULTIPLY or n.args[1].op is not Op.CONSTANT or n.args[0].length > 1:
        return False
    return n.args[1].length > 1 and set(np.unique(n.args[1].attribute.array).tolist()) <= {0, 1}


def chosen_of(n: Node) -> tuple[Node, ...] | None:
    """x and y of a node that is the larger or the smaller one of them: y + max(x - y, 0), or x less that."""
    if n.op not in (Op.ADD, Op.SUBTRACT):
        return None
    pair = _compared(n.args[1])
    return pair if pair and n.args[0] is pair[1 if n.op is Op.ADD else 0] else None


def _compared(n: Node) -> tuple[Node, ...] | None:
    """x and y of a node that is max(x - y, 0)."""
    kink = n.op is Op.CHEBYSHEV and n.attribute.gated and n.attribute.jump.half
    return n.args[0].args if kink and n.args[0].op is Op.SUBTRACT else None


def _exchanged(n: Node, x: Node) -> bool:
    """Whether n is x less a selection of x's elements, times something between 0 and 1: x - n is in
    between."""
    if n.op is not Op.MULTIPLY or n.args[0].op is not Op.LINEAR or n.args[0].args[0] is not x:
        return False
    jump = n.args[1].attribute.jump if n.args[1].op is Op.CHEBYSHEV else None
    return bool(jump and jump.half and not jump.gated and n.args[0].attribute.differences)


def _discrete(n: Node, a: Sequence[Interval]) -> Interval:
    """The interval of a function of integers; the larger one of x and -x is never negative."""
    low, high = span(n.attribute, a)
    opposite = len(n.args) == 2 and n.args[1].op is Op.NEGATE and n.args[1].args[0] is n.args[0]
    return (max(low, 0), high) if opposite and n.attribute.function is Function.MAXIMUM else (low, high)


def _wrapped(interval: Interval, t: int) -> Interval:
    whole = signed_range(t)
    return interval if whole[0] <= interval[0] and interval[1] <= whole[1] else whole


_FORMULA: dict[Op, Callable[[Node, Sequence[Interval]], Interval]] = {
    Op.INPUT: _input,
    Op.CONSTANT: _constant,
    Op.ADD: lambda _, a: (a[0][0] + a[1][0], a[0][1] + a[1][1]),
    Op.SUBTRACT: _subtract,
    Op.NEGATE: lambda _, a: (-a[0][1], -a[0][0]),
    Op.MULTIPLY: _multiply,
    Op.POWER: lambda n, a: power(a[0], n.attribute),
    Op.SUM: _sum,
    Op.MEAN: lambda _, a: a[0],
    Op.ROTATE: lambda _, a: a[0],
    Op.BOOTSTRAP: lambda _, a: a[0],
    Op.POLYNOMIAL: _polynomial,
    Op.CHEBYSHEV: _chebyshev,
    Op.LINEAR: _linear,
    Op.DISCRETE: _discrete,
}
