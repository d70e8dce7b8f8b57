"""The paper's claims on operating systems, which results of other machines decide, and on everything."""

from functools import partial
from statistics import median

from fheasible.studies.claim import Claim, ClaimFinding
from fheasible.studies.results import Results
from fheasible.studies.seal_vs_openfhe.experiments import COMPARED, EXPERIMENTS, SCHEMES, TITLES
from fheasible.studies.seal_vs_openfhe.platforms import LINUX, WINDOWS, pairs, platforms
from fheasible.studies.seal_vs_openfhe.printed import said, value
from fheasible.studies.seal_vs_openfhe.readings import MEMORY, TIME, paired_products, paired_sums
from fheasible.units import seconds

ALIKE = 3.0
_NAMES = tuple(e.name for e in EXPERIMENTS if e.library in COMPARED)
_REMEDY = (
    "on the same processor under Windows: `fheasible study run seal-vs-openfhe` and `fheasible export "
    "FILE`; here: `fheasible import FILE`"
)


def claims() -> tuple[Claim, ...]:
    return (
        _slower(TIME, "computation", "figure2.seal.windows.300"),
        _slower(MEMORY, "memory", "figure4.seal.linux.300", "figure4.seal.windows.300"),
        _windows_seconds("300 additions in BGV", "figure2.seal.windows.300", "sums-seal-bgv-largest", 300),
        _windows_seconds("20 products in BGV", "figure6.seal.windows.20", "products-seal-bgv", 18),
        _everywhere(),
    )


def _slower(figure: str, noun: str, *keys: str) -> Claim:
    return Claim(
        f"Linux outperforms Windows in {noun}",
        f"in all cases (Section 5.3); {said(*keys)}",
        f"on one processor, the median {noun} of each library's sets is more under Windows than under Linux",
        partial(_judge_slower, figure),
        _NAMES,
    )


def _judge_slower(figure: str, results: Results) -> ClaimFinding:
    found: dict[str, list[float]] = {name: [] for name in COMPARED}
    for windows, linux in pairs(results, WINDOWS, LINUX):
        for name in COMPARED:
            found[name] += windows.beside(linux, figure, name)
    if not all(found.values()):
        return ClaimFinding("-", None, _untested(results))
    medians = {name: median(ratios) for name, ratios in found.items()}
    told = ", ".join(f"{TITLES[n]} {m:.2f} times ({len(found[n])} sets)" for n, m in medians.items())
    holds = all(m > 1 for m in medians.values())
    cause = "" if holds else f"the same sets on the same processor under both systems: {told}"
    return ClaimFinding(told, holds, "Windows relative to Linux, medians", cause)


def _untested(results: Results) -> str:
    known = [f"{p.system} on {p.processor}" for p in platforms(results)]
    return (
        "there are no results of both systems on one processor: this is "
        f"{' and '.join(known) if known else 'a store without results'}. To test it, {_REMEDY}"
    )


def _windows_seconds(what: str, key: str, experiment: str, number: int) -> Claim:
    return Claim(
        f"{what} take SEAL {value(key):g} s under Windows",
        said(key),
        f"under Windows, {number} of them take that CPU time within a factor of {ALIKE:g}",
        partial(_judge_seconds, key, experiment, number),
        (experiment,),
    )


def _judge_seconds(key: str, experiment: str, number: int, results: Results) -> ClaimFinding:
    found = [
        float(row.figures[TIME])
        for p in platforms(results) if p.system == WINDOWS
        for (name, _), row in p.rows.items() if name == experiment and row.cell.parameters["n"] == number
    ]  # fmt: skip
    if not found:
        return ClaimFinding("-", None, _untested(results))
    ours, published = max(found), value(key)
    holds = published / ALIKE <= ours <= ALIKE * published
    cause = (
        ""
        if holds
        else f"the slowest of {len(found)} such results takes {ours / published:.3f} times as long"
    )
    return ClaimFinding(seconds(ours), holds, f"{len(found)} results under Windows", cause)


def _everywhere() -> Claim:
    return Claim(
        "OpenFHE consistently outperforms SEAL in all configurations",
        "Sections 5.3 and 6",
        "OpenFHE takes less CPU time and less memory than SEAL in every set that was measured with both",
        _judge_everywhere,
        _NAMES,
    )


def _judge_everywhere(results: Results) -> ClaimFinding:
    found = {f"sums in {s.upper()}": paired_sums(results, s, most=False) for s in SCHEMES}
    found |= {f"products in {s.upper()}": paired_products(results, s) for s in SCHEMES}
    won = {
        f"{kind}, {noun}": (sum(p.ratio(figure) < 1 for p in pairs_), len(pairs_))
        for kind, pairs_ in found.items()
        for figure, noun in ((TIME, "time"), (MEMORY, "memory"))
    }
    holds = all(better == of for better, of in won.values())
    told = "; ".join(f"{kind}: {better} of {of}" for kind, (better, of) in won.items())
    total, of_all = (sum(pair[i] for pair in won.values()) for i in (0, 1))
    cause = "" if holds else f"by kind, OpenFHE is better in {told}; the causes stand with those claims"
    return ClaimFinding(f"better in {total} of {of_all} comparisons", holds, told, cause)
