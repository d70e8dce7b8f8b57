"""Libraries of vectors and libraries of table look-ups together: the ranking says which of them, and why."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from math import inf
from pathlib import Path
from time import perf_counter

from fheasible import units
from fheasible.api import lookup_asking
from fheasible.api.answer import Answer
from fheasible.api.asking import Subject
from fheasible.api.listing import title
from fheasible.api.lookup_answer import LookupAnswer, refused
from fheasible.api.lookups import Lookups
from fheasible.api.options import Options
from fheasible.api.platform import Each, Execution, Platform, Ran, Reported, Sweeping, Swept, Talk, TypedGrid
from fheasible.api.residues import Residues
from fheasible.api.text import why_not
from fheasible.circuit.trace import App
from fheasible.errors import UsageError
from fheasible.estimation.lookup_profile import LookupProfile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.failing import run_goes_wrong
from fheasible.exploration.lookups.pinning import of_lookups
from fheasible.exploration.lookups.search import LookupExploration, explore_lookups, score_at_most
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.reasons.switching import by_switching
from fheasible.exploration.search.search import Exploration
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES
from fheasible.store.rows import StoredExploration
from fheasible.store.store import Store

Found = Answer | LookupAnswer
Sentence = tuple[str, str]  # what it is about, as a heading, and the sentence


class Joint(Platform):
    """Both kinds, where no library is named, or some of each."""

    def names(self) -> tuple[str, ...]:
        return (*Residues().names(), *Lookups().names())

    def refuse(self, asked: Options) -> None:
        Residues().refuse(asked)

    def explore(
        self,
        app: Subject,
        asked: Options,
        talk: Talk,
        everything: bool = False,
        each: Each | None = None,
    ) -> Found:
        vectors, tables = _named(asked)
        if of_lookups(asked.params):
            _refuse_vectors(asked, vectors)
            Lookups().refuse(asked)
            return Lookups().explore(app, replace(asked, libraries=tables), talk, everything, each)
        if asked.scheme is not None and _of_lookups(asked.scheme):
            Lookups().refuse(asked)
            return Lookups().explore(app, replace(asked, libraries=tables), talk, everything, each)
        elsewhere, begun = None, perf_counter()
        if asked.scheme is None:
            elsewhere = Beside(replace(asked, libraries=tables), talk)
        found = Residues().explore(
            app, replace(asked, libraries=vectors), talk, everything, each, elsewhere=elsewhere
        )
        if asked.scheme is not None:
            return found
        asked = replace(asked, libraries=tables)
        reason = unjudged(asked, found.exploration.problem.real)
        if reason:
            return found.having((_left_out(asked, reason),), ())
        return joined(found, asked, talk, begun, (_not_in_csv(asked),) if each is not None else ())

    def verify(self, answer: Found, how: Execution, talk: Talk) -> Ran:
        if isinstance(answer, LookupAnswer):
            return Lookups().verify(answer, how, talk)
        return Residues().verify(answer, how, talk)

    def report(self, stored: StoredExploration, store: Store) -> Reported:
        return Residues().report(stored, store)

    def run(self, app: App | str | Path, asked: Options, how: Execution, talk: Talk) -> Ran:
        raise UsageError(
            "a run takes one library, but several were named", f"give one: --library {asked.libraries[0]}"
        )

    def sweep(self, what: str, grid: TypedGrid, asked: Options, how: Sweeping, talk: Talk) -> Swept:
        raise UsageError(
            "a sweep takes one library, because the parameters of libraries differ",
            f"sweep one after the other: --library {asked.libraries[0]}",
        )


def _named(asked: Options) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The libraries of vectors and of table look-ups that are asked for; none for all."""
    tables = tuple(name for name in asked.libraries if name in LOOKUP_LIBRARIES)
    return tuple(name for name in asked.libraries if name not in tables), tables


def _refuse_vectors(asked: Options, vectors: tuple[str, ...]) -> None:
    """Raises UsageError where parameters of table look-ups are pinned, and others too, or other libraries."""
    foreign = [name for name in asked.params or () if not of_lookups([name])]
    if foreign:
        raise UsageError(
            f"no set has {units.listing(list(asked.params or ()))}: {foreign[0]} is no parameter of table "
            "look-ups",
            f"leave {foreign[0]} out, or the others",
        )
    if vectors:
        raise UsageError(
            f"{vectors[0]} has no {next(iter(asked.params or ()))}, which is a parameter of table look-ups",
            f"leave --library {vectors[0]} out, or pin another parameter",
        )


def _of_lookups(scheme: str) -> bool:
    return any(scheme.lower() in lib.schemes for lib in LOOKUP_LIBRARIES.values())


def unjudged(asked: Options, real: bool) -> str:
    """Why no search among table look-ups judges what is asked; empty where one does. Look-ups on integers are
    exact for every input in the declared ranges, so that any data stand for all of them."""
    if asked.params:
        return f"table look-ups have no {units.listing(list(asked.params), 'or')}, which is pinned."
    if asked.swap is not None:
        return (
            "what swapping takes is predicted for libraries of vectors alone. Leave --swap out to rank table "
            "look-ups, too."
        )
    if asked.worst_case and real:
        return (
            "reals in fixed point are judged on the data alone. Leave --worst-case out to rank table "
            "look-ups, too."
        )
    return ""


def _left_out(asked: Options, reason: str) -> Sentence:
    return f"why not {_kinds(asked)}:", reason


def _not_in_csv(asked: Options) -> Sentence:
    names = " ".join(f"--library {lib.name}" for lib in lookup_asking.libraries_of(asked))
    return (
        f"not in the CSV file: {_kinds(asked)}.",
        f"Sets of table look-ups have other columns. Take --json, which has all candidates, with {names} for "
        "them alone.",
    )


def _kinds(asked: Options) -> str:
    found = (f"{lib.title} {s.upper()}" for lib in lookup_asking.libraries_of(asked) for s in lib.schemes)
    return units.listing(list(found))


class Beside:
    """Table look-ups on integers beside a search among vectors (`Elsewhere`). There are none for reals, whose
    fixed point takes longer to search, and none where no search among them judges what is asked."""

    def __init__(self, asked: Options, talk: Talk) -> None:
        self._asked, self._talk = asked, talk
        self._libraries = lookup_asking.libraries_of(asked)
        self._at_most: float | None = None

    @cached_property
    def _profiles(self) -> Mapping[str, LookupProfile]:
        return lookup_asking.profiles_of(self._talk, self._libraries)

    def judges(self, problem: Problem) -> bool:
        return not (problem.real or unjudged(self._asked, real=False))

    @property
    def parts(self) -> tuple[object, ...]:
        return *self._libraries, *self._profiles.values()

    def score(self, problem: Problem, seconds: float) -> float:
        wish = self._asked.wish
        best = explore_lookups(problem, wish, self._libraries, self._profiles, recommended=seconds).best
        return best.figures["score"] if best and best.estimate.timed else inf

    def score_at_most(self, problem: Problem) -> float:
        if self._at_most is None:
            self._at_most = score_at_most(problem, self._asked.wish, self._libraries, self._profiles)
        return self._at_most


def joined(vectors: Answer, asked: Options, talk: Talk, begun: float, notes: tuple[Sentence, ...]) -> Found:
    """The better of both answers, which says what the other would take. `notes` are said after that. `begun`:
    when the search began."""
    exploration = vectors.exploration
    libraries = lookup_asking.libraries_of(asked)
    best = exploration.best
    seconds = best.estimate.run_seconds if best and best.estimate.run_seconds else None
    tables = lookup_asking.answered(
        exploration.problem, asked.wish, libraries, vectors.app, vectors.seed, talk, seconds
    )
    if leads(tables.exploration, exploration):
        others = tuple(c.to_json(c in exploration.front) for c in exploration.candidates)
        own = tables.exploration.best
        switching = by_switching(exploration, own.seconds if own else None, vectors.profiles)
        told = (
            *_vectors_beside(tables.exploration, exploration),
            *why_not(exploration),
            *(("why not scheme switching:", sentence) for sentence in switching),
            *notes,
        )
        return replace(
            tables,
            exploration=replace(tables.exploration, seconds=perf_counter() - begun),
            beside=told,
            others=others,
            of_vectors=exploration.explored,
        )
    found = tables.exploration
    return vectors.having(
        (*_tables_beside(found, exploration, tables), *notes),
        tuple(c.to_json(c in found.front) for c in found.candidates),
    )


def leads(tables: LookupExploration, vectors: Exploration) -> bool:
    """Whether the best of table look-ups is better than the best of vectors. Exact results are preferred to
    rounded ones where predictions cannot tell them apart."""
    ours, theirs = tables.best, vectors.best
    if ours is None or theirs is None:
        return ours is not None
    if not ours.estimate.timed or not theirs.estimate.timed:
        return False
    ratio = ours.figures["score"] / theirs.cost(tables.wish.goal)
    return ratio < (1 + (ours.estimate.error_band or 0.0) if theirs.rounded else 1.0)


def _vectors_beside(tables: LookupExploration, vectors: Exploration) -> Iterator[Sentence]:
    """(heading, sentence) for the best set of each library and scheme of vectors."""
    best = tables.best
    assert best is not None
    seen: set[tuple[str, str]] = set()
    for c in vectors.candidates:
        kind = (c.library, c.scheme)
        if kind not in seen:
            ratio = c.cost(tables.wish.goal) / best.figures["score"]
            yield f"why not {title(c.library)} {c.scheme.upper()}:", _vector_sentence(c, ratio, tables)
        seen.add(kind)


def _vector_sentence(c: Candidate, ratio: float, tables: LookupExploration) -> str:
    said = [
        f"it takes {units.seconds(c.estimate.run_seconds)}, {_times(ratio)} the "
        f"{tables.wish.goal.said(c.estimate.timed)} (N = {units.power_of_two(c.parameters.ring_dimension)}"
        f"{_deep(c)})"
    ]
    if c.rounded:
        said.append("and its integers are rounded, not exact")
    return f"{', '.join(said)}. {_crossing(tables, 1 / ratio, False)}".rstrip()


def _deep(c: Candidate) -> str:
    many = c.program.bootstrap_count if c.program.bootstraps else 0
    return f", {many} bootstrap{'s' * (many != 1)}" if many else f", depth {c.request.depth}"


def _tables_beside(
    tables: LookupExploration, vectors: Exploration, answer: LookupAnswer
) -> Iterator[Sentence]:
    """(heading, sentence) for the best set of each library of table look-ups, and why others have none."""
    best, seen = vectors.best, set()
    for c in tables.candidates:
        kind = (c.library.name, c.scheme)
        if kind not in seen:
            yield f"why not {c.title}:", _table_sentence(c, best, tables)
        seen.add(kind)
    yield from refused(tables, answer.libraries)


def _table_sentence(c: LookupCandidate, best: Candidate | None, tables: LookupExploration) -> str:
    e = c.encoded.encoding
    seconds = "an unknown time" if c.seconds is None else units.seconds(c.seconds)
    count = c.encoded.lookups
    what = f"{count:,} table look-ups ({e}), {c.encoded.depth} in succession," if count else f"sums ({e})"
    takes = f"its {what} take {seconds}"
    failing = f"a {run_goes_wrong(c.estimate.log2_failure)}"
    if best is None or not c.estimate.timed or not best.estimate.timed:
        return f"{takes}; {failing}."
    ratio = c.figures["score"] / best.cost(tables.wish.goal)
    said = f"{takes}, {_times(ratio)} the {tables.wish.goal.said()}; {failing}."
    return f"{said} {_crossing(tables, ratio, True)}".rstrip()


def _crossing(tables: LookupExploration, ratio: float, vectors_lead: bool) -> str:
    """A sentence on how many elements there would be where both take the same time, if table look-ups take
    `ratio` times the time of vectors now. They take as much time for each element; vectors take the same time
    until their slots are full."""
    longest = max((n.length for n in tables.problem.circuit.inputs), default=1)
    if not tables.wish.goal.of_time or longest == 1 or not ratio:
        return ""
    crossing = longest / ratio
    if vectors_lead:
        if crossing < 1:
            return "They would be slower even for a single element."
        return f"With fewer than about {crossing:,.0f} elements instead of {longest:,}, they would be faster."
    return f"With more than about {crossing:,.0f} elements instead of {longest:,}, it would be faster."


def _times(ratio: float) -> str:
    return f"{ratio:,.0f} times" if ratio >= 10 else f"{ratio:.2f} times"
