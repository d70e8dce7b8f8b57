"""The same random polynomials in the three interpreters: exact, oracle and counting."""

from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.counting import CountingRnsRing
from fheasible.rings.rns.element import Domain, Poly
from fheasible.rings.rns.exact import ExactRnsRing

from .oracle import OracleRnsRing

CHAIN = (1152921504606584833, 1125899902124033, 2251799807131649, 1073479681)  # 60, 50, 51, 30 bits
SPECIAL = (2305843009211596801, 36028797005856769)  # 61, 55 bits
EXTRA = (4611686018425815041, 35184365273089, 2**32, 786433)  # 62, 45, 33, 20 bits: all but 2^32 are prime
PLAIN = 786433  # 1 modulo 2^18, as all primes here
seeds = st.integers(0, 2**32)
degrees = st.sampled_from([16, 32, 64])
Triple = tuple[Poly, ...]


class Rings:
    """One ring, three times."""

    def __init__(self, n: int, seed: int = 0) -> None:
        self.n, self.random = n, Random(seed)
        self.exact = ExactRnsRing(n, CHAIN, SPECIAL, EXTRA, seed)
        self.oracle = OracleRnsRing(n, CHAIN, SPECIAL, EXTRA, seed)
        self.counting = CountingRnsRing(len(CHAIN), len(SPECIAL), len(EXTRA))
        self.q, self.p, self.extra = self.exact.q, self.exact.p, self.exact.extra
        self.prime = (self.q + self.p + self.extra) - Basis((8,))  # 2^32 has no transform

    @property
    def each(self) -> tuple[Any, ...]:
        return self.exact, self.oracle, self.counting

    def basis(self) -> Basis:
        """Some of the primes."""
        limbs = self.prime.limbs
        return Basis(tuple(sorted(self.random.sample(limbs, self.random.randint(1, 4)))))

    def poly(self, basis: Basis | None = None, domain: Domain | None = None) -> Triple:
        """One polynomial, the same in each ring."""
        basis = self.basis() if basis is None else basis
        domain = self.random.choice(list(Domain)) if domain is None else domain
        limbs = [self._limb(self.exact.moduli[limb]) for limb in basis]
        x = self.exact.given(basis, Domain.COEFFICIENT, np.array(limbs, np.uint64))
        x = self.exact.to_ntt(x) if domain is Domain.NTT else x
        return x, self.oracle.given(basis, domain, limbs), self.counting.given(basis, domain)

    def integers(self, basis: Basis, coefficients: Any) -> Triple:
        return tuple(ring.integers(basis, coefficients) for ring in self.each)

    def _limb(self, p: int) -> list[int]:
        """Uniform residues, or such that are all near the ends or the middle."""
        ends = (0, 1, p - 1, p // 2, p // 2 + 1)
        extreme = self.random.random() < 0.4
        return [self.random.choice(ends) if extreme else self.random.randrange(p) for _ in range(self.n)]

    def agree(self, xs: Triple) -> None:
        """Assert that the three are of one form, and the residues equal."""
        assert len({(x.basis, x.domain) for x in xs}) == 1
        x = self.exact.to_coefficients(xs[0]) if xs[0].domain is Domain.NTT else xs[0]
        assert x.data.shape == (len(x.basis), self.n)
        self.agree_in_coefficients((x, *xs[1:]))

    def agree_in_coefficients(self, xs: Triple) -> None:
        """The same for COEFFICIENT domain, where no limb needs a transform."""
        assert xs[0].data.tolist() == xs[1].data


rings = st.builds(Rings, degrees, seeds)
