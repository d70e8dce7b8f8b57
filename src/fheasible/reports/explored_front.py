"""Time against memory of the sets that an exploration kept."""

from collections.abc import Sequence
from typing import Any

from fheasible import units
from fheasible.accuracy.words import title
from fheasible.aliases import Json
from fheasible.reports.explored import Told, precision, seconds, units_of
from fheasible.reports.figures import Cloud, Dot
from fheasible.units import MIB

MOST_DOTS = 400
_THIN = " Thin rings: as good as the recommended set, within the error of prediction."
_SAME_PRIMES, _SAME_TIME = 0.5, 0.01  # tolerances in matching: bits of log2 QP, share of time


def shown(told: Told) -> list[Json]:
    """The kept sets whose time is known, one for each place in the figure; `alike` is how many sets share
    that place. The one shown is the recommended set, or else the most precise, with sets on the front
    first."""
    places: dict[tuple[Any, ...], list[Json]] = {}
    for row in told.rows:
        if row["cpu_seconds"]:
            places.setdefault(_place(row), []).append(row)
    best = [_first(told, rows) | {"alike": len(rows)} for rows in places.values()]
    if len(best) <= MOST_DOTS:
        return best
    kept = sorted(range(len(best)), key=lambda i: (not best[i]["pareto"], i))[:MOST_DOTS]
    return [best[i] for i in sorted(kept)]


def _place(row: Json) -> tuple[Any, ...]:
    """The place of a set in the figure; sets that differ in their primes alone share one."""
    kind = (row["library"], row["scheme"], row["technique"], row["ring_dimension"])
    return (*kind, bool(row.get("as_written")), f"{row['cpu_seconds']:.3g}", f"{row['peak_bytes']:.3g}")


def _first(told: Told, rows: Sequence[Json]) -> Json:
    place = recommended(told, rows)
    if place is not None:
        return rows[place]
    return max(rows, key=lambda row: (row["pareto"], row["precision_bits"] or 0.0))


def pareto(told: Told, rows: Sequence[Json]) -> Cloud | None:
    """Time against memory of those sets; None where no time is known."""
    if not rows:
        return None
    place, ties = recommended(told, rows), tied(told, rows)
    front = sum(row["pareto"] for row in rows)
    factor, unit = units_of(max(row["cpu_seconds"] for row in rows))
    return Cloud(
        _front_title(told, place is not None),
        f"CPU time to encrypt, evaluate and decrypt ({unit})",
        "peak memory (MiB)",
        "precision (bit)",
        tuple(_dot(i, row, factor, i in ties) for i, row in enumerate(rows)),
        place,
        note="Of sets that differ only in the size of their primes, the recommended or the most precise "
        f"one is shown. Bold edges ({front} of {len(rows)}): no set beats them in time, memory, "
        "traffic, precision and security at once. Dashed line: the least memory for a given "
        f"time.{_exact(rows)}{_THIN * bool(ties)}",
    )


def _exact(rows: Sequence[Json]) -> str:
    """A note on how strong the colours are; empty where all results are exact."""
    schemes = {row["scheme"] for row in rows}
    if "ckks" not in schemes:
        return ""
    exact = "; those of exact sets are strongest" if len(schemes) > 1 else ""
    return f" The stronger its colour, the more precise a set is{exact}."


def _front_title(told: Told, ringed: bool) -> str:
    best = told.best
    if best is None or not ringed:
        return "Time against memory of the sets that fit"
    time, memory = units.seconds(seconds(best)), units.size(best["estimate"]["peak_bytes"])
    return f"{title(best['library'], best['scheme'])} answers in {time} with {memory}"


def recommended(told: Told, rows: Sequence[Json]) -> int | None:
    """The index of the recommended set among the rows; None where it is not among them."""
    best = told.best
    if best is None:
        return None
    p, wanted, total = best["parameters"], _kind(best), seconds(best)
    found = [
        (abs(row["log_qp"] - p["log_qp"]), i)
        for i, row in enumerate(rows)
        if _row_kind(row) == wanted and _same(row["cpu_seconds"], total)
    ]
    apart, place = min(found, default=(1.0, 0))
    return place if apart < _SAME_PRIMES else None


def tied(told: Told, rows: Sequence[Json]) -> frozenset[int]:
    """The indices of the rows that the answer called ties: those of a tie's kind that take the same time and
    memory."""
    ties = [c for c in told.candidates if c.get("tie")]
    own = recommended(told, rows)
    return frozenset(i for i, row in enumerate(rows) if i != own and any(_alike(row, c) for c in ties))


def _alike(row: Json, c: Json) -> bool:
    p = c["parameters"]
    kind = (c["library"], c["scheme"], p["technique"] or "", p["ring_dimension"])
    named = (row["library"], row["scheme"], row["technique"], row["ring_dimension"])
    return (
        kind == named
        and _same(row["cpu_seconds"], seconds(c))
        and _same(row["peak_bytes"], c["estimate"]["peak_bytes"])
    )


def _same(spent: float | None, predicted: float | None) -> bool:
    return spent is None or predicted is None or abs(spent - predicted) <= _SAME_TIME * predicted


def _kind(c: Json) -> tuple[Any, ...]:
    """The values by which a candidate is matched with its row."""
    p = c["parameters"]
    sizes = (p["ring_dimension"], p["limbs"], p["special_limbs"], p["digits"])
    asked = c["request"]
    scale = asked.get("scale_bits") if c["scheme"] == "ckks" else None  # rows of integers have none
    named = (c["library"], c["scheme"], p["technique"] or "", *sizes, scale)
    return (*named, bool(asked.get("as_written")))


def _row_kind(row: Json) -> tuple[Any, ...]:
    names = (
        "library",
        "scheme",
        "technique",
        "ring_dimension",
        "limbs",
        "special_limbs",
        "digits",
        "scale_bits",
    )
    return (*(row[name] for name in names), bool(row.get("as_written")))


def _dot(place: int, row: Json, factor: float, tie: bool) -> Dot:
    shade = row["precision_bits"] if row["scheme"] == "ckks" else None
    label = (
        f"set {place + 1}: {title(row['library'], row['scheme'], row['technique'])}, "
        f"N = {units.power_of_two(row['ring_dimension'])}, {units.seconds(row['cpu_seconds'])}, "
        f"{units.size(row['peak_bytes'])}, "
        f"{precision(row['precision_bits'], row['scheme'], row['rounded'])}{', a tie' * tie}"
    )
    return Dot(
        factor * row["cpu_seconds"],
        row["peak_bytes"] / MIB,
        title(row["library"], row["scheme"]),
        label,
        shade,
        row["pareto"],
        tie,
    )
