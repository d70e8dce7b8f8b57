"""The answer of `explore` for ring schemes: the parameter sets, best first, and why."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fheasible import units
from fheasible.aliases import Json
from fheasible.api.answered import Ranked
from fheasible.api.command import wrapped
from fheasible.api.layout import Listing, Part, paragraph
from fheasible.api.summary import Line, summary
from fheasible.api.text import TextPage
from fheasible.api.told import told
from fheasible.estimation.ring_profile import LIBRARY, RingProfile
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.rings.choice import RingCandidate
from fheasible.exploration.rings.reasons import explain
from fheasible.exploration.rings.search import RingExploration
from fheasible.exploration.rings.wish import RingWish
from fheasible.store.store import Store

ROWS = 8
_COLUMNS = (
    "  scheme", "n", "log q", "log w", "depth", "multiplications", "integers", "time", "memory", "today",
    "warning",
)  # fmt: skip
REMEDY = "allow more time or memory, make the computation less deep, or see --ignore-security"
INTEGERS = f"declare fh.integers, or leave --library {LIBRARY} out, since CKKS computes on real numbers"


@dataclass(frozen=True, slots=True)
class RingAnswer(Ranked[RingCandidate]):
    """Parameter sets of the ring schemes, best first, with the reasons. `called`: the application's name on
    the command line; `place`: the store's place."""

    problem: Problem
    exploration: RingExploration
    profile: RingProfile | None
    called: str
    seed: int
    place: str | Path | None = None

    @property
    def why(self) -> list[str]:
        """The reasons for the recommendation, as sentences."""
        return list(explain(self.exploration))

    def keep(self, store: Callable[[], Store], proof: str | None = None) -> int:
        """The number under which the answer is stored for reports. `proof`: the command that proves it."""
        from fheasible.exploration.rings.reasons import record  # which few calls need

        best, found = self.best, self.exploration
        words = command(self.called, best, found.wish.as_written) if best else []
        said = told(self.problem.circuit, self.summary(proof))
        with store() as opened:
            return record(opened, found, self.problem, self.profile, words, said)

    def summary(self, proof: str | None = None) -> Sequence[Line]:
        """The recommendation in five lines, each with its heading; empty where nothing fits. `proof`: the
        command that proves it."""
        best = self.best
        return [] if best is None else list(_summary(self.exploration, best, proof))

    @property
    def document(self) -> Json:
        calibrated = self.profile is not None
        remedy = None if calibrated else f"fheasible calibrate --library {LIBRARY}"
        state = {"library": LIBRARY, "installed": True, "calibrated": calibrated, "remedy": remedy}
        found = self.exploration.to_json()
        found["warnings"] = [*self.problem.warnings, *found["warnings"]]
        return found | {"why": explain(self.exploration), "libraries": [state]}

    def lines(self, page: TextPage) -> Iterator[Part]:
        yield from _rendered(self.called, self.exploration, self.profile, page)
        yield from (page.said("warning:", line) for line in self.problem.warnings)


def _rendered(
    app: str, found: RingExploration, profile: RingProfile | None, page: TextPage
) -> Iterator[Part]:
    said = page.said
    against = [(f"why not {titles}:", reason) for reason, titles in _why_not(found)]
    yield from _headline(found, page.width)
    yield ""
    if found.best is None:
        yield from (said(head, reason) for head, reason in against)
    else:
        yield from (said(*line) for line in _summary(found, found.best, page.proof))
        yield ""
        yield from _listed(found, page)
        yield ""
        yield from page.reasons(explain(found), against)
        yield from (said("warning:", line) for line in found.best.warnings)
    yield from (said("warning:", line) for line in found.warnings)
    if found.best is None:
        yield f"remedy: {REMEDY if found.explored else INTEGERS}"
        return
    if profile is None:
        yield f"times are unknown. Remedy: fheasible calibrate --library {LIBRARY}"
    else:
        yield (
            f"nine of ten predicted times are within {profile.error_band:.0%}; calibrated "
            f"{profile.created[:10]}"
        )
    yield from _next_steps(app, found)


def _why_not(found: RingExploration) -> Iterator[tuple[str, str]]:
    """Each reason once, with all the schemes for which it holds."""
    titles: dict[str, list[str]] = {}
    for r in found.rejected:
        titles.setdefault(r.reason, []).append(r.kind.title)
    yield from ((reason, units.listing(schemes)) for reason, schemes in titles.items())


def _headline(found: RingExploration, width: int) -> Iterator[str]:
    """What is computed, what was asked, and how much was tried."""
    wish, (written, minimised) = found.wish, found.depths
    order = "as written" if wish.as_written else "minimised"
    depth = f": depth {written} as written, {minimised} minimised; evaluated {order}"
    yield f"{found.app}{depth if found.explored else ''}"
    yield paragraph("asked:", f"{wish.rule}; {wish.noise} noise; least {wish.objective} first", width)
    yield from _limits(wish)
    if wish.ignore_security:
        yield "today's security estimate is ignored"
    verb = "is" if found.feasible == 1 else "are"
    yield (
        f"explored {found.explored:,} parameter sets of ring schemes in {units.seconds(found.seconds)}; "
        f"{found.feasible:,} {verb} feasible"
    )


def _limits(wish: RingWish) -> Iterator[str]:
    limits = []
    if wish.max_seconds is not None:
        limits.append(f"time <= {units.seconds(wish.max_seconds)}")
    if wish.max_bytes is not None:
        limits.append(f"memory <= {units.size(wish.max_bytes)}")
    if limits:
        yield f"limits: {', '.join(limits)}"


def _summary(found: RingExploration, best: RingCandidate, proof: str | None) -> Iterator[Line]:
    p, wish = best.parameters, found.wish
    set_ = f"n = {units.power_of_two(p.n)}, log2 q = {p.log_q}, log2 w = {p.log_w}"
    least = f"the least {wish.objective} of {found.feasible:,} feasible sets"
    other = next((c for c in found.candidates if c.scheme != best.scheme), None)
    yield from summary(
        f"{best.kind.title}, {set_}: {_taken(best)}",
        f"{least}; its noise allows depth {best.depth}",
        [f"security by today's estimate: {units.security(best.verdict.bits)}", f"asked: {wish.rule}"],
        "none: no other scheme does what was asked"
        if other is None
        else f"{other.kind.title}, n = {units.power_of_two(other.parameters.n)}: {_taken(other)}",
        proof,
    )


def _taken(c: RingCandidate) -> str:
    """What a set takes, in few words: multiplications of integers, time and memory."""
    known = [] if c.seconds is None else [units.seconds(c.seconds)]
    known += [] if c.peak_bytes is None else [f"{units.size(c.peak_bytes)} of memory"]
    return ", ".join([f"{_short(c.multiplications)} multiplications", *known])


def _listed(found: RingExploration, page: TextPage) -> Iterator[Part]:
    """The table, with a star at the best set, and a line that says how many are not shown."""
    shown = list(found.candidates) if page.everything else diverse(found.candidates, page.rows)
    rows = [_row(c, "* " if c is found.best else "  ") for c in shown]
    yield Listing(_COLUMNS, rows, left=("  scheme", "n", "warning"), gap=1)
    rest = len(found.candidates) - len(shown)
    if rest:
        yield f"  ... and {rest:,} more, with other n and w: --all"


def diverse(candidates: Sequence[RingCandidate], most: int = ROWS) -> list[RingCandidate]:
    """At most that many of the candidates, in their order: the best of each scheme, and then the best of each
    ring and number of digits."""
    best = {c.scheme: c for c in reversed(candidates)}
    kinds: dict[tuple[str, int, int], RingCandidate] = {}
    for c in candidates:
        p = c.parameters
        kinds.setdefault((c.scheme, p.n, -(-p.log_q // p.log_w)), c)
    chosen = [*best.values(), *(c for c in kinds.values() if c is not best[c.scheme])][:most]
    return [c for c in candidates if any(c is other for other in chosen)]


def _row(c: RingCandidate, mark: str) -> tuple[str, ...]:
    p = c.parameters
    return (
        mark + c.kind.title,
        units.power_of_two(p.n),
        f"{p.log_q}",
        f"{p.log_w}",
        f"{c.depth}",
        _short(c.multiplications),
        _short(c.words),
        units.seconds(c.seconds),
        units.size(c.peak_bytes),
        units.security(c.verdict.bits),
        _caution(c),
    )


def _short(count: int) -> str:
    return units.number(count) if count < 10**9 else f"{count:.2e}"


def _caution(c: RingCandidate) -> str:
    """The gravest warning in a word."""
    if c.verdict.overstretched:
        return "overstretched"
    return "insecure" if c.warnings else ""


def _next_steps(app: str, found: RingExploration) -> Iterator[str]:
    assert found.best is not None
    p = found.best.parameters
    written = " --as-written" if found.wish.as_written else " --minimise-depth"
    yield ""
    yield "run it:"
    yield from (f"  {line}" for line in command(app, found.best, found.wish.as_written))
    yield "see its operations and memory:"
    yield f"  fheasible count {found.best.scheme} {app} \\"
    yield f"    --n {p.n} --log-q {p.log_q} --log-w {p.log_w} --t {p.t}{written}"


def command(app: str, c: RingCandidate, as_written: bool) -> list[str]:
    """The command that runs exactly this set, in lines that a shell takes as one."""
    p = c.parameters
    words = [f"fheasible run {app}", f"--library {LIBRARY}", f"--scheme {c.scheme}"]
    words += [f"--param n={p.n}", f"--param log_q={p.log_q}", f"--param log_w={p.log_w}"]
    return wrapped([*words, "--as-written"] if as_written else words)
