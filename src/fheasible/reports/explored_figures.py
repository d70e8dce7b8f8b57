"""The figures of an exploration. Their titles say what they show."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil

from fheasible import units
from fheasible.accuracy.words import title
from fheasible.aliases import Json
from fheasible.libraries.catalogue import BY_NAME
from fheasible.program.phases import PHASES_AND_TOTAL
from fheasible.reports.accuracy_figures import UNMEASURED_UNITS
from fheasible.reports.compared import Best, compared, firsts
from fheasible.reports.explored import Told, precision, seconds, units_of
from fheasible.reports.figures import (
    Figure,
    FigurePart,
    FigureStyle,
    Mark,
    MarkedRows,
    Marks,
    Series,
    Stacks,
    Strip,
    Strips,
    Trace,
)
from fheasible.rings.rns.kernels import KERNELS
from fheasible.units import MIB

MOST_PARTS = 7  # parts of a bar, with the one that sums up the rest
REST = "all else"
WHOLE = f": {PHASES_AND_TOTAL[-1]}"  # how the row of a whole run ends
_SWITCHING = {"special primes": ("special_limbs", "special prime"), "digits": ("digits", "digit")}


# -- libraries -----------------------------------------------------------------------------------


def libraries(told: Told) -> MarkedRows | None:
    """The time, or where none is known the memory, of the best set of each library and scheme; None where
    nothing fits."""
    found = firsts(told.candidates, lambda c: (c["library"], c["scheme"]))
    timed = all(map(seconds, found))
    factor, unit = units_of(max((seconds(c) or 0.0 for c in found), default=0.0))
    best = [
        Best(
            title(c["library"]),
            f"{title(c['library'], c['scheme'])}, {_ring(c)}",
            factor * (seconds(c) or 0.0) if timed else c["estimate"]["peak_bytes"] / MIB,
            _words(told, c, timed),
        )
        for c in found
    ]
    label = f"CPU time of a run ({unit})" if timed else "peak memory (MiB)"
    said = f"{'time, ' * timed}memory and precision"
    note = f"The best set of each library and scheme, the recommended one first, with its {said}. "
    note += "A library has the same colour in all figures."
    return compared(best, "time" if timed else "memory", label, note, bool(told.content["rejected"]))


def _ring(c: Json) -> str:
    return f"N = {units.power_of_two(c['parameters']['ring_dimension'])}"


def _words(told: Told, c: Json, timed: bool) -> str:
    """What is said beside the bar of a set: '1.35 s, 361 MiB, 16.0 bit'."""
    e = c["estimate"]
    said = [units.size(e["peak_bytes"]), precision(e["precision_bits"], c["scheme"], told.rounded)]
    return ", ".join([units.seconds(seconds(c)), *said] if timed else said)


# -- time ----------------------------------------------------------------------------------------


def times(told: Told) -> list[Stacks]:
    """The CPU time by operation and by kernel, with the candidates side by side; empty where no time is
    known."""
    taken = [t for t in told.details["time"] if t["parts"]]
    if not taken:
        return []
    by_operation, by_kernel = (_parts(taken, at) for at in (1, 2))
    return [
        _stacks(
            told,
            taken,
            by_operation,
            "operation",
            lambda n, s: f"{n.capitalize()} takes {s:.0%} of the recommended set's time",
        ),
        _stacks(told, taken, by_kernel, "kernel", _of_kernel),
    ]


def _of_kernel(name: str, share: float) -> str:
    return f"{name.capitalize()} takes {share:.0%} of the time of all kernels ({is_what(name)})"


def is_what(kernel: str) -> str:
    """What a kernel does, in words."""
    return KERNELS.get(kernel.replace(" ", "_"), "waiting for memory")


def parts_of(taken: Json, at: int) -> dict[str, float]:
    """CPU seconds by operation (1) or kernel (2), without key generation."""
    found: dict[str, float] = {}
    for phase, *names, spent in taken["parts"]:
        if phase != "keygen":
            name = names[at - 1].replace("_", " ")
            found[name] = found.get(name, 0.0) + spent
    return found


def most_first(each: Sequence[Mapping[str, float]]) -> list[str]:
    """The names of all parts, ordered by the largest share that each has in any set, so that the last ones
    are small in every set."""
    names = dict.fromkeys(name for one in each for name in one)
    totals = [sum(one.values()) or 1.0 for one in each]
    shares = {
        name: max(one.get(name, 0.0) / total for one, total in zip(each, totals, strict=True))
        for name in names
    }
    return sorted(names, key=lambda name: -shares[name])


def _parts(taken: Sequence[Json], at: int) -> dict[str, list[float]]:
    """The largest parts of all bars together, each with its seconds in every bar; the others are summed up in
    `REST`."""
    each = [parts_of(t, at) for t in taken]
    order = most_first(each)
    few = order if len(order) <= MOST_PARTS else order[: MOST_PARTS - 1]
    found = {name: [one.get(name, 0.0) for one in each] for name in few}
    if len(order) > len(few):
        found[REST] = [sum(one.values()) - sum(one.get(name, 0.0) for name in few) for one in each]
    return found


def _stacks(
    told: Told,
    taken: Sequence[Json],
    parts: dict[str, list[float]],
    what: str,
    said: Callable[[str, float], str],
) -> Stacks:
    totals = [sum(values) for values in zip(*parts.values(), strict=True)]
    factor, unit = units_of(max(totals))
    first = {name: values[0] / totals[0] for name, values in parts.items() if name != REST}
    name = max(first, key=first.__getitem__)
    return Stacks(
        said(name, first[name]),
        f"CPU time ({unit})",
        tuple(told.name(t["candidate"]) for t in taken),
        tuple(FigurePart(n, tuple(factor * max(v, 0.0) for v in values)) for n, values in parts.items()),
        tuple(units.seconds(total) for total in totals),
        note=f"Predicted CPU time by {what}, without key generation: the ranked sets side by side, with the "
        "recommended one first.",
        rest=REST,
    )


# -- memory --------------------------------------------------------------------------------------


def memory(told: Told) -> Trace | None:
    """Resident memory of the ranked sets, from the start to the last operation."""
    traced = told.details["memory"]
    if not traced:
        return None
    timed = all(t["seconds"] for t in traced)
    factor, unit = units_of(max(t["seconds"][-1] for t in traced)) if timed else (1.0, "")
    series = tuple(_resident(told, t, factor if timed else None) for t in traced)
    best = traced[0]
    share = best["keys_bytes"] / best["peak_bytes"]  # the recommended one is traced first
    peak = units.size(best["peak_bytes"])
    return Trace(
        f"Memory of the recommended set reaches {peak}; {share:.0%} is in use before it computes",
        f"CPU time since key generation ({unit})" if timed else "operations done",
        "resident memory (MiB)",
        series,
        note="Predicted: the process, library context and keys first, then the memory during each operation.",
    )


def _resident(told: Told, t: Json, factor: float | None) -> Series:
    """The resident memory of one set over time, in seconds times the factor; over the number of operations
    where the factor is None."""
    count = range(1, len(t["operations"]) + 1)
    ends = list(map(float, count)) if factor is None else [factor * s for s in t["seconds"]]
    x, y = [0.0, *ends[:-1]], t["operations"]  # an operation holds its memory while it runs
    return Series(told.name(t["candidate"]), (*x, ends[-1]), tuple(b / MIB for b in (*y, y[-1])))


# -- scales --------------------------------------------------------------------------------------


def scale_precision(told: Told) -> Figure | None:
    """The bits to rely on over the scale, a curve for each library and technique; None for exact schemes."""
    curves = [c for c in told.details["scales"] if c["scale_bits"]]
    if not curves:
        return None
    series = [Series(_setting(told, c), tuple(c["scale_bits"]), tuple(c["assured_bits"])) for c in curves]
    marked = _marked(told)
    if marked is not None:
        series.append(Series("recommended", (marked[0],), (marked[1],), FigureStyle.POINTS, series[0].name))
    asked = _bits_asked(told)
    if asked is not None:
        ends = (min(c["scale_bits"][0] for c in curves), max(c["scale_bits"][-1] for c in curves))
        series.append(Series(f"asked: {asked:g} bit", ends, (asked, asked), FigureStyle.DASHED))
    return Figure(
        f"{_setting(told, curves[0])}: {_limit(curves[0])}",
        "scale (bit)",
        "assured precision (bit)",
        tuple(series),
        note="The precision that all but one in a thousand encryptions reach, in the smallest secure "
        "ring for each scale. Other settings are those of the best set of each library and "
        "technique.",
    )


def _limit(best: Json) -> str:
    """The scale from which on the recommended setting gains no more precision, in words."""
    most = max(best["assured_bits"])
    enough = next(s for s, b in zip(best["scale_bits"], best["assured_bits"], strict=True) if b >= most - 0.5)
    if enough >= best["scale_bits"][-1] - 1:
        return f"precision grows with the scale up to {most:.0f} bits"
    return f"beyond a scale of {enough} bits, precision stays at {most:.0f} bits"


def _setting(told: Told, curve: Json) -> str:
    c = told.candidates[curve["candidate"]]
    return title(c["library"], c["scheme"], c["parameters"]["technique"] or "")


def _marked(told: Told) -> tuple[float, float] | None:
    """The recommended scale with its bits on its curve; None where no curve has it."""
    first = next((c for c in told.details["scales"] if c["candidate"] == 0), None)
    scale = told.candidates[0]["request"].get("scale_bits")
    if first is None or scale not in first["scale_bits"]:
        return None
    return scale, first["assured_bits"][first["scale_bits"].index(scale)]


def _bits_asked(told: Told) -> float | None:
    """The precision that was asked for, where it was stated in bits. None for integers, which only need to be
    right."""
    asked: Json = told.content["least"]
    return float(asked["value"]) if asked["measure"] == "bits" and told.content["real"] else None


def scale_rings(told: Told) -> Strips | None:
    """The smallest secure ring for each scale [GKS25]."""
    curves = [c for c in told.details["scales"] if c["scale_bits"]]
    if not curves:
        return None
    return Strips(
        _ring_title(told, curves[0]),
        "scale (bit)",
        tuple(_strip(told, c) for c in curves),
        note="For each scale, the smallest ring dimension N that is secure as asked and has enough "
        "primes. Other settings are those of the best set of each library and technique, whose "
        "scale a triangle marks. With other digits or special primes, a larger scale may fit into "
        "the same ring.",
    )


def _strip(told: Told, curve: Json) -> Strip:
    names = [units.power_of_two(n) for n in curve["ring_dimension"]]
    scale = told.candidates[curve["candidate"]]["request"].get("scale_bits")
    cells = tuple(zip(curve["scale_bits"], names, strict=True))
    return Strip(_setting(told, curve), cells, scale if scale in curve["scale_bits"] else None)


def _ring_title(told: Told, curve: Json) -> str:
    rings, scales = curve["ring_dimension"], curve["scale_bits"]
    largest = max(s for s, n in zip(scales, rings, strict=True) if n == min(rings))
    name, least = f"{_setting(told, curve)}{_switching(told, curve)}", units.power_of_two(min(rings))
    if largest == scales[-1]:
        return f"{name}: a ring of {least} holds every scale"
    return f"{name}: a scale above {largest} bits takes a ring larger than {least}"


def _switching(told: Told, curve: Json) -> str:
    """The number of digits or special primes in words, ' with 3 digits', where the library leaves them to its
    user; else empty."""
    c = told.candidates[curve["candidate"]]
    known = BY_NAME.get(c["library"])  # a stored answer may know more libraries
    field, what = _SWITCHING.get(known.varies if known else "", ("", ""))
    count = c["parameters"].get(field)
    return f" with {count} {what}{'s' * (count != 1)}" if count else ""


# -- predicted against measured, and prices ------------------------------------------------------


def measured(rows: Sequence[tuple[str, float, float]]) -> MarkedRows:
    """How far predictions are off, in per cent, for rows of (name, relative error, error band). The title
    tells of whole runs: a step may be off by more, and matter less."""
    worst = max([abs(e) for name, e, _ in rows if name.endswith(WHOLE)] or [abs(e) for _, e, _ in rows])
    inside = sum(abs(error) <= band for _, error, band in rows)
    return MarkedRows(
        f"The predicted time of a whole run is within {ceil(100 * worst)} % of what was measured",
        "error of the predicted CPU time (%)",
        tuple(name for name, _, _ in rows),
        (Marks("predicted against measured", tuple(100 * e for _, e, _ in rows), Mark.DOT),),
        words=tuple(units.percent(error) for _, error, _ in rows),
        note="Right of 0, the prediction is too long. Grey: the error band of the calibration, which "
        f"contains {inside} of {len(rows)} figures.",
        bands=tuple((-100 * band, 100 * band) for _, _, band in rows),
    )


def prices(profiles: Mapping[str, Json]) -> MarkedRows | None:
    """What one step of each kernel costs in each library; None where no kernel has a price."""
    found = {name: _coefficients(p["nanoseconds"]) for name, p in profiles.items()}
    kernels = list(dict.fromkeys(k for given in found.values() for k in given))
    if not kernels:
        return None
    return MarkedRows(
        _price_title(found),
        "ns per coefficient or butterfly",
        tuple(k.replace("_", " ") for k in kernels),
        tuple(
            Marks(title(name), tuple(given.get(k) for k in kernels), Mark.DOT)
            for name, given in found.items()
        ),
        log=True,
        note="The time of one step of each kernel in each library. Where a dot is missing, other "
        "prices already explain the kernel's time.",
    )


def _price_title(found: Mapping[str, Mapping[str, float]]) -> str:
    """A title that says what the first kernel, the transform, costs."""
    first = [given["forward"] for given in found.values() if "forward" in given]
    if not first:
        return "What one step of each kernel costs"
    least, most = (f"{ns:.2g}" for ns in (min(first), max(first)))
    return f"A butterfly of a transform costs {least if least == most else f'{least} to {most}'} ns"


def _coefficients(nanoseconds: Mapping[str, float]) -> dict[str, float]:
    return {name: ns for name, ns in nanoseconds.items() if ns > 0 and name not in UNMEASURED_UNITS}
