"""CKKS by columns: all sizes of primes that one program may have in one ring, judged at once.

The judgements are those that `judge.Judge` makes of a single set; the cheap tests come first.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Flags, Floats, Ints
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.ckks_figures import (
    AT_ONCE,
    KEPT,
    ChoicePart,
    Figured,
    Wanted,
    grouped,
    not_known,
    wanted,
)
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.judge import ROUNDS_TO_ZERO, fits
from fheasible.exploration.judging.rows import of_paces, tabled, waited, written
from fheasible.exploration.judging.secure import limit
from fheasible.exploration.judging.sieve import Judged, Sieve, nearer
from fheasible.exploration.judging.threads import in_threads
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import HALF, Asked, Wish, rounds_below
from fheasible.exploration.space.chains import SIZES, Chained, ChainSizes
from fheasible.exploration.space.pinned import of_sizes, sized
from fheasible.exploration.space.requests import SCALES, Choice
from fheasible.exploration.space.sizing import LEAST_ROOM, sizing
from fheasible.libraries.block import CkksBlock
from fheasible.libraries.chain import SECRET
from fheasible.libraries.lengths import bit_length, strays
from fheasible.libraries.library import Library, OwnPrimes
from fheasible.libraries.steps import output_limbs
from fheasible.noise.ckks.decryption import REFUSED_BITS
from fheasible.noise.ckks.headroom import scale_room_bits
from fheasible.noise.ckks.precision import precision
from fheasible.security.tables import max_log_q


class CkksSets:
    """One program in one ring, with the chains that a library has there. `limit` is the largest log2 QP that
    is as secure as was wished."""

    def __init__(
        self, problem: Problem, library: Library, wish: Wish, profile: Profile | None, choice: Choice
    ) -> None:
        assert choice.ring_dimension is not None
        self.problem, self.library, self.wish, self.profile = problem, library, wish, profile
        self.n = choice.ring_dimension
        own = max_log_q(library.security_table, self.n, "ternary", wish.security, wish.quantum)
        self.own_limit = -inf if own is None else own
        self.on = sizing(problem, library, choice)
        self.program, self.depth = self.on.program, self.on.depth
        self.limit = limit(library.name, self.program.switches_keys, self.n, wish.security, wish.quantum)
        self.chains, self.extended = self.on.chains, self.on.extended
        self._known_scales: set[int] = set(SCALES)
        self._secure_scales: set[int] = set()
        self._laddered: tuple[Floats, Ints, Floats] | None = None
        self.outgrown = False  # whether values outgrow the largest first prime at a scale that is secure

    @property
    def all_secure(self) -> bool:
        """Whether every scale for which the library has primes has been seen to be secure, with some key
        switching."""
        return bool(self._secure_scales) and not (self._known_scales - self._secure_scales)

    def judged(self, choices: Mapping[int, Choice], every: bool, contending: bool = False) -> list[Judged]:
        """The judgements of all sizes of each choice. The keys of `choices` are the places by which rows
        refer to them."""
        pins = self.wish.pins
        sizes = {
            place: of_sizes(pins, self.on.sizes(choice, every or sized(pins), self.limit))
            for place, choice in choices.items()
        }
        if not every:
            return self.of_sizes(choices, sizes, contending)
        # one choice at a time: its sizes are as many as memory holds
        alone = ({place: choice} for place, choice in choices.items())
        return [judged for each in alone for judged in self.of_sizes(each, sizes, contending)]

    def of_sizes(
        self, choices: Mapping[int, Choice], sizes: Mapping[int, ChainSizes], contending: bool = False
    ) -> list[Judged]:
        """The judgements of choices that differ in key switching alone, made together. With `contending`,
        rows that cannot be kept are counted and not described."""
        sieves = [self._sieved(choice, place, sizes[place]) for place, choice in choices.items()]
        self._precise([part for _, parts in sieves for part in parts])
        return [
            self._judged(left, parts, len(sizes[place]), contending)
            for place, (left, parts) in zip(choices, sieves, strict=True)
        ]

    def _sieved(self, choice: Choice, place: int, sizes: ChainSizes) -> tuple[Sieve, list[ChoicePart]]:
        """(the sieve of all sets, the parts that are left after the cheap tests)."""
        left = Sieve(choice, place, {"scale": sizes.scale, "first": sizes.first, "special": sizes.special})
        self._secure(choice, left)
        if not len(left):
            return left, []
        chained = self._made(choice, left)
        self._secure_scales.update(left["scale"].tolist())
        if len(left):
            self._right(left)
        counts = sorted(set(left["count"].tolist()))
        return left, [
            ChoicePart(choice, chained, left.among(left["count"] == count), count) for count in counts
        ]

    def _judged(self, left: Sieve, parts: Sequence[ChoicePart], rows: int, contending: bool) -> Judged:
        feasible, many = [], 0
        for part in parts:
            if len(part.left):
                counted, found = self._described(part, contending)
                many += counted
                feasible.append(found)
            left.nearest = nearer(left.nearest, part.left.nearest)
        joined = Columns.joined(feasible)
        return Judged(rows, joined, left.nearest, many - len(joined))

    def _secure(self, choice: Choice, left: Sieve) -> None:
        """Leaves out sets that are insecure by their bits alone, before any prime is looked up."""
        left["count"] = self.on.foreseen(choice, left["scale"], left["first"])
        left.keep(left["count"] > 0, "parameters", 1.0)
        own = self.on.own  # the library's own estimate may be one prime too many
        special = (left["count"] - 1) * own.SPECIAL_BITS if own else left["count"] * left["special"]
        nominal = self._nominal(left) + special
        stray = self.depth * self.on.stray(left["scale"], self.depth) + self.on.stray(left["first"], 1)
        stray += left["count"] * self.on.stray(left["special"], choice.special or 1) + self.extended
        left.keep(nominal - stray <= self.limit, "security", nominal / self.limit)

    def _nominal(self, left: Sieve) -> Ints:
        """The bits of Q, by the sizes of its primes."""
        found: Ints = left["first"] + self.depth * left["scale"] + self.on.extended_bits
        return found

    def _made(self, choice: Choice, left: Sieve) -> Chained:
        """The primes that the library makes of the sets; those that it refuses, and those that are insecure,
        are left out."""
        sizes = ChainSizes(left["scale"], left["first"], left["special"])
        count = choice.special or 1 if self.chains.own_special else 1
        found = self.chains.chained(self.depth, sizes, count)
        left["at"], left["log_first"] = np.arange(len(left)), np.log2(found.first)
        left["log_q"], left["log_p"] = found.log_q, found.log_p
        missing = np.asarray(np.isnan(found.above).any(axis=0))[found.ladder]
        self._known_scales -= set(left["scale"][missing].tolist())
        left.keep(~np.isnan(left["log_q"] + left["log_p"]), "parameters", 1.0)
        if len(left) and self.on.own:
            self._special_limbs(self.on.own, choice, found, left)
        if len(left):
            log_qp = left["log_q"] + left["log_p"]
            left.keep(self._allowed(found, left, log_qp), "parameters", log_qp)
            log_qp = left["log_q"] + left["log_p"]
            left.keep(log_qp <= self.limit, "security", log_qp / self.limit)
        return found

    def _special_limbs(self, own: OwnPrimes, choice: Choice, found: Chained, left: Sieve) -> None:
        """Sets the number of special primes. The library foresees it by the sizes, and refuses sets whose
        primes themselves need more of P."""
        digits = own.digits_for(choice.digits, self.depth)
        begins, each = own.distributed(1 + len(found.above), digits)
        foremost = self._bit_length(found, left, slice(0, each - 1))
        needed = foremost if len(begins) == 1 else np.maximum(foremost, self._of_others(found, left, begins))
        needed = own.special_limbs(needed)
        foreseen = self._nominal(left)
        left["foreseen"] = foreseen + (foreseen != own.SPECIAL_BITS) + left["count"] * own.SPECIAL_BITS
        fits = needed <= left["count"]
        left["count"] = needed
        left["log_p"] = np.asarray(needed * float(own.SPECIAL_BITS))
        left.keep(fits, "parameters", 1.0)

    def _of_others(self, found: Chained, left: Sieve, begins: Ints) -> Ints:
        """The bits of the largest digit but the first."""
        bits, stray = self._ladder(found)
        bits, stray = (np.add.reduceat(x, begins[1:] - 1, axis=0) for x in (bits, stray))
        most: Ints = bit_length(bits, np.nan_to_num(stray)).max(axis=0)
        return most[found.ladder[left["at"]]]

    def _ladder(self, found: Chained) -> tuple[Ints, Floats]:
        """Two arrays (prime above the first, ladder): the size of each prime in bits, and how far the prime
        is from that size. Those of the last call are kept, since they are asked for several times."""
        if self._laddered is None or self._laddered[0] is not found.above:
            self._laddered = found.above, *self._ladder_of(found)
        return self._laddered[1:]

    def _ladder_of(self, found: Chained) -> tuple[Ints, Floats]:
        bits = np.tile(np.arange(SIZES), found.above.shape[1] // SIZES)[None].repeat(len(found.above), axis=0)
        if self.extended:
            bits[-1] = self.on.extended_bits
        return bits, strays(found.above, bits)

    def _bit_length(
        self, found: Chained, left: Sieve, above: slice, special: Ints | int = 0, last: Floats | float = 0.0
    ) -> Ints:
        """The exact bits of the product of the first prime, those above it and perhaps a special one, from
        how far each is from its size."""
        bits, others = (x[above].sum(axis=0)[found.ladder[left["at"]]] for x in self._ladder(found))
        stray = others + strays(found.first[left["at"]], left["first"]) + last
        return bit_length(left["first"] + bits + special, stray)

    def _allowed(self, found: Chained, left: Sieve, log_qp: Floats) -> Flags:
        """Which sets the library's own table allows."""
        if not self.library.compares_bits:
            return np.asarray(log_qp <= self.own_limit)
        if self.on.own:
            whole = self._bit_length(found, left, slice(None))
            within = whole + left["count"] * self.on.own.SPECIAL_BITS <= self.own_limit
            return np.asarray(within & (left["foreseen"] <= self.own_limit))
        last = strays(found.special[0, found.end[left["at"]]], left["special"])
        return np.asarray(self._bit_length(found, left, slice(None), left["special"], last) <= self.own_limit)

    def _right(self, left: Sieve) -> None:
        """Leaves out sets whose values do not fit, or whose numbers vanish."""
        self.outgrown |= bool(self.on.outgrown[left["scale"]].any())
        room = self.on.room[left["scale"]] + left["log_first"]
        left.keep(room >= LEAST_ROOM, "overflow", -room)
        if self.library.refused_zeros and len(left):
            smallest = self.on.smallest[left["scale"]]
            left.keep(smallest >= ROUNDS_TO_ZERO, "correctness", -smallest)

    def _precise(self, parts: Sequence[ChoicePart]) -> None:
        for part, figures in zip(parts, self._figures(parts), strict=True):
            left = part.left
            left.columns.update(figures)
            left.keep(left["taken"] >= 0, "overflow", -left["taken"])
            left.keep(left["refusal"] >= REFUSED_BITS, "correctness", -left["refusal"])
            left.keep(left["enough"], "precision", left["miss"])
        for other in reversed(self.problem.elsewhere(self.library.name, "ckks")):
            self._precise_elsewhere([part for part in parts if len(part.left)], other.there, other.needed)

    def _precise_elsewhere(self, parts: Sequence[ChoicePart], other: Problem, needed: Asked) -> None:
        """Leaves out sets that are not right at other inputs than the data, as `Judge` does."""
        figure = needed.figure if self.problem.real else "worst_error"
        names = ("refusal_bits", "assured_absolute", figure)
        for part, (_, found) in zip(parts, self._figured(other, names, parts), strict=True):
            reached = found[figure]
            enough = needed.reached_by(reached) if self.problem.real else reached < rounds_below(needed)
            decrypted = found["refusal_bits"] >= REFUSED_BITS
            part.left.keep(decrypted, "ranges", -found["refusal_bits"])
            absolute = found["assured_absolute"][decrypted]
            part.left.keep(np.asarray(enough)[decrypted], "ranges", absolute)

    def _figures(self, parts: Sequence[ChoicePart]) -> Iterator[dict[str, NDArray[Any]]]:
        """For each part, the figures that decide whether its sets are right and precise enough."""
        asked = self.wish.least if self.problem.real else self.wish.precision
        names = ["refusal_bits", "bits", "assured_bits"]
        if asked is not None and asked.figure != "assured_bits":  # such bits keep errors below the modulus
            names += dict.fromkeys((asked.figure, "assured_absolute"))
        if not self.problem.real:
            names.append("worst_error")
        for found in self._figured(None, tuple(names), parts):
            enough, miss = self._met(found, asked)
            yield {
                "taken": found.figures["taken"],
                "refusal": found.figures["refusal_bits"],
                "precision_bits": found.figures["bits"],
                "assured_bits": found.figures["assured_bits"],
                "enough": enough,
                "miss": miss,
            }

    def _figured(
        self, other: Problem | None, names: tuple[str, ...], parts: Sequence[ChoicePart]
    ) -> list[Figured]:
        """The figures of each part, on the problem's own data or on those of another problem. Where its sets
        are few, their figures are kept for the next search, which asks for another precision or security, or
        at other inputs too."""
        asked, keys = [wanted(part) for part in parts], [self._key(other, names, part) for part in parts]
        known: list[Figured | None] = [self.on.figured.get(key) for key in keys]
        new = [not_known(of, each) for of, each in zip(known, asked, strict=True)]
        made = iter(self._anew(other or self.problem, names, [each for each in new if len(each.codes)]))
        found = []
        for key, of, each, more in zip(keys, known, asked, new, strict=True):
            if len(more.codes):
                anew = next(made)
                of = of.with_more(anew) if of else anew.take(np.argsort(anew.codes, kind="stable"))
                if len(each.codes) <= KEPT:
                    self.on.figured[key] = of
            assert of is not None
            found.append(of.take(of.places(each.codes)[0]))
        return found

    def _key(self, other: Problem | None, names: tuple[str, ...], part: ChoicePart) -> Hashable:
        """A key of all that figures depend on, besides sizes."""
        return other, names, part.choice.digits, part.choice.special, part.special, self.wish.failure_bits

    def _anew(self, on: Problem, names: tuple[str, ...], asked: Sequence[Wanted]) -> Iterator[Figured]:
        """The figures of each, worked out for as many sets at a time as caches can hold the elements of."""
        pieces = [
            each.take(slice(i, i + AT_ONCE)) for each in asked for i in range(0, len(each.codes), AT_ONCE)
        ]
        found = chain.from_iterable(self._at_once(on, names, group) for group in grouped(pieces))
        for each in asked:
            yield Figured.joined([next(found) for _ in range(0, len(each.codes), AT_ONCE)])

    def _at_once(self, on: Problem, names: tuple[str, ...], pieces: Sequence[Wanted]) -> list[Figured]:
        """The figures of each piece, all judged as one block."""
        blocks = [self._block(each) for each in pieces]
        block = CkksBlock.joined(blocks)
        found = precision(self.program, block, on.gains(self.program), on.truth, self.wish.failure_bits)
        figures = {name: getattr(found, name) for name in names}
        figures["taken"] = scale_room_bits(self.program, block)
        whole = Figured(np.concatenate([each.codes for each in pieces]), figures)
        ends = np.cumsum([0, *map(len, blocks)]).tolist()
        return [whole.take(slice(*each)) for each in pairwise(ends)]

    def _block(self, of: Wanted) -> CkksBlock:
        return self.on.block(of.part.chained, of.scale, of.at, of.part.special, of.part.choice)

    def _met(self, found: Figured, asked: Asked | None) -> tuple[Flags, Floats]:
        """(whether the precision is as asked, by how much it is not), as `Judge` decides it."""
        enough, miss = np.ones(len(found.codes), dtype=np.bool_), np.zeros(len(found.codes))
        if asked is not None:
            figure = found.figures[asked.figure]
            enough = np.asarray(asked.reached_by(figure))
            if asked.figure != "assured_bits":
                enough &= fits(found.figures["assured_bits"], found.figures["assured_absolute"])
            miss = -figure if asked.in_bits else figure
        if not self.problem.real:
            enough, miss = enough & (found.figures["worst_error"] < HALF), found.figures["worst_error"]
        return enough, miss

    def _described(self, part: ChoicePart, contending: bool) -> tuple[int, Columns]:
        """(the number of rows that are left, those rows or the contenders among them)."""
        choice, chained, left, count = part
        _, first, each = np.unique(self._paces(chained, left), return_index=True, return_inverse=True)
        block = self.on.block(chained, left["scale"][first], left["at"][first], count, choice)
        found = of_paces(self.program, block, self.profile, self.wish)
        if self.library.sizes_by_primes:
            whole = self.on.block(chained, left["scale"], left["at"], count, choice)
            left.columns.update(written(self.program, whole))
        else:
            found |= written(self.program, block)
        left.columns.update({name: column[each.ravel()] for name, column in found.items()})
        if self.library.decodes_by_integers and max(output_limbs(self.program, block)) > 1:
            whole = self.on.block(chained, left["scale"], left["at"], count, choice)
            paces = block, each.ravel()  # only the integers are as long as the primes
            again = in_threads(self.program, whole, self.profile, self.wish, paces)
            left.columns.update(again.columns)
        space = self.wish.swap
        left.columns.update(waited(self.program, block, left["peak_bytes"], self.profile, space))
        many = len(left)
        shape = {
            "library": self.library.name, "scheme": "ckks", "technique": choice.technique,
            "ring_dimension": self.n, "secret": SECRET, 
            "sigma": self.library.narrowest_error(self.program.switches_keys),
            "limbs": block.limbs, "special_limbs": count, "digits": block.digits, "depth": self.depth,
            "degree": ",".join(map(str, choice.degrees)), "as_written": choice.style.as_written,
            "layout": choice.style.layout.value,
        }  # fmt: skip
        left["scale_bits"], left["first_bits"] = (left[k].astype(np.float64) for k in ("scale", "first"))
        own = self.on.own
        special = np.full(len(left), own.SPECIAL_BITS) if own else left["special"]
        left["special_bits"] = special.astype(np.float64)
        band = self.profile.band_of(self.program) if self.profile else None
        return many, tabled(self.program, shape, left, self.wish, band, contending)

    def _paces(self, chained: Chained, left: Sieve) -> Ints:
        """A number for each row; rows with the same number take the same time. The size of P's primes may
        decide how often sums are reduced."""
        if not self.library.reduces_by_special:
            return np.zeros(len(left), dtype=np.int64)
        largest = np.nan_to_num(chained.special.max(axis=0), nan=1.0)
        bits = self.library.deciding_special_bits(largest, 1 + len(chained.above), len(chained.special))
        return bits[chained.end[left["at"]]]
