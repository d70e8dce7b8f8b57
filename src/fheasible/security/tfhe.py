"""How secure TFHE's secrets are, and FHEW's, and the least errors that make one of TFHE's secure enough.

Both secrets have uniform coefficients, binary in TFHE and ternary in FHEW. A GLWE ciphertext is taken to be
as hard as an LWE one of k * N coefficients, as everywhere here. An error as wide as `std` of the torus makes
q / sigma = 1 / std, and that alone decides, as long as the error is wider than the secret. The figures are
those of `estimator.py`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import log2

import numpy as np
from numpy.typing import ArrayLike

from fheasible.aliases import Floats
from fheasible.errors import InfeasibleParameters
from fheasible.schemes.fhew.parameters import SIGMA, FhewParameters
from fheasible.schemes.lookups import LookupParameters
from fheasible.schemes.tfhe.parameters import TORUS_BITS, Errors, TUniform
from fheasible.security.attacks.reduction import DEFAULT, DEFAULT_QUANTUM
from fheasible.security.estimator import estimate

SECRET = "binary"
PRIMAL = ("usvp", "bdd")  # attacks that look for the secret itself
LEVELS = (80, 96, 112, 128, 132, 192, 256)
NARROWEST = 2.0  # log2 of the least standard deviation, in units of the modulus: narrower ones are mostly 0


@dataclass(frozen=True, slots=True)
class TfheSecurity:
    """Bits of security of the small secret, `lwe`, and of the large one, `glwe`."""

    lwe: float
    glwe: float

    @property
    def bits(self) -> float:
        """Of the weaker one: whoever finds it reads the other one's encryptions too."""
        return min(self.lwe, self.glwe)

    @property
    def weaker(self) -> str:
        return "lwe" if self.lwe < self.glwe else "glwe"


def security_bits(parameters: LookupParameters, quantum: bool = False) -> float:
    """Bits of security of the weaker of a set's two secrets."""
    return security_of(parameters, quantum).bits


def security_of(parameters: LookupParameters, quantum: bool = False) -> TfheSecurity:
    """Bits of security of a set's two secrets, by the estimator's cheapest attack on each."""
    return security_of_all([parameters], quantum)[0]


def security_of_all(sets: Sequence[LookupParameters], quantum: bool = False) -> list[TfheSecurity]:
    """The same for many sets, whose secrets are estimated together: a hundred take hardly longer than one.

    Raises InfeasibleParameters where all errors are 0.
    """
    secrets = [pair for each in sets for pair in _secrets(each)]
    known = _known(quantum)
    missing = list(dict.fromkeys(secret for secret in secrets if secret not in known))
    if missing:
        known.update(zip(missing, _estimated(missing, quantum), strict=True))
    found = [known[secret] for secret in secrets]
    return [TfheSecurity(lwe, glwe) for lwe, glwe in zip(found[::2], found[1::2], strict=True)]


def undisputed_bits(sets: Sequence[LookupParameters], quantum: bool = False) -> list[float]:
    """Bits of security of each set's weaker secret without dual attacks, whether which work so well is
    disputed."""
    found = _estimated([secret for each in sets for secret in _secrets(each)], quantum, PRIMAL)
    return [min(pair) for pair in zip(found[::2], found[1::2], strict=True)]


@dataclass(frozen=True, slots=True)
class SmallSecret:
    """A secret of `dimension` digits of that `kind`. Its errors have the standard deviation `std`, as a part
    of a modulus of `torus_bits`."""

    dimension: int
    std: float
    torus_bits: float
    kind: str = SECRET


def _secrets(p: LookupParameters) -> tuple[SmallSecret, SmallSecret]:
    """The small one and the large one. FHEW's small secret is weakest in the key for key switching, whose
    modulus is the largest that it has."""
    if isinstance(p, FhewParameters):
        of = p.set
        return _ternary(of.n, of.q_ks), _ternary(of.ring, of.ring_modulus)
    return (
        _secret(p.lwe_dimension, p.lwe_errors, p.torus_bits),
        _secret(p.large_dimension, p.glwe_errors, p.torus_bits),
    )


def _ternary(dimension: int, modulus: int) -> SmallSecret:
    return SmallSecret(dimension, SIGMA / modulus, log2(modulus), "ternary")


def _secret(dimension: int, errors: Errors, torus_bits: int) -> SmallSecret:
    if errors.std <= 0:
        raise InfeasibleParameters(
            f"errors of width {errors.std:g} hide nothing", "take errors of a positive standard deviation"
        )
    bits = errors.torus_bits if isinstance(errors, TUniform) else torus_bits
    return SmallSecret(dimension, errors.std, bits)


@cache
def _known(quantum: bool) -> dict[SmallSecret, float]:
    """What has been estimated so far: sets of a catalogue are asked for again and again."""
    return {}


def _estimated(
    secrets: Sequence[SmallSecret], quantum: bool, attacks: Sequence[str] | None = None
) -> list[float]:
    """Secrets of a kind are estimated together."""
    model, found = DEFAULT_QUANTUM if quantum else DEFAULT, np.zeros(len(secrets))
    for kind in {s.kind for s in secrets}:
        at = [i for i, s in enumerate(secrets) if s.kind == kind]
        dimensions = np.array([secrets[i].dimension for i in at], dtype=np.float64)
        bits = np.array([secrets[i].torus_bits for i in at], dtype=np.float64)
        sigma = np.array([secrets[i].std for i in at]) * np.exp2(bits)
        found[at] = estimate(dimensions, bits, kind, sigma, model, attacks).bits
    return [float(x) for x in found]


def least_std(
    dimension: ArrayLike, level: int, quantum: bool = False, torus_bits: int = TORUS_BITS
) -> Floats:
    """The least standard deviations, as parts of the torus, with which binary secrets of these dimensions
    have `level` bits of security; never below 2^(2 - torus_bits), and at most 1.

    They are read from a table that lies above what the estimator asks for, by less than a bit of security.
    Raises InfeasibleParameters for a level that the table lacks.
    """
    line = _line(level, quantum)
    dimensions = np.asarray(dimension, dtype=np.float64)
    log_std = -np.interp(dimensions, line.dimensions, line.log_ratio)
    log_std = np.where(dimensions < line.dimensions[0], 0.0, log_std)
    return np.asarray(np.exp2(np.clip(log_std, NARROWEST - torus_bits, 0.0)))


@dataclass(frozen=True, slots=True, eq=False)
class LeastErrors:
    """log2 of the largest q / sigma, at dimensions between which it is read linearly."""

    dimensions: Floats
    log_ratio: Floats


@cache
def _line(level: int, quantum: bool) -> LeastErrors:
    found = _table()["quantum" if quantum else "classical"].get(str(level))
    if found is None:
        raise InfeasibleParameters(
            f"there is no table of TFHE's errors for {level} bits of security",
            f"take {', '.join(map(str, LEVELS[:-1]))} or {LEVELS[-1]}",
        )
    first, step, values = found
    ratios = np.array(values, dtype=np.float64)
    return LeastErrors(first + step * np.arange(len(ratios), dtype=np.float64), ratios)


@cache
def _table() -> Mapping[str, Mapping[str, tuple[int, int, list[float]]]]:
    text = (files("fheasible.security") / "data" / "tfhe.json").read_text(encoding="utf-8")
    lines: Mapping[str, Mapping[str, tuple[int, int, list[float]]]] = json.loads(text)["lines"]
    return lines
