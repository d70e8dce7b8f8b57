"""A circuit with data: what every candidate is judged against, computed once."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from copy import copy
from functools import cached_property, lru_cache
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.degrees import (
    Approximated,
    Approximation,
    Degrees,
    approximation,
    levels,
    series_nodes,
    with_degrees,
)
from fheasible.circuit.depth import depth
from fheasible.circuit.domain import Point, largest
from fheasible.circuit.in_reals import in_reals
from fheasible.circuit.like_terms import with_like_terms
from fheasible.circuit.modular import in_modulus
from fheasible.circuit.modulus import modulus
from fheasible.circuit.node import Circuit, Kind, Node, Op
from fheasible.circuit.ranges import intervals, warnings
from fheasible.circuit.simplify import simplify
from fheasible.circuit.where import at
from fheasible.circuit.worst_error import WorstErrors
from fheasible.errors import FheasibleError, UnsupportedOperation
from fheasible.exploration.problem.degrees import (
    Needed,
    degrees_that_round,
    degrees_to_try,
    reached,
    with_others,
)
from fheasible.exploration.problem.rings_and_moduli import RINGS, no_batching, plain_modulus_above
from fheasible.exploration.problem.wish import Asked, Measure, rounds_below
from fheasible.libraries.parameters import CkksParameters
from fheasible.lowering.plan import Lowerings
from fheasible.noise.ckks.rehearsal import Rehearsed, quicker_together, rehearsals, rehearsed
from fheasible.noise.reach.gains import Gains, SlotValues, content, gains, largest_at, seen
from fheasible.program.style import Layout
from fheasible.program.types import Program

PACKING = 1 << 15  # the largest ring whose vectors the prime of polynomials packs; larger primes are noisier

MOST_LEVELS = 30  # products in succession there: 881 bits of modulus, by about 17 bits of t and 12 of noise


class Also(NamedTuple):
    """Other inputs, and the precision that is needed there of one library's sets, or of all sets where
    `library` is empty."""

    there: "Problem"
    needed: Asked
    library: str = ""

    def concerns(self, library: str) -> bool:
        return self.library in ("", library)


class Problem:
    """A circuit with its data, and what follows from them.

    `data` are the input vectors by which precision is judged, and `source` says where they come from. Every
    input in the declared ranges may come, unless the data are `trusted` to stand for all inputs that will.
    `also` has other inputs for the same circuit, and the precision that is needed there, too. `caution`: what
    has to be known of the data; empty where there is nothing.

    Raises PromiseBroken or CircuitError where the cleartext computation already fails.
    """

    def __init__(
        self,
        circuit: Circuit,
        data: Mapping[str, NDArray[Any]],
        source: str,
        trusted: bool = False,
        also: "tuple[Also, ...]" = (),
        caution: str = "",
    ) -> None:
        self.circuit = circuit
        self.data = data
        self.source = source
        self.trusted = trusted
        self.also = also
        self.truth = evaluate(circuit, data)
        self.warnings = [*filter(None, [caution]), *warnings(circuit)]
        self.bounds = intervals(circuit)
        self._lowerings: dict[tuple[Degrees, bool], Lowerings] = {}
        self._degrees: dict[Asked, tuple[Degrees, ...]] = {}
        self._degrees_for: dict[Hashable, tuple[Degrees, ...]] = {}
        self._too_steep: dict[Asked, str] = {}
        self._gains: dict[Program, Gains] = {}
        self._expected: dict[Program, SlotValues] = {}
        self._rehearsed: dict[Hashable, dict[str, Rehearsed]] = {}
        self._depths: dict[tuple[str, Degrees, bool], int] = {}
        self._gains_of: dict[Hashable, Gains] = {}
        self._expected_of: dict[Hashable, SlotValues] = {}
        self._last: dict[
            Hashable, SlotValues
        ] = {}  # for one program at most, with its values, which are large
        self.kept: dict[tuple[Any, ...], Any] = {}  # what searches found, by all that it depends on
        self._there: dict[int, Problem] = {}  # the same circuit with other data, by what these are
        self._alone: Problem | None = None  # the same without other inputs; None where it is this one

    def also_at(
        self, data: Mapping[str, NDArray[Any]], words: str, needed: Asked, library: str = ""
    ) -> "Problem":
        """The problem with further inputs, described by `words`, and the precision that is needed there (of
        one library's sets, where one is named). What is worked out for either problem is known to both, also
        later, since none of it depends on those inputs."""
        found = copy(self)
        found._alone = self._alone or self
        found.also = (*self.also, Also(self.there(data, words), needed, library))
        return found

    def once(self, key: tuple[Any, ...], find: Callable[[], Any]) -> Any:
        """What `find` finds, once for all searches; it depends on `key` alone."""
        if key not in self.kept:
            self.kept[key] = find()
        return self.kept[key]

    def there(self, data: Mapping[str, NDArray[Any]], words: str) -> "Problem":
        """The same circuit with these data, described by `words`; made once for each mapping."""
        if data is self.data:
            return self._alone or self
        if id(data) not in self._there:
            self._there[id(data)] = Problem(self.circuit, data, words, trusted=True)
        return self._there[id(data)]

    @property
    def others(self) -> "tuple[Problem, ...]":
        """The same circuit with all other data at which anything was asked."""
        return tuple(self._there.values())

    def elsewhere(self, library: str, scheme: str) -> "tuple[Also, ...]":
        """The other inputs at which sets of that library and scheme must be right, in the order in which they
        were found: at the last, most sets are wrong, so that sets are judged there first. There are none for
        BFV and BGV, which are right everywhere."""
        return tuple(a for a in self.also if scheme == "ckks" and a.concerns(library))

    def lowerings(self, degrees: Degrees = (), exact: bool = False) -> Lowerings:
        """The circuit's programs in CKKS, with those degrees for approximations that leave them open; in BFV
        and BGV where they are `exact`."""
        apart = exact and self.discrete is not None
        if (degrees, apart) not in self._lowerings:
            whole = (self.in_modulus if exact else self.in_reals) or self.circuit
            made = with_degrees(whole, degrees) if degrees else whole
            self._lowerings[degrees, apart] = Lowerings(made)
        return self._lowerings[degrees, apart]

    @cached_property
    def layouts(self) -> tuple[Layout, ...]:
        """How the inputs may lie in ciphertexts, in some scheme."""
        found = {Layout.BY_COLUMN}
        for exact in (False, True):
            with suppress(FheasibleError):  # what the scheme cannot express is said elsewhere
                found |= set(self.lowerings(exact=exact).layouts)
        return tuple(layout for layout in Layout if layout in found)

    def depth(self, scheme: str, degrees: Degrees = (), as_written: bool = False) -> int:
        """The depth of the circuit itself. A program may be deeper, or shallower where it needs no masks."""
        key = (scheme, degrees, as_written)
        if key not in self._depths:
            self._depths[key] = depth(self.lowerings(degrees, scheme != "ckks").normal(as_written), scheme)
        return self._depths[key]

    def least_depth(self, degrees: Degrees, as_written: bool) -> int:
        """The depth in CKKS that every program needs: parts of vectors may need no masks."""
        parts = sum(node.op is Op.LINEAR for node in self.lowerings(degrees).circuit.nodes())
        return self.depth("ckks", degrees, as_written) - parts

    @cached_property
    def bootstraps(self) -> bool:
        """Whether the circuit bootstraps by hand, so that it cannot do without."""
        return any(node.op is Op.BOOTSTRAP for node in self.circuit.nodes())

    @cached_property
    def approximates(self) -> bool:
        """Whether the circuit has functions that are series on an interval in CKKS."""
        return bool(series_nodes(self.as_approximated))

    @cached_property
    def as_approximated(self) -> Circuit:
        """The circuit as CKKS takes it, with approximations whose degrees are open; the circuit itself where
        CKKS cannot express it, as is said elsewhere."""
        with suppress(UnsupportedOperation):
            return self.in_reals or self.circuit
        return self.circuit

    def approximations(self, degrees: Degrees) -> tuple[Approximation, ...]:
        """Every approximated function once, with those degrees for the open ones."""
        found = dict.fromkeys(n.attribute for n in series_nodes(self.lowerings(degrees).circuit))
        return tuple(approximation(series) for series in found)

    @cached_property
    def approximated(self) -> Approximated:
        """The circuit on the data with the errors of its approximations."""
        return Approximated(self.as_approximated, self.data)

    @cached_property
    def worst_errors(self) -> WorstErrors:
        """How far the approximations may take the results of integers, whatever the inputs are."""
        return WorstErrors(self.as_approximated)

    def reached(self, asked: Asked, degrees: Degrees) -> float:
        """The figure that is asked for, from the approximations alone with those degrees."""
        if not self.real:
            return self.worst_errors.largest(degrees)
        return reached(self.approximated, self.truth, asked, degrees)

    def degrees_to_try(self, asked: Asked) -> tuple[Degrees, ...]:
        """The degrees to try for the open approximations with a wish of that precision, the shallowest
        first."""
        asked = self.rounded(asked)
        if asked not in self._degrees:
            self._degrees[asked] = (
                degrees_to_try(self.approximated, self.truth, asked)
                if self.real
                else degrees_that_round(self.worst_errors, asked)
            )
        return self._degrees[asked]

    def rounded(self, asked: Asked) -> Asked:
        """What approximations are asked for where results are asked for as precisely as that: integers are
        rounded, so that their errors are below a half."""
        return asked if self.real else Asked(Measure.ABSOLUTE, rounds_below(asked))

    def degrees_for(self, library: str, asked: Asked) -> tuple[Degrees, ...]:
        """The degrees to try for sets of that library, with what is needed of them at other inputs too."""
        own, also = self.degrees_to_try(asked), self.elsewhere(library, "ckks")
        if not self.real:  # enough everywhere
            return own
        key = (asked, also)
        if key not in self._degrees_for:
            data = Needed(self.approximated, self.truth, asked)
            others = [Needed(a.there.approximated, a.there.truth, a.needed) for a in also]
            self._degrees_for[key] = with_others(own, data, others)
        return self._degrees_for[key]

    def too_steep(self, asked: Asked) -> str:
        """Why no degrees of the open approximations are enough for that precision, or why the given degrees
        are not where none is open; empty where some are."""
        if asked not in self._too_steep:
            self._too_steep[asked] = self._left_too_much(asked)
        return self._too_steep[asked]

    def _left_too_much(self, asked: Asked) -> str:
        if not self.approximates:
            return ""
        asked = self.rounded(asked)
        degrees = self.degrees_to_try(asked)[-1]
        left = self.reached(asked, degrees)
        if asked.reached_by(left):
            return ""
        given = "the given degrees" if len(series_nodes(self.as_approximated)) > len(degrees) else ""
        tried = f"degrees up to {max(degrees, key=levels)}, the highest tried" if degrees else ""
        said = " and ".join(filter(None, (given, tried)))
        return f"the approximations alone, with {said}, reach only {asked.said(left)}; asked: {asked}"

    @cached_property
    def discrete(self) -> Node | None:
        """The first function of integers that sums and products do not compute; None where there is none."""
        return next((n for n in self.circuit.nodes() if n.op is Op.DISCRETE), None)

    @cached_property
    def in_reals(self) -> Circuit | None:
        """The circuit as CKKS takes it: with series and compositions in place of functions of integers, and
        with functions of vectors in place of loops; None where it is that already. UnsupportedOperation where
        a function has too large a range, or where values wrap around."""
        found = _in_vectors(self.circuit)
        if self.discrete is None:
            return None if found is self.circuit else found
        if modulus(self.circuit) is not None:
            raise UnsupportedOperation(self._wraps)
        return in_reals(found)

    @cached_property
    def in_modulus(self) -> Circuit | None:
        """The circuit with polynomials modulo a prime in place of functions of integers, as BFV and BGV take
        it; None where there is no such function. UnsupportedOperation where one has too large a range,
        InfeasibleParameters where the user's own modulus packs no vectors."""
        if self.discrete is None:
            return None
        t = modulus(self.circuit)
        if t is None:
            t = plain_modulus_above(2 * ceil(self.largest) + 1, PACKING)
        elif unpacked := no_batching(t, RINGS[0]):
            raise unpacked
        return in_modulus(_in_vectors(self.circuit), t)

    @property
    def real(self) -> bool:
        return self.circuit.kind is Kind.REAL

    def unsuited(self, scheme: str) -> str:
        """Why no parameters of the scheme can express the problem; empty where they may."""
        name, t = self.circuit.name, modulus(self.circuit)
        if scheme != "ckks" and self.real:
            return f"{name} needs real numbers, but {scheme.upper()} computes on integers"
        if scheme == "ckks" and t is not None:
            return self._wraps
        if self.discrete is not None:
            found = self._of_no_polynomial(scheme, self.discrete)
            if found or scheme != "ckks":
                return found
        return self._of_no_known_size() if scheme == "ckks" and not (self.real or self.trusted) else ""

    @property
    def _wraps(self) -> str:
        return (
            f"{self.circuit.name} wraps around modulo {modulus(self.circuit)}, but CKKS computes on real "
            "numbers, which do not wrap around"
        )

    def _of_no_polynomial(self, scheme: str, found: Node) -> str:
        """Why the scheme cannot express a function of integers; empty where polynomials can."""
        try:
            whole = self.in_reals if scheme == "ckks" else self.in_modulus
        except FheasibleError as error:
            return error.message
        if scheme == "ckks":  # which bootstraps
            return ""
        levels = depth(whole, "bfv") if whole else 0
        return "" if levels <= MOST_LEVELS else self._too_many(levels, found)

    def _too_many(self, levels: int, found: Node) -> str:
        return at(
            found.where,
            f"as polynomials modulo a prime, the functions of integers take {levels} products in succession,"
            f" but rings of 2^15, the largest that such a prime packs, carry about {MOST_LEVELS}",
        )

    def _of_no_known_size(self) -> str:
        """Why CKKS may lack modulus for an output of integers that is 0 at all inputs that were tried; empty
        where there is no such output."""
        unknown = (name for name, _ in self.circuit.outputs if not self.largest_result(name))
        return next(
            (f"no input was found at which {name} is not 0, so that its size is unknown" for name in unknown),
            "",
        )

    @property
    def elements(self) -> int:
        """The number of encrypted numbers that go in."""
        return sum(i.length for i in self.circuit.inputs)

    @property
    def largest(self) -> float:
        """A size that no value of the circuit exceeds."""
        return max(max(abs(low), abs(high)) for low, high in self.bounds.values())

    def gains(self, program: Program) -> Gains:
        """How noise reaches the outputs of that program, at these data."""
        if program not in self._gains:
            same = content(program)  # shared by programs of several libraries: one pass through the slots
            if same not in self._gains_of:
                self._gains_of[same] = gains(program, self.data, known=self._last.pop(same, None))
            self._gains[program] = self._gains_of[same]
        return self._gains[program]

    def rehearsed(
        self,
        program: Program,
        p: CkksParameters,
        louder: float = 1.0,
        offsets: bool = True,
        beside: Mapping[str, Rehearsed] | None = None,
    ) -> dict[str, Rehearsed]:
        """The outputs of that program at these data, with `louder` times a library's noise and with rounded
        numbers; with executions of `offsets` alone, or without. `beside`: those with the library's own noise,
        beside which offsets alone are `louder`."""
        key = program, p, louder, offsets, beside is not None
        if key not in self._rehearsed:
            made = rehearsed(
                program, p, self.data, self.gains(program), louder, offsets=offsets, beside=beside
            )
            self._rehearsed[key] = made
        return self._rehearsed[key]

    def rehearse(self, program: Program, p: CkksParameters, louder: Iterable[float]) -> None:
        """Makes rehearsals that will be asked for (`rehearsed`), where they are made sooner together."""
        keys = {each: (program, p, each, True, False) for each in louder}
        left = [each for each, key in keys.items() if key not in self._rehearsed]
        if len(left) > 1 and quicker_together(program, len(left)):
            made = rehearsals(program, p, self.data, self.gains(program), left)
            self._rehearsed |= {keys[each]: m for each, m in zip(left, made, strict=True)}

    def expected(self, program: Program) -> SlotValues:
        """The largest size of each value that was found anywhere in the declared ranges, these data among
        them: a modulus must hold it."""
        if program not in self._expected:
            same = content(program)
            if same not in self._expected_of:
                self._last.clear()
                own, others = self._seen(same, program)
                self._expected_of[same] = SlotValues(np.max([own.largest, *others], axis=0))
            self._expected[program] = self._expected_of[same]
        return self._expected[program]

    def _seen(self, same: Hashable, program: Program) -> tuple[Gains | SlotValues, NDArray[np.float64]]:
        """The values at these data, and the largest slots at each of `extremes`. Gains that are not known yet
        are not worked out, since they may be asked for next, or never."""
        others = [point.data for point in self.extremes]
        if same in self._gains_of:
            return self._gains_of[same], largest_at(program, others)
        self._last[same], found = seen(program, self.data, others)
        return self._last[same], found

    @cached_property
    def extremes(self) -> tuple[Point, ...]:
        """The inputs with the largest results that were found in the declared ranges; none where the data are
        trusted."""
        return () if self.trusted else largest(self.circuit)

    @property
    def at_the_largest(self) -> Point | None:
        """The one of `extremes` with the largest element of any output; None where there are no extremes."""
        outputs = [node for _, node in self.circuit.outputs]
        return max(self.extremes, key=lambda p: max(map(p.largest, outputs)), default=None)

    def largest_result(self, name: str) -> float:
        """The largest element of that output, without its sign, for the data and for `extremes`."""
        node = dict(self.circuit.outputs)[name]
        seen = float(np.abs(np.asarray(self.truth[name], dtype=np.float64)).max())
        return max([seen, *(point.largest(node) for point in self.extremes)])

    def plain_modulus(self, ring_dimension: int) -> int:
        """The user's own modulus, or the least prime = 1 modulo 2N that distinguishes all values.

        InfeasibleParameters where the user's does not allow batching at N, or none is small enough.
        """
        own = modulus(self.in_modulus or self.circuit)
        if own is not None:
            unpacked = no_batching(own, ring_dimension)
            if unpacked:
                raise unpacked
            return own
        return plain_modulus_above(2 * ceil(self.largest) + 1, ring_dimension)


@lru_cache(maxsize=16)
def _in_vectors(circuit: Circuit) -> Circuit:
    """The circuit with functions of elements as functions of whole vectors, so that each becomes a polynomial
    once; as it is where no loop over elements makes it shorter so."""
    written = _functions(circuit)
    found = with_like_terms(simplify(circuit)) if written else circuit
    return found if _functions(found) < written else circuit


def _functions(circuit: Circuit) -> int:
    return sum(n.op in (Op.DISCRETE, Op.CHEBYSHEV) for n in circuit.nodes())
