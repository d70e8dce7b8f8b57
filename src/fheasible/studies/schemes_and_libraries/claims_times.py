"""Claims on times and memory."""

from itertools import pairwise

from fheasible.studies.applied import AppliedExperiment
from fheasible.studies.claim import ClaimFinding
from fheasible.studies.experiment import NotRun
from fheasible.studies.results import Results
from fheasible.studies.schemes_and_libraries.curves_by_depth import bend, common, curve, growth
from fheasible.studies.schemes_and_libraries.experiments import DEPTH, LIMITED, OPERATIONS, UNLIMITED
from fheasible.studies.schemes_and_libraries.printed import LIBRARIES, SCHEMES, TITLES
from fheasible.units import listing, seconds, size

STRAIGHT = 0.1  # of the range: how far a point may be from the straight line
ALIKE = 0.05  # of a time: smaller differences decide nothing


def order(library_name: str, results: Results) -> ClaimFinding:
    curves = {s: curve(results, library_name, s, "cpu_seconds") for s in SCHEMES}
    at = common(*curves.values())
    faults = {
        f"{first.upper()} not faster than {second.upper()}": [
            d for d in at if curves[first][d] > curves[second][d] * (1 + ALIKE)
        ]
        for first, second in (("bgv", "bfv"), ("bfv", "ckks"))
    }
    broken = {words: those for words, those in faults.items() if those}
    told = "; ".join(
        f"with {d}: " + ", ".join(f"{s.upper()} {seconds(curves[s][d])}" for s in SCHEMES)
        for d in (at[0], at[-1])
    )
    cause = "; ".join(
        f"{words} with {listing([str(d) for d in those])} products" for words, those in broken.items()
    )
    if cause:
        cause += _why_bfv(results, library_name, at)
    return ClaimFinding(told, not broken, f"{len(at)} numbers of products", cause)


def _why_bfv(results: Results, library_name: str, at: list[int]) -> str:
    """What a product of BFV costs beside one of CKKS, from the times of single phases."""
    bfv, ckks = (curve(results, library_name, s, "evaluate_seconds") for s in ("bfv", "ckks"))
    most = at[-1]
    n = {s: results.beside(DEPTH[library_name, s])[0].predicted("ring_dimension") for s in ("bfv", "ckks")}
    return (
        f". CKKS has N = {n['ckks']:,} and BFV N = {n['bfv']:,}, yet with {most} products the evaluation "
        "alone takes "
        f"{seconds(bfv[most])} in BFV and {seconds(ckks[most])} in CKKS: a product of BFV stays at full "
        "modulus and "
        "is computed in twice as many primes, while CKKS loses a prime with each product"
    )


def fastest(results: Results) -> ClaimFinding:
    ours, theirs = (curve(results, lib, "bgv", "cpu_seconds") for lib in ("lattigo", "openfhe"))
    at = common(ours, theirs)
    slower = [d for d in at if ours[d] > theirs[d] * (1 + ALIKE)]
    ratios = {d: ours[d] / theirs[d] for d in at}
    told = f"Lattigo takes {min(ratios.values()):.2f} to {max(ratios.values()):.2f} times OpenFHE's time"
    return ClaimFinding(told, not slower, f"{len(at)} numbers of products", _why_bgv(results, slower))


def _why_bgv(results: Results, slower: list[int]) -> str:
    """What single operations take in both libraries with nine products' primes."""
    if not slower:
        return ""
    told = []
    for lib, experiment in OPERATIONS.items():
        (b,) = results.measured(experiment)
        of = ", ".join(
            f"{name} {seconds(b.measured(f'{name}_seconds'))}" for name in ("mul", "relinearize", "rescale")
        )
        shape = f"{b.predicted('limbs')} primes of Q, {b.predicted('special_limbs')} of P"
        told.append(f"{TITLES[lib]} ({shape}): {of}")
    return (
        f"OpenFHE is faster with {listing([str(d) for d in slower])} products. Measured one by one for nine "
        f"products, at the top level: {'; '.join(told)}"
    )


def crossing(scheme: str, results: Results) -> ClaimFinding:
    ours = {lib: curve(results, lib, scheme, "cpu_seconds") for lib in LIBRARIES}
    at = common(*ours.values())
    ratios = {d: ours["lattigo"][d] / ours["openfhe"][d] for d in at}
    holds = ratios[at[0]] < 1 < ratios[at[-1]]
    told = ", ".join(f"{d}: {ratio:.2f}" for d, ratio in ratios.items())
    cause = "" if holds else _why_alike(results, scheme, at)
    return ClaimFinding(
        f"Lattigo's time by OpenFHE's, by products: {told}", holds, f"{len(at)} numbers", cause
    )


def _why_alike(results: Results, scheme: str, at: list[int]) -> str:
    """The ratio that the models of both libraries give, which have not seen these runs, and the sets."""
    told = {
        lib: {b.cell.parameters["depth"]: b for b in results.beside(DEPTH[lib, scheme])} for lib in LIBRARIES
    }
    ratios = [
        ours / theirs
        for d in at
        if (ours := told["lattigo"][d].predicted("cpu_seconds"))
        and (theirs := told["openfhe"][d].predicted("cpu_seconds"))
    ]
    shapes = listing(
        [
            f"{TITLES[lib]} {found[at[-1]].predicted('limbs')} primes in {found[at[-1]].predicted('digits')} "
            "digits"
            for lib, found in told.items()
        ]
    )
    models = f"{min(ratios):.2f} to {max(ratios):.2f}" if ratios else "none, without a calibration"
    return (
        f"with {at[-1]} products, {shapes}. The models of both libraries, which have not seen these runs, "
        f"give ratios of {models}: the libraries of today are about as fast as each other, and the ratio "
        "does "
        "not cross 1 from below"
    )


def ckks_memory(results: Results) -> ClaimFinding:
    less = []
    for lib in LIBRARIES:
        peaks = {s: curve(results, lib, s, "peak_bytes") for s in SCHEMES}
        less += [
            f"{TITLES[lib]}, {d} products: CKKS {size(peaks['ckks'][d])}, {s.upper()} {size(peaks[s][d])}"
            for d in common(*peaks.values())
            for s in ("bfv", "bgv")
            if peaks["ckks"][d] <= peaks[s][d]
        ]
    cause = f"not so: {'; '.join(less[:4])}" if less else ""
    return ClaimFinding(
        "more in every run" if not less else f"{len(less)} exceptions",
        not less,
        "N is twice as large in CKKS",
        cause,
    )


def openfhe_memory(results: Results) -> ClaimFinding:
    ratios, exceptions = [], []
    for scheme in SCHEMES:
        peaks = {lib: curve(results, lib, scheme, "peak_bytes") for lib in LIBRARIES}
        for d in common(*peaks.values()):
            ratios.append(peaks["openfhe"][d] / peaks["lattigo"][d])
            if ratios[-1] >= 1:
                exceptions.append(f"{scheme.upper()} at {d}")
    told = f"OpenFHE takes {min(ratios):.2f} to {max(ratios):.2f} times Lattigo's memory"
    return ClaimFinding(
        told, not exceptions, f"{len(ratios)} pairs of runs", _why_memory(results, exceptions)
    )


def _why_memory(results: Results, exceptions: list[str]) -> str:
    if not exceptions:
        return ""
    bare = {}
    for lib in LIBRARIES:
        found = results.measured(DEPTH[lib, "bfv"])
        bare[lib] = min(float(b.measured("peak_bytes")) for b in found)
    return (
        f"OpenFHE takes more in {len(exceptions)} of them, such as (scheme at the number of products) "
        f"{listing(exceptions[:3])}. The process "
        "with the "
        f"library takes part of it: its smallest runs of BFV have {size(bare['openfhe'])} (OpenFHE, loaded "
        "by Python) "
        f"and {size(bare['lattigo'])} (Lattigo)"
    )


def linear(results: Results) -> ClaimFinding:
    bent = []
    worst = 0.0
    for lib, scheme in DEPTH:
        for figure, name in (("cpu_seconds", "time"), ("peak_bytes", "memory")):
            found = curve(results, lib, scheme, figure)
            off = bend(found)
            worst = max(worst, off)
            if off > STRAIGHT:
                bent.append((f"{name} of {TITLES[lib]} {scheme.upper()}", growth(found)))
    times = [f"{name} grows with the power {power:.1f}" for name, power in bent if name.startswith("time")]
    cause = ""
    if bent:
        cause = (
            f"{listing([name for name, _ in bent])} bend by more. With d products, each works on up to d + 1 "
            "primes, and switching keys takes digits times primes: "
            f"{'; '.join(times[:3]) or 'memory grows by whole digits'}"
        )
    return ClaimFinding(
        f"at most {100 * worst:.0f} % of the range from a line", not bent, "least squares", cause
    )


def limited(results: Results) -> ClaimFinding:
    (free,) = results.measured(UNLIMITED)
    walls = {e: _wall(results, e) for e in LIMITED.values()}
    known = [(e, wall) for e, wall in reversed(walls.items()) if wall is not None]
    if len(known) < 2:
        remedy = "fheasible study run schemes-and-libraries --quick"
        raise NotRun("the runs with limited memory are missing", remedy)
    base = float(free.measured("wall_seconds"))
    times = [base, *(wall for _, wall in known)]
    rising = all(later >= earlier * (1 - ALIKE) for earlier, later in pairwise(times))
    told = ", ".join(f"{_limit(e)} {seconds(wall)}" for e, wall in known)
    holds = rising and times[-1] >= 2 * base
    cause = "" if holds else _why_limited(results, base)
    return ClaimFinding(f"no limit {seconds(base)}, {told}", holds, "wall time, with a swap file", cause)


def _limit(experiment: AppliedExperiment) -> str:
    return size(experiment.memory.memory_bytes) if experiment.memory else "no limit"


def _wall(results: Results, experiment: AppliedExperiment) -> float | None:
    (b,) = results.beside(experiment)
    found = b.measured("wall_seconds")
    return None if found is None else float(found)


def _why_limited(results: Results, base: float) -> str:
    """How much was read from swap, and how long reading it took at most."""
    told = []
    for experiment in LIMITED.values():
        (b,) = results.beside(experiment)
        used = b.row.measurement.get("limited") if b.row and b.row.measurement else None
        if used:
            wall = b.measured("wall_seconds")
            told.append(
                f"{_limit(experiment)}: {size(used['swap_read_bytes'])} read from swap, "
                f"{seconds(max(0.0, wall - base))} longer"
            )
    return f"what a run reads from swap takes little time here: {'; '.join(told)}"
