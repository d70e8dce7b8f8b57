"""Drawings of predictions beside measurements, and of what kernels cost."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fheasible import units
from fheasible.accuracy.compare import ComparedApplication, ComparedOperation
from fheasible.accuracy.errors import TARGETS, errors, grouped
from fheasible.accuracy.words import share, title
from fheasible.estimation.features import NAMES
from fheasible.estimation.profile import Profile
from fheasible.libraries.layout import SWITCHING
from fheasible.program.types import Action
from fheasible.reports.figures import Agreement, Figure, FigureStyle, Mark, MarkedRows, Marks, Series

BAND = 0.1
_BAND_SAID = f"The band is {share(BAND, 0)} to either side."
_MILLI, _NANO = 1e3, 1e9
KINDS: Mapping[str, tuple[str, ...]] = {
    "key switching": tuple(sorted(SWITCHING)),
    "products": (Action.MUL, Action.SQUARE),
    "rescaling, drops": (Action.RESCALE, Action.DROP),
    "plain operands": (Action.ADD_PLAIN, Action.MUL_PLAIN, Action.ADD_SCALAR, Action.MUL_SCALAR),
    "sums": (Action.ADD, Action.SUB, Action.NEG),
    "encryption": (Action.ENCRYPT,),
    "decryption": ("decrypt",),
    "bootstraps": (Action.BOOTSTRAP,),
}
UNMEASURED_UNITS = ("calls", "l2_missed_bytes", "l3_missed_bytes")  # their prices are not per coefficient


def agreements(rows: Iterable[ComparedOperation]) -> Iterator[Agreement]:
    """Predicted against measured milliseconds, one figure for each library and scheme."""
    for (library, scheme), group in grouped(rows, "library", "scheme").items():
        found = errors(group)
        yield Agreement(
            f"{title(library, scheme)}: predicted against measured CPU time",
            "measured (ms)",
            "predicted (ms)",
            _by_kind(group),
            BAND,
            note=f"{found.count:,} operations; mean error {share(found.mean)}, 95th percentile "
            f"{share(found.p95)}. {_BAND_SAID}",
        )


def deviations(rows: Iterable[ComparedOperation]) -> Iterator[Agreement]:
    """The errors of the predictions in per cent, one figure for each library."""
    for (library,), group in grouped(rows, "library").items():
        yield Agreement(
            f"{title(library)}: how far predictions are off",
            "measured (ms)",
            "error of the prediction (%)",
            _by_kind(group),
            BAND,
            deviation=True,
            note=f"Above 0, the prediction is too long. {_BAND_SAID}",
        )


def _by_kind(rows: Sequence[ComparedOperation]) -> tuple[Series, ...]:
    found = []
    for kind, actions in KINDS.items():
        figures = [row.cpu for row in rows if row.action in actions]
        if figures:
            x, y = (tuple(_MILLI * getattr(f, name) for f in figures) for name in ("measured", "predicted"))
            found.append(Series(kind, x, y, FigureStyle.POINTS))
    return tuple(found)


def by_ring(rows: Sequence[ComparedOperation]) -> Figure:
    """The mean and the 95th percentile of the errors at each ring dimension for each library, with the target
    of the mean."""
    series = [
        one for (library,), group in grouped(rows, "library").items() for one in _of_rings(library, group)
    ]
    rings = tuple(sorted({row.n for row in rows}))
    limit = next(t.limit for t in TARGETS if t.subject == "operations" and t.statistic == "mean")
    series.append(Series("target of the mean", rings, (100 * limit,) * len(rings), FigureStyle.DASHED))
    return Figure("Error by ring dimension", "n", "absolute error (%)", tuple(series), log_x=True)


def _of_rings(library: str, rows: Sequence[ComparedOperation]) -> Iterator[Series]:
    found = {n: errors(there) for (n,), there in sorted(grouped(rows, "n").items())}
    kinds = (("mean", "mean", FigureStyle.LINE), ("95th percentile", "p95", FigureStyle.POINTS))
    for label, name, style in kinds:
        y = tuple(100 * getattr(e, name) for e in found.values())
        yield Series(f"{title(library)}, {label}", tuple(found), y, style, group=library)


def bars(rows: Iterable[ComparedApplication]) -> Iterator[MarkedRows]:
    """The measured and the predicted CPU time of each setting of an application, one figure for each
    application."""
    for (name,), group in grouped(rows, "name").items():
        listed = sorted(group, key=lambda a: a.cpu["total"].measured)
        factor, unit = _unit(max(a.cpu["total"].measured for a in listed))
        names = tuple(
            f"{title(a.library, a.scheme, a.technique)}, n = {units.power_of_two(a.n)}" for a in listed
        )
        yield MarkedRows(
            f"{name}: encrypt, evaluate, decrypt",
            f"CPU time ({unit})",
            names,
            (
                Marks("measured", tuple(factor * a.cpu["total"].measured for a in listed), Mark.BAR),
                Marks("predicted", tuple(factor * a.cpu["total"].predicted for a in listed), Mark.TICK),
            ),
            words=tuple(units.percent(a.error) for a in listed),
        )


def _unit(most_seconds: float) -> tuple[float, str]:
    return (1.0, "s") if most_seconds >= 1 else (_MILLI, "ms")


def prices(profiles: Mapping[str, Profile]) -> MarkedRows | None:
    """What one coefficient or butterfly of each kernel costs in each library; None where no kernel has a
    price."""
    listed = [name for name in priced(profiles) if name not in UNMEASURED_UNITS]
    if not listed:
        return None
    return MarkedRows(
        "What a kernel costs",
        "ns per coefficient or butterfly",
        tuple(name.replace("_", " ") for name in listed),
        tuple(
            Marks(title(p.library), tuple(_nanoseconds(p, name) for name in listed), Mark.DOT)
            for p in profiles.values()
        ),
        log=True,
    )


def priced(profiles: Mapping[str, Profile]) -> list[str]:
    """The features that have a price in some library."""
    return [name for name in NAMES if any(price(p, name) for p in profiles.values())]


def price(profile: Profile, name: str) -> float:
    """The fitted seconds that one unit of that feature costs, the same in all operations of the library."""
    return profile.prices[NAMES.index(name)]


def _nanoseconds(profile: Profile, name: str) -> float | None:
    return _NANO * price(profile, name) or None
