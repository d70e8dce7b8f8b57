"""Whether an application is right on polynomials.

Constants can hide a fault, for instance where a result is always 0.
"""

from random import Random
from typing import Any, cast

import numpy as np

from fheasible.circuit.node import Op
from fheasible.rings.element import Element, Scalar
from fheasible.rings.exact import ExactRing
from fheasible.schemes.evaluate import run
from fheasible.schemes.plan import Plan
from fheasible.schemes.scheme import RingScheme
from fheasible.schemes.spec import Spec


def right_on_polynomials(steps: Plan, scheme: RingScheme, ring: ExactRing, draw: Random) -> bool:
    """Whether every output is right in all n coefficients, for random polynomials as inputs.

    The right coefficients are those that the same steps give on plaintexts.
    """
    t = scheme.spec.t.value
    assert t is not None
    inputs = {step.attribute: step.length for step in steps.steps if step.op is Op.INPUT}
    data = {name: [polynomial(scheme, ring.n, t, draw) for _ in range(inputs[name])] for name in inputs}
    found = run(steps, scheme, data)
    plain = ExactRing(ring.n, t)
    wanted = run(steps, cast(RingScheme, Clear(plain, t)), data)
    return all(
        np.array_equal(ring.coefficients(x), plain.coefficients(y))
        for name in wanted
        for x, y in zip(found[name], wanted[name], strict=True)
    )


def polynomial(scheme: RingScheme, n: int, t: int, draw: Random) -> list[int]:
    """A random polynomial; for bits a power of X, whose |coefficients| add up to 1 as those of a bit do."""
    if scheme.bits:
        return [0] * draw.randrange(n) + [1]
    return [draw.randrange(t) for _ in range(n)]


class Clear:
    """What an application calls of a scheme, without encryption: a ciphertext is its plaintext.

    `ring` is Z_t[X]/(X^n + 1).
    """

    def __init__(self, ring: ExactRing, t: int) -> None:
        self.ring, self.spec = ring, Spec(Scalar.of(t), Scalar.of(t))

    def keygen(self) -> None:
        """None, since nothing is encrypted."""

    def message(self, coefficients: Any = None) -> Element:
        return self.ring.reduce(self.ring.message(self.spec.t, coefficients))

    def encrypt(self, keys: None, m: Element) -> Element:
        return m

    def decrypt(self, keys: None, c: Element) -> Element:
        return c

    def constant(self, m: Element) -> Element:
        return m

    def add(self, keys: None, c: Element, d: Element) -> Element:
        return self.ring.add(c, d)

    def negate(self, c: Element) -> Element:
        return self.ring.negate(c)

    def times(self, c: Element, k: int) -> Element:
        return self.ring.scale(c, Scalar.of(k))

    def multiply(self, keys: None, c: Element, d: Element) -> Element:
        return self.ring.multiply(c, d)
