"""The RNS ring in Python's integers, by the schoolbook and by Chinese remainders: slow, and independent.

Data: a list of coefficients for each limb, in both domains alike; so NTT domain has no order here.
"""

from fractions import Fraction
from math import prod
from random import Random
from typing import Any

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Conversion, Domain, Poly
from fheasible.rings.rns.ring import RnsRing

Limbs = list[list[int]]


class OracleRnsRing(RnsRing):
    n: int
    moduli: tuple[int, ...]

    def __init__(self, n: int, q: Any, p: Any, extra: Any = (), seed: int = 0) -> None:
        self.n, self.moduli, self.random = n, (*q, *p, *extra), Random(seed)
        self._divide(len(q), len(p), len(extra))

    def of(self, basis: Basis) -> list[int]:
        return [self.moduli[limb] for limb in basis]

    def _interpret(
        self,
        operation: str,
        basis: Basis,
        domain: Domain,
        operands: tuple[Poly, ...] = (),
        choice: Any = None,
        value: Any = None,
    ) -> Any:
        data = [x.data for x in operands]
        made = getattr(self, f"_{operation}")(basis, domain, operands, data, choice, value)
        if operation in ("lift", "outside"):
            return made
        return [[c % p for c in limb] for limb, p in zip(made, self.of(basis), strict=True)]

    def _view(self, parts: tuple[Poly, ...], basis: Basis) -> Limbs:
        return [x.data[x.basis.limbs.index(limb)] for limb in basis for x in parts if limb in x.basis]

    def _given(self, basis: Basis, domain: Domain, xs: Any, data: Any, choice: Any, value: Any) -> Limbs:
        return [[0] * self.n for _ in basis] if value is None else value

    _zero = _given

    def _integers(self, basis: Basis, domain: Domain, xs: Any, data: Any, choice: Any, value: Any) -> Limbs:
        return [[int(c) for c in value] + [0] * (self.n - len(value)) for _ in basis]

    def _same(self, basis: Basis, domain: Domain, xs: Any, data: Any, *_: Any) -> Limbs:
        made: Limbs = data[0]
        return made

    _to_ntt = _to_coefficients = _copy = _same

    def _add(self, basis: Basis, domain: Domain, xs: Any, data: Any, *_: Any) -> Limbs:
        return [[a + b for a, b in zip(*limb, strict=True)] for limb in zip(*data, strict=True)]

    def _subtract(self, basis: Basis, domain: Domain, xs: Any, data: Any, *_: Any) -> Limbs:
        return [[a - b for a, b in zip(*limb, strict=True)] for limb in zip(*data, strict=True)]

    def _negate(self, basis: Basis, domain: Domain, xs: Any, data: Any, *_: Any) -> Limbs:
        return [[-c for c in limb] for limb in data[0]]

    def _multiply(self, basis: Basis, domain: Domain, xs: Any, data: Any, *_: Any) -> Limbs:
        return [negacyclic(x, y) for x, y in zip(*data, strict=True)]

    def _inner_product(self, basis: Basis, domain: Domain, xs: Any, data: Any, *_: Any) -> Limbs:
        half = len(data) // 2
        products = [
            self._multiply(basis, domain, xs, pair) for pair in zip(data[:half], data[half:], strict=True)
        ]
        return [[sum(cs) for cs in zip(*limb, strict=True)] for limb in zip(*products, strict=True)]

    def _scale(self, basis: Basis, domain: Domain, xs: Any, data: Any, choice: Any, value: Any) -> Limbs:
        c, inverted = value
        each = [c] * len(basis) if isinstance(c, int) else c
        factors = [pow(c, -1, p) if inverted else c for c, p in zip(each, self.of(basis), strict=True)]
        return [[factor * c for c in limb] for factor, limb in zip(factors, data[0], strict=True)]

    def _offset(self, basis: Basis, domain: Domain, xs: Any, data: Any, choice: Any, value: Any) -> Limbs:
        """In NTT domain the constant is added to every value, and so to the constant coefficient alone."""
        each = [value] * len(basis) if isinstance(value, int) else value
        where = self.n if domain is Domain.COEFFICIENT else 1
        limbs = zip(each, data[0], strict=True)
        return [[v + c * (k < where) for k, v in enumerate(limb)] for c, limb in limbs]

    def _automorphism(self, basis: Basis, domain: Domain, xs: Any, data: Any, choice: Any, e: int) -> Limbs:
        return [substituted(limb, e) for limb in data[0]]

    def _convert(self, basis: Basis, domain: Domain, xs: Any, data: Any, how: Any, value: Any) -> Limbs:
        moduli = self.of(xs[0].basis)
        q = prod(moduli)
        if how is not Conversion.FAST:
            whole = [together(residues, moduli) for residues in zip(*data[0], strict=True)]
            centred = [c - q if 2 * c > q and how is Conversion.EXACT else c for c in whole]
            return [centred for _ in basis]
        parts = [[c * pow(q // p, -1, p) % p for c in limb] for limb, p in zip(data[0], moduli, strict=True)]
        columns = zip(*parts, strict=True)
        sums = [sum(y * (q // p) for y, p in zip(column, moduli, strict=True)) for column in columns]
        return [sums for _ in basis]

    def _digit(self, basis: Basis, domain: Domain, xs: Any, data: Any, choice: Any, value: Any) -> Limbs:
        low, bits = value
        return [[c // 2**low % 2**bits for c in data[0][0]] for _ in basis]

    def _scale_round(self, basis: Basis, domain: Domain, xs: Any, data: Any, c: Any, value: Any) -> Limbs:
        numerator, divisor = value
        fractions = [Fraction(numerator * x, prod(self.of(divisor))) for x in self._integers_of(xs[0])]
        nearest = [int(abs(f) + Fraction(1, 2)) * (1 if f > 0 else -1) for f in fractions]
        return [nearest for _ in basis]

    def _lift(self, basis: Basis, domain: Domain, xs: Any, *_: Any) -> list[int]:
        return self._integers_of(xs[0])

    def _integers_of(self, x: Poly) -> list[int]:
        q = prod(self.of(x.basis))
        whole = [together(residues, self.of(x.basis)) for residues in zip(*x.data, strict=True)]
        return [c - q if 2 * c > q else c for c in whole]

    def _outside(self, basis: Basis, domain: Domain, xs: Any, data: Any, kernel: str, compute: Any) -> Any:
        return compute()


def negacyclic(x: Any, y: Any) -> list[int]:
    """x·y modulo X^n + 1, term by term."""
    n, out = len(x), [0] * len(x)
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            out[(i + j) % n] += int(a) * int(b) * (1 if i + j < n else -1)
    return out


def substituted(x: list[int], exponent: int) -> list[int]:
    """x(X^exponent) modulo X^n + 1: X^(n·a + b) = (-1)^a·X^b."""
    n, out = len(x), [0] * len(x)
    for k, c in enumerate(x):
        wraps, place = divmod(k * exponent, n)
        out[place] += c * (-1) ** (wraps % 2)
    return out


def together(residues: Any, moduli: list[int]) -> int:
    """The integer of [0, Q) with these residues, one modulus joined after another."""
    value, modulus = 0, 1
    for r, p in zip(residues, moduli, strict=True):
        value += modulus * ((r - value) * pow(modulus, -1, p) % p)
        modulus *= p
    return value
