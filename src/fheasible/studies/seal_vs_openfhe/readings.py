"""Measured cells by their settings, and two libraries' cells beside each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from fheasible.studies.applied import AppliedExperiment
from fheasible.studies.experiment import NotRun
from fheasible.studies.results import Beside, Results
from fheasible.studies.seal_vs_openfhe.experiments import COMPARED, PRODUCTS, SUMS, TITLES
from fheasible.studies.seal_vs_openfhe.printed import COUNTS

TIME, MEMORY = "cpu_seconds", "peak_bytes"
MEGABYTE = 1e6
Key = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """The cells of two experiments with equal settings, both measured."""

    key: Key  # the number of operations; for sums the ring dimension after it
    one: Beside
    other: Beside

    def ratio(self, figure: str) -> float:
        """The figure of the other relative to that of the one."""
        return float(self.other.measured(figure)) / float(self.one.measured(figure))


def products(results: Results, library: str, scheme: str) -> Mapping[int, Beside]:
    """The measured chains of products by their number. NotRun where they were not run."""
    return by_number(results, PRODUCTS[library, scheme])


def sums(results: Results, library: str, scheme: str) -> Mapping[Key, Beside]:
    """The measured sums by (number of additions, ring dimension). NotRun where they were not run."""
    return {
        (b.cell.parameters["n"], b.cell.parameters["ring_dimension"]): b
        for b in results.measured(SUMS[library, scheme])
    }


def by_number(results: Results, experiment: AppliedExperiment) -> Mapping[int, Beside]:
    return {b.cell.parameters["n"]: b for b in results.measured(experiment)}


def measured(results: Results, experiment: AppliedExperiment, number: int) -> Beside:
    """The cell of that many operations. NotRun where it was not run."""
    found = by_number(results, experiment)
    if number not in found:
        remedy = f"fheasible study run {results.study} --only {experiment.name}"
        raise NotRun(f"{experiment.name} has not been run with n = {number}", remedy)
    return found[number]


def paired_products(results: Results, scheme: str, names: tuple[str, str] = COMPARED) -> list[Pair]:
    """The first library's products beside the second's, by the number of products."""
    one, other = (products(results, name, scheme) for name in names)
    return [Pair((n,), one[n], other[n]) for n in sorted(one.keys() & other.keys())]


def paired_sums(
    results: Results, scheme: str, names: tuple[str, str] = COMPARED, most: bool = True
) -> list[Pair]:
    """The first library's sums beside the second's in the same ring; `most`: those of 300 additions only."""
    one, other = (sums(results, name, scheme) for name in names)
    keys = sorted(one.keys() & other.keys())
    return [Pair(k, one[k], other[k]) for k in keys if k[0] == COUNTS[-1] or not most]


def paired_schemes(results: Results, library: str) -> list[Pair]:
    """The library's products in BGV beside those in CKKS, by their number."""
    one, other = (products(results, library, scheme) for scheme in ("bgv", "ckks"))
    return [Pair((n,), one[n], other[n]) for n in sorted(one.keys() & other.keys())]


def ring_of(b: Beside) -> int:
    return int(b.predicted("ring_dimension"))


def primes_of(b: Beside) -> int:
    return int(b.predicted("limbs"))


def ratios(pairs: list[Pair], figure: str) -> str:
    """'0.81 at 2, 0.95 at 15; median 0.90 of 12': the range of the ratios."""
    found = {p.key[0]: p.ratio(figure) for p in pairs}
    least, most = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
    return (
        f"{found[least]:.2f} (at {least}) to {found[most]:.2f} (at {most}) times, median "
        f"{median(found.values()):.2f}, over {len(pairs)} sets"
    )


def titles(names: tuple[str, ...] = COMPARED) -> str:
    return " and ".join(TITLES[name] for name in names)
