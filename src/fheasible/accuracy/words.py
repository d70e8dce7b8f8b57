"""An evaluation in words, the same on a terminal and on a page."""

from fheasible import units
from fheasible.accuracy.errors import Errors, TargetVerdict, errors
from fheasible.accuracy.evaluation import Circumstances, Evaluation
from fheasible.libraries.catalogue import BY_NAME
from fheasible.program.types import Scheme

NOTHING = "Nothing is stored yet."
STATISTICS = ("count", "mean", "median", "95 %", "worst", "bias")
_NAMES = {"p95": "95th percentile"}


def title(library: str, scheme: str = "", technique: str = "") -> str:
    """The title of a library, scheme and technique: 'OpenFHE CKKS flexibleauto'."""
    return " ".join(word for word in (BY_NAME[library].title, scheme.upper(), technique) if word)


def cell(value: object) -> str:
    """A library, scheme, action or ring dimension as in a table: 'OpenFHE', 'CKKS', 'rotate', '4,096'."""
    if isinstance(value, int):
        return f"{value:,}"
    word = str(value)
    return title(word) if word in BY_NAME else word.upper() if word in set(Scheme) else word


def share(ratio: float | None, digits: int = 1) -> str:
    """A ratio in per cent: '7.4 %'."""
    return units.ABSENT if ratio is None else f"{100 * ratio:.{digits}f} %"


def statistics(e: Errors) -> tuple[str, ...]:
    """The cells of the columns STATISTICS."""
    return (f"{e.count:,}", *map(share, (e.mean, e.median, e.p95, e.worst)), units.percent(e.bias))


MACHINES = ("machine", "processor", "runs", "operations", "mean", "95 %", "applications", "mean", "worst")


def by_machine(found: Evaluation) -> list[tuple[str, ...]]:
    """The cells of the columns MACHINES, a row for each machine with its errors by its own profiles."""
    return [_of_machine(m, m.circumstances) for m in found.each if m.circumstances]


def _of_machine(m: Evaluation, at: Circumstances) -> tuple[str, ...]:
    single, whole = errors(m.operations), errors(m.applications)
    counts = (f"{at.runs:,}", f"{single.count:,}", f"{whole.count:,}")
    return (
        at.machine, at.cpu, counts[0], counts[1], share(single.mean), share(single.p95), counts[2],
        share(whole.mean), share(whole.worst),
    )  # fmt: skip


def sentence(e: Errors, what: str) -> str:
    """The errors in words: '1,260 operations: mean error 3.1 %, 95th percentile 9.0 %, worst 20.4 %'."""
    return (
        f"{e.count:,} {what}: mean error {share(e.mean)}, 95th percentile {share(e.p95)}, "
        f"worst {share(e.worst)}"
    )


def target(v: TargetVerdict) -> tuple[str, str, str, str, str]:
    """The verdict as cells: (subject, statistic, target, found, whether it is met)."""
    digits = 1 if v.target.limit >= 0.01 else 2
    statistic = _NAMES.get(v.target.statistic, v.target.statistic)
    met = units.ABSENT if v.met is None else "yes" if v.met else "no"
    return v.target.subject, statistic, share(v.target.limit, digits), share(v.found, digits), met


def circumstances(found: Evaluation) -> str:
    """Where and when one machine's runs were made, for which builds the figures hold, and when the profiles
    were calibrated."""
    if found.circumstances is None:
        return NOTHING
    calibrated = units.listing([f"{title(p.library)} {p.created[:10]}" for p in found.profiles.values()])
    return (
        f"{runs(found.circumstances)} Calibrated: {calibrated}. Times are CPU times of one thread, the "
        "least of all repetitions."
    )


def runs(at: Circumstances) -> str:
    """How many runs there were, where and when, and of which builds."""
    versions = units.listing([f"{title(name)} {version}" for name, version in sorted(at.versions.items())])
    return (
        f"{at.runs} runs, {at.begun[:16]} to {at.ended[:16]} UTC, on {at.cpu} ({at.os}, machine "
        f"{at.machine}), load at most {at.load:.1f}. {versions}, as they are built here. Figures hold "
        "for these builds."
    )
