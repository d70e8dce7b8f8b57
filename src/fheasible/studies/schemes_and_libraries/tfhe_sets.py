"""Table IV: the paper's sets of TFHE, what they weigh, and how secure and precise they are.

OpenFHE's is STD128 of its versions 0.9.0 to 1.0.4: n = 512, Q of 27 bits, key switching modulo 2^14. The
table in its source has the order of the roots of unity, 2N = 2048, where Table IV says N. TFHEpp's is the set
for 80 bits of the fork that the paper names [TFHEpp80]: n = 500, N = 2048, four digits of 6 bits. Key
switching takes three digits there, of 8 bits, where Table IV has a base of 2^4.
"""

from dataclasses import dataclass, replace
from math import log2
from typing import Final

import numpy as np

from fheasible.libraries.openfhe.binfhe_sets import bin_set
from fheasible.noise.tfhe.noise import lookup_failure
from fheasible.schemes.fhew.parameters import FhewSet
from fheasible.schemes.tfhe.parameters import Gadget, Gaussian, TfheParameters
from fheasible.security.estimator import estimate
from fheasible.security.tfhe import security_of
from fheasible.studies.schemes_and_libraries.printed import PUBLISHED

PAPERS: Final = "Table IV"  # how the cells of the paper's sets are called
FORK_BASE_BITS: Final = 8  # of the key switch in the fork's file
_SIGMA = 3.19  # OpenFHE's errors
_PBS_DIGITS, _KS_DIGITS = 4, 3
_WORD32, _WORD64 = 4, 8


def _printed(library: str, figure: str) -> int:
    return int(PUBLISHED.value(f"table4.{library}.{figure}"))


def openfhe_set(ring: int | None = None) -> FhewSet:
    """OpenFHE's set of Table IV, by default in the ring of its source. No wheel has it."""
    n = _printed("openfhe", "n")
    return replace(
        bin_set("STD128"),
        name=PAPERS,
        n=n,
        ring=ring or _printed("openfhe", "ring") // 2,
        q=1024,
        q_ks=1 << 14,
        base_ks=1 << _printed("openfhe", "log_base_sk"),
        refresh=32,
        gadget=((1 << _printed("openfhe", "log_gadget_base"), n),),
    )


def tfhepp_set(values: int = 4) -> TfheParameters:
    """TFHEpp's set of Table IV, for ciphertexts that hold so many values."""
    return TfheParameters(
        lwe_dimension=_printed("tfhepp", "n"),
        glwe_dimension=1,
        polynomial_size=_printed("tfhepp", "ring"),
        lwe_errors=Gaussian(2.44e-5),
        glwe_errors=Gaussian(3.73e-9),
        pbs=Gadget(_printed("tfhepp", "log_gadget_base"), _PBS_DIGITS),
        ks=Gadget(_printed("tfhepp", "log_base_sk"), _KS_DIGITS),
        message_modulus=2,
        carry_modulus=values // 2,
    )


def settings(p: TfheParameters) -> tuple[str, ...]:
    """The set as settings of `--param`; its errors are Gaussian."""
    return (
        f"lwe_dimension={p.lwe_dimension}",
        f"glwe_dimension={p.glwe_dimension}",
        f"polynomial_size={p.polynomial_size}",
        f"lwe_gaussian={p.lwe_errors.std!r}",
        f"glwe_gaussian={p.glwe_errors.std!r}",
        f"pbs_base_log={p.pbs.base_log}",
        f"pbs_level={p.pbs.level}",
        f"ks_base_log={p.ks.base_log}",
        f"ks_level={p.ks.level}",
        f"message={p.message_modulus}",
        f"carry={p.carry_modulus}",
    )


def tfhepp_key_bytes(base_bits: int) -> int:
    """The bytes of TFHEpp's gate key in memory: the bootstrapping key, transformed, and for the key switch an
    encryption of every digit but 0 of every coefficient."""
    p = tfhepp_set()
    bootstrap = p.lwe_dimension * 2 * p.pbs.level * 2 * p.polynomial_size * _WORD64
    switch = p.polynomial_size * p.ks.level * ((1 << base_bits) - 1) * (p.lwe_dimension + 1) * _WORD32
    return bootstrap + switch


def openfhe_key_bytes(ring: int) -> int:
    """The bytes of the keys of OpenFHE's set by GINX in versions up to 1.0.4: all words have 64 bits, and
    keys have every digit, 0 too."""
    of = openfhe_set()
    (base, steps), *_ = of.gadget
    digits = -(-_printed("openfhe", "log_q") // (base.bit_length() - 1))
    bootstrap = steps * 2 * 2 * digits * 2 * ring * _WORD64
    return bootstrap + ring * of.switch_digits * of.base_ks * (of.n + 1) * _WORD64


@dataclass(frozen=True, slots=True)
class SecretBits:
    """Bits of security of one secret of a set."""

    library: str
    secret: str
    bits: float


def gate_security(of: FhewSet) -> tuple[float, float]:
    """Bits of security of both secrets of a set of OpenFHE: LWE's, modulo that of the key switch, and the
    ring's. Both are ternary, with errors of 3.19."""
    small, large = _ternary((of.n, log2(of.q_ks)), (of.ring, log2(of.ring_modulus)))
    return small, large


def _ternary(*secrets: tuple[int, float]) -> list[float]:
    """Bits of security of ternary secrets (dimension, log q)."""
    dimensions, log_q = (np.array(values, dtype=np.float64) for values in zip(*secrets, strict=True))
    found: list[float] = estimate(dimensions, log_q, "ternary", np.full(len(secrets), _SIGMA)).bits.tolist()
    return found


def secrets() -> tuple[SecretBits, ...]:
    """All secrets of both sets, by our estimator, and OpenFHE's as Table IV alone would have it."""
    of, p = openfhe_set(), security_of(tfhepp_set())
    n, log_q = of.n, _printed("openfhe", "log_q")
    small, large = gate_security(of)
    (literal,) = _ternary((n, log_q))
    return (
        SecretBits("OpenFHE", f"LWE, n = {n}, q = 2^14 (key switch)", small),
        SecretBits("OpenFHE", f"ring, N = {of.ring}, Q = 2^{log_q}", large),
        SecretBits("OpenFHE", f"LWE, n = {n}, q = 2^{log_q}, if Table IV were read so", literal),
        SecretBits("TFHEpp", f"LWE, n = {_printed('tfhepp', 'n')}, errors of 2.44e-5", p.lwe),
        SecretBits("TFHEpp", f"ring, N = {_printed('tfhepp', 'ring')}, errors of 3.73e-9", p.glwe),
    )


def failures(most_bits: int = 6) -> dict[int, float]:
    """log2 of how often a look-up with TFHEpp's set goes wrong, by the values that a ciphertext holds."""
    return {1 << b: lookup_failure(tfhepp_set(1 << b)) for b in range(1, most_bits + 1)}
