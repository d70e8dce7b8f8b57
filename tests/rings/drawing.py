"""Random rings, elements and constants for the properties of `rings/`."""

from random import Random
from typing import Any

from hypothesis import strategies as st

from fheasible.rings.counting import CountingRing
from fheasible.rings.element import Element, Scalar
from fheasible.rings.exact import ExactRing

from .oracle import OracleRing, integers

EDGES = (
    2,
    3,
    4,
    5,
    6,
    12289,
    2**32,
    2**63,
    2**64 - 1,
    2**64,
    2**64 + 1,
    2**128 - 1,
    2**128,
    2**1199 + 1,
    2**1200 - 1,
)
moduli = st.one_of(
    st.sampled_from(EDGES),
    st.integers(2, 200),
    st.integers(1, 1200).map(lambda k: 2**k),
    st.integers(2, 1200).map(lambda k: 2**k - 1),
    st.integers(2, 1200).flatmap(lambda k: st.integers(2 ** (k - 1), 2**k - 1)),
)
degrees = st.one_of(st.sampled_from([1, 2, 4, 8, 16, 32]), st.sampled_from([1, 2, 4, 8, 16, 32, 64, 128]))
bases = st.one_of(
    st.integers(1, 70).map(lambda k: 2**k),
    st.sampled_from([2**63 - 1, 2**63 + 1, 2**64 - 1, 2**64, 2**128 - 1, 2**128, 2**1300]),
    st.integers(2, 50),
    st.integers(2, 2**100),
)
sizes = st.integers(1, 3)
seeds = st.integers(0, 2**32)


class Rings:
    """One ring in three interpreters, with elements that stand in all of them."""

    def __init__(self, n: int, q: int, seed: int = 0) -> None:
        self.n, self.q, self.random = n, q, Random(seed)
        self.exact, self.oracle = ExactRing(n, q, seed), OracleRing(n, q, seed)
        self.counting = CountingRing(n, q.bit_length(), q)

    @property
    def each(self) -> tuple[Any, ...]:
        return self.exact, self.oracle, self.counting

    def residues(self, rows: int = 1, cols: int = 1) -> tuple[Element, ...]:
        """One matrix of residues, in each interpreter."""
        return self.element(self._values(rows, cols, 0, self.q - 1), True)

    def integers(self, rows: int = 1, cols: int = 1, bits: int | None = None) -> tuple[Element, ...]:
        """One matrix of integers below 2^bits in absolute value."""
        largest = 2 ** (self.random.randrange(1, 200) if bits is None else bits) - 1
        return self.element(self._values(rows, cols, -largest, largest), False)

    def element(self, values: Any, modular: bool) -> tuple[Element, ...]:
        made = self.exact.element(values, modular)
        return made, self.oracle.element(values, modular), self.shape(made)

    def shape(self, x: Element) -> Element:
        """What the counting ring has of x."""
        return self.counting._new("message", x.rows, x.cols, x.modular, x.bits)

    def _values(self, rows: int, cols: int, low: int, high: int) -> Any:
        """Uniform ones, or such that are all at the ends of the range."""
        ends = (low, high, 0, min(1, high))
        extreme = self.random.random() < 0.4
        choose = (lambda: self.random.choice(ends)) if extreme else (lambda: self.random.randint(low, high))
        return integers([choose() for _ in range(rows * cols * self.n)]).reshape(rows, cols, self.n)


rings = st.builds(Rings, degrees, moduli, seeds)
scalars = bases.map(Scalar.of)
