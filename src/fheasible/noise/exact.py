"""Correctness of BFV and BGV programs: the variance of the noise along the program, and what is left.

Average-case variances [BMCM23], [BMMU25], corrected for what is not independent: powers of one secret (the
mean of |s|^(2d) is d! times as large as that of d secrets), products of one value, sums of values that have
noise in common, and what a library's rounding shifts all coefficients by.
"""

from collections.abc import Iterable
from decimal import Decimal, localcontext
from functools import cache
from math import ceil, log2
from typing import NamedTuple

from fheasible.libraries.openfhe.way import kept_limbs
from fheasible.libraries.parameters import Parameters
from fheasible.noise.parts import NONE, WAVE, Part, log2_of, none, part, product, sum_of_bits, total
from fheasible.noise.plain_factors import Sum, sums
from fheasible.noise.primitive import UNIFORM, Added, division, encryption, keyed, secret_norm, variant
from fheasible.noise.scales import scales_of, sizes_of
from fheasible.noise.shared import Relation, relations, repeats, secrets
from fheasible.noise.tail import GAUSSIAN, Shape
from fheasible.program.schedule import product_depths
from fheasible.program.types import Action, Operation, Program, Scheme
from fheasible.schemes.rns.variant import Automorphism

FAILURE_BITS = 40.0  # a wrong decryption with probability below 2^-40
_ERRORS = Shape(0, (1, 1))  # e x: the error of a key, and a digit
_ERROR = Shape(0, (1,))  # e: the error of a key, and a constant
_ROUNDED = Shape(1, (1,))  # tau s: a rounding error and the secret
_SHIFTED = Shape(1, ())  # s: a constant and the secret
_PRODUCT = Shape(2, (1,)), Shape(2, ())  # the same of what is not relinearised, with s^2
_MESSAGE = Shape(0, (1,))
_DIGITS = 9  # of a variance
_HALF = -1.0  # log2 of what a message may add, in units of t


def budget_bits(program: Program, p: Parameters, failure_bits: float = FAILURE_BITS) -> float:
    """Bits left between the noise of the worst value and a wrong decryption; negative is wrong.

    Nothing fails but with probability 2^-failure_bits, over keys and encryptions. Every value counts: a
    product that wraps around its modulus is lost, however small it is divided.
    """
    of_each = float(ceil(failure_bits + log2(3 * p.ring_dimension * max(len(program.operations), 1))))
    found = _Walk(program, p, of_each).noise()
    most = (
        (o, sum_of_bits((_HALF, *(x.tail_bits(of_each) for x in found[o.out])))) for o in program.operations
    )
    return min((_room(o, p) - bits for o, bits in most), default=0.0)


def expected_bits(program: Program, p: Parameters) -> dict[int, float]:
    """The noise budget that is left in each value on the average: bits between half of its modulus and the
    largest coefficient of the noise. (How far rare cases stray is in `budget_bits` alone.)"""
    found, n = _Walk(program, p, FAILURE_BITS).noise(), p.ring_dimension
    largest = {v: log2_of(_sum(x.usual_largest(n) for x in noise)) for v, noise in found.items()}
    return {o.out: _room(o, p) - largest[o.out] for o in program.operations}


def noise_bits(program: Program, p: Parameters) -> dict[int, float]:
    """log2 of the root mean square of the noise of each value, as a fraction of its modulus."""
    found = _Walk(program, p, FAILURE_BITS).noise()
    rms = {v: log2_of(_sum(x.mean for x in noise)) / 2 for v, noise in found.items()}
    return {o.out: rms[o.out] - _room(o, p) - 1 for o in program.operations}


def _sum(parts: Iterable[Decimal]) -> Decimal:
    return sum(parts, NONE)


def _room(o: Operation, p: Parameters) -> float:
    """log2 of the error that is not decrypted rightly any more: q/2t."""
    primes = p.q if p.scheme == "bfv" else p.q[: o.level + 1]
    return sum(log2(q) for q in primes) - 1 - log2(p.plain_modulus or 2)


class Noise(NamedTuple):
    """Of the error e: of c_0 + c_1 s = m + t e (BGV), or q/t m + e (BFV)."""

    spread: Part  # what lies in all embeddings alike
    offset: Part  # what the means of errors that are not centred add, in the embeddings next to 1
    moved: Part = none(WAVE)  # the same, rotated to other embeddings


class _Walk:
    """The noise of every value of a program.

    Decimal, because the square of a long chain's modulus is beyond the range of a double.
    """

    def __init__(self, program: Program, p: Parameters, failure_bits: float) -> None:
        self.program, self.p, self.failure_bits = program, p, failure_bits
        self.t, self.n = p.plain_modulus or 2, p.ring_dimension
        self.pairs = self.n / 2
        self.bgv = program.scheme is Scheme.BGV
        self.variant = variant(p)
        self.sums: dict[int, Sum] = sums(program, p)
        self.relations, self.repeats, self.alike = relations(program), repeats(program), secrets(program)
        self.degrees = scales_of(program) if program.automatic else {}
        self.depths, self.levels = product_depths(program), {o.out: o.level for o in program.operations}
        self.message = self._message()
        self.plain = Noise(self.message, self._plain_mean())
        self.quotient = part(UNIFORM * (2 + secret_norm(p)), _ROUNDED, self.pairs)
        self.sizes = sizes_of(program)
        self.rounded = self._added(division(p, self.variant.rescale), _ROUNDED, _SHIFTED)
        self.rounded_product = self._added(division(p, self.variant.rescale, size=3), *_PRODUCT)
        self.switched = cache(self._switched)

    def noise(self) -> dict[int, Noise]:
        found: dict[int, Noise] = {}
        with localcontext() as context:
            context.prec = _DIGITS
            for o in self.program.operations:
                found[o.out] = self._after(o, [found[a] for a in o.args])
        return found

    def _after(self, o: Operation, x: list[Noise]) -> Noise:
        x = self._aligned(o, x) if o.internal else x
        match o.action:
            case Action.ENCRYPT:
                return self._fresh()
            case Action.ADD | Action.SUB:
                return self._sum(o, *x)
            case Action.MUL | Action.SQUARE:
                return self._product(o, x[0], x[-1])
            case Action.MUL_SCALAR:
                return _scaled(x[0], Decimal(max(self._scalar(o) ** 2, 1)))
            case Action.MUL_PLAIN:
                return _scaled(self._errors(x[0], self.plain), Decimal(self.t**2))
            case Action.RELINEARIZE:
                return self._plus(x[0], self.switched(o.level if self.bgv else self.p.limbs - 1))
            case Action.ROTATE | Action.SWAP_ROWS:
                return self._rotated(o, x[0])
            case Action.RESCALE:
                return self._divided(x[0], self.p.q[o.level + 1 : o.level + 2])
            case Action.DROP if self.variant.drop_switches:
                return self._divided(x[0], self.p.q[o.level + 1 : self.levels[o.args[0]] + 1][::-1])
            case Action.ADD_PLAIN | Action.ADD_SCALAR:
                return self._plus(x[0], self._spread(UNIFORM, GAUSSIAN))
        return x[0]

    # -- what is added

    def _fresh(self) -> Noise:
        """With what of the message is below t. (Where a library encrypts at the top and drops, a division's
        rounding is all there is, as after the encryption's own.)"""
        made = self._added(encryption(self.p), _ROUNDED, _SHIFTED)
        return self._plus(made, self._spread(UNIFORM, GAUSSIAN))

    def _switched(self, level: int) -> Noise:
        keys = self._added(keyed(self.p, level), _ERRORS, _ERROR)
        if self.p.key_switching == "bv":
            return keys
        divided = division(self.p, self.variant.mod_down, len(self.p.p))
        return self._plus(keys, self._added(divided, _ROUNDED, _SHIFTED))

    def _rotated(self, o: Operation, x: Noise) -> Noise:
        """What lay next to 1 lies elsewhere now, and so does what is added where the rotation comes last."""
        last = self.variant.automorphism is Automorphism.LAST
        added = self._turning(o)
        return self._plus(self._moved(x), self._moved(added) if last else added)

    def _moved(self, x: Noise) -> Noise:
        return Noise(x.spread, none(WAVE), self._total(x.moved, x.offset, Relation.TURNED))

    def _turning(self, o: Operation) -> Noise:
        """OpenFHE's BFV switches fewer limbs of c_1, rounded, and multiplies the result by the others."""
        if self.bgv or self.p.library != "openfhe":
            return self.switched(o.level if self.bgv else self.p.limbs - 1)
        kept = kept_limbs(self.p, self.depths[o.args[0]], switching=True)
        narrowed = self._spread(UNIFORM * secret_norm(self.p) * (kept < self.p.limbs), _ROUNDED)
        return _scaled(self._plus(narrowed, self.switched(kept - 1)), self._square(kept))

    def _divided(self, x: Noise, primes: tuple[int, ...], size: int = 2) -> Noise:
        """`size`: 3 where a library rescales what is not relinearised (programs themselves never do)."""
        rounded = self.rounded_product if size == 3 else self.rounded
        for q in primes:
            x = self._plus(_scaled(x, 1 / Decimal(q * q)), rounded)
        return x

    # -- sums

    def _sum(self, o: Operation, x: Noise, y: Noise) -> Noise:
        """Operands whose plaintext factors differ are first multiplied by small integers."""
        a, b = self.sums[o.out].multipliers
        return self._plus(_scaled(x, Decimal(a * a)), _scaled(y, Decimal(b * b)), self.relations[o.out])

    def _aligned(self, o: Operation, x: list[Noise]) -> list[Noise]:
        """The operand of the higher level, or the lower degree, as OpenFHE's automatic techniques bring it to
        the other's: times an integer below t, which in FIXEDAUTO, whose primes are 1 modulo t, is 1."""
        one = max(range(len(x)), key=lambda i: (self.levels[o.args[i]], -self.degrees[o.args[i]][1]))
        scalar = 1 if self.p.technique == "fixedauto" else self.t
        for action, level in o.internal:
            if action == Action.MUL_SCALAR:
                x[one] = _scaled(x[one], Decimal(scalar**2))
            else:
                x[one] = self._divided(x[one], self.p.q[level : level + 1], self.sizes[o.args[one]])
        return x

    def _plus(self, x: Noise, y: Noise, relation: Relation = Relation.APART) -> Noise:
        """Means are the same in all values; rotated ones may be."""
        moved = Relation.TURNED if relation is Relation.TURNED else Relation.SAME
        return Noise(*map(self._total, x, y, (relation, Relation.SAME, moved)))

    def _total(self, x: Part, y: Part, relation: Relation) -> Part:
        return total(x, y, relation, self.pairs, self.failure_bits)

    # -- products

    def _product(self, o: Operation, x: Noise, y: Noise) -> Noise:
        return self._product_bgv(o, x, y) if self.bgv else self._product_bfv(o, x, y)

    def _product_bgv(self, o: Operation, x: Noise, y: Noise) -> Noise:
        """What of m m' exceeds t, m e' + m' e, and t e e'. In a square both mixed terms are one."""
        same = self.relations.get(o.out, Relation.SAME) is Relation.SAME
        square = Decimal(self.t**2)
        wrapped = product(self.message, self.message, self.n, same).scaled(square)
        mixed = self._plus(self._times(x, self.message), self._times(y, self.message))
        mixed = _scaled(mixed, square * (2 if same else 1))
        made = self._plus(mixed, self._plain(wrapped))
        return self._plus(made, _scaled(self._errors(x, y, same), square))

    def _errors(self, x: Noise, y: Noise, same: bool = False) -> Noise:
        """The product of two."""
        both = Relation.SAME if same else Relation.APART
        offset = self._total(self._by(x.spread, y.offset), self._by(x.offset, y.spread), both)
        moved = self._total(self._by(x.spread, y.moved), self._by(x.moved, y.spread), both)
        apart = self._total(
            self._by(x.offset, y.moved, apart=True), self._by(x.moved, y.offset, apart=True), both
        )
        return Noise(
            self._by(x.spread, y.spread, same),
            self._total(offset, self._by(x.offset, y.offset, same), Relation.APART),
            self._total(self._total(moved, apart, both), self._by(x.moved, y.moved, same), Relation.APART),
        )

    def _by(self, x: Part, y: Part, same: bool = False, apart: bool = False) -> Part:
        return product(x, y, self.n, same, apart)

    def _product_bfv(self, o: Operation, x: Noise, y: Noise) -> Noise:
        """Each noise times t times the other's quotient by q, which holds the secret once more. (BGV's
        rescaling starts the powers of the secret anew.) In a square both terms are one."""
        x, y = (self._narrowed(o, operand) for operand in (x, y))
        times_y, times_x = (self._quotients(e, k) for e, k in zip((x, y), self.repeats[o.out], strict=True))
        made = self._plus(times_y, times_x)
        same = self.alike[o.args[0]] == self.alike[o.args[-1]]
        return _scaled(made, Decimal(self.t**2 * (2 if same else 1)))

    def _quotients(self, x: Noise, repeats: int) -> Noise:
        """Times a quotient, for the first, second, ... time."""
        made = self._times(x, self.quotient)
        if repeats == 1:
            return made
        again = (e._replace(shape=e.shape.repeated(repeats)) if e.mean else e for e in made)
        return _scaled(Noise(*again), Decimal(repeats))

    def _narrowed(self, o: Operation, x: Noise) -> Noise:
        """OpenFHE's BFV divides operands down to the limbs that it multiplies in."""
        if self.p.library != "openfhe":
            return x
        kept = kept_limbs(self.p, max(self.depths[a] for a in o.args), switching=False)
        if kept == self.p.limbs:
            return x
        return self._plus(x, _scaled(self.rounded, self._square(kept)))

    def _square(self, kept: int) -> Decimal:
        """Of the limbs that are not kept."""
        factor = Decimal(1)
        for q in self.p.q[kept:]:
            factor *= q * q
        return factor

    def _times(self, x: Noise, factor: Part) -> Noise:
        return Noise(*(self._by(e, factor) for e in x))

    # -- parts

    def _message(self) -> Part:
        """A plaintext over t: slots that are repeated leave coefficients empty, all but two for each."""
        pairs = min(float(self.program.slots), self.pairs)
        return part(UNIFORM * pairs / self.pairs, _MESSAGE, pairs)

    def _plain_mean(self) -> Part:
        """Of a plain factor whose coefficients are not around 0 but in [0, t)."""
        share = self.message.slots / self.pairs
        return none(WAVE) if self.variant.centred else part(share / 4, GAUSSIAN, WAVE / share)

    def _scalar(self, o: Operation) -> int:
        """Around 0 modulo t."""
        residue = int(self.program.plains[o.plain or 0][0]) % self.t
        return min(residue, self.t - residue)

    def _added(self, x: Added, spread: Shape, offset: Shape) -> Noise:
        return Noise(part(x.spread, spread, self.pairs), part(x.offset, offset, WAVE))

    def _spread(self, variance: float, shape: Shape) -> Noise:
        return self._plain(part(variance, shape, self.pairs))

    def _plain(self, spread: Part) -> Noise:
        return Noise(spread, none(WAVE))


def _scaled(x: Noise, factor: Decimal) -> Noise:
    return Noise(*(e.scaled(factor) for e in x))
