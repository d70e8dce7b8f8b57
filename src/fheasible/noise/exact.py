"""Correctness of BFV and BGV programs: the variance of the noise along the program, and what is left.

Average-case variances [BMCM23], [CosLaiPla22], with every product's noise taken twice as large, because
powers of one secret correlate what is treated as independent.
"""

from math import log, log2, sqrt

from fheasible.libraries.parameters import Parameters
from fheasible.noise.primitive import UNIFORM, fresh, key_switch, rounding, secret_norm
from fheasible.program.types import Action, Operation, Program, Scheme

FAILURE_BITS = 40  # a wrong decryption with probability below 2^-40


def budget_bits(program: Program, p: Parameters, failure_bits: float = FAILURE_BITS) -> float:
    """Bits left between the noise of the worst output and a wrong decryption; negative is wrong."""
    noise = _variances(program, p)
    outputs = {v for packed in program.outputs for v in packed.values}
    return min(
        (_left(o, noise[o.out], p, failure_bits) for o in program.operations if o.out in outputs),
        default=0.0,
    )


def _left(o: Operation, variance: float, p: Parameters, failure_bits: float) -> float:
    t = p.plain_modulus or 2
    log_modulus = p.log_q if p.scheme == "bfv" else sum(log2(q) for q in p.q[: o.level + 1])
    tail = sqrt(2 * log(2) * (failure_bits + log2(2 * p.ring_dimension)))
    return log_modulus - 1 - log2(t) - log2(tail) - log2(max(variance, 1e-300)) / 2


def _variances(program: Program, p: Parameters) -> dict[int, float]:
    rule = _bfv if program.scheme is Scheme.BFV else _bgv
    t = float(p.plain_modulus or 2)
    noise: dict[int, float] = {}
    for o in program.operations:
        scalar = float(program.plains[o.plain][0]) if o.plain is not None else 0.0
        noise[o.out] = min(_common(o, noise, p, t, scalar) or rule(o, noise, p, t), 1e300)
    return noise


def _common(o: Operation, v: dict[int, float], p: Parameters, t: float, scalar: float) -> float | None:
    """Rules that the two schemes share."""
    match o.action:
        case Action.ENCRYPT:
            return fresh(p)
        case Action.ADD | Action.SUB:
            return v[o.args[0]] + v[o.args[1]] if o.args[0] != o.args[1] else 4 * v[o.args[0]]
        case Action.NEG:
            return v[o.args[0]]
        case Action.MUL_SCALAR:
            return v[o.args[0]] * max(scalar**2, 1.0)
        case Action.MUL_PLAIN:
            return v[o.args[0]] * p.ring_dimension * t**2 * UNIFORM
        case Action.RELINEARIZE | Action.ROTATE | Action.SWAP_ROWS:
            level = p.limbs - 1 if p.scheme == "bfv" else o.level
            return v[o.args[0]] + key_switch(p, level)
    return None


def _bfv(o: Operation, v: dict[int, float], p: Parameters, t: float) -> float:
    if o.action in (Action.MUL, Action.SQUARE):
        quotient = UNIFORM * (1 + secret_norm(p))  # of a ciphertext by q, evaluated at the secret
        both = 2 * (v[o.args[0]] + v[o.args[-1]])
        return both * p.ring_dimension * t**2 * (quotient + UNIFORM)
    return v[o.args[0]] + t**2 * UNIFORM  # add_plain: q/t is not an integer


def _bgv(o: Operation, v: dict[int, float], p: Parameters, t: float) -> float:
    if o.action in (Action.MUL, Action.SQUARE):
        x, y = v[o.args[0]], v[o.args[-1]]
        return 2 * p.ring_dimension * t**2 * (UNIFORM * (x + y) + x * y)
    if o.action is Action.RESCALE:
        return v[o.args[0]] / float(p.q[o.level + 1]) ** 2 + rounding(p)
    return v[o.args[0]]  # add_plain; drop, which some libraries do without dividing
