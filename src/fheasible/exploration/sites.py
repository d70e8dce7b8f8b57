"""CKKS by columns: all sizes of primes that one program may have in one ring, judged at once.

What `judge.Judge` says of one set is said of all here; the cheap tests come first.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from math import inf, log
from typing import Final

import numpy as np

from fheasible.estimation.profile import Profile
from fheasible.exploration.chains import Flags, Floats, Ints, Primes, Sizes, chains
from fheasible.exploration.columns import Columns
from fheasible.exploration.described import affordable, tabled, taken
from fheasible.exploration.foresee import HALF
from fheasible.exploration.judge import REFUSED_BITS, ROUNDS_TO_ZERO
from fheasible.exploration.problem import Problem
from fheasible.exploration.sieve import Judged, Sieve, nearer
from fheasible.exploration.space import LARGEST_PRIME, LARGEST_SPECIAL, SCALES, Choice
from fheasible.exploration.wish import Measure, Wish
from fheasible.libraries.block import Block
from fheasible.libraries.catalogue import Library
from fheasible.libraries.lattigo import library as lattigo
from fheasible.libraries.openfhe import library as openfhe
from fheasible.libraries.openfhe import rns
from fheasible.libraries.seal import library as seal
from fheasible.lowering.plan import depth_of
from fheasible.noise.ckks import Precisions, precision
from fheasible.noise.elements import refusal_bits
from fheasible.noise.gains import Gains
from fheasible.noise.headroom import headroom_bits, smallest_number_bits
from fheasible.noise.primitive import narrowest_error
from fheasible.security.lookup import allowed_log_q
from fheasible.security.tables import Table, max_log_q

ENOUGH_BITS: Final = 6  # that a special prime exceeds the first by: beyond, it leaves no less noise
LEAST_ROOM: Final = 1.0
SECRET: Final = "uniform_ternary"
TABLES: Final[dict[str, Table]] = {
    "openfhe": openfhe.SECURITY_TABLE, "seal": seal.SECURITY_TABLE, "lattigo": lattigo.SECURITY_TABLE
}  # fmt: skip


class Site:
    """One program in one ring, with the chains that a library has there."""

    def __init__(
        self, problem: Problem, library: Library, wish: Wish, profile: Profile | None, choice: Choice
    ) -> None:
        assert choice.ring_dimension is not None
        self.problem, self.library, self.wish, self.profile = problem, library, wish, profile
        self.n = choice.ring_dimension
        self.program = problem.lowerings(choice.degrees).program(choice.style, self.n, choice.slots)
        self.depth = depth_of(self.program, choice.style)
        self.chains = chains(library, choice.technique, self.n)
        self.extended = int(choice.style.extended)
        self.limit = allowed_log_q(self.n, SECRET, wish.security, wish.quantum)
        own = max_log_q(TABLES[library.name], self.n, "ternary", wish.security, wish.quantum)
        self.own_limit = -inf if own is None else own
        self._known_scales: set[int] = set(SCALES)
        self._secure_scales: set[int] = set()

    @cached_property
    def gains(self) -> Gains:
        return self.problem.gains(self.program)

    # -- the space -------------------------------------------------------------------------------

    def sizes(self, choice: Choice, every: bool) -> Sizes:
        """Those of all primes; without `every`, without those that buy nothing: a larger first prime than the
        values need, and special primes more than `ENOUGH_BITS` above it."""
        found = every_size(self.library.name)
        if every:
            return found
        if self._smallest_insecure(choice):
            return found.take((found.first == found.scale) & (found.special == found.special.min()))
        return found.take(self._lean(choice, found))

    def _smallest_insecure(self, choice: Choice) -> bool:
        least = np.array([SCALES[0]])
        count = int(self._foreseen(choice, least, least)[0])
        bits = (1 + self.depth + count * self.chains.own_special) * SCALES[0]
        bits += self.extended * rns.EXTRA_BITS + (count - 1) * rns.MAX_BITS * (not self.chains.own_special)
        stray = float(self._stray(least, self.depth)[0])
        return bits - (2 + self.depth + count) * stray > self.limit

    @property
    def all_secure(self) -> bool:
        """Whether each scale that there is has been seen to be secure, in some way of key switching."""
        return bool(self._secure_scales) and not (self._known_scales - self._secure_scales)

    def _lean(self, choice: Choice, sizes: Sizes) -> Flags:
        least = self._least_first[sizes.scale]
        if self.chains.own_special:
            return np.asarray((sizes.first == least) & (sizes.special <= least + ENOUGH_BITS))
        counts = self._foreseen(choice, sizes.scale, sizes.first)
        grown = np.append(False, counts[1:] != counts[:-1])  # P has more primes, and makes less noise
        return np.asarray((sizes.first == least) | (sizes.first > least) & grown)

    @cached_property
    def _least_first(self) -> Ints:
        """By bits of the scale, those of the least first prime that leaves values room; the largest where
        none does."""
        firsts = np.arange(SCALES[0], LARGEST_PRIME + 1)
        scales = np.arange(LARGEST_PRIME)
        alone = Sizes(np.full(len(firsts), SCALES[0] - 1), firsts, np.full(len(firsts), LARGEST_PRIME))
        bits = np.log2(self.chains.primes(0, alone, 1).q[0])
        fits = self._room[:LARGEST_PRIME, None] + bits >= LEAST_ROOM
        fits &= firsts >= scales[:, None]
        return np.where(fits.any(axis=1), firsts[fits.argmax(axis=1)], LARGEST_PRIME)

    @cached_property
    def _room(self) -> Floats:
        """By bits of the scale: the headroom beside the first prime; NaN where there are no such chains."""

        def beside(block: Block) -> Floats:
            found: Floats = headroom_bits(self.program, block, self.gains) - np.log2(block.q[0])
            return found

        return self._by_scale(beside)

    @cached_property
    def _smallest(self) -> Floats:
        """By bits of the scale: log2 of the least plain number."""
        return self._by_scale(lambda block: smallest_number_bits(self.program, block))

    def _by_scale(self, figure: Callable[[Block], Floats]) -> Floats:
        scales = np.array(SCALES)
        largest = np.full(len(scales), LARGEST_PRIME)
        primes = self.chains.primes(self.depth, Sizes(scales, largest, largest), 1)
        found = np.full(LARGEST_PRIME + 2, np.nan)
        there = np.flatnonzero(~np.isnan(primes.q).any(axis=0))
        if len(there):
            found[scales[there]] = figure(self._block(primes, scales, there, 1))
        return found

    # -- judging ---------------------------------------------------------------------------------

    def judged(self, choice: Choice, place: int, every: bool) -> Judged:
        """All its sizes. `place`: of the choice, by which its rows are known again."""
        return self.of_sizes(choice, place, self.sizes(choice, every))

    def of_sizes(self, choice: Choice, place: int, sizes: Sizes) -> Judged:
        left = Sieve(choice, place, {"scale": sizes.scale, "first": sizes.first, "special": sizes.special})
        self._secure(choice, left)
        feasible = []
        if len(left):
            self._made(choice, left)
            self._secure_scales.update(np.unique(left["scale"]).tolist())
        if len(left):
            self._right(left)
            for count in np.unique(left["count"]).tolist():
                part = left.among(left["count"] == count)
                feasible.append(self._precise(choice, part, int(count)))
                left.nearest = nearer(left.nearest, part.nearest)
        return Judged(len(sizes), Columns.joined(feasible), left.nearest)

    def _secure(self, choice: Choice, left: Sieve) -> None:
        """By the bits alone, before any prime is looked up."""
        left["count"] = self._foreseen(choice, left["scale"], left["first"])
        left.keep(left["count"] > 0, "parameters", 1.0)
        own = self.chains.own_special  # OpenFHE's estimate may be one prime too many
        special = left["count"] * left["special"] if own else (left["count"] - 1) * rns.MAX_BITS
        nominal = self._nominal(left) + special
        stray = self.depth * self._stray(left["scale"], self.depth) + self._stray(left["first"], 1)
        stray += left["count"] * self._stray(left["special"], choice.special or 1) + self.extended
        left.keep(nominal - stray <= self.limit, "security", nominal / self.limit)

    def _nominal(self, left: Sieve) -> Ints:
        """Bits of Q."""
        found: Ints = left["first"] + self.depth * left["scale"] + self.extended * rns.EXTRA_BITS
        return found

    def _stray(self, bits: Ints, count: int) -> Floats:
        """Bits that each of `count` primes is from its size, at most."""
        distance = 4.0 * (count + 1) * self.n * log(2) * bits * np.exp2(-bits.astype(np.float64))
        return np.asarray(np.minimum(distance, 1.0))

    def _foreseen(self, choice: Choice, scale: Ints, first: Ints) -> Ints:
        """How many special primes; of OpenFHE by its estimate, 0 where digits cannot be distributed."""
        if self.chains.own_special:
            return np.full(len(scale), choice.special or 1)
        bits = self._bits(scale, first)
        digits = rns.default_digits(choice.digits, self.depth)
        begins, _ = _distributed(len(bits), digits)
        if not len(begins):
            return np.zeros(len(scale), dtype=np.int64)
        largest = np.add.reduceat(bits, begins, axis=0).max(axis=0)
        return _special_limbs(largest + (largest != rns.MAX_BITS))

    def _bits(self, scale: Ints, first: Ints) -> Ints:
        """(prime of q, row)."""
        found = np.broadcast_to(scale, (1 + self.depth + self.extended, len(scale))).copy()
        found[0] = first
        if self.extended:
            found[-1] = rns.EXTRA_BITS
        return found

    def _made(self, choice: Choice, left: Sieve) -> None:
        """What the library makes of them, and what it refuses."""
        sizes = Sizes(left["scale"], left["first"], left["special"])
        count = choice.special or 1 if self.chains.own_special else 1
        primes = self.chains.primes(self.depth, sizes, count)
        left["q"], left["p"], left["scales"] = primes.q, primes.p, primes.scales
        left["log_q"] = np.sum(np.log2(primes.q), axis=0)
        if self.library.name != "lattigo":
            left["bits"] = self._bits(left["scale"], left["first"])
        known = np.asarray(~(np.isnan(primes.q).any(axis=0) | np.isnan(primes.p).any(axis=0)))
        self._known_scales -= set(np.unique(left["scale"][np.isnan(primes.q[1:]).any(axis=0)]).tolist())
        left.keep(known, "parameters", 1.0)
        if not len(left):
            return
        if self.chains.own_special:
            left["log_p"] = np.sum(np.log2(left["p"]), axis=0)
        else:
            self._specials_of_openfhe(choice, left)
        log_qp = left["log_q"] + left["log_p"]
        left.keep(self._allowed(left, log_qp), "parameters", log_qp)
        log_qp = left["log_q"] + left["log_p"]
        left.keep(log_qp <= self.limit, "security", log_qp / self.limit)

    def _specials_of_openfhe(self, choice: Choice, left: Sieve) -> None:
        """It reckons with sizes, and refuses where the primes themselves need more of P [OpenFHE]."""
        digits = rns.default_digits(choice.digits, self.depth)
        begins, _ = _distributed(len(left["q"]), digits)
        needed = _special_limbs(_bit_length(left["q"], left["bits"], begins).max(axis=0))
        foreseen = self._nominal(left)
        left["foreseen"] = foreseen + (foreseen != rns.MAX_BITS) + left["count"] * rns.MAX_BITS
        fits = needed <= left["count"]
        left["count"] = needed
        left["log_p"] = np.asarray(needed * float(rns.MAX_BITS))
        left.keep(fits, "parameters", 1.0)

    def _allowed(self, left: Sieve, log_qp: Floats) -> Flags:
        """By the library's own table."""
        if self.library.name == "lattigo":
            return np.asarray(log_qp <= self.own_limit)
        whole = _bit_length(left["q"], left["bits"], np.zeros(1, dtype=np.int64))[0]
        if self.library.name == "openfhe":
            within = whole + left["count"] * rns.MAX_BITS <= self.own_limit
            return np.asarray(within & (left["foreseen"] <= self.own_limit))
        both = np.vstack([left["q"], left["p"]]), np.vstack([left["bits"], left["special"][None]])
        return np.asarray(_bit_length(*both, np.zeros(1, dtype=np.int64))[0] <= self.own_limit)

    def _right(self, left: Sieve) -> None:
        """Values fit, and numbers do not vanish."""
        room = self._room[left["scale"]] + np.log2(left["q"][0])
        left.keep(room >= LEAST_ROOM, "overflow", -room)
        if self.library.name == "seal" and len(left):
            smallest = self._smallest[left["scale"]]
            left.keep(smallest >= ROUNDS_TO_ZERO, "correctness", -smallest)

    def _precise(self, choice: Choice, left: Sieve, count: int) -> Columns:
        block = self._of(choice, left, count)
        refusal = refusal_bits(self.program, block, self.gains)
        wish, truth = self.wish, self.problem.truth
        found = precision(self.program, block, self.gains, truth, wish.failure_bits, slots=False)
        left["precision_bits"], left["assured_bits"] = found.bits, found.assured_bits
        enough, miss = self._met(found)
        left["enough"], left["miss"] = enough, miss
        left.keep(refusal >= REFUSED_BITS, "correctness", -refusal)
        left.keep(left["enough"], "precision", left["miss"])
        if not len(left):
            return Columns.empty()
        return self._described(choice, left, count)

    def _met(self, found: Precisions) -> tuple[Flags, Floats]:
        """(whether the precision is as asked, by how much it is not), as `Judge` has it."""
        asked = self.wish.least if self.problem.real else self.wish.precision
        enough = np.ones(len(found.bits), dtype=np.bool_)
        miss = found.worst_error
        if asked is not None:
            figure = getattr(found, f"assured_{asked.measure}")
            bits = asked.measure is Measure.BITS
            enough, miss = (figure >= asked.value, -figure) if bits else (figure <= asked.value, figure)
        if not self.problem.real:
            enough, miss = enough & (found.worst_error < HALF), found.worst_error
        return enough, miss

    def _described(self, choice: Choice, left: Sieve, count: int) -> Columns:
        block = self._of(choice, left, count)
        left.columns.update(taken(self.program, block, self.profile))
        affordable(left, self.wish)
        own = self.chains.own_special
        shape = {
            "library": self.library.name, "scheme": "ckks", "technique": choice.technique,
            "ring_dimension": self.n, "secret": SECRET, "sigma": narrowest_error(self.program, block),
            "limbs": block.limbs, "special_limbs": count, "digits": block.digits, "depth": self.depth,
            "degree": ",".join(map(str, choice.degrees)),
        }  # fmt: skip
        left["scale_bits"], left["first_bits"] = (left[k].astype(np.float64) for k in ("scale", "first"))
        left["special_bits"] = left["special"].astype(np.float64) if own else np.full(len(left), 60.0)
        return tabled(self.program, shape, left, self.wish, self.profile.error_band if self.profile else None)

    def _of(self, choice: Choice, left: Sieve, count: int) -> Block:
        primes = Primes(left["q"], left["p"], left["scales"])
        return self._block(primes, left["scale"], np.arange(len(left)), count, choice)

    def _block(
        self, primes: Primes, scale: Ints, there: Ints, count: int, choice: Choice | None = None
    ) -> Block:
        """The sets at those places."""
        layout = self.chains.block(self.depth)
        assert layout is not None
        p = primes.p[:, there] if self.chains.own_special else np.full((count, len(there)), 2.0**rns.MAX_BITS)
        limbs = len(primes.q)
        if self.library.name == "openfhe":
            digits = rns.default_digits(choice.digits if choice else None, self.depth)
        else:
            digits = -(-limbs // count) if self.library.name == "lattigo" else limbs
        return replace(
            layout,
            q=tuple(primes.q[:, there]),
            p=tuple(p),
            scales=tuple(primes.scales[:, there]),
            digits=digits,
            key_switching="hybrid",
            flooding=np.zeros(len(there)),
            nominal=np.exp2(scale[there].astype(np.float64)),
        )


def every_size(library: str) -> Sizes:
    """All that a library takes: of scale, first and special primes, none of which is below the scale."""
    top = LARGEST_SPECIAL.get(library)
    special = (LARGEST_PRIME,) if top is None else range(SCALES[0], top + 1)
    grids = np.meshgrid(SCALES, range(SCALES[0], LARGEST_PRIME + 1), special, indexing="ij")
    scale, first, last = (grid.ravel() for grid in grids)
    kept = (first >= scale) & (last >= scale)
    return Sizes(scale[kept], first[kept], last[kept])


def _distributed(limbs: int, digits: int) -> tuple[Ints, int]:
    """(where each digit begins, limbs of a digit), as `rns.limbs_per_digit`; no digits where it refuses."""
    each = -(-limbs // digits)
    if limbs <= each * (digits - 1):
        return np.empty(0, dtype=np.int64), each
    return np.arange(0, limbs, each), each


def _special_limbs(digit_bits: Ints) -> Ints:
    """`rns.special_limbs`, of columns."""
    found: Ints = -(-(digit_bits + rns.HEADROOM_BITS) // rns.MAX_BITS)
    return found


def _bit_length(primes: Floats, bits: Ints, begins: Ints) -> Ints:
    """(digit, row): bits of the product of a digit's primes, exactly: by how far each is from its size."""
    size = np.exp2(bits.astype(np.float64))
    strays = np.add.reduceat(np.log1p((primes - size) / size), begins, axis=0) / log(2)
    found: Ints = np.add.reduceat(bits, begins, axis=0) + np.floor(strays).astype(np.int64) + 1
    return found
