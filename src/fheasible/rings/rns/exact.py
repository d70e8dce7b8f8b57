"""The exact interpreter: it runs a scheme's functions on residues, for any primes below 2^62.

The data of a polynomial is a uint64 array (limbs, n) of residues in [0, p). The inner loops are in
`fheasible_native`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fheasible.errors import RingMismatch
from fheasible.rings import sampling
from fheasible.rings.exact import native
from fheasible.rings.limbs import LIMB_BITS, Limbs, magnitude, pack, unpack
from fheasible.rings.rns import transforms
from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.constants import cofactor_inverses, cofactor_matrix, inverse, whole
from fheasible.rings.rns.element import Conversion, Domain, Poly
from fheasible.rings.rns.ring import Constant, RnsRing
from fheasible.rings.rns.transforms import Residues, words

LEAST_LOG_N, MOST_LOG_N = 4, 17
MOST_BITS = 62


class ExactRnsRing(RnsRing):
    """A ring that computes with residues, for n = 2^4, ..., 2^17 and any moduli below 2^62.

    The same seed draws the same values. Only primes that are 1 modulo 2n have an NTT; other moduli, such as
    2^32 or t, can be used in COEFFICIENT domain. NotInvertible where moduli that are converted from together
    have a common factor. LibraryMissing where the native module is not built.
    """

    n: int
    moduli: tuple[int, ...]

    def __init__(
        self, n: int, q: Sequence[int], p: Sequence[int], extra: Sequence[int] = (), seed: int | None = None
    ) -> None:
        self.n, self.moduli = n, (*q, *p, *extra)
        _possible(n, self.moduli)
        self._divide(len(q), len(p), len(extra))
        self._native, self._random = native(), sampling.source(seed)

    def residues(self, x: Poly) -> Residues:
        """The residues of x, an array (limbs, n); each limb lies in [0, p) for its prime p."""
        made: Residues = x.data.copy()
        return made

    def _interpret(
        self,
        operation: str,
        basis: Basis,
        domain: Domain,
        operands: tuple[Poly, ...] = (),
        choice: Any = None,
        value: Any = None,
    ) -> Any:
        return _HOOKS[operation](self, basis, domain, operands, choice, value)

    def _view(self, parts: tuple[Poly, ...], basis: Basis) -> Residues:
        rows = {limb: row for x in parts for limb, row in zip(x.basis, x.data, strict=True)}
        return np.array([rows[limb] for limb in basis], np.uint64).reshape(len(basis), self.n)

    def _of(self, basis: Basis) -> tuple[int, ...]:
        return tuple(self.moduli[limb] for limb in basis)

    # -- operands from outside, constants, and random polynomials

    def _given(self, basis: Basis, domain: Domain, xs: Any, choice: Any, data: Any) -> Residues:
        if data is None:
            return np.zeros((len(basis), self.n), np.uint64)
        made = np.array(data, dtype=np.uint64)
        if made.shape != (len(basis), self.n):
            raise RingMismatch(
                f"given: residues of shape {made.shape} do not fit {len(basis)} limbs of {self.n}",
                "give the shape (limbs, n)",
            )
        return made

    def _uniform(self, basis: Basis, *_: Any) -> Residues:
        return np.stack([self._random.integers(0, p, self.n, np.uint64) for p in self._of(basis)])

    def _ternary(self, basis: Basis, domain: Domain, xs: Any, choice: Any, weight: int | None) -> Residues:
        if weight is None:
            return self._reduced(sampling.ternary(self._random, (1, 1, self.n)), basis)
        signs = np.zeros(self.n, np.int64)
        signs[:weight] = 2 * self._random.integers(0, 2, weight) - 1
        return self._residues_of(self._random.permutation(signs), basis)

    def _gaussian(self, basis: Basis, domain: Domain, xs: Any, choice: Any, sigma: float) -> Residues:
        return self._reduced(sampling.gaussian(self._random, sigma, (1, 1, self.n)), basis)

    def _integers(self, basis: Basis, domain: Domain, xs: Any, choice: Any, coefficients: Any) -> Residues:
        return self._residues_of(coefficients, basis)

    def _residues_of(self, coefficients: Any, basis: Basis) -> Residues:
        given = np.asarray(coefficients)
        if given.dtype.kind != "i":
            given = np.array([int(c) for c in coefficients], dtype=object)
            bits = max((int(c).bit_length() for c in given), default=0)
            packed = pack(given, bits // LIMB_BITS + 1)
        else:
            packed = given.astype(np.int64).view(np.uint64)[:, np.newaxis]
        full = np.zeros((self.n, packed.shape[-1]), np.uint64)
        full[: len(packed)] = packed
        return self._reduced(full, basis)

    def _reduced(self, signed: Limbs, basis: Basis) -> Residues:
        """The residues of n integers in two's complement."""
        limbs = [self._native.reduce(_blocks(signed), words([p])) for p in self._of(basis)]
        return np.stack([limb.reshape(self.n) for limb in limbs])

    # -- between the domains

    def _to_ntt(self, basis: Basis, domain: Domain, xs: tuple[Poly, ...], *_: Any) -> Residues:
        self._transformable(basis)
        return transforms.forward(xs[0].data, self._of(basis))

    def _to_coefficients(self, basis: Basis, domain: Domain, xs: tuple[Poly, ...], *_: Any) -> Residues:
        self._transformable(basis)
        return transforms.inverse(xs[0].data, self._of(basis))

    def _transformable(self, basis: Basis) -> None:
        wrong = [p for p in self._of(basis) if p % (2 * self.n) != 1]
        if wrong:
            raise RingMismatch(
                f"transform: {wrong[0]} is not 1 modulo 2n = {2 * self.n}", "leave this limb out of the basis"
            )

    # -- arithmetic

    def _add(self, basis: Basis, domain: Domain, xs: tuple[Poly, ...], *_: Any) -> Any:
        return self._native.rns_add(xs[0].data, xs[1].data, words(self._of(basis)))

    def _subtract(self, basis: Basis, domain: Domain, xs: tuple[Poly, ...], *_: Any) -> Any:
        return self._native.rns_sub(xs[0].data, xs[1].data, words(self._of(basis)))

    def _negate(self, basis: Basis, domain: Domain, xs: tuple[Poly, ...], *_: Any) -> Any:
        return self._times(xs[0], self._each(basis, -1))

    def _inner_product(self, basis: Basis, domain: Domain, xs: tuple[Poly, ...], *_: Any) -> Any:
        half, data = len(xs) // 2, [x.data for x in xs]
        return self._native.rns_inner_product(data[:half], data[half:], words(self._of(basis)))

    def _scale(self, basis: Basis, domain: Domain, xs: tuple[Poly, ...], choice: Any, value: Any) -> Any:
        c, inverted = value
        constants = self._each(basis, c)
        if inverted:
            constants = [inverse(c, p) for c, p in zip(constants, self._of(basis), strict=True)]
        return self._times(xs[0], constants)

    def _times(self, x: Poly, constants: list[int]) -> Any:
        return self._native.rns_scale(x.data, words(constants), words(self._of(x.basis)))

    def _offset(self, basis: Basis, domain: Domain, xs: tuple[Poly, ...], choice: Any, c: Constant) -> Any:
        constants = words(self._each(basis, c))
        return self._native.rns_offset(xs[0].data, constants, words(self._of(basis)))

    def _each(self, basis: Basis, c: Constant) -> list[int]:
        """The constant modulo each prime."""
        if c is None:
            raise RingMismatch("the exact ring needs the value of a constant", "give its value")
        each = [c] * len(basis) if isinstance(c, int) else list(c)
        return [int(value) % p for value, p in zip(each, self._of(basis), strict=True)]

    def _automorphism(
        self, basis: Basis, domain: Domain, xs: tuple[Poly, ...], choice: Any, exponent: int
    ) -> Residues:
        if domain is Domain.COEFFICIENT:
            return self._moved(xs[0], exponent)
        rows = zip(xs[0].data, self._of(basis), strict=True)
        return np.stack([row[transforms.permutation(self.n, p, exponent % (2 * self.n))] for row, p in rows])

    def _moved(self, x: Poly, exponent: int) -> Residues:
        """x with coefficient k moved to X^(k·exponent); the sign may change, since X^n = -1."""
        to = np.arange(self.n) * (exponent % (2 * self.n)) % (2 * self.n)
        opposite = self._times(x, self._each(x.basis, -1))
        out: Residues = np.empty_like(x.data)
        out[:, to % self.n] = np.where(to < self.n, x.data, opposite)
        return out

    def _copy(self, basis: Basis, domain: Domain, xs: tuple[Poly, ...], *_: Any) -> Any:
        return xs[0].data.copy()

    # -- between bases

    def _convert(self, basis: Basis, domain: Domain, xs: tuple[Poly, ...], how: Conversion, _: Any) -> Any:
        if how is not Conversion.FAST:
            return self._reduced(self._whole(xs[0], centred=how is Conversion.EXACT), basis)
        moduli, to = self._of(xs[0].basis), self._of(basis)
        y = self._times(xs[0], cofactor_inverses(moduli).tolist())
        return self._native.rns_convert(y, cofactor_matrix(moduli, to), words(to))

    def _whole(self, x: Poly, centred: bool) -> Limbs:
        """The integers of x, an array (1, 1, n, words) in two's complement."""
        moduli = self._of(x.basis)
        y = self._times(x, cofactor_inverses(moduli).tolist())
        made: Limbs = self._native.rns_reconstruct(y, whole(moduli).cofactors, centred, words(moduli))
        return made

    def _digit(
        self, basis: Basis, domain: Domain, xs: tuple[Poly, ...], choice: Any, value: tuple[int, int]
    ) -> Residues:
        low, bits = value
        digit: Residues = xs[0].data[0] >> np.uint64(low) & np.uint64((1 << bits) - 1)
        return np.stack([digit % np.uint64(p) for p in self._of(basis)])

    def _scale_round(
        self, basis: Basis, domain: Domain, xs: tuple[Poly, ...], choice: Any, value: tuple[int, Basis]
    ) -> Residues:
        numerator, divisor = value
        denominator = whole(self._of(divisor)).modulus
        bits = whole(self._of(xs[0].basis)).modulus.bit_length() + numerator.bit_length()
        rounded = self._native.scale_round(
            _blocks(self._whole(xs[0], centred=True)),
            magnitude(numerator),
            magnitude(denominator),
            bits // LIMB_BITS + 1,
        )
        return self._reduced(rounded, basis)

    # -- out of the ring

    def _lift(self, basis: Basis, domain: Domain, xs: tuple[Poly, ...], *_: Any) -> Any:
        signed = self._whole(xs[0], centred=True)[0, 0]
        if signed.shape[-1] == 1:
            return signed[:, 0].view(np.int64)
        return unpack(signed, signed=True)

    def _outside(self, basis: Basis, domain: Domain, xs: Any, kernel: str, compute: Callable[[], Any]) -> Any:
        return compute()


def _blocks(integers: Limbs) -> Limbs:
    """Integers (..., n, words) as many short polynomials, for kernels of matrices that take n up to 2^15."""
    return integers.reshape(-1, 1, 1 << LEAST_LOG_N, integers.shape[-1])


def _possible(n: int, moduli: tuple[int, ...]) -> None:
    if n not in (1 << k for k in range(LEAST_LOG_N, MOST_LOG_N + 1)):
        raise RingMismatch(
            f"ring: n = {n} is not supported", f"take a power of two from 2^{LEAST_LOG_N} to 2^{MOST_LOG_N}"
        )
    wrong = [p for p in moduli if p < 2 or p >> MOST_BITS]
    if wrong:
        raise RingMismatch(
            f"ring: modulus {wrong[0]} is not in [2, 2^{MOST_BITS})", "choose a modulus in this range"
        )


_HOOKS: dict[str, Callable[..., Any]] = {
    "given": ExactRnsRing._given,
    "zero": ExactRnsRing._given,
    "uniform": ExactRnsRing._uniform,
    "ternary": ExactRnsRing._ternary,
    "gaussian": ExactRnsRing._gaussian,
    "integers": ExactRnsRing._integers,
    "to_ntt": ExactRnsRing._to_ntt,
    "to_coefficients": ExactRnsRing._to_coefficients,
    "add": ExactRnsRing._add,
    "subtract": ExactRnsRing._subtract,
    "negate": ExactRnsRing._negate,
    "multiply": ExactRnsRing._inner_product,
    "inner_product": ExactRnsRing._inner_product,
    "scale": ExactRnsRing._scale,
    "offset": ExactRnsRing._offset,
    "automorphism": ExactRnsRing._automorphism,
    "copy": ExactRnsRing._copy,
    "convert": ExactRnsRing._convert,
    "digit": ExactRnsRing._digit,
    "scale_round": ExactRnsRing._scale_round,
    "lift": ExactRnsRing._lift,
    "outside": ExactRnsRing._outside,
}
