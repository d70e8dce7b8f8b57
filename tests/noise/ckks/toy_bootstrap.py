"""Bootstraps of toy size on the exact ring, beside the noise that the formulas say."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from fheasible.libraries.bootstrapping import Bootstrapping
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import CkksParameters, CkksRequest
from fheasible.libraries.primes import descending
from fheasible.noise.primitive import variant
from fheasible.rings.rns.exact import ExactRnsRing
from fheasible.schemes.rns.bootstrap.bootstrap import bootstrap
from fheasible.schemes.rns.bootstrap.keys import BootstrapKeys, bootstrap_keys
from fheasible.schemes.rns.bootstrap.procedure import Procedure
from fheasible.schemes.rns.bootstrap.tables import Tables, levels, prepared
from fheasible.schemes.rns.ciphertext import RnsSpec
from fheasible.schemes.rns.ckks import CKKS

INSECURE_N = 64
WEIGHT = 8  # of the secret, so that |I| is small
RESIDUAL = 2  # levels that are left
DIGIT = 2  # limbs of a digit and of P
_LONG = 100  # more levels than any bootstrap takes


@dataclass(frozen=True)
class Toy:
    """A library's way to bootstrap, in a ring that is far too small to be secure."""

    library: str
    procedure: Procedure
    technique: str = ""

    @property
    def corrected(self) -> bool:
        return not self.technique.startswith("fixed")

    def parameters(self) -> tuple[CkksParameters, tuple[float, ...]]:
        """The parameters, and the scales of the whole chain."""
        q, bits = self._primes()
        scales = [2.0**bits]
        for prime in reversed(q[1:]):
            late = self._late and self.corrected
            scales.append(scales[-1] ** 2 / prime if late else scales[-1])
        ladder = tuple(reversed(scales))
        special = tuple(islice(descending(57, 2 * INSECURE_N), DIGIT))
        own = Bootstrapping(self.procedure, q, special, -(-len(q) // DIGIT), WEIGHT)
        made = CkksParameters(
            self.library, "ckks", INSECURE_N, q[: RESIDUAL + 1], special, 2, levels=RESIDUAL,
            technique=self.technique, scales=ladder[: RESIDUAL + 1], secret=f"sparse:{WEIGHT}",
            bootstrap=own, request=CkksRequest("ckks", RESIDUAL, None, scale_bits=bits),
        )  # fmt: skip
        return made, ladder

    def errors(self, keys: int, pairs: int, level: int = 1) -> Any:
        """What bootstraps change in each slot, anew each time: half of all pairs' differences, as complex
        numbers, for so many secrets and pairs of encryptions of one vector under each."""
        p, scales = self.parameters()
        made = [each for seed in range(keys) for each in self._pairs(p, scales, seed, pairs, level)]
        return np.array(made)

    @property
    def _late(self) -> bool:
        return library(self.library).bootstrap_method_for(self.procedure, self.technique).normalised_apart

    def _primes(self) -> tuple[tuple[int, ...], int]:
        """The chain, and the bits of the scale: 55 bits down to the reduction, and 45 bits below it; or 50
        bits throughout, where the scale is that of all levels."""
        method = library(self.library).bootstrap_method_for(self.procedure, self.technique)
        at, late = levels(self.procedure, method, _LONG), method.normalised_apart
        bits, many = (50, 0) if late else (45, at.top - at.decode)
        wide, narrow = iter(descending(55, 2 * INSECURE_N)), iter(descending(bits, 2 * INSECURE_N))
        few = at.top - at.result + RESIDUAL - many
        return (next(wide), *islice(narrow, few), *islice(wide, many)), bits

    def _pairs(
        self, p: CkksParameters, scales: tuple[float, ...], seed: int, pairs: int, level: int
    ) -> Iterator[Any]:
        own = p.bootstrap
        assert own is not None
        method = library(self.library).bootstrap_method_for(self.procedure, self.technique)
        ring = ExactRnsRing(INSECURE_N, own.q, own.p, (), seed=seed)
        choices = variant(replace(p, q=own.q, p=own.p, digits=own.digits))
        scheme = CKKS(ring, RnsSpec(scales=scales, weight=WEIGHT), choices)
        keys = bootstrap_keys(scheme, self.procedure, INSECURE_N, method)
        tables = prepared(scheme, self.procedure, INSECURE_N, method)
        random = np.random.default_rng(seed)
        for _ in range(pairs):
            values = random.uniform(-1, 1, self.procedure.slots)
            one, other = (_changed(scheme, keys, tables, values, level) for _ in range(2))
            yield (one - other) / np.sqrt(2)


def _changed(scheme: CKKS, keys: BootstrapKeys, tables: Tables, values: Any, level: int) -> Any:
    x = scheme.encrypt(keys.keys, values, level)
    y = bootstrap(scheme, keys, x, tables)
    return (scheme.decrypt(keys.keys, y) - scheme.decrypt(keys.keys, x))[: len(values)]
