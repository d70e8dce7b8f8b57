"""Try every encoding with every set of parameters, keep what does what was asked, put the best first."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import inf
from time import perf_counter
from typing import Final

from fheasible import units
from fheasible.aliases import Json
from fheasible.errors import CircuitError
from fheasible.estimation.lookup_profile import LookupProfile
from fheasible.estimation.lookups import estimate
from fheasible.exploration.judging.judge import beyond
from fheasible.exploration.lookups.candidate import LookupCandidate, used
from fheasible.exploration.lookups.encodings import MANY, Encoded, encoded, encoded_as, usual
from fheasible.exploration.lookups.failing import once
from fheasible.exploration.lookups.pinned import has
from fheasible.exploration.lookups.space import Tried, own, promising, shipped
from fheasible.exploration.problem.pins import Pins
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.search.search import Rejected
from fheasible.libraries.lookup_library import LookupLibrary, LookupTask
from fheasible.lowering.lookups.builder import TooManyLookups
from fheasible.units import MIB

Report = Callable[[str, int], None]
PATIENCE = 100.0  # where look-ups take so many times as long as another kind of library, one estimate says it
LESS_PATIENCE = 10.0  # the same where there are many
BY_FAR = 1.25  # times as many look-ups as there is patience for: a program that begins with them is given up
_FRONT = ("score", "time", "peak_bytes", "communication")


@dataclass(frozen=True, slots=True)
class LookupExploration:
    """The result of a search. `candidates` are feasible, best first: the best of each library, scheme and
    encoding, and the rest of the front. `encodings` are those that express the application. `explored` and
    `feasible` count sets with encodings."""

    problem: Problem
    wish: Wish
    explored: int
    feasible: int
    seconds: float
    candidates: tuple[LookupCandidate, ...]
    front: frozenset[LookupCandidate]
    ties: frozenset[LookupCandidate]
    rejected: tuple[Rejected, ...]
    encodings: tuple[Encoded, ...] = ()
    alarms: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()  # what each pin keeps out, where nothing fits

    @property
    def best(self) -> LookupCandidate | None:
        return self.candidates[0] if self.candidates else None

    def to_json(self) -> Json:
        return {
            "app": self.problem.circuit.name,
            "data": self.problem.source,
            "approximations": [],
            "explored": self.explored,
            "feasible": self.feasible,
            "front": len(self.front),
            "seconds": self.seconds,
            "candidates": [c.to_json(c in self.front) | {"tie": c in self.ties} for c in self.candidates],
            "rejected": [asdict(r) for r in self.rejected],
            "excluded_by_pins": list(self.excluded),
            "warnings": [*self.alarms, *self.problem.warnings],
        }


_KEPT: Final = ("look-ups",)  # under which a problem keeps what was found


@dataclass(slots=True)
class _Missed:
    """Why sets of one library's scheme were left out: how many for each limit, and the nearest miss."""

    counts: Counter[str] = field(default_factory=Counter)
    nearest: dict[str, tuple[float, str]] = field(default_factory=dict)

    def add(self, limit: str, distance: float, reason: str) -> None:
        self.counts[limit] += 1
        if limit not in self.nearest or distance < self.nearest[limit][0]:
            self.nearest[limit] = (distance, reason)

    @property
    def said(self) -> str:
        """The nearest miss of the limit that was checked last, which the sets came closest to keeping."""
        for limit in reversed(LIMITS):
            if limit in self.nearest:
                return self.nearest[limit][1]
        return "it has no set whose ciphertexts hold the digits of this application"


LIMITS = ("refused", "security", "failure", "keys", "ciphertext", "memory", "time")
"""What a set has to keep, in the order in which it is checked."""


def explore_lookups(
    problem: Problem,
    wish: Wish,
    libraries: Sequence[LookupLibrary],
    profiles: Mapping[str, LookupProfile],
    report: Report = lambda _, __: None,
    recommended: float | None = None,
    longest: float = inf,
) -> LookupExploration:
    """What libraries of the TFHE family offer for the application, judged against the wish.

    `recommended`: the seconds of the best set of another kind. Where a run takes many times as long with any
    set, nothing is searched, and said why. It is infinite where such a set is still to be found: then only
    programs of many look-ups are given up. Encodings with more than `longest` steps are left out, and all but
    one where look-ups are very many.
    """
    start = perf_counter()
    slow = None if recommended is None else too_slow(problem, libraries, profiles, recommended)
    if slow:
        return _none(problem, wish, libraries, slow, perf_counter() - start)
    asked = wish, longest, [(lib, profiles.get(lib.name)) for lib in libraries]
    known = problem.kept.get(_KEPT)
    if known is None or known[0] != asked:  # the last one alone: long programs take gigabytes
        known = problem.kept[_KEPT] = asked, _explored(problem, wish, libraries, profiles, report, longest)
    found: LookupExploration = known[1]
    return found


def score_at_most(
    problem: Problem, wish: Wish, libraries: Sequence[LookupLibrary], profiles: Mapping[str, LookupProfile]
) -> float:
    """The score of the best set that a library ships with the usual encoding, which the best set of all does
    not exceed; infinite where there is none, or where the application takes very many look-ups."""
    try:
        way = encoded_as(problem, usual(problem), MANY)
    except (CircuitError, TooManyLookups):
        return inf
    search = _Search(wish, profiles)
    found = (
        search(lib, [(way, each) for each in shipped(lib, way) if has(wish.pins, each)]) for lib in libraries
    )
    return min((c.figures["score"] for of in found for c in of if c.estimate.timed), default=inf)


def _none(
    problem: Problem, wish: Wish, libraries: Sequence[LookupLibrary], reason: str, seconds: float
) -> LookupExploration:
    """An exploration that found nothing for that reason."""
    rejected = tuple(Rejected(lib.name, s, reason) for lib in libraries for s in lib.schemes)
    return LookupExploration(problem, wish, 0, 0, seconds, (), frozenset(), frozenset(), rejected)


def _explored(
    problem: Problem,
    wish: Wish,
    libraries: Sequence[LookupLibrary],
    profiles: Mapping[str, LookupProfile],
    report: Report,
    longest: float,
) -> LookupExploration:
    start = perf_counter()
    ways, reason = encoded(problem, wish.least, longest, wish.pins)
    if not ways:
        return _none(problem, wish, libraries, reason, perf_counter() - start)
    search = _Search(wish, profiles)
    found: list[LookupCandidate] = []
    for library in libraries:
        report(library.name, search.explored)
        found.extend(search(library, _tried(library, ways, wish, profiles.get(library.name))))
    return _answered(problem, wish, search, found, ways, libraries, perf_counter() - start)


def _tried(
    library: LookupLibrary, ways: Sequence[Encoded], wish: Wish, profile: LookupProfile | None
) -> list[tuple[Encoded, Tried]]:
    """The sets of a library that are judged, each with its encoding."""
    found = [(way, each) for way in ways for each in shipped(library, way)]
    chosen = promising(library, ways, profile)
    found += [(way, each) for way in chosen for each in own(library, way, wish)]
    return [(way, each) for way, each in found if has(wish.pins, each)]


def too_slow(
    problem: Problem,
    libraries: Sequence[LookupLibrary],
    profiles: Mapping[str, LookupProfile],
    recommended: float,
) -> str:
    """Why no set can run the application in anything like so many seconds, by the look-ups of the usual
    encoding; empty where one might, or where no times are known."""
    encoding = usual(problem)
    each = [
        profiles[lib.name].seconds(LookupTask.LOOKUP, lib.work(LookupTask.LOOKUP, s.scheme, s.parameters))
        for lib in libraries
        if lib.name in profiles
        for s in lib.named.values()
        if lib.most_values(s.parameters) >= encoding.modulus
    ]
    one = min(each, default=0.0)
    try:
        way = encoded_as(problem, encoding, _most(recommended, one))
    except CircuitError as error:
        return error.message
    except TooManyLookups as error:
        taking = f"the application's first {error.lookups:,} table look-ups with {encoding} alone take"
        return _slow(error.lookups * one, recommended, taking)
    if way.lookups * one <= PATIENCE * recommended:
        return ""
    many = f"the application takes {way.lookups:,} table look-ups with {encoding}"
    taking = f"{many}, {way.depth} in succession. They take"
    return _slow(way.lookups * one, recommended, taking)


def _most(recommended: float, one: float) -> float:
    """How many look-ups that take so long each are written, where another set takes the `recommended`
    seconds."""
    if recommended == inf or not one:
        return MANY if recommended == inf else inf
    times = recommended / one
    return BY_FAR * max(min(PATIENCE * times, MANY), LESS_PATIENCE * times)


def _slow(seconds: float, recommended: float, taking: str) -> str:
    times = f"{seconds / recommended:,.0f} times as long as the recommended set takes"
    return f"{taking} at least {units.seconds(seconds)}, which is {times}"


class _Search:
    """Judges the sets of one library and encoding after the other."""

    def __init__(self, wish: Wish, profiles: Mapping[str, LookupProfile]) -> None:
        self.wish, self.profiles = wish, profiles
        self.explored = 0
        self.missed: dict[tuple[str, str], _Missed] = {}

    def __call__(
        self, library: LookupLibrary, sets: Sequence[tuple[Encoded, Tried]]
    ) -> Iterator[LookupCandidate]:
        """The feasible candidates."""
        from fheasible.security.tfhe import security_of_all  # which loads scipy

        known = [tried.parameters for _, tried in sets if not library.refusal(tried.scheme, tried.parameters)]
        security_of_all(known, self.wish.quantum)  # one estimate for all, which is kept
        for way, tried in sets:
            self.explored += 1
            missed = self.missed.setdefault((library.name, tried.scheme), _Missed())
            candidate = self._judged(library, way, tried, missed)
            if candidate is not None:
                yield candidate

    def _judged(
        self, library: LookupLibrary, way: Encoded, tried: Tried, missed: _Missed
    ) -> LookupCandidate | None:
        refusal = library.refusal(tried.scheme, tried.parameters)
        if refusal:
            missed.add("refused", 0.0, refusal)
            return None
        from fheasible.security.tfhe import security_bits

        bits, asked = security_bits(tried.parameters, self.wish.quantum), self.wish.security
        if bits < asked:
            named = f", {tried.name}," if tried.name else ""
            reason = (
                f"its set nearest to {asked} bits of security{named} has {bits:.0f} bits by today's estimate"
            )
            missed.add("security", asked - bits, reason)
            return None
        candidates = [self._candidate(library, way, tried, bits, threads) for threads in self._threads]
        best = min(candidates, key=lambda c: c.figures["score"])
        return best if self._keeps(best, missed) else None

    @property
    def _threads(self) -> tuple[int, ...]:
        return tuple(self.wish.cores if n is None else n for n in self.wish.threads)

    def _candidate(
        self, library: LookupLibrary, way: Encoded, tried: Tried, bits: float, threads: int
    ) -> LookupCandidate:
        return candidate_of(library, way, tried, bits, self.wish, self.profiles.get(library.name), threads)

    def _keeps(self, c: LookupCandidate, missed: _Missed) -> bool:
        """Whether the candidate keeps all limits; the first that it does not is noted."""
        for limit, distance, reason in misses(c, self.wish):
            missed.add(limit, distance, reason)
            return False
        return True


def candidate_of(
    library: LookupLibrary,
    way: Encoded,
    tried: Tried,
    bits: float,
    wish: Wish,
    profile: LookupProfile | None,
    threads: int = 1,
) -> LookupCandidate:
    """The candidate with everything that is predicted of it."""
    p = tried.parameters
    failing, worst = way.norms.failures(p, library.transforms(p).mantissa_bits)
    predicted = estimate(
        way.work,
        library,
        tried.scheme,
        p,
        profile,
        log2_failure=failing,
        log2_lookup_failure=worst,
        security_bits=bits,
        threads=library.threading.used(threads, threads),
    )
    made = LookupCandidate(library, tried.scheme, tried.name, p, way, predicted)
    return replace(made, figures=used(made, wish))


def misses(c: LookupCandidate, wish: Wish) -> Iterator[tuple[str, float, str]]:
    """(limit, how far it is missed, reason) for each limit that the candidate does not keep."""
    e, name = c.estimate, c.name or f"our set for {c.encoded.encoding}"
    if -e.log2_failure < wish.failure_bits:
        yield (
            "failure",
            wish.failure_bits + e.log2_failure,
            f"a run of {c.encoded.lookups:,} look-ups goes wrong once in {once(e.log2_failure)} at best "
            f"({name}), but only once in 2^{wish.failure_bits:g} is allowed",
        )
    keys = (e.sizes.public_key or 0) + e.sizes.evaluation_key
    figures = (
        ("keys", " for all keys", keys, wish.max_key_bytes),
        ("ciphertext", " for a ciphertext", e.sizes.ciphertext, wish.max_ciphertext_bytes),
        ("memory", " at the peak", e.peak_bytes, wish.max_bytes),
    )
    for limit, what, value, most in figures:
        if most is not None and value > most:
            yield limit, float(value - most), beyond(value / MIB, most / MIB, " MiB", what)
    seconds = c.seconds
    if wish.max_seconds is not None and seconds is not None and seconds > wish.max_seconds:
        yield "time", seconds - wish.max_seconds, beyond(seconds, wish.max_seconds, " s")


def _answered(
    problem: Problem,
    wish: Wish,
    search: _Search,
    found: Sequence[LookupCandidate],
    ways: Sequence[Encoded],
    libraries: Sequence[LookupLibrary],
    seconds: float,
) -> LookupExploration:
    ordered = sorted(found, key=lambda c: (c.figures["score"], c.estimate.peak_bytes))
    front = _front(ordered)
    shown = _shown(ordered, front)
    there = {(c.library.name, c.scheme) for c in ordered}
    alone = f"; {said}" if (said := _alone(ways, wish.pins)) else ""
    rejected = tuple(
        Rejected(lib.name, scheme, _why_nothing(wish.pins, search.missed.get((lib.name, scheme))) + alone)
        for lib in libraries
        for scheme in lib.schemes
        if (lib.name, scheme) not in there
    )
    return LookupExploration(
        problem, wish, search.explored, len(found), seconds, shown, front & set(shown), _ties(shown),
        rejected, tuple(ways), tuple(_alarms(wish, libraries, search.profiles, ways)),
    )  # fmt: skip


def _why_nothing(pins: Pins, missed: _Missed | None) -> str:
    if pins and missed is None:
        return f"no set that is searched has {pins}"
    return (missed or _Missed()).said


def _alarms(
    wish: Wish,
    libraries: Sequence[LookupLibrary],
    profiles: Mapping[str, LookupProfile],
    ways: Sequence[Encoded],
) -> Iterator[str]:
    unknown = [lib for lib in libraries if lib.name not in profiles]
    if wish.max_seconds is not None and unknown:
        titles, named = [lib.title for lib in unknown], [f"--library {lib.name}" for lib in unknown]
        yield (
            f"the limit on time cannot be checked for {units.listing(titles)}, which has no profile here; "
            f"remedy: fheasible calibrate {' '.join(named)}"
        )
    if said := _alone(ways, wish.pins):
        yield said


def _alone(ways: Sequence[Encoded], pins: Pins) -> str:
    """That only one of the encodings was searched; empty where all were."""
    if len(ways) != 1 or ways[0].lookups < MANY or ("message" in pins and "carry" in pins):
        return ""
    e = ways[0].encoding
    return (
        f"with so many look-ups, only {e} was searched, and other digits may do better: "
        "try --param message=2 --param carry=2, or 8 for both"
    )


def _front(ordered: Sequence[LookupCandidate]) -> frozenset[LookupCandidate]:
    """The candidates that no other beats in score, time, memory and bytes at once."""
    front: list[tuple[LookupCandidate, tuple[float, ...]]] = []
    for c in ordered:
        own = tuple(c.figures[name] for name in _FRONT)
        if not any(all(a <= b for a, b in zip(other, own, strict=True)) for _, other in front):
            front.append((c, own))
    return frozenset(c for c, _ in front)


def _shown(
    ordered: Sequence[LookupCandidate], front: frozenset[LookupCandidate]
) -> tuple[LookupCandidate, ...]:
    """The best of each library, scheme and encoding, of shipped sets and of our own, and the front."""
    kinds: dict[object, LookupCandidate] = {}
    for c in ordered:
        kinds.setdefault((c.library.name, c.scheme, bool(c.name), c.encoded.encoding), c)
    kept = set(kinds.values()) | front
    return tuple(c for c in ordered if c in kept)


def _ties(shown: Sequence[LookupCandidate]) -> frozenset[LookupCandidate]:
    """Those that the error of prediction does not distinguish from the best."""
    if not shown:
        return frozenset()
    best, *others = shown
    return frozenset(c for c in others if c.figures["score"] <= best.figures["score"] * (1 + band(best, c)))


def band(a: LookupCandidate, b: LookupCandidate) -> float:
    """By how much two predicted figures may differ though the real ones are equal. Sets of one library that
    do the same kind of work err alike."""
    bands = [c.estimate.error_band or 0.0 for c in (a, b)]
    return max(bands) if a.library is b.library else sum(bands)
