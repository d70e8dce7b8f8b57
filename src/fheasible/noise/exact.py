"""Correctness of BFV and BGV programs: the variance of the noise along the program, and what is left.

Average-case variances [BMCM23], [BMMU25], corrected for what is not independent: powers of one secret (the
mean of |s|^(2d) is d! times as large as that of d secrets), and sums of a value and its rotations, which
gather its noise in few coefficients.
"""

from collections.abc import Iterable
from decimal import Decimal
from math import inf, log, log2, sqrt

from fheasible.libraries.parameters import Parameters
from fheasible.noise.plain_factors import Sum, sums
from fheasible.noise.primitive import UNIFORM, fresh, key_switch, rounding, secret_norm
from fheasible.noise.shared import correlated_sums, products
from fheasible.program.types import Action, Operation, Program, Scheme

FAILURE_BITS = 40  # a wrong decryption with probability below 2^-40
_MARGIN_BITS = 3.0  # products have heavier tails than Gaussian: seen by lowering moduli until results broke


def budget_bits(program: Program, p: Parameters, failure_bits: float = FAILURE_BITS) -> float:
    """Bits left between the noise of the worst value and a wrong decryption; negative is wrong.

    Every value counts: a product that wraps around its modulus is lost, however small it is divided.
    """
    noise = _Noise(program, p).variances()
    return min((_left(o, noise[o.out], p, failure_bits) for o in program.operations), default=0.0)


def _left(o: Operation, variance: Decimal, p: Parameters, failure_bits: float) -> float:
    t = p.plain_modulus or 2
    log_modulus = p.log_q if p.scheme == "bfv" else _log2(p.q[: o.level + 1])
    tail = sqrt(2 * log(2) * (failure_bits + log2(2 * p.ring_dimension)))
    return log_modulus - 1 - _MARGIN_BITS - log2(t) - log2(tail) - _log2_of(variance) / 2


def _log2_of(x: Decimal) -> float:
    """Of a positive number; Decimal's own logarithm is slow."""
    near = float(x)
    return log2(near) if 0 < near < inf else float(x.ln()) / log(2)


def _log2(primes: Iterable[int]) -> float:
    return sum(log2(q) for q in primes)


class _Noise:
    """Variances of one coefficient of the error e: of c_0 + c_1 s = m + t e (BGV), or q/t m + e (BFV).

    Decimal, because the square of a long chain's modulus is beyond the range of a double.
    """

    def __init__(self, program: Program, p: Parameters) -> None:
        self.program, self.p = program, p
        self.t = p.plain_modulus or 2
        self.n = p.ring_dimension
        self.bgv = program.scheme is Scheme.BGV
        self.sums: dict[int, Sum] = sums(program, p)
        self.products = products(program)
        self.correlated = correlated_sums(program)

    def variances(self) -> dict[int, Decimal]:
        found: dict[int, Decimal] = {}
        for o in self.program.operations:
            found[o.out] = self._after(o, [found[a] for a in o.args])
        return found

    def _after(self, o: Operation, v: list[Decimal]) -> Decimal:
        match o.action:
            case Action.ENCRYPT:
                return Decimal(fresh(self.p))
            case Action.ADD | Action.SUB:
                return self._sum(o, v)
            case Action.MUL | Action.SQUARE:
                return self._product(o, v[0], v[-1])
            case Action.MUL_SCALAR:
                return v[0] * max(self._scalar(o) ** 2, 1)
            case Action.MUL_PLAIN:
                return v[0] * Decimal(self.n * self.t**2 * UNIFORM)
            case Action.RELINEARIZE | Action.ROTATE | Action.SWAP_ROWS:
                return v[0] + Decimal(key_switch(self.p, o.level if self.bgv else self.p.limbs - 1))
            case Action.RESCALE:
                return v[0] / self.p.q[o.level + 1] ** 2 + Decimal(rounding(self.p))
            case Action.ADD_PLAIN | Action.ADD_SCALAR if not self.bgv:
                return v[0] + Decimal(self.t**2 * UNIFORM)  # q/t is not an integer
        return v[0]  # neg; add_plain in BGV; drop, which some libraries do without dividing

    def _sum(self, o: Operation, v: list[Decimal]) -> Decimal:
        """Operands whose plaintext factors differ are first multiplied by small integers."""
        a, b = self.sums[o.out].multipliers
        internal = (self.t**2 * UNIFORM) ** sum(action == "mul_scalar" for action, _ in o.internal)
        x, y = a**2 * v[0], b**2 * v[1]
        return Decimal(internal) * ((x.sqrt() + y.sqrt()) ** 2 if o.out in self.correlated else x + y)

    def _product(self, o: Operation, x: Decimal, y: Decimal) -> Decimal:
        """BGV: what of m m' exceeds t, m e' + m' e and t e e', twice because factors may be equal.

        BFV: each noise times the other's quotient by q, which holds the secret once more. (BGV's rescaling
        starts the powers of the secret anew.)
        """
        size = self.n * self.t**2
        if self.bgv:
            uniform = Decimal(UNIFORM)
            return Decimal(self._bias() * size) * (uniform**2 + 2 * (uniform * (x + y) + x * y))
        powers = self.products[o.out]
        noise = powers.repeats[0] * x + powers.repeats[-1] * y
        equal = 2 if o.args[0] == o.args[-1] else 1
        return equal * (powers.depth + 1) * noise * Decimal(size * UNIFORM * (2 + secret_norm(self.p)))

    def _bias(self) -> float:
        """SEAL's division by a prime rounds BGV's errors to [0, t) instead of around 0
        (rns.cpp, mod_t_and_divide_q_last): their means are one and the same polynomial in both factors,
        and its square is N/3 times as large in variance as a product of independent ones, times up to 2^6
        because few embeddings of the secret carry all of it."""
        return 2**6 * self.n / 3 if self.p.library == "seal" else 1.0

    def _scalar(self, o: Operation) -> int:
        return int(self.program.plains[o.plain or 0][0])
