"""What an encrypted vector cannot do: one clear line for each, with what can be done instead.

Vectors of integers take some of these operators after all (`integer_operators.py`).
"""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from typing import Any, Never

from fheasible.circuit.where import at, here
from fheasible.errors import CircuitError

_COMPARED = (
    "Write fh.greater(x, y, margin=...) for reals that differ by at least the margin: it is 1 where x > y,"
    " else 0. fh.maximum(x, y), fh.minimum(x, y), fh.relu(x) and fh.sort(x) need no margin. Or compare the"
    " decrypted results. Integers are compared exactly by operators: fh.integers(n, low=0, high=255)."
)
_DIVIDED = "Multiply by fh.reciprocal(x, low=..., high=...), which approximates 1/x on an interval without 0."
_METHODS = {
    "var": "fh.var(x)",
    "std": "fh.std(x)",
    "groupby": "fh.sum_by(x, groups)",
    "dot": "fh.inner_product(x, y), or fh.matmul(matrix, x)",
    "sqrt": "fh.sqrt(x, low=..., high=...)",
    "exp": "fh.exp(x, low=..., high=...)",
    "roll": "fh.rotate(x, steps)",
    "shape": "len(x)",
    "size": "len(x)",
    "norm": "fh.sqrt(fh.inner_product(x, x), low=..., high=...)",
    "outer": "fh.concatenate([x[i] * y for i in range(len(x))]), all products",
    "reshape": "fh.matrix(x, (4, 4)) for a matrix; a vector has one dimension",
    "append": "fh.concatenate([x, y])",
    "astype": "fh.reals(...) where the input is declared",
}
_NAMES = {  # what other packages call what fh has
    "abs": "fh.absolute",
    "average": "fh.mean",
    "avg_pool2d": "fh.average_pool2d",
    "bits": "fh.integers(n, low=0, high=1)",
    "booleans": "fh.integers(n, low=0, high=1)",
    "cos": "fh.approximate",
    "count": "fh.sum",
    "count_nonzero": "fh.sum(x != 0)",
    "dot": "fh.inner_product",
    "floats": "fh.reals",
    "group_mean": "fh.sum_by(x, groups) and divide by the plain numbers of elements",
    "group_sum": "fh.sum_by",
    "groupby": "fh.sum_by",
    "hstack": "fh.concatenate",
    "if_else": "fh.where",
    "inverse": "fh.reciprocal",
    "kron": "fh.concatenate([x[i] * y for i in range(len(x))])",
    "max": "fh.maximum",
    "median": "fh.sort(x)[len(x) // 2]",
    "min": "fh.minimum",
    "norm": "fh.sqrt(fh.inner_product(x, x), low=..., high=...)",
    "outer": "fh.concatenate([x[i] * y for i in range(len(x))])",
    "percentile": "fh.sort(x)[i]",
    "quantile": "fh.sort(x)[i]",
    "roll": "fh.rotate",
    "select": "fh.where",
    "sin": "fh.approximate",
}


def in_place_of(name: str, known: Collection[str]) -> str:
    """What to write for a name that fh has not, as the rest of a sentence; empty where nothing is like it."""
    alike = [f"fh.{other}" for other in get_close_matches(name, known, n=3, cutoff=0.7)]
    alike = [_NAMES[name]] if name in _NAMES else alike
    return f"; write {' or '.join(alike)}" if alike else ""


def fail(message: str, remedy: str = "") -> Never:
    """Raises CircuitError at the user's line."""
    raise CircuitError(at(here(), message), remedy)


def no_division() -> Never:
    fail("an encrypted vector cannot be a divisor", _DIVIDED)


class Refusals:
    """The operators that have no meaning on encrypted vectors."""

    __slots__ = ()

    @property
    def _branches(self) -> str:
        """What to write where Python asks whether a value is true: in `if`, `and`, `or`, `not`, `max`."""
        return "Compute both branches: fh.where(fh.greater(x, y, margin=...), a, b)."

    def __rtruediv__(self, other: Any) -> Never:
        no_division()

    def __floordiv__(self, other: Any) -> Never:
        fail(
            "encrypted reals cannot be divided with rounding",
            "Declare fh.integers, or divide reals by a plain number, such as x / 2.",
        )

    def __rfloordiv__(self, other: Any) -> Never:
        no_division()

    def __mod__(self, other: Any) -> Never:
        fail(
            "the remainder of an encrypted real cannot be computed",
            "Declare fh.integers(n, low=..., high=...), or compute it from the decrypted results.",
        )

    __rmod__ = __divmod__ = __rdivmod__ = __mod__

    def __rpow__(self, other: Any) -> Never:
        fail("an encrypted exponent cannot be used", "Write fh.exp(x * log(base), low=..., high=...).")

    def __and__(self, other: Any) -> Never:
        fail(
            "the bits of encrypted reals cannot be combined",
            "Declare fh.integers. For values that are 0 or 1, x * y is AND, x + y - x * y is OR, 1 - x is"
            " NOT, and x + y - 2 * x * y is XOR. A shift is a product or a division.",
        )

    __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __and__
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __and__

    def __invert__(self) -> Never:
        self.__and__(None)

    def __bool__(self) -> Never:
        fail(
            "an encrypted value is not known while the circuit is traced, so that `if` cannot test it",
            self._branches,
        )

    def __lt__(self, other: Any) -> Never:
        fail("encrypted values cannot be compared by an operator, which has no margin", _COMPARED)

    __le__ = __gt__ = __ge__ = __lt__

    def __eq__(self, other: object) -> Never:
        fail("encrypted values cannot be compared by an operator, which has no margin", _COMPARED)

    __ne__ = __eq__
    __hash__ = object.__hash__

    def __setitem__(self, index: Any, value: Any) -> Never:
        fail(
            "an encrypted vector cannot be changed",
            "Make a new one: fh.concatenate([x[:2], y, x[3:]]), or x * mask + y with a plain 0/1 mask.",
        )

    def __delitem__(self, index: Any) -> Never:
        self.__setitem__(index, None)

    def __iter__(self) -> Never:
        fail(
            "an encrypted vector cannot be iterated",
            "Operate on the whole vector: fh.sum(x) adds it up, x[i] is one element, x[i:j] a part,"
            " fh.sort(x) orders a few elements, and fh.argmax(x, margin=...) finds the largest.",
        )

    def __contains__(self, value: Any) -> Never:
        fail("encrypted values cannot be compared, so that `in` cannot search for one", _COMPARED)

    def __abs__(self) -> Never:
        fail("abs needs an approximation", "Write fh.absolute(x).")

    def __float__(self) -> Never:
        fail(
            "an encrypted vector is not a plain number",
            "Use fh's functions instead of math's: fh.sqrt, fh.exp, fh.log, fh.sum, fh.approximate, ...",
        )

    __int__ = __index__ = __complex__ = __round__ = __trunc__ = __floor__ = __ceil__ = __float__

    def __format__(self, how: str) -> str:
        return repr(self) if not how else self.__float__()

    def __call__(self, *given: Any, **named: Any) -> Never:
        fail("an encrypted vector is not a function", "Write x * (...) for a product.")

    def __reduce_ex__(self, protocol: Any) -> Never:
        fail(
            "an encrypted vector cannot be copied or saved while the circuit is traced",
            "It never changes and needs no copy: use the same vector twice.",
        )

    def __getattr__(self, name: str) -> Never:
        instead = f"; write {_METHODS[name]}" if name in _METHODS else ""
        raise AttributeError(f"an encrypted vector has no {name}{instead}")
