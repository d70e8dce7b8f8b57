"""What each step of an FHEW bootstrap adds to the noise of an LWE ciphertext, as a variance.

Every variance is a part of the modulus, squared. Secrets are ternary: two of three digits are 1 or -1. The
formulas are those of [MicPol21] for AP and GINX and of [LMKCDEY23], with the digits as they really are
[OpenFHE, binfhe/lib]: the lowest one is left out, and the highest one is shorter than the base.
"""

from typing import Final

from fheasible.schemes.fhew.parameters import SIGMA, FhewParameters, FhewSet
from fheasible.schemes.fhew.rotation import products, turns

NONZERO: Final = 2 / 3  # of a ternary secret


def fresh_variance(p: FhewParameters) -> float:
    return (SIGMA / p.set.q) ** 2


def bootstrap_variance(p: FhewParameters) -> float:
    """That of a blind rotation's result, whatever the noise of its argument: in each product with a key, the
    digits of both polynomials meet errors, and what is left out below the digits meets the secret."""
    of = p.set
    total = sum(count * _product(of, base, p.method) for base, count in products(of, p.method))
    base = of.gadget[0][0]
    total += turns(of, p.method) * (_errors(of, base, polynomials=1) + of.ring * NONZERO * base**2 / 12)
    return total / of.ring_modulus**2


def _product(of: FhewSet, base: int, method: str) -> float:
    """GINX adds two products, with the keys for 1 and for -1, each times X^a - 1, which doubles a variance.
    At most one of both keys encrypts 1."""
    errors = _errors(of, base, polynomials=2)
    dropped = (of.ring * NONZERO + 1) * base**2 / 12
    return 4 * errors + 2 * NONZERO * dropped if method == "ginx" else errors + dropped


def _errors(of: FhewSet, base: int, polynomials: int) -> float:
    """Of the products of a key's errors with all digits: uniform ones, the highest of which has what is left
    of the modulus for its range."""
    levels = of.levels(base)
    squares = (levels - 1) * base**2 / 12 + (of.ring_modulus / base**levels) ** 2 / 12
    return float(polynomials * of.ring * squares * SIGMA**2)


def key_switch_variance(p: FhewParameters) -> float:
    """What follows a blind rotation: rounding to the modulus of the key switch, the key switch, which adds an
    entry of its key for each digit that is not 0, and rounding to q."""
    of = p.set
    added = of.ring * of.switch_digits * (1 - 1 / of.base_ks) * SIGMA**2
    return (_rounding(of.ring) + added) / of.q_ks**2 + _rounding(of.n) / of.q**2


def _rounding(dimension: int) -> float:
    """Of rounding all numbers of a ciphertext, in units of the new modulus."""
    return (dimension * NONZERO + 1) / 12


def odd_variance(p: FhewParameters) -> float:
    """What making all numbers of an argument odd adds, which LMKCDEY needs: half of them are even, and 1 is
    added to those. Half of this variance is in a mean that every look-up has with a key; it is taken over all
    keys. 0 for other bootstraps, whose q divides 2N."""
    return p.set.n * NONZERO / 2 / p.set.q**2 if p.method == "lmkcdey" else 0.0
