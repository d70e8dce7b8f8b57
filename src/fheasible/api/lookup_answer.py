"""The answer of `explore` for libraries of the TFHE family: the sets, best first, and why."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from fheasible import units
from fheasible.aliases import Json
from fheasible.api.answer import merged
from fheasible.api.answered import Frame, InParts, Ranked
from fheasible.api.command import wrapped
from fheasible.api.headline import asked, counted, inputs_and_results
from fheasible.api.html import UNBROKEN, answered
from fheasible.api.installed import state
from fheasible.api.layout import Column, Part, grid, paragraph
from fheasible.api.listing import BEST, FRONT, TIE, told_marks
from fheasible.api.remedies import LESS_PINNED
from fheasible.api.summary import Line, of_lookups
from fheasible.api.text import TextPage
from fheasible.api.told import told
from fheasible.errors import InfeasibleParameters
from fheasible.estimation.lookup_profile import LookupProfile
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.failing import probability
from fheasible.exploration.lookups.reasons import explain
from fheasible.exploration.lookups.search import LookupExploration
from fheasible.exploration.problem.problem import Problem
from fheasible.extras import need
from fheasible.libraries.lookup_library import LookupLibrary
from fheasible.measurement.registry import command as worker_command
from fheasible.schemes.tfhe.parameters import Gadget, TfheParameters
from fheasible.store.store import Store

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]

_COLUMNS = (
    Column("", left=True),
    Column("library", left=True),
    Column("scheme", left=True, spare=6),
    Column("digits", left=True),
    Column("look-ups"),
    Column("N", left=True, spare=4),
    Column("n", spare=5),
    Column("time"),
    Column("memory", spare=1),
    Column("keys", spare=3),
    Column("failure"),
    Column("security", spare=2),
    Column("set", left=True),
)


def remedy(real: bool) -> str:
    """What to try where nothing fits an application of real numbers, or of integers."""
    precision = "ask for less precision (--precision), or " if real else ""
    return (
        f"{precision}allow more time, memory or larger keys, or more frequent failures (--failure), or make "
        "the ranges of the inputs smaller"
    )


@dataclass(frozen=True, eq=False)
class LookupAnswer(Ranked[LookupCandidate], InParts, Frame):
    """Sets of libraries of the TFHE family, best first, with the reasons. `called`: the application's name on
    the command line; `place`: the store's place. `beside`: sentences on what other kinds of libraries would
    take; `others`: their candidates, as they are in a document; `of_vectors`: how many sets of theirs were
    explored."""

    exploration: LookupExploration
    libraries: tuple[LookupLibrary, ...]
    profiles: Mapping[str, LookupProfile]
    app: str | None
    seed: int | None
    place: str | Path | None = None
    beside: tuple[tuple[str, str], ...] = ()
    others: tuple[Json, ...] = field(default=(), repr=False)
    of_vectors: int = 0

    @property
    def problem(self) -> Problem:
        return self.exploration.problem

    @property
    def called(self) -> str:
        return self.app or f"{self.problem.circuit.name}.py"

    @cached_property
    def why(self) -> list[str]:
        """The reasons for the recommendation, as sentences."""
        return explain(self.exploration, self.profiles)

    @property
    def headline(self) -> list[str]:
        return list(_headline(self.exploration, self.of_vectors))

    @property
    def against(self) -> list[Line]:
        return [*self.beside, *refused(self.exploration, self.libraries)]

    @property
    def remedies(self) -> list[str]:
        usual = remedy(self.exploration.problem.real)
        return [f"{LESS_PINNED}, or: {usual}" if self.exploration.wish.pins else usual]

    def keep(self, store: Callable[[], Store], proof: str | None = None) -> int:
        """The number under which the answer is stored for reports. `proof`: the command that proves it."""
        from fheasible.exploration.lookups.reasons import record  # which few calls need

        words = command(self.called, self.best) if self.best else []
        beside = [f"{head} {sentence}" for head, sentence in self.beside]
        said = told(self.problem.circuit, self.summary(proof))
        with store() as opened:
            return record(opened, self.exploration, self.why, self.profiles, words, beside, said)

    def summary(self, proof: str | None = None) -> list[Line]:
        found = self.exploration
        if found.best is None:
            return []
        of_all_kinds = self.document["candidates"]
        return list(of_lookups(found.best, found.wish, found.feasible, of_all_kinds, proof))

    def to_arrow(self) -> "pyarrow.Table":
        """A table with a row for each candidate and a column for each figure, in base units."""
        need("arrow", "tables for other tools")
        import pyarrow

        from fheasible.exploration.lookups.reasons import rows_of

        return pyarrow.Table.from_pylist(rows_of(self.exploration.to_json()))

    @cached_property
    def document(self) -> Json:
        own = self.exploration.to_json()
        return own | {
            "candidates": merged(own["candidates"], self.others),
            "why": self.why,
            "beside": [f"{head} {reason}" for head, reason in self.beside],
            "libraries": [self._state(lib) for lib in self.libraries],
        }

    def _state(self, library: LookupLibrary) -> Json:
        """Whether it is installed, and calibrated on this machine."""
        profile = self.profiles.get(library.name)
        calibrated = profile is not None and not profile.origin
        return state(
            library.name, calibrated, library.version, f"fheasible calibrate --library {library.name}"
        )

    def lines(self, page: TextPage) -> Iterator[Part]:
        return _rendered(self, page)

    def __repr__(self) -> str:
        name, best = self.problem.circuit.name, self.best
        said = f"{best.title}, N = {best.parameters.polynomial_size}" if best else "nothing fits"
        return f"<fheasible.LookupAnswer {name}: {said}; {self.feasible:,} of {self.explored:,} feasible>"

    def _repr_html_(self) -> str:
        return answered(self.lines(TextPage(UNBROKEN)))


def nothing_fits(found: LookupExploration) -> InfeasibleParameters:
    """An error that nothing fits, with the reason of each library and scheme."""
    reasons = [f"  {r.library} {r.scheme.upper()}: {r.reason}" for r in found.rejected]
    return InfeasibleParameters(
        "\n".join(
            [
                f"no parameters of a library of table look-ups fit {found.problem.circuit.name}",
                *found.excluded,
                *reasons,
            ]
        ),
        remedy(found.problem.real),
    )


def best(found: LookupExploration) -> LookupCandidate:
    """The best candidate, whatever is installed; InfeasibleParameters where nothing fits."""
    if found.best is None:
        raise nothing_fits(found)
    return found.best


def _rendered(answer: LookupAnswer, page: TextPage) -> Iterator[Part]:
    found, said, against = answer.exploration, page.said, answer.against
    yield from (paragraph("", line, page.width).strip() for line in answer.headline)
    yield from (said("warning:", line) for line in found.alarms)
    yield ""
    if found.best is None:
        yield from (said("pins:", line) for line in found.excluded)
        yield from (said(head, reason) for head, reason in against)
        yield from (said("left out:", line) for line in answer.why)
        yield from (said("remedy:", line) for line in answer.remedies)
    else:
        yield from (said(*line) for line in answer.summary(page.proof))
        yield ""
        yield from _listed(found, page)
        yield ""
        yield from page.reasons(answer.why, against)
    yield from (said("warning:", line) for line in found.problem.warnings)
    yield from (said("not installed:", line) for line in _missing(answer))
    if found.best is not None and answer.app is not None:
        yield ""
        yield page.paint("head", "run it:")
        yield from (f"  {line}" for line in command(answer.app, found.best, page.width - 2))


def _headline(found: LookupExploration, of_vectors: int) -> Iterator[str]:
    """What is computed, what was asked, how much was tried, and on which data."""
    circuit, best = found.problem.circuit, found.best
    takes = "" if best is None else f"; {counted(best.encoded.lookups, 'table look-up')}"
    yield f"{inputs_and_results(circuit)}{takes}"
    wish = found.wish
    yield f"asked: {asked(wish, found.problem.real)}; wrong once in 2^{wish.failure_bits:g} runs at most"
    ways = len({e.encoding for e in found.encodings})
    feasible = f"{found.feasible:,} {'is' if found.feasible == 1 else 'are'} feasible"
    others = f", beside {of_vectors:,} of libraries of vectors," if of_vectors else ""
    yield (
        f"explored {found.explored:,} parameter sets in {counted(ways, 'encoding')}{others} in "
        f"{units.seconds(found.seconds)}; {feasible}"
    )
    yield f"judged on: {found.problem.source}"


def _listed(found: LookupExploration, page: TextPage) -> Iterator[Part]:
    """The table with its marks, what the marks mean, and how many candidates are not shown."""
    shown = page.first(found.candidates)
    kinds = ["head", *("best" if c is found.best else "" for c in shown)]
    lines = grid(_COLUMNS, [_row(found, c) for c in shown], page.room)
    for kind, row in zip(kinds, lines, strict=True):
        yield from (page.paint(kind, line) for line in row)
    rest = len(found.candidates) - len(shown)
    if rest:
        yield f"   ... and {rest:,} more: --all"
    used = "".join(marks(found, c) for c in shown)
    for meaning in told_marks(used, len(found.front)):
        yield from paragraph("  ", meaning, page.width).splitlines()


def marks(found: LookupExploration, c: LookupCandidate) -> str:
    """Two characters: whether the candidate is the best or a tie, and whether it is on the front."""
    place = BEST if c is found.best else TIE if c in found.ties else " "
    return place + (FRONT if c in found.front else " ")


def _row(found: LookupExploration, c: LookupCandidate) -> tuple[str, ...]:
    p, e, way = c.parameters, c.estimate, c.encoded
    return (
        marks(found, c),
        c.library.title,
        c.scheme.upper(),
        f"{way.encoding.message} x {way.encoding.carry}",
        units.number(way.lookups),
        units.power_of_two(p.polynomial_size),
        f"{p.lwe_dimension}",
        units.seconds(c.seconds),
        units.size(e.peak_bytes),
        units.size(e.sizes.evaluation_key),
        probability(e.log2_failure),
        units.security(e.security_bits),
        settings(c),
    )


def settings(c: LookupCandidate) -> str:
    """The name of a set that a library ships; what tells another one from its neighbours, in few words."""
    p = c.parameters
    if c.name or not isinstance(p, TfheParameters):
        return c.name
    groups = f", groups of {p.grouping} bits" if p.grouping > 1 else ""
    return f"own set: k = {p.glwe_dimension}, {_digits('bootstrap', p.pbs)}, {_digits('keys', p.ks)}{groups}"


def _digits(what: str, gadget: Gadget) -> str:
    return f"{what} {gadget.level} x {gadget.base_log} bits"


def refused(found: LookupExploration, libraries: Sequence[LookupLibrary]) -> Iterator[tuple[str, str]]:
    """(heading, reason): each reason once, with all the libraries for which it holds."""
    titles = {lib.name: lib.title for lib in libraries}
    reasons: dict[str, list[str]] = {}
    for r in found.rejected:
        reasons.setdefault(r.reason, []).append(f"{titles[r.library]} {r.scheme.upper()}")
    for reason, names in reasons.items():
        yield f"why not {units.listing(names)}:", reason


def _missing(answer: LookupAnswer) -> Iterator[str]:
    for library in answer.libraries:
        here = worker_command(library.name)
        if not here.installed:
            yield f"{library.title}. Remedy: {here.remedy}"


def command(app: str, c: LookupCandidate, width: int = 98, target: str = "") -> list[str]:
    """The command that runs exactly this candidate, or that emits it for a target, in lines that a shell
    takes as one."""
    verb = [f"fheasible emit {app}", f"--to {target}"] if target else [f"fheasible run {app}"]
    words = [*verb, *([] if target else [f"--library {c.library.name}"]), f"--scheme {c.scheme}"]
    if c.estimate.threads != 1:
        words.append(f"--threads {c.estimate.threads}")
    return wrapped([*words, *(f"--param {name}={value}" for name, value in c.settings.items())], width)
