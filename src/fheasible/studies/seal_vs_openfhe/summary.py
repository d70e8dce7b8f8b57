"""The sentences with which the page begins, made from the data."""

from collections.abc import Iterator, Sequence

from fheasible.reports.page import ClaimMark
from fheasible.studies.claim import JudgedClaim
from fheasible.studies.experiment import NotRun
from fheasible.studies.results import Results
from fheasible.studies.seal_vs_openfhe.claims_rings import ALL
from fheasible.studies.seal_vs_openfhe.experiments import COMPARED, SCHEMES, TITLES
from fheasible.studies.seal_vs_openfhe.printed import column, value
from fheasible.studies.seal_vs_openfhe.readings import MEMORY, TIME, paired_products, paired_sums
from fheasible.studies.seal_vs_openfhe.rings import equal, needed
from fheasible.units import listing


def sentences(results: Results, claims: Sequence[JudgedClaim]) -> tuple[str, ...]:
    return tuple(_sentences(results, claims))


def _sentences(results: Results, claims: Sequence[JudgedClaim]) -> Iterator[str]:
    yield (
        "The paper asks whether SEAL or OpenFHE needs less time and memory for 50 to 300 additions and "
        "for 2 to 20 products one after another, in BGV and CKKS, under Linux and Windows."
    )
    yield (
        "It found OpenFHE faster and smaller in all configurations: "
        f"{value('figure3.openfhe.linux.300'):g} s against {value('figure3.seal.linux.300'):g} s for 300 "
        f"additions in CKKS, and {value('figure4.openfhe.300'):g} MB against "
        f"{value('figure4.seal.linux.300'):g} MB in BGV."
    )
    yield _rings(results)
    yield _measured(results)
    count = {v: sum(c.finding.verdict is v for c in claims) for v in ClaimMark}
    told = [f"{n} {v.value}" for v, n in count.items() if n]
    yield f"Of its {len(claims)} claims, {listing(told)}."


def _rings(results: Results) -> str:
    same = [
        f"{equal(needed(results, name, s), column(name, s))} of {ALL} for {TITLES[name]} {s.upper()}"
        for name in COMPARED for s in SCHEMES
    ]  # fmt: skip
    return f"Here, the rings of its Table 2 are needed today at {listing(same)}."


def _measured(results: Results) -> str:
    try:
        products = [p for s in SCHEMES for p in paired_products(results, s)]
        sums = [p for s in SCHEMES for p in paired_sums(results, s, most=False)]
    except NotRun as missing:
        return f"Times and memory are not measured here yet: {missing.remedy}."
    told = [
        f"{sum(p.ratio(figure) < 1 for p in pairs)} of {len(pairs)} sets of {kind} in {noun}"
        for kind, pairs in (("sums", sums), ("products", products))
        for figure, noun in ((TIME, "time"), (MEMORY, "memory"))
    ]  # fmt: skip
    return f"Measured here, OpenFHE needs less than SEAL in {listing(told)}."
