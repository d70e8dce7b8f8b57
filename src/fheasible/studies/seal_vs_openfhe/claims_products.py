"""The paper's claims on chains of products: Figures 6 to 9."""

from collections.abc import Mapping
from functools import partial
from statistics import median

from fheasible.studies.claim import Claim, ClaimFinding
from fheasible.studies.experiment import NotRun
from fheasible.studies.results import Beside, Results
from fheasible.studies.seal_vs_openfhe.experiments import (
    COMPARED,
    LARGER_RING,
    PRODUCTS,
    SCHEMES,
    TITLES,
    UNCHECKED,
    products_name,
)
from fheasible.studies.seal_vs_openfhe.printed import DEPTHS, said, value
from fheasible.studies.seal_vs_openfhe.readings import (
    MEGABYTE,
    MEMORY,
    TIME,
    Pair,
    measured,
    paired_products,
    paired_schemes,
    products,
    ratios,
    ring_of,
    titles,
)
from fheasible.units import power_of_two, seconds

ALIKE = 3.0  # factor within which another processor's times count as the same
ALIKE_MEMORY = 1.5
_LAST = DEPTHS[-1]
_KEYS = "evaluation_key_bytes"
_SHOWN = 3
_CLEARLY = 1.25  # a ratio from which steps differ by more than the noise of their times
_EQUAL = 1.05  # a ratio up to which two figures count as equal


def claims() -> tuple[Claim, ...]:
    return (
        *(_less(s, TIME) for s in SCHEMES),
        *(_less(s, MEMORY) for s in SCHEMES),
        _half(),
        _seconds("bgv", "figure6.openfhe.linux.20"),
        _seconds("ckks", "figure7.openfhe.linux.20"),
        _megabytes("bgv", "figure8.openfhe.linux.20"),
        _megabytes("ckks", "figure9.openfhe.linux.20"),
        *(_dearer(figure) for figure in (TIME, MEMORY)),
        _transitions(),
    )


def _about(*schemes: str) -> tuple[str, ...]:
    return tuple(products_name(name, s) for s in schemes for name in COMPARED)


# -- OpenFHE beside SEAL ------------------------------------------------------------------------------------


def _less(scheme: str, figure: str) -> Claim:
    number, noun = {
        ("bgv", TIME): (6, "time"), ("ckks", TIME): (7, "time"),
        ("bgv", MEMORY): (8, "memory"), ("ckks", MEMORY): (9, "memory"),
    }[scheme, figure]  # fmt: skip
    return Claim(
        f"products in {scheme.upper()} take OpenFHE less {noun} than SEAL at every depth",
        f"OpenFHE outperformed across each configuration (Section 5.2, Figure {number})",
        f"OpenFHE's {'CPU time' if figure == TIME else 'peak memory'} is less at every depth measured with "
        "both",
        partial(_judge_less, scheme, figure),
        _about(scheme),
    )


def _judge_less(scheme: str, figure: str, results: Results) -> ClaimFinding:
    pairs = paired_products(results, scheme)
    won = [p for p in pairs if p.ratio(figure) < 1]
    holds = len(won) == len(pairs)
    evidence = f"OpenFHE relative to SEAL: {ratios(pairs, figure)}"
    cause = "" if holds else _rings_decide(pairs, figure)
    return ClaimFinding(f"less at {len(won)} of {len(pairs)} depths", holds, evidence, cause)


def _rings_decide(pairs: list[Pair], figure: str) -> str:
    """Whether OpenFHE needs more only where its ring is larger, by the cells themselves."""
    groups = {"the same": [p for p in pairs if ring_of(p.one) == ring_of(p.other)],
              "a larger": [p for p in pairs if ring_of(p.one) < ring_of(p.other)],
              "a smaller": [p for p in pairs if ring_of(p.one) > ring_of(p.other)]}  # fmt: skip
    told = [
        f"{_where(name)} less at {sum(p.ratio(figure) < 1 for p in found)} of {len(found)} depths (median "
        f"{median(p.ratio(figure) for p in found):.2f} times)"
        for name, found in groups.items() if found
    ]  # fmt: skip
    lost = [p for p in pairs if p.ratio(figure) >= 1]
    larger = sum(ring_of(p.one) < ring_of(p.other) for p in lost)
    primes = ", ".join(
        f"{p.key[0]} products: {_primes(p.other)} against {_primes(p.one)}"
        for p in lost[:_SHOWN] if ring_of(p.one) >= ring_of(p.other)
    )  # fmt: skip
    return (
        f"OpenFHE is {'; '.join(told)}. Of the {len(lost)} depths that it loses, its ring is larger at "
        f"{larger}." + (f" At others it has more primes to compute with: {primes}." if primes else "")
    )


def _where(name: str) -> str:
    return "in the same ring" if name == "the same" else f"in {name} ring than SEAL's"


def _primes(b: Beside) -> str:
    return f"{b.predicted('limbs')} primes and {b.predicted('special_limbs')} for key switching"


def _half() -> Claim:
    def judge(results: Results) -> ClaimFinding:
        deepest = paired_products(results, "bgv")[-1]
        ratio, most = deepest.ratio(MEMORY), value("section5.less.than.half")
        keys = [
            100 * float(b.measured(_KEYS)) / float(b.measured(MEMORY)) for b in (deepest.one, deepest.other)
        ]
        evidence = (
            f"at {deepest.key[0]} products, the most that both run at 128 bits; keys for relinearisation "
            f"are {keys[0]:.0f} % of SEAL's memory (a digit for each prime) and {keys[1]:.0f} % of "
            "OpenFHE's"
        )
        trend = ratios(paired_products(results, "bgv"), MEMORY)
        cause = "" if ratio < most else f"The ratio depends on the depth: {trend}; {evidence}"
        return ClaimFinding(f"{ratio:.2f} times SEAL's", ratio < most, evidence, cause)

    return Claim(
        "products in BGV: OpenFHE requires less than half of SEAL's memory at the greatest depth",
        said("section5.less.than.half", "figure8.seal.windows.20", "figure8.openfhe.linux.20"),
        "OpenFHE's peak memory is less than half of SEAL's at the greatest depth measured with both",
        judge,
        _about("bgv"),
    )


# -- figures at depth 20 ------------------------------------------------------------------------------------


def _deep(results: Results, scheme: str) -> Beside:
    """OpenFHE's 20 products at 128 bits; in BGV with the modulus that batches in the ring it needs."""
    return measured(results, LARGER_RING if scheme == "bgv" else PRODUCTS["openfhe", scheme], _LAST)


def _deep_names(scheme: str) -> tuple[str, ...]:
    return (LARGER_RING.name, UNCHECKED.name) if scheme == "bgv" else (products_name("openfhe", scheme),)


def _seconds(scheme: str, key: str) -> Claim:
    def judge(results: Results) -> ClaimFinding:
        b, published = _deep(results, scheme), value(key)
        ours = float(b.measured(TIME))
        holds = published / ALIKE <= ours <= ALIKE * published
        evidence = (
            f"{seconds(ours)} of CPU time in {power_of_two(ring_of(b))}, with encryption and decryption"
        )
        cause = "" if holds else _deep_cause(results, scheme, b, TIME)
        return ClaimFinding(seconds(ours), holds, evidence, cause)

    return Claim(
        f"20 products in {scheme.upper()} take OpenFHE about {value(key):g} s on Linux",
        said(key),
        f"our CPU time is within a factor of {ALIKE:g}, for another processor",
        judge,
        _deep_names(scheme),
    )


def _megabytes(scheme: str, key: str) -> Claim:
    def judge(results: Results) -> ClaimFinding:
        b, published = _deep(results, scheme), value(key)
        ours = float(b.measured(MEMORY)) / MEGABYTE
        holds = published / ALIKE_MEMORY <= ours <= ALIKE_MEMORY * published
        evidence = f"in {power_of_two(ring_of(b))}, the ring that OpenFHE takes at 128 bits"
        cause = "" if holds else _deep_cause(results, scheme, b, MEMORY)
        return ClaimFinding(f"{ours:.0f} MB", holds, evidence, cause)

    return Claim(
        f"20 products in {scheme.upper()} take OpenFHE {PUBLISHED_TEXT[scheme]} of memory on Linux",
        said(key),
        f"our peak memory is within a factor of {ALIKE_MEMORY:g}",
        judge,
        _deep_names(scheme),
    )


PUBLISHED_TEXT = {"bgv": "400 MB", "ckks": "under 800 MB"}


def _deep_cause(results: Results, scheme: str, b: Beside, figure: str) -> str:
    """In BGV what the paper's ring takes; in CKKS, where the rings are the same, what makes the figure."""
    if scheme == "bgv":
        return _unchecked(results, figure)
    if figure == TIME:
        phases = ", ".join(f"{seconds(b.measured(f'{p}_seconds'))} to {p}" for p in ("encrypt", "evaluate"))
        return f"The ring is the paper's, so processor and version differ: {phases}"
    inputs = (_LAST + 1) * 16 * ring_of(b) * int(b.predicted("limbs")) / MEGABYTE
    keys = float(b.measured(_KEYS)) / MEGABYTE
    return f"The ring is the paper's; inputs are {inputs:.0f} MB of it and the key is {keys:.0f} MB"


def _unchecked(results: Results, figure: str) -> str:
    """The figure in the paper's ring, which OpenFHE takes only with security unchecked."""
    try:
        b = measured(results, UNCHECKED, _LAST)
    except NotRun as missing:
        return f"not yet tested in the paper's ring: {missing.remedy}"
    ours = seconds(b.measured(TIME)) if figure == TIME else f"{b.measured(MEMORY) / MEGABYTE:.0f} MB"
    published = value("figure6.openfhe.linux.20" if figure == TIME else "figure8.openfhe.linux.20")
    measured_ = float(b.measured(figure)) / (1.0 if figure == TIME else MEGABYTE)
    near = abs(measured_ / published - 1)
    return (
        f"In the paper's ring {power_of_two(ring_of(b))}, which OpenFHE takes only with security unchecked "
        f"({b.predicted('security_bits'):.0f} bits), it is {ours}, {100 * near:.0f} % from the paper's "
        "figure"
    )


# -- BGV beside CKKS ----------------------------------------------------------------------------------------


def _dearer(figure: str) -> Claim:
    noun = "time" if figure == TIME else "memory"
    return Claim(
        f"products take more {noun} in CKKS than in BGV",
        f"generally higher than in BGV (Section 5.2, Figures {'6 and 7' if figure == TIME else '8 and 9'})",
        f"with {titles()} each, the {noun} is more in CKKS at more than half of the depths measured in both",
        partial(_judge_dearer, figure),
        _about(*SCHEMES),
    )


def _judge_dearer(figure: str, results: Results) -> ClaimFinding:
    found = {name: paired_schemes(results, name) for name in COMPARED}
    more = {name: sum(p.ratio(figure) > 1 for p in pairs) for name, pairs in found.items()}
    holds = all(2 * more[name] > len(found[name]) for name in COMPARED)
    ours = ", ".join(f"{TITLES[name]} at {more[name]} of {len(found[name])} depths" for name in COMPARED)
    evidence = "; ".join(f"{TITLES[name]}: {ratios(found[name], figure)}" for name in COMPARED)
    return ClaimFinding(ours, holds, evidence, "" if holds else _equal_sets(found, figure))


def _equal_sets(found: Mapping[str, list[Pair]], figure: str) -> str:
    """CKKS relative to BGV where both have equal rings and equally many primes: the scheme alone."""
    told, medians = [], []
    for name, pairs in found.items():
        alike = [p for p in pairs if ring_of(p.one) == ring_of(p.other)
                 and p.one.predicted("limbs") == p.other.predicted("limbs")]  # fmt: skip
        if alike:
            medians.append(median(p.ratio(figure) for p in alike))
            told.append(f"{TITLES[name]} {medians[-1]:.2f} times ({len(alike)} depths)")
        else:
            told.append(f"{TITLES[name]} has no such depth")
    said_ = f"Where ring and number of primes are the same, CKKS takes relative to BGV: {', '.join(told)}."
    if medians and max(medians) <= _EQUAL:
        return said_ + " So the scheme itself takes no more; where CKKS takes more, its ring is larger."
    return said_ + " So the schemes themselves differ, whatever their rings."


# -- transitions --------------------------------------------------------------------------------------------


def _transitions() -> Claim:
    return Claim(
        "where the ring grows, SEAL's time grows more beyond the regular pattern than OpenFHE's",
        said("section5.seal.windows.transition", "section5.openfhe.linux.transition"),
        "in BGV, SEAL's step from 2^13 to 2^14, relative to its median step within a ring, is more than "
        f"OpenFHE's from 2^14 to 2^15, by {_CLEARLY - 1:.0%} at least (the paper has 2.5 times)",
        _judge_transitions,
        _about("bgv"),
    )


def _judge_transitions(results: Results) -> ClaimFinding:
    jumps = {name: _jumps(products(results, name, "bgv")) for name in COMPARED}
    one, other = jumps["seal"].get(1 << 14), jumps["openfhe"].get(1 << 15)
    if one is None or other is None:
        raise NotRun("both sides of a transition were not run", "fheasible study run seal-vs-openfhe")
    told = "; ".join(
        f"{TITLES[name]} " + ", ".join(f"to {power_of_two(n)} {of:.2f} times" for n, of in found.items())
        for name, found in jumps.items()
    )
    again = jumps["seal"].get(1 << 15)
    cause = f"all steps: {told}"
    if again is not None:
        cause = (
            "The paper compares different transitions. At the same one, to 2^15, SEAL's step is "
            f"{again:.2f} times its regular one and OpenFHE's {other:.2f}"
        )
    holds = one >= _CLEARLY * other
    evidence = f"steps beyond the regular: {told}"
    return ClaimFinding(f"{one:.2f} and {other:.2f} times", holds, evidence, "" if holds else cause)


def _jumps(found: Mapping[int, Beside]) -> dict[int, float]:
    """By the ring that a step leads to: its growth relative to the median growth of steps within a ring."""
    steps = [(found[n], found[n + 1]) for n in sorted(found) if n + 1 in found]
    regular = [_growth(a, b) for a, b in steps if ring_of(a) == ring_of(b)]
    if not regular:
        return {}
    return {ring_of(b): _growth(a, b) / median(regular) for a, b in steps if ring_of(a) < ring_of(b)}


def _growth(a: Beside, b: Beside) -> float:
    return float(b.measured(TIME)) / float(a.measured(TIME))
