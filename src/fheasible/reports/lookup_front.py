"""Time against memory of the sets of table look-ups that fit, and what they are called."""

from collections.abc import Sequence

from fheasible import units
from fheasible.aliases import Json
from fheasible.libraries.lookup_catalogue import title_of
from fheasible.reports.figures import Cloud, Dot
from fheasible.reports.listed import MOST_DOTS, ON_THE_FRONT
from fheasible.units import MIB


def named(c: Json) -> str:
    """A candidate with its library, its scheme and its set."""
    return f"{title(c)}, {c['set'] or _own(c)}"


def title(c: Json) -> str:
    """The library and scheme of a candidate or a rejection."""
    return f"{title_of(c['library'])} {c['scheme'].upper()}"


def _own(c: Json) -> str:
    p = c["parameters"]
    n = units.power_of_two(p["polynomial_size"])
    return f"n = {p['lwe_dimension']}, N = {n}, k = {p['glwe_dimension']}"


def pareto(candidates: Sequence[Json]) -> Cloud | None:
    """Time against memory; None without candidates, or where no time is known."""
    shown = [c for c in candidates[:MOST_DOTS] if c["estimate"]["cpu_seconds"]["total"]]
    if not shown:
        return None
    return Cloud(
        "Time against memory of the sets that fit",
        "CPU time to encrypt, evaluate and decrypt (s)",
        "peak memory (MiB)",
        "security (bit)",
        tuple(map(_dot, shown)),
        0,
        note=ON_THE_FRONT,
    )


def _dot(c: Json) -> Dot:
    e = c["estimate"]
    x, y = e["cpu_seconds"]["total"], e["peak_bytes"] / MIB
    return Dot(float(x), float(y), title(c), named(c), e["security_bits"], edge=c["pareto"])
