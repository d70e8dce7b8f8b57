"""Shapes of applications for the guide, each written as a user writes it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import fheasible as fh
from fheasible.circuit.declared import VectorSpec
from fheasible.circuit.node import Circuit
from fheasible.exploration.problem.wish import Asked, Measure, Wish


@dataclass(frozen=True, slots=True)
class Shape:
    """An application with what is asked of it. `what` says it in words; `written` is the function's body."""

    name: str
    what: str
    written: str
    inputs: dict[str, VectorSpec]
    function: Callable[..., fh.Vector]
    wish: Wish = field(default_factory=Wish)

    def circuit(self) -> Circuit:
        return fh.app(**self.inputs)(self.function).trace()


def add(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return x + y


def inner(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return fh.sum(x * y)


def power(x: fh.Vector) -> fh.Vector:
    return x**16


def spread(x: fh.Vector) -> fh.Vector:
    return fh.mean((x - fh.mean(x)) ** 2)


def score(x: fh.Vector, w: fh.Vector) -> fh.Vector:
    return fh.sigmoid(fh.sum(x * w), low=-16, high=16)


def squared(x: fh.Vector) -> fh.Vector:
    for _ in range(10):
        x = x * x
    return x


_BITS = 15
_REALS = Wish(precision=Asked(Measure.BITS, float(_BITS)))
_FINE = Wish(precision=Asked(Measure.BITS, 30.0))

PRECISIONS = ("statistics of reals", "statistics, very precise")  # the same shape, to compare
SHAPES = (
    Shape(
        "totals",
        "exact totals: two vectors of 2,048 whole numbers up to 1,000",
        "x + y",
        {"x": fh.integers(2048, 0, 1000), "y": fh.integers(2048, 0, 1000)},
        add,
    ),
    Shape(
        "exact inner product",
        "an exact inner product of 1,024 whole numbers up to 100: one product, then a sum over the vector",
        "fh.sum(x * y)",
        {"x": fh.integers(1024, 0, 100), "y": fh.integers(1024, 0, 100)},
        inner,
    ),
    Shape(
        "large results",
        "an exact inner product of 4,096 whole numbers up to a million: results of up to 52 bits",
        "fh.sum(x * y)",
        {"x": fh.integers(4096, 0, 10**6), "y": fh.integers(4096, 0, 10**6)},
        inner,
    ),
    Shape(
        "exact power",
        "a power of 4,096 residues modulo 65,537: four products in succession, in which results wrap around",
        "x**16",
        {"x": fh.integers(4096, modulo=65_537)},
        power,
    ),
    Shape(
        PRECISIONS[0],
        f"the variance of 4,096 real numbers in [0, 1], with {_BITS} bits right",
        "fh.mean((x - fh.mean(x)) ** 2)",
        {"x": fh.reals(4096, low=0, high=1)},
        spread,
        _REALS,
    ),
    Shape(
        PRECISIONS[1],
        "the same variance with 30 bits right",
        "fh.mean((x - fh.mean(x)) ** 2)",
        {"x": fh.reals(4096, low=0, high=1)},
        spread,
        _FINE,
    ),
    Shape(
        "a smooth function",
        "the logistic function of an inner product of 16 real numbers in [-1, 1]",
        "fh.sigmoid(fh.sum(x * w), low=-16, high=16)",
        {"x": fh.reals(16, low=-1, high=1), "w": fh.reals(16, low=-1, high=1)},
        score,
    ),
    Shape(
        "deep",
        "ten squarings in succession of 1,024 real numbers in [-1, 1]",
        "x**1024",
        {"x": fh.reals(1024, low=-1, high=1)},
        squared,
    ),
    Shape(
        "long vectors",
        "the sum of the products of 65,536 real numbers in [0, 1], more than one ciphertext holds",
        "fh.sum(x * y)",
        {"x": fh.reals(65_536, low=0, high=1), "y": fh.reals(65_536, low=0, high=1)},
        inner,
        _REALS,
    ),
)
