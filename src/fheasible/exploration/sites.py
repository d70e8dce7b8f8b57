"""CKKS by columns: all sizes of primes that one program may have in one ring, judged at once.

What `judge.Judge` says of one set is said of all here; the cheap tests come first.
"""

from collections.abc import Mapping
from math import inf
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.estimation.batch import peaks
from fheasible.estimation.profile import Profile
from fheasible.exploration.chains import SIZES, Chained, Flags, Floats, Ints, Sizes
from fheasible.exploration.columns import Columns
from fheasible.exploration.described import of_paces, tabled, written
from fheasible.exploration.foresee import HALF, rounds_below
from fheasible.exploration.judge import NOTHING_BITS, ROUNDS_TO_ZERO
from fheasible.exploration.problem import Problem
from fheasible.exploration.secure import SECRET, limit
from fheasible.exploration.sieve import Judged, Sieve, nearer
from fheasible.exploration.sizing import LEAST_ROOM, sizing
from fheasible.exploration.space import SCALES, Choice
from fheasible.exploration.wish import Asked, Wish
from fheasible.libraries.catalogue import Library
from fheasible.libraries.lattigo import library as lattigo
from fheasible.libraries.openfhe import columns, rns
from fheasible.libraries.openfhe import library as openfhe
from fheasible.libraries.seal import library as seal
from fheasible.libraries.steps import output_limbs
from fheasible.noise.ckks import precision
from fheasible.noise.decryption import REFUSED_BITS
from fheasible.noise.headroom import scale_room_bits
from fheasible.security.tables import Table, max_log_q

TABLES: Final[dict[str, Table]] = {
    "openfhe": openfhe.SECURITY_TABLE, "seal": seal.SECURITY_TABLE, "lattigo": lattigo.SECURITY_TABLE
}  # fmt: skip
AT_ONCE: Final = 256  # sets whose elements are judged together: more would leave the caches
KEPT: Final = 1024  # sets of a choice whose figures are kept for the next search


class _Figured(NamedTuple):
    """Of some sets, in the order of their `codes`, figures that decide on whether they are right, by name."""

    codes: Ints  # of their sizes
    figures: Mapping[str, Any]

    def take(self, places: Ints) -> "_Figured":
        return _Figured(self.codes[places], {name: of[places] for name, of in self.figures.items()})

    def with_more(self, other: "_Figured") -> "_Figured":
        """In ascending order."""
        joined = {name: np.concatenate([of, other.figures[name]]) for name, of in self.figures.items()}
        codes = np.concatenate([self.codes, other.codes])
        return _Figured(codes, joined).take(np.argsort(codes, kind="stable"))

    def places(self, codes: Ints) -> tuple[Ints, Flags]:
        """(where these stand, whether they do)."""
        at = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return at, self.codes[at] == codes


class Site:
    """One program in one ring, with the chains that a library has there. `limit`: what log2 QP may be, to be
    as secure as was wished."""

    def __init__(
        self, problem: Problem, library: Library, wish: Wish, profile: Profile | None, choice: Choice
    ) -> None:
        assert choice.ring_dimension is not None
        self.problem, self.library, self.wish, self.profile = problem, library, wish, profile
        self.n = choice.ring_dimension
        own = max_log_q(TABLES[library.name], self.n, "ternary", wish.security, wish.quantum)
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
        """Whether each scale that there is has been seen to be secure, in some way of key switching."""
        return bool(self._secure_scales) and not (self._known_scales - self._secure_scales)

    def judged(self, choice: Choice, place: int, every: bool, contending: bool = False) -> Judged:
        """All its sizes. `place`: of the choice, by which its rows are known again."""
        return self.of_sizes(choice, place, self.on.sizes(choice, every, self.limit), contending)

    def of_sizes(self, choice: Choice, place: int, sizes: Sizes, contending: bool = False) -> Judged:
        """With `contending`, rows that cannot be kept are counted and not described."""
        left = Sieve(choice, place, {"scale": sizes.scale, "first": sizes.first, "special": sizes.special})
        self._secure(choice, left)
        feasible, many = [], 0
        if len(left):
            chained = self._made(choice, left)
            self._secure_scales.update(left["scale"].tolist())
        if len(left):
            self._right(left)
            for count in sorted(set(left["count"].tolist())):
                part = left.among(left["count"] == count)
                self._precise(choice, chained, part, int(count))
                if len(part):
                    counted, rows = self._described(choice, chained, part, int(count), contending)
                    many += counted
                    feasible.append(rows)
                left.nearest = nearer(left.nearest, part.nearest)
        rows = Columns.joined(feasible)
        return Judged(len(sizes), rows, left.nearest, many - len(rows))

    def _secure(self, choice: Choice, left: Sieve) -> None:
        """By the bits alone, before any prime is looked up."""
        left["count"] = self.on.foreseen(choice, left["scale"], left["first"])
        left.keep(left["count"] > 0, "parameters", 1.0)
        own = self.chains.own_special  # OpenFHE's estimate may be one prime too many
        special = left["count"] * left["special"] if own else (left["count"] - 1) * rns.MAX_BITS
        nominal = self._nominal(left) + special
        stray = self.depth * self.on.stray(left["scale"], self.depth) + self.on.stray(left["first"], 1)
        stray += left["count"] * self.on.stray(left["special"], choice.special or 1) + self.extended
        left.keep(nominal - stray <= self.limit, "security", nominal / self.limit)

    def _nominal(self, left: Sieve) -> Ints:
        """Bits of Q."""
        found: Ints = left["first"] + self.depth * left["scale"] + self.extended * rns.EXTRA_BITS
        return found

    def _made(self, choice: Choice, left: Sieve) -> Chained:
        """What the library makes of them, and what it refuses."""
        sizes = Sizes(left["scale"], left["first"], left["special"])
        count = choice.special or 1 if self.chains.own_special else 1
        found = self.chains.chained(self.depth, sizes, count)
        left["at"], left["log_first"] = np.arange(len(left)), np.log2(found.first)
        left["log_q"], left["log_p"] = found.log_q, found.log_p
        missing = np.asarray(np.isnan(found.above).any(axis=0))[found.ladder]
        self._known_scales -= set(left["scale"][missing].tolist())
        left.keep(~np.isnan(left["log_q"] + left["log_p"]), "parameters", 1.0)
        if len(left) and not self.chains.own_special:
            self._specials_of_openfhe(choice, found, left)
        if len(left):
            log_qp = left["log_q"] + left["log_p"]
            left.keep(self._allowed(found, left, log_qp), "parameters", log_qp)
            log_qp = left["log_q"] + left["log_p"]
            left.keep(log_qp <= self.limit, "security", log_qp / self.limit)
        return found

    def _specials_of_openfhe(self, choice: Choice, found: Chained, left: Sieve) -> None:
        """It reckons with sizes, and refuses where the primes themselves need more of P [OpenFHE]."""
        digits = rns.default_digits(choice.digits, self.depth)
        begins, each = columns.distributed(1 + len(found.above), digits)
        foremost = self._bit_length(found, left, slice(0, each - 1))
        needed = foremost if len(begins) == 1 else np.maximum(foremost, self._of_others(found, left, begins))
        needed = columns.special_limbs(needed)
        foreseen = self._nominal(left)
        left["foreseen"] = foreseen + (foreseen != rns.MAX_BITS) + left["count"] * rns.MAX_BITS
        fits = needed <= left["count"]
        left["count"] = needed
        left["log_p"] = np.asarray(needed * float(rns.MAX_BITS))
        left.keep(fits, "parameters", 1.0)

    def _of_others(self, found: Chained, left: Sieve, begins: Ints) -> Ints:
        """Bits of the largest digit but the first."""
        bits, strays = self._ladder(found)
        bits, strays = (np.add.reduceat(x, begins[1:] - 1, axis=0) for x in (bits, strays))
        most: Ints = columns.bit_length(bits, np.nan_to_num(strays)).max(axis=0)
        return most[found.ladder[left["at"]]]

    def _ladder(self, found: Chained) -> tuple[Ints, Floats]:
        """(prime above the first, ladder): its bits, and those that it is from so many. The last ones are
        kept: they are asked for several times."""
        if self._laddered is None or self._laddered[0] is not found.above:
            self._laddered = found.above, *self._ladder_of(found)
        return self._laddered[1:]

    def _ladder_of(self, found: Chained) -> tuple[Ints, Floats]:
        bits = np.tile(np.arange(SIZES), found.above.shape[1] // SIZES)[None].repeat(len(found.above), axis=0)
        if self.extended:
            bits[-1] = rns.EXTRA_BITS
        return bits, columns.strays(found.above, bits)

    def _bit_length(
        self, found: Chained, left: Sieve, above: slice, special: Ints | int = 0, last: Floats | float = 0.0
    ) -> Ints:
        """Bits of the product of the first prime, those above it and perhaps a special one, exactly: by how
        far each is from its size."""
        bits, strays = (x[above].sum(axis=0)[found.ladder[left["at"]]] for x in self._ladder(found))
        stray = strays + columns.strays(found.first[left["at"]], left["first"]) + last
        return columns.bit_length(left["first"] + bits + special, stray)

    def _allowed(self, found: Chained, left: Sieve, log_qp: Floats) -> Flags:
        """By the library's own table."""
        if self.library.name == "lattigo":
            return np.asarray(log_qp <= self.own_limit)
        if self.library.name == "openfhe":
            whole = self._bit_length(found, left, slice(None))
            within = whole + left["count"] * rns.MAX_BITS <= self.own_limit
            return np.asarray(within & (left["foreseen"] <= self.own_limit))
        last = columns.strays(found.special[0, found.end[left["at"]]], left["special"])
        return np.asarray(self._bit_length(found, left, slice(None), left["special"], last) <= self.own_limit)

    def _right(self, left: Sieve) -> None:
        """Values fit, and numbers do not vanish."""
        self.outgrown |= bool(self.on.outgrown[left["scale"]].any())
        room = self.on.room[left["scale"]] + left["log_first"]
        left.keep(room >= LEAST_ROOM, "overflow", -room)
        if self.library.name != "lattigo" and len(left):
            smallest = self.on.smallest[left["scale"]]
            left.keep(smallest >= ROUNDS_TO_ZERO, "correctness", -smallest)

    def _precise(self, choice: Choice, chained: Chained, left: Sieve, count: int) -> None:
        starts = range(0, len(left), AT_ONCE)
        parts = [self._figures(choice, chained, left, slice(i, i + AT_ONCE), count) for i in starts]
        for name in parts[0]:
            left[name] = np.concatenate([part[name] for part in parts])
        left.keep(left["taken"] >= 0, "overflow", -left["taken"])
        left.keep(left["refusal"] >= REFUSED_BITS, "correctness", -left["refusal"])
        left.keep(left["enough"], "precision", left["miss"])
        for other in self.problem.elsewhere(self.library.name, "ckks"):
            if len(left):
                self._precise_elsewhere(choice, chained, left, count, other.there, other.needed)

    def _precise_elsewhere(
        self, choice: Choice, chained: Chained, left: Sieve, count: int, other: Problem, needed: Asked
    ) -> None:
        """For other inputs than the data, as `Judge` has it."""
        figure = needed.figure if self.problem.real else "worst_error"
        names = ("refusal_bits", "assured_absolute", figure)
        found = self._figured(other, names, choice, chained, left, slice(None), count).figures
        reached = found[figure]
        enough = needed.reached_by(reached) if self.problem.real else reached < rounds_below(needed)
        decrypted = found["refusal_bits"] >= REFUSED_BITS
        left.keep(decrypted, "correctness", -found["refusal_bits"])
        left.keep(np.asarray(enough)[decrypted], "precision", found["assured_absolute"][decrypted])

    def _figures(
        self, choice: Choice, chained: Chained, left: Sieve, part: slice, count: int
    ) -> dict[str, NDArray[Any]]:
        """What decides on the precision of some of the sets: their elements are what caches must hold."""
        asked = self.wish.least if self.problem.real else self.wish.precision
        names = ["refusal_bits", "bits", "assured_bits"]
        if asked is not None:
            names.append(asked.figure)
        if not self.problem.real:
            names.append("worst_error")
        found = self._figured(None, tuple(names), choice, chained, left, part, count)
        enough, miss = self._met(found, asked)
        return {
            "taken": found.figures["taken"],
            "refusal": found.figures["refusal_bits"],
            "precision_bits": found.figures["bits"],
            "assured_bits": found.figures["assured_bits"],
            "enough": enough,
            "miss": miss,
        }

    def _figured(
        self, other: Problem | None, names: tuple[str, ...], choice: Choice, chained: Chained, left: Sieve,
        part: slice, count: int,
    ) -> _Figured:  # fmt: skip
        """Figures on the problem's own data, or on those of another. Where sets are few they are known to the
        next search, which asks for another precision or security, or elsewhere too."""
        scale, first, special = (left[name][part] for name in ("scale", "first", "special"))
        codes, on, at = (scale * SIZES + first) * SIZES + special, other or self.problem, left["at"][part]
        if len(left) > KEPT:
            return self._anew(on, names, choice, chained, codes, scale, at, count)
        key = (other, names, choice.digits, choice.special, count, self.wish.failure_bits)
        known: _Figured | None = self.on.figured.get(key)
        place, there = known.places(codes) if known else (codes, np.zeros(len(codes), dtype=np.bool_))
        if known and there.all():
            return known.take(place)
        new = np.flatnonzero(~there)
        found = self._anew(on, names, choice, chained, codes[new], scale[new], at[new], count)
        known = known.with_more(found) if known else found.take(np.argsort(codes, kind="stable"))
        self.on.figured[key] = known
        return known.take(known.places(codes)[0])

    def _anew(
        self, on: Problem, names: tuple[str, ...], choice: Choice, chained: Chained, codes: Ints, scale: Ints,
        at: Ints, count: int,
    ) -> _Figured:  # fmt: skip
        block = self.on.block(chained, scale, at, count, choice)
        found = precision(self.program, block, on.gains(self.program), on.truth, self.wish.failure_bits)
        figures = {name: getattr(found, name) for name in names}
        return _Figured(codes, figures | {"taken": scale_room_bits(self.program, block)})

    def _met(self, found: _Figured, asked: Asked | None) -> tuple[Flags, Floats]:
        """(whether the precision is as asked, by how much it is not), as `Judge` has it."""
        enough, miss = np.ones(len(found.codes), dtype=np.bool_), np.zeros(len(found.codes))
        if asked is not None:
            figure = found.figures[asked.figure]
            enough = asked.reached_by(figure) & (found.figures["assured_bits"] >= NOTHING_BITS)
            miss = -figure if asked.in_bits else figure
        if not self.problem.real:
            enough, miss = enough & (found.figures["worst_error"] < HALF), found.figures["worst_error"]
        return enough, miss

    def _described(
        self, choice: Choice, chained: Chained, left: Sieve, count: int, contending: bool
    ) -> tuple[int, Columns]:
        """(how many rows are left, these or the contenders among them)."""
        _, first, each = np.unique(self._paces(chained, left), return_index=True, return_inverse=True)
        block = self.on.block(chained, left["scale"][first], left["at"][first], count, choice)
        found = of_paces(self.program, block, self.profile)
        if self.library.name == "openfhe":
            whole = self.on.block(chained, left["scale"], left["at"], count, choice)
            left.columns.update(written(self.program, whole))
        else:
            found |= written(self.program, block)
        left.columns.update({name: column[each.ravel()] for name, column in found.items()})
        if self.library.name == "lattigo" and max(output_limbs(self.program, block)) > 1:
            whole = self.on.block(chained, left["scale"], left["at"], count, choice)
            left["peak_bytes"] = peaks(self.program, whole, self.profile)  # integers as long as the primes
        many = len(left)
        own = self.chains.own_special
        shape = {
            "library": self.library.name, "scheme": "ckks", "technique": choice.technique,
            "ring_dimension": self.n, "secret": SECRET, 
            "sigma": self.library.narrowest_error(self.program.switches_keys),
            "limbs": block.limbs, "special_limbs": count, "digits": block.digits, "depth": self.depth,
            "degree": ",".join(map(str, choice.degrees)), "as_written": choice.style.as_written,
        }  # fmt: skip
        left["scale_bits"], left["first_bits"] = (left[k].astype(np.float64) for k in ("scale", "first"))
        left["special_bits"] = left["special"].astype(np.float64) if own else np.full(len(left), 60.0)
        band = self.profile.error_band if self.profile else None
        return many, tabled(self.program, shape, left, self.wish, band, contending)

    def _paces(self, chained: Chained, left: Sieve) -> Ints:
        """What of the primes decides on the time: of Lattigo how many products of P's fit a word."""
        if self.library.name != "lattigo":
            return np.zeros(len(left), dtype=np.int64)
        bits: Ints = np.floor(np.log2(np.nan_to_num(chained.special.max(axis=0), nan=1.0))).astype(np.int64)
        return bits[chained.end[left["at"]]]
