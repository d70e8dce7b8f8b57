"""Figures 2 to 9: time and memory over the number of additions and of products."""

from collections.abc import Iterator
from itertools import chain as joined

from fheasible.reports.page import Block
from fheasible.studies.curves import Curves, Points
from fheasible.studies.results import Results
from fheasible.studies.seal_vs_openfhe.experiments import LARGEST, LIBRARIES, PRODUCTS, SCHEMES, SUMS, TITLES
from fheasible.studies.seal_vs_openfhe.printed import RINGS, value
from fheasible.studies.seal_vs_openfhe.readings import MEGABYTE, MEMORY, TIME
from fheasible.units import power_of_two

_LABELS = {TIME: ("CPU time", "seconds", 1.0), MEMORY: ("memory", "MB", MEGABYTE)}
_NUMBERS = {("sums", TIME, "bgv"): 2, ("sums", TIME, "ckks"): 3, ("sums", MEMORY, "bgv"): 4,
            ("sums", MEMORY, "ckks"): 5, ("products", TIME, "bgv"): 6, ("products", TIME, "ckks"): 7,
            ("products", MEMORY, "bgv"): 8, ("products", MEMORY, "ckks"): 9}  # fmt: skip
_PUBLISHED = {
    3: {
        "OpenFHE on Linux": (300, "figure3.openfhe.linux.300"),
        "SEAL on Linux": (300, "figure3.seal.linux.300"),
    },
    4: {"SEAL on Linux": (300, "figure4.seal.linux.300"), "OpenFHE on Linux": (300, "figure4.openfhe.300")},
    6: {"OpenFHE on Linux": (20, "figure6.openfhe.linux.20")},
    7: {"OpenFHE on Linux": (20, "figure7.openfhe.linux.20")},
    8: {"OpenFHE on Linux": (20, "figure8.openfhe.linux.20")},
    9: {"OpenFHE on Linux": (20, "figure9.openfhe.linux.20")},
}


def drawn(results: Results, kind: str) -> Iterator[Block]:
    """The figures of sums or of products, in the paper's order."""
    for figure in (TIME, MEMORY):
        for scheme in SCHEMES:
            curves = sums(figure, scheme) if kind == "sums" else products(figure, scheme)
            made = curves.figure(results)
            if made is not None:
                yield made


def sums(figure: str, scheme: str) -> Curves:
    """Figures 2 to 5, in the middle ring: the paper does not say which ring its curves have."""
    title, unit, scale = _LABELS[figure]
    number = _NUMBERS["sums", figure, scheme]
    ring = RINGS[1]
    return Curves(
        title=f"Figure {number}: {title} of additions in {scheme.upper()}, N = {power_of_two(ring)}",
        experiments=(*(SUMS[name, scheme] for name in LIBRARIES), LARGEST[scheme]),
        x="n", y=figure, x_label="additions", y_label=f"{title} in {unit}", unit=scale,
        where=lambda b: bool(b.has(ring_dimension=ring)),
        published=_points(number), names=_names(scheme),
    )  # fmt: skip


def products(figure: str, scheme: str) -> Curves:
    """Figures 6 to 9: products one after another, in the ring that each depth needs."""
    title, unit, scale = _LABELS[figure]
    number = _NUMBERS["products", figure, scheme]
    return Curves(
        title=f"Figure {number}: {title} of products in {scheme.upper()}",
        experiments=tuple(PRODUCTS[name, scheme] for name in LIBRARIES),
        x="n", y=figure, x_label="products", y_label=f"{title} in {unit}", unit=scale, log_y=True,
        published=_points(number), names=_names(scheme),
    )  # fmt: skip


def _points(number: int) -> dict[str, Points]:
    return {name: ((float(n), value(key)),) for name, (n, key) in _PUBLISHED.get(number, {}).items()}


def _names(scheme: str) -> dict[str, str]:
    own = joined(
        ((SUMS[n, scheme], TITLES[n]) for n in LIBRARIES),
        ((PRODUCTS[n, scheme], TITLES[n]) for n in LIBRARIES),
    )
    return {**{e.name: title for e, title in own}, LARGEST[scheme].name: "SEAL, default chain"}
