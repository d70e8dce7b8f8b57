"""The noise that single primitives add: variances of one coefficient, in units of the ciphertext.

Every formula here is an average-case one: coefficients of an error are taken as independent and
Gaussian, a ternary secret has 2N/3 non-zero coefficients [KPP22], [BMCM23].
"""

from math import exp2

from fheasible.libraries.parameters import Parameters
from fheasible.security.tables import SIGMA

UNIFORM = 1 / 12  # variance of a rounding error


def secret_norm(p: Parameters) -> float:
    """Expected squared norm of the secret."""
    return {"uniform_ternary": 2 / 3, "gaussian": SIGMA**2}.get(p.secret, 2 / 3) * p.ring_dimension


def rounding(p: Parameters) -> float:
    """Dividing both polynomials of a ciphertext and rounding: tau_0 + tau_1 s."""
    return UNIFORM * (1 + secret_norm(p))


def fresh(p: Parameters) -> float:
    """Public-key encryption: v e + e_0 + e_1 s. SEAL and Lattigo encrypt with P and divide it out
    (SEAL util/rlwe.cpp, Lattigo core/rlwe/encryptor.go), so that only a rounding remains."""
    direct = SIGMA**2 * (1 + 2 / 3 * p.ring_dimension + secret_norm(p))
    if p.library in ("seal", "lattigo") and p.p:
        return direct * exp2(-2 * p.log_p) + rounding(p)
    return direct


def key_switch(p: Parameters, level: int) -> float:
    """Switching a polynomial back to the secret at `level`: digits times key errors, over P.

    SEAL takes a digit from [0, q) instead of around 0 (evaluator.cpp, switch_key_inplace), so that its
    mean square is four times as large.
    """
    n, limbs = p.ring_dimension, min(level + 1 + p.extended_limbs, p.limbs)
    square = UNIFORM * (4 if p.library == "seal" else 1)
    if p.key_switching == "bv":
        return sum(n * square * float(q) ** 2 * SIGMA**2 for q in p.q[:limbs])
    per_digit = p.limbs_per_digit
    digits = [p.q[i : min(i + per_digit, limbs)] for i in range(0, limbs, per_digit)]
    products = [_product_over(d, p.log_p) for d in digits]
    return n * square * SIGMA**2 * sum(x**2 for x in products) + rounding(p)


def _product_over(digit: tuple[int, ...], log_p: float) -> float:
    """The digit's modulus over P, without leaving the range of a double."""
    ratio = exp2(-log_p)
    for q in digit:
        ratio *= q
    return ratio
