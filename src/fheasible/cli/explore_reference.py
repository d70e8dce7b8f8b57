"""fheasible explore --library reference: the ring schemes' parameter sets, best first, and why."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from fheasible import units
from fheasible.cli.asking import MIB, problem_of
from fheasible.cli.session import Session
from fheasible.cli.tables import paragraph, table
from fheasible.cli.which import REFERENCE
from fheasible.errors import UsageError
from fheasible.exploration.rings.choice import RingCandidate
from fheasible.exploration.rings.reasons import explain
from fheasible.exploration.rings.search import RingExploration, explore_rings
from fheasible.exploration.rings.wish import RingWish

if TYPE_CHECKING:
    from fheasible.estimation.ring_profile import RingProfile

ROWS = 8
_COLUMNS = (
    "  scheme", "n", "log q", "log w", "depth", "multiplications", "integers", "time", "memory", "today",
    "warning",
)  # fmt: skip
REMEDY = "allow more time or memory, make the computation less deep, or see --ignore-security"

INTEGERS = f"declare fh.integers, or leave --library {REFERENCE} out: CKKS computes on real numbers"


def check_alone(libraries: Sequence[str], precision: str | None) -> None:
    """Raises UsageError where the ring schemes are asked for together with other libraries, or with a
    precision."""
    others = [name for name in libraries if name != REFERENCE]
    if others:
        raise UsageError(
            f"{REFERENCE} stands alone: its figures do not compare with those of {units.listing(others)}",
            "explore them one after the other",
        )
    if precision is not None:
        raise UsageError("ring schemes have integers, which are exact", "leave --precision out")


def wish_of(
    security: int, quantum: bool, max_time: float | None, max_memory: float | None, objective: str | None,
    noise: str | None, as_written: bool, ignore_security: bool,
) -> RingWish:  # fmt: skip
    most = None if max_memory is None else int(max_memory * MIB)
    return RingWish(
        security,
        quantum,
        (objective or "complexity").lower(),
        (noise or "worst-case").lower(),
        as_written,
        ignore_security,
        max_time,
        most,
    )


def answer(
    session: Session, app: str, wish: RingWish, scheme: str | None, data: Path | None, seed: int,
    show_all: bool,
) -> int:  # fmt: skip
    """The exit code, after the answer is given: what fits, or the reasons why nothing does, and then it is
    1."""
    from fheasible.schemes import catalogue

    kinds = list(catalogue.SCHEMES.values()) if scheme is None else [catalogue.scheme(scheme)]
    profile = _profile(session)
    found = explore_rings(problem_of(app, data, seed).circuit, wish, kinds, profile)
    session.answer(
        found.to_json() | {"why": explain(found), "libraries": [_availability(profile)]},
        _rendered(app, found, profile, show_all),
    )
    return 0 if found.candidates else 1


def _profile(session: Session) -> "RingProfile | None":
    from fheasible.calibration.ring_profile import of_this_machine

    with session.store(reading=True) as store:
        return of_this_machine(store)


def _availability(profile: "RingProfile | None") -> dict[str, Any]:
    remedy = None if profile else f"fheasible calibrate --library {REFERENCE}"
    return {"library": REFERENCE, "installed": True, "calibrated": profile is not None, "remedy": remedy}


def _rendered(
    app: str, found: RingExploration, profile: "RingProfile | None", show_all: bool
) -> Iterator[Table | str]:
    yield from _headline(found)
    yield ""
    if found.best is not None:
        yield from _listed(found, show_all)
        yield ""
        yield from (paragraph("why:", line) for line in explain(found))
        yield from (paragraph("warning:", line) for line in found.best.warnings)
    yield from (paragraph(f"why not {titles}:", reason) for reason, titles in _why_not(found))
    yield from (paragraph("warning:", line) for line in found.warnings)
    if found.best is None:
        yield f"remedy: {REMEDY if found.explored else INTEGERS}"
        return
    if profile is None:
        yield f"times are unknown. Remedy: fheasible calibrate --library {REFERENCE}"
    else:
        yield f"times: nine of ten within {profile.error_band:.0%}, calibrated {profile.created[:10]}"
    yield from _next_steps(app, found)


def _why_not(found: RingExploration) -> Iterator[tuple[str, str]]:
    """Each reason once, with all the schemes for which it holds."""
    titles: dict[str, list[str]] = {}
    for r in found.rejected:
        titles.setdefault(r.reason, []).append(r.kind.title)
    yield from ((reason, units.listing(schemes)) for reason, schemes in titles.items())


def _headline(found: RingExploration) -> Iterator[str]:
    """What is computed, what was asked, and how much was tried."""
    wish, (written, minimised) = found.wish, found.depths
    order = "as written" if wish.as_written else "minimised"
    depth = f": depth {written} as written, {minimised} minimised; evaluated {order}"
    yield f"{found.app}{depth if found.explored else ''}"
    yield paragraph("asked:", f"{wish.rule}; {wish.noise} noise; least {wish.objective} first")
    yield from _limits(wish)
    if wish.ignore_security:
        yield "today's estimate of security is ignored"
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


def _listed(found: RingExploration, show_all: bool) -> Iterator[Table | str]:
    """The table, with a star at the best set, and a line that says how many are not shown."""
    shown = list(found.candidates) if show_all else diverse(found.candidates)
    rows = [_row(c, "* " if c is found.best else "  ") for c in shown]
    yield table(_COLUMNS, rows, left=("  scheme", "n", "warning"), gap=1)
    rest = len(found.candidates) - len(shown)
    if rest:
        yield f"  ... and {rest:,} more, of the other n and w: --all"


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
        units.ABSENT if c.verdict.bits is None else f"{c.verdict.bits:.0f} bit",
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
    from fheasible.cli.run_reference import command

    assert found.best is not None
    p = found.best.parameters
    written = " --as-written" if found.wish.as_written else " --minimise-depth"
    yield ""
    yield "run it:"
    yield from (f"  {line}" for line in command(app, found.best, found.wish.as_written))
    yield "see what it consists of:"
    yield f"  fheasible count {found.best.scheme} {app} \\"
    yield f"    --n {p.n} --log-q {p.log_q} --log-w {p.log_w} --t {p.t}{written}"
