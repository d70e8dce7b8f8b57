"""The ring Z_Q[X]/(X^n + 1) in a residue number system, as BFV, BGV and CKKS may use it.

A public method checks its operands and determines what the result is (basis, domain). One hook of the
interpreter does the rest. So a scheme that misuses the ring fails in the same way whether it is counted or
run.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from fheasible.errors import RingMismatch
from fheasible.rings.rns import check
from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Conversion, Domain, Poly

NTT, COEFFICIENT = Domain.NTT, Domain.COEFFICIENT
Constant: TypeAlias = int | Sequence[int] | None  # one for all limbs or one for each; None where only counted
T = TypeVar("T")


class RnsRing(ABC):
    """A ring with the bases `q` (the chain), `p` (special) and `extra` (auxiliary primes and t) of `moduli`.

    `n` and `moduli` are None where the interpreter only counts.
    """

    n: int | None
    moduli: tuple[int, ...] | None
    q: Basis
    p: Basis
    extra: Basis
    _levels: tuple[Basis, ...]

    def _divide(self, q: int, p: int, extra: int) -> None:
        """Set the bases of a list of q + p + extra primes."""
        limbs = Basis(tuple(range(q + p + extra)))
        self.q, self.p, self.extra = limbs[:q], limbs[q : q + p], limbs[q + p :]
        self._levels = tuple(limbs[: level + 1] for level in range(q))

    def level(self, level: int) -> Basis:
        """The first level + 1 limbs of the chain."""
        if not 0 <= level < len(self._levels):
            raise RingMismatch(
                f"level: there is no level {level} among {len(self._levels)}", "levels are counted from 0"
            )
        return self._levels[level]

    def product(self, basis: Basis) -> int | None:
        """The product of the basis's primes; None where the ring only counts."""
        if self.moduli is None:
            return None
        product = 1
        for limb in basis:
            product *= self.moduli[limb]
        return product

    # -- operands from outside, constants, and random polynomials

    def given(self, basis: Basis, domain: Domain, data: Any = None) -> Poly:
        """A polynomial that was there before, as in a ciphertext or a key; only its use is counted.

        `data` are its residues (limbs, n) in the exact ring; without `data` they are zeros.
        """
        check.some("given", basis)
        return Poly(basis, domain, self._interpret("given", basis, domain, (), None, data))

    def zero(self, basis: Basis, domain: Domain) -> Poly:
        check.some("zero", basis)
        return Poly(basis, domain, self._interpret("zero", basis, domain))

    def uniform(self, basis: Basis) -> Poly:
        """A polynomial of residues, each value equally likely; NTT domain."""
        check.some("uniform", basis)
        return Poly(basis, NTT, self._interpret("uniform", basis, NTT))

    def ternary(self, basis: Basis, weight: int | None = None) -> Poly:
        """One polynomial of coefficients -1, 0 and 1, the same in every limb; COEFFICIENT domain.

        The three values are equally likely; with `weight`, that many coefficients are not 0.
        """
        check.some("ternary", basis)
        return Poly(basis, COEFFICIENT, self._interpret("ternary", basis, COEFFICIENT, (), None, weight))

    def gaussian(self, basis: Basis, sigma: float) -> Poly:
        """One polynomial of discrete Gaussian coefficients, the same in every limb; COEFFICIENT domain."""
        check.some("gaussian", basis)
        return Poly(basis, COEFFICIENT, self._interpret("gaussian", basis, COEFFICIENT, (), None, sigma))

    def integers(self, basis: Basis, coefficients: Any = None) -> Poly:
        """The residues of n or fewer integers of any size and sign; COEFFICIENT domain.

        `coefficients` may be None where the ring only counts.
        """
        check.some("integers", basis)
        check.fits(coefficients, self.n)
        data = self._interpret("integers", basis, COEFFICIENT, (), None, coefficients)
        return Poly(basis, COEFFICIENT, data)

    # -- between the domains

    def to_ntt(self, x: Poly) -> Poly:
        check.domain("to_ntt", x, COEFFICIENT)
        return Poly(x.basis, NTT, self._interpret("to_ntt", x.basis, NTT, (x,)))

    def to_coefficients(self, x: Poly) -> Poly:
        check.domain("to_coefficients", x, NTT)
        return Poly(x.basis, COEFFICIENT, self._interpret("to_coefficients", x.basis, COEFFICIENT, (x,)))

    # -- arithmetic, limb by limb

    def add(self, x: Poly, y: Poly) -> Poly:
        check.alike("add", x, y)
        return Poly(x.basis, x.domain, self._interpret("add", x.basis, x.domain, (x, y)))

    def subtract(self, x: Poly, y: Poly) -> Poly:
        check.alike("subtract", x, y)
        return Poly(x.basis, x.domain, self._interpret("subtract", x.basis, x.domain, (x, y)))

    def negate(self, x: Poly) -> Poly:
        return Poly(x.basis, x.domain, self._interpret("negate", x.basis, x.domain, (x,)))

    def multiply(self, x: Poly, y: Poly) -> Poly:
        """x·y; NTT domain."""
        check.domain("multiply", x, NTT)
        check.alike("multiply", x, y)
        return Poly(x.basis, NTT, self._interpret("multiply", x.basis, NTT, (x, y)))

    def inner_product(self, xs: Sequence[Poly], ys: Sequence[Poly], lazy: bool) -> Poly:
        """Σ x_i·y_i; NTT domain.

        If `lazy`, products are added to sums of 128 bits, each reduced once; else every product is reduced.
        """
        check.pairs("inner_product", xs, ys)
        for x in (*xs, *ys):
            check.domain("inner_product", x, NTT)
            check.alike("inner_product", xs[0], x)
        basis = xs[0].basis
        return Poly(basis, NTT, self._interpret("inner_product", basis, NTT, (*xs, *ys), lazy))

    def scale(self, x: Poly, c: Constant, inverse: bool = False) -> Poly:
        """c·x, or c^-1·x modulo every prime; c is one integer for all limbs, or one for each limb.

        NotInvertible where c has no inverse.
        """
        check.constants("scale", x, c)
        return Poly(x.basis, x.domain, self._interpret("scale", x.basis, x.domain, (x,), None, (c, inverse)))

    def offset(self, x: Poly, c: Constant) -> Poly:
        """x with c added to every residue: it adds c in NTT domain, c·(1 + X + ...) in COEFFICIENT domain."""
        check.constants("offset", x, c)
        return Poly(x.basis, x.domain, self._interpret("offset", x.basis, x.domain, (x,), None, c))

    def automorphism(self, x: Poly, exponent: int) -> Poly:
        """x(X^exponent) for an odd exponent, in either domain."""
        check.odd("automorphism", exponent)
        data = self._interpret("automorphism", x.basis, x.domain, (x,), None, exponent)
        return Poly(x.basis, x.domain, data)

    def copy(self, x: Poly) -> Poly:
        """A copy of x, where a library makes one."""
        return Poly(x.basis, x.domain, self._interpret("copy", x.basis, x.domain, (x,)))

    # -- views: nothing is computed or counted

    def restrict(self, x: Poly, basis: Basis) -> Poly:
        """x in the limbs of the basis, which are some of its own."""
        if basis is x.basis:
            return x
        check.within("restrict", basis, x)
        return Poly(basis, x.domain, self._view((x,), basis))

    def join(self, x: Poly, y: Poly) -> Poly:
        """One polynomial with the limbs of both x and y, which share none."""
        check.domain("join", y, x.domain)
        basis = x.basis + y.basis
        return Poly(basis, x.domain, self._view((x, y), basis))

    # -- between bases; COEFFICIENT domain

    def convert(self, x: Poly, to: Basis, how: Conversion = Conversion.FAST) -> Poly:
        """The integers that x stands for (`how` says which), modulo other primes.

        Limbs that x already has are taken as they are.
        """
        check.domain("convert", x, COEFFICIENT)
        check.some("convert", to)
        new = to - x.basis
        if len(new) == len(to):
            return Poly(to, COEFFICIENT, self._interpret("convert", to, COEFFICIENT, (x,), how))
        old = self.restrict(x, to - new)
        return self.join(old, self.convert(x, new, how)) if new.limbs else old

    def digit(self, x: Poly, low: int, bits: int, to: Basis) -> Poly:
        """Bits low, ..., low + bits - 1 of the residues of one limb, as integers modulo other primes."""
        check.domain("digit", x, COEFFICIENT)
        check.single("digit", x)
        check.some("digit", to)
        return Poly(to, COEFFICIENT, self._interpret("digit", to, COEFFICIENT, (x,), None, (low, bits)))

    def scale_round(self, x: Poly, numerator: int | None, divisor: Basis, to: Basis) -> Poly:
        """round(numerator·x/D) modulo other primes, for the divisor's product D and centred x [HPS19].

        The divisor's limbs are limbs of x. Every prime of `to` is one of x's other limbs or divides the
        numerator. Ties are rounded away from zero.
        """
        check.domain("scale_round", x, COEFFICIENT)
        check.within("scale_round", divisor, x)
        check.rounds("scale_round", x, numerator, divisor, to, self.moduli)
        shape, value = (len(divisor), len(to & x.basis)), (numerator, divisor)
        return Poly(to, COEFFICIENT, self._interpret("scale_round", to, COEFFICIENT, (x,), shape, value))

    # -- out of the ring

    def lift(self, x: Poly) -> Any:
        """The centred integers of x (n,): int64 where its modulus is below 2^63, else Python integers.

        None where the ring only counts.
        """
        check.domain("lift", x, COEFFICIENT)
        return self._interpret("lift", x.basis, COEFFICIENT, (x,))

    def outside(self, kernel: str, compute: Callable[[], T]) -> T | None:
        """The result of `compute`, one kernel without polynomials; None where the ring only counts."""
        made: T | None = self._interpret("outside", Basis(), COEFFICIENT, (), kernel, compute)
        return made

    # -- what interpreters supply

    @abstractmethod
    def _interpret(
        self,
        operation: str,
        basis: Basis,
        domain: Domain,
        operands: tuple[Poly, ...] = (),
        choice: Any = None,
        value: Any = None,
    ) -> Any:
        """The data of the result in this basis and domain.

        `choice` is hashable and changes what is counted; `value` (constants, exponents) does not.
        """

    @abstractmethod
    def _view(self, parts: tuple[Poly, ...], basis: Basis) -> Any:
        """The data of the limbs in the basis, taken from the parts."""
