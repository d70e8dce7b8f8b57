"""The oracle: what a circuit computes on plain data, with numpy."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Never, assert_never

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Array
from fheasible.circuit.chebyshev import evaluate_series, values_of
from fheasible.circuit.discrete import result
from fheasible.circuit.modulus import centred, modulus
from fheasible.circuit.node import Chebyshev, Circuit, Input, Kind, Node, Op, last_uses
from fheasible.circuit.where import at
from fheasible.errors import CircuitError, DataError, PromiseBroken

_WORD = 2**63
_CANCELLED = 2.0**-30  # times the largest number on the way: a smaller result is looked at again
_STIR = 2.0**-44  # relative change of the data: a result that moves by more than its size is rounding
_TOLERANCE = 1e-9  # times an interval's width: rounding of doubles breaks no promise


def evaluate(circuit: Circuit, data: Mapping[str, Array], *, exact: bool = True) -> dict[str, Array]:
    """The outputs: float64 for reals, int64 for integers (residues in (-t/2, t/2] if they wrap).

    With `exact`, approximated functions have their true values, otherwise those of their series. Reals that
    cancel to less than the rounding of doubles can tell are 0. PromiseBroken where the data leave the
    interval promised for such a function, CircuitError where integers outgrow 63 bits, DataError where an
    input is missing or of another length.
    """
    found, largest = _evaluated(circuit, data, exact)
    if circuit.kind is not Kind.REAL or not any(_tiny(v, largest).any() for v in found.values()):
        return found
    try:
        beside, _ = _evaluated(
            circuit, {name: v * (1 + _STIR * _signs(v)) for name, v in data.items()}, exact
        )
    except CircuitError:  # the data lie right at the end of a promised interval
        return found
    return {name: np.where(np.abs(v - beside[name]) < np.abs(v), v, 0.0) for name, v in found.items()}


def _evaluated(circuit: Circuit, data: Mapping[str, Array], exact: bool) -> tuple[dict[str, Array], float]:
    """The outputs with the rounding of doubles, and the magnitude of the largest real number on the way."""
    t = modulus(circuit)
    found: dict[Node, Array] = {}
    largest = 0.0
    for n, done in last_uses(circuit):
        found[n] = apply(n, _operands(n, found, data), modulus=t, exact=exact)
        if n.kind is Kind.REAL:
            largest = max(largest, float(np.abs(found[n]).max()))
        for over in done:
            del found[over]
    return {name: found[n] for name, n in circuit.outputs}, largest


def _tiny(v: Array, largest: float) -> NDArray[np.bool_]:
    """Which elements of v may be no more than the rounding of the numbers that they were computed from."""
    size = np.abs(v)
    return np.asarray((size > 0) & (size < _CANCELLED * largest))


def _signs(v: Array) -> Array:
    return np.random.default_rng(len(v)).choice([-1.0, 1.0], len(v))


def values(circuit: Circuit, data: Mapping[str, Array], *, exact: bool = True) -> dict[Node, Array]:
    """The vector of every node."""
    return values_by(partial(apply, modulus=modulus(circuit), exact=exact), circuit, data)


def values_by(
    result: Callable[[Node, Sequence[Array]], Array], circuit: Circuit, data: Mapping[str, Array]
) -> dict[Node, Array]:
    """The vector of every node, where `result` says what a node's operation makes of its operands."""
    found: dict[Node, Array] = {}
    for n in circuit.nodes():
        found[n] = result(n, _operands(n, found, data))
    return found


def at_any_size(circuit: Circuit, data: Mapping[str, Array]) -> dict[str, Array]:
    """The outputs of a circuit of integers: int64, or Python's integers where values may outgrow 63 bits."""
    found = values_by(partial(_at_any_size, modulus=modulus(circuit)), circuit, data)
    return {name: found[n] for name, n in circuit.outputs}


def _operands(n: Node, found: Mapping[Node, Array], data: Mapping[str, Array]) -> list[Array]:
    return [_given(n.attribute, data)] if n.op is Op.INPUT else [found[a] for a in n.args]


def apply(n: Node, operands: Sequence[Array], *, modulus: int | None = None, exact: bool = True) -> Array:
    """The vector that the node's operation makes of these operands."""
    if n.kind is Kind.INTEGER:
        return _integers(n, operands, modulus)
    reals = [a.astype(np.float64) for a in operands]
    result = _approximated(n, reals[0], exact) if n.op is Op.CHEBYSHEV else of_reals(n, reals)
    if not np.isfinite(result).all():
        raise CircuitError(at(n.where, f"the result of this {n.op} is not finite"), "Scale the values down.")
    return result


def of_reals(n: Node, operands: Sequence[Array]) -> Array:
    """The result of the node's operation on float64, unchecked; approximated functions by their series."""
    if n.op is Op.CHEBYSHEV:
        return evaluate_series(n.attribute, operands[0])
    with np.errstate(all="ignore"):
        return _FORMULA[n.op](n.attribute, *operands)


def _power(k: int, a: Array) -> Array:
    result: Array = a**k
    return result


def _sum(_: None, a: Array) -> Array:
    return np.sum(a, keepdims=True)


def _horner(coefficients: Sequence[Any], a: Array) -> Array:
    result = a * 0
    for c in reversed(coefficients):
        result = result * a + c
    return result


_FORMULA: dict[Op, Callable[..., Array]] = {
    Op.INPUT: lambda _, a: a,
    Op.CONSTANT: lambda attribute: attribute.array,
    Op.ADD: lambda _, a, b: a + b,
    Op.SUBTRACT: lambda _, a, b: a - b,
    Op.NEGATE: lambda _, a: -a,
    Op.MULTIPLY: lambda _, a, b: a * b,
    Op.POWER: _power,
    Op.SUM: _sum,
    Op.MEAN: lambda _, a: np.mean(a, keepdims=True),
    Op.ROTATE: lambda steps, a: np.roll(a, -steps),
    Op.BOOTSTRAP: lambda _, a: a,
    Op.POLYNOMIAL: _horner,
    Op.LINEAR: lambda matrix, a: matrix.times(a),
    Op.DISCRETE: lambda function, *operands: result(function, operands),
}


def _integers(n: Node, operands: Sequence[Array], modulus: int | None) -> Array:
    """The exact result for integers, in 63 bits."""
    found = _at_any_size(n, operands, modulus)
    if found.dtype == object and _largest(found) >= _WORD:
        _too_large(n)
    return found.astype(np.int64)


def _at_any_size(n: Node, operands: Sequence[Array], modulus: int | None) -> Array:
    """The exact result for integers, in 63 bits where it surely fits them, else in Python's integers."""
    if n.op is Op.POWER and modulus is not None:
        return centred(_power_modulo(operands[0], n.attribute, modulus), modulus)
    small = _bound(n, [_largest(a) for a in operands]) < _WORD
    if n.op is Op.POWER and not small:
        _too_large(n)
    result = _FORMULA[n.op](n.attribute, *(a.astype(np.int64 if small else object) for a in operands))
    return result if modulus is None else centred(result, modulus)


def _too_large(n: Node) -> Never:
    raise CircuitError(
        at(n.where, f"the result of this {n.op} needs more than 63 bits"),
        "Declare narrower inputs, or fh.integers(n, modulo=t) to wrap around.",
    )


def _power_modulo(a: Array, k: int, t: int) -> Array:
    """a^k modulo t by repeated squaring, where every product is reduced at once."""
    number = np.int64 if t < 2**31 else object  # products of residues fit 63 bits, or are Python's
    square, result = a.astype(number) % t, np.ones(len(a), dtype=number)
    while k:
        if k & 1:
            result = result * square % t
        square, k = square * square % t, k >> 1
    return result


def _bound(n: Node, largest: Sequence[int]) -> int:
    """A bound on the magnitude of the node's elements, from those of its operands."""
    match n.op:
        case Op.INPUT:
            return largest[0]
        case Op.CONSTANT:
            return _largest(n.attribute.array)
        case Op.ADD | Op.SUBTRACT:
            return largest[0] + largest[1]
        case Op.MULTIPLY:
            return largest[0] * largest[1]
        case Op.POWER:
            return _WORD if largest[0] > 1 and n.attribute >= 63 else int(largest[0] ** n.attribute)
        case Op.SUM:
            return largest[0] * n.args[0].length
        case Op.LINEAR:
            return int(n.attribute.largest_row) * largest[0]
        case Op.POLYNOMIAL:
            return _polynomial_bound(n.attribute, largest[0])
        case Op.DISCRETE:
            return int(max(*largest, *map(abs, n.attribute.table), 1))
        case Op.NEGATE | Op.ROTATE | Op.MEAN | Op.CHEBYSHEV | Op.BOOTSTRAP:
            return largest[0]
        case _:
            assert_never(n.op)


def _polynomial_bound(coefficients: Sequence[int], x: int) -> int:
    """The bound that Horner's rule on magnitudes gives, at most _WORD."""
    bound = 0
    for c in reversed(coefficients):
        bound = min(bound * x + abs(c), _WORD)
    return bound


def _largest(a: Array) -> int:
    return max(abs(int(a.min())), abs(int(a.max())))


def _approximated(n: Node, x: Array, exact: bool) -> Array:
    found: Chebyshev = n.attribute
    slack = _TOLERANCE * (found.high - found.low)
    if x.min() < found.low - slack or x.max() > found.high + slack:
        worst = max(x.min(), x.max(), key=lambda v: max(found.low - v, v - found.high))
        raise PromiseBroken(
            at(
                n.where,
                f"{found.function} was promised values in [{found.low:g}, {found.high:g}],"
                f" but the data lead to {worst:.9g}",
            ),
            f"Widen low=, high= of {found.function}, or give data that keep the promise.",
        )
    _check_margin(n, x)
    if not exact or found.exact is None:
        return evaluate_series(found, x)
    return np.asarray(values_of(found.exact, np.clip(x, found.low, found.high)), dtype=np.float64)


def _check_margin(n: Node, x: Array) -> None:
    """Raises PromiseBroken for arguments nearer to 0 than the margin that was promised."""
    found: Chebyshev = n.attribute
    near = within_margin(found, x)
    if found.jump is not None and near.any():
        nearest = float(np.abs(x).min())
        raise PromiseBroken(
            at(
                n.where,
                f"{found.function} was promised arguments at least margin={found.jump.margin:g} away from 0,"
                f" but the data lead to {int(near.sum()):,} of {len(x):,} that are nearer, the nearest"
                f" {nearest:.3g} away; the result there lies anywhere between the two values",
            ),
            f"Give a smaller margin= of {found.function}, which takes more levels, or data that keep the"
            " promise. fh.maximum, fh.minimum, fh.relu, fh.absolute and fh.sort need no margin.",
        )


def within_margin(found: Chebyshev, x: Array) -> NDArray[np.bool_]:
    """Which arguments are nearer to 0 than was promised."""
    promised = found.jump.margin if found.jump and found.jump.promised else 0.0
    near = np.abs(x) < promised * (1 - _TOLERANCE)
    return near & (np.abs(x) > promised * _TOLERANCE) if found.jump and found.jump.zero else near


def _given(declared: Input, data: Mapping[str, Array]) -> Array:
    if declared.name not in data:
        raise DataError(
            f"no values are given for the input {declared.name}; the data have: {', '.join(data)}"
        )
    given = np.asarray(data[declared.name])
    if given.shape != (declared.length,):
        raise DataError(
            f"the input {declared.name} is traced for {declared.length:,} values, not for shape {given.shape}"
        )
    return given
