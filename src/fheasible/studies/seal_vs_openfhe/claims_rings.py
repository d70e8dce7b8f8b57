"""The paper's Table 2: which ring each library needs for each depth. Judged by parameters alone."""

from collections.abc import Callable
from functools import partial

from fheasible.studies.claim import Claim, ClaimFinding
from fheasible.studies.experiment import NotRun
from fheasible.studies.results import Results
from fheasible.studies.seal_vs_openfhe.chains import PLAIN_MODULUS
from fheasible.studies.seal_vs_openfhe.experiments import (
    LARGER_MODULUS,
    LARGER_RING,
    PRODUCTS,
    TITLES,
    UNCHECKED,
)
from fheasible.studies.seal_vs_openfhe.printed import DEPTHS, column, ring, value
from fheasible.studies.seal_vs_openfhe.readings import MEGABYTE, MEMORY, measured
from fheasible.studies.seal_vs_openfhe.rings import (
    as_seals,
    closest,
    equal,
    fullest_chain,
    needed,
    of_equal_primes,
    one_product_fewer,
    room,
    settings,
    without_a_larger_first_prime,
)
from fheasible.units import power_of_two, size

Cause = Callable[[Results], str]
ALL = len(DEPTHS)
CRITERION = "with n products as written, 128 bits and today's version, the ring is the same at all 19 depths"


def claims() -> tuple[Claim, ...]:
    causes: dict[tuple[str, str], Cause] = {
        ("seal", "bgv"): _seal_bgv,
        ("seal", "ckks"): _seal_ckks,
        ("openfhe", "bgv"): _openfhe_bgv,
        ("openfhe", "ckks"): lambda results: "",
    }
    return tuple(_column(name, scheme, cause) for (name, scheme), cause in causes.items())


def _column(name: str, scheme: str, cause: Cause) -> Claim:
    more = (LARGER_RING.name, UNCHECKED.name) if (name, scheme) == ("openfhe", "bgv") else ()
    return Claim(
        f"{TITLES[name]} {scheme.upper()}: the ring that each depth needs",
        f"{spans(column(name, scheme))} (Table 2)",
        CRITERION,
        partial(_judge, name, scheme, cause),
        (PRODUCTS[name, scheme].name, *more),
    )


def _judge(name: str, scheme: str, cause: Cause, results: Results) -> ClaimFinding:
    ours, published = needed(results, name, scheme), column(name, scheme)
    same = equal(ours, published)
    differ = [
        f"{depth}: {_ring(n)} (paper {power_of_two(p)})"
        for depth, n, p in zip(DEPTHS, ours, published, strict=True)
        if n != p
    ]
    evidence = f"{same} of {ALL} depths equal" + (f"; at depth {', '.join(differ)}" if differ else "")
    return ClaimFinding(spans(ours), same == ALL, evidence, "" if same == ALL else cause(results))


def _seal_ckks(results: Results) -> str:
    same = equal(one_product_fewer(), column("seal", "ckks"))
    reason = without_a_larger_first_prime(DEPTHS[0])
    other = f"does not compute: {reason}" if reason else "would compute, too"
    taken, allowed = fullest_chain(DEPTHS[-1] - 1)
    return (
        f"With SEAL's usual chain (60, 40 ..., special prime 60) and room for one product fewer, {same} of "
        f"{ALL} rings are those of the paper. So its chain for depth L holds L - 1 rescaled products: "
        f"{DEPTHS[-1] - 1} of them take log2 QP = {taken:.0f}, and SEAL allows {allowed:.0f}. The other "
        f"chain of as many bits, 40 in every prime, {other}."
    )


def _seal_bgv(results: Results) -> str:
    tight = [room("seal", depth) for depth in (6, 12, 20)]
    lacking = "; ".join(
        f"depth {r.depth} in {power_of_two(r.ring)}: {r.bits} bits each, noise budget {r.budget:.0f} bits"
        for r in tight
    )
    fewer = equal(of_equal_primes("seal", 1), column("seal", "bgv"))
    other = equal(of_equal_primes("lattigo", 1), column("seal", "bgv"))
    return (
        f"At 128 bits the paper's rings leave too little for each prime when t = {PLAIN_MODULUS}, the "
        f"least that batches in all of them: {lacking}. With room for one product fewer, as its chains for "
        f"CKKS have, {fewer} of {ALL} rings are equal; with the smaller noise of Lattigo's rounding, "
        f"{other}. What remains are fewer products, a smaller t that does not batch, or results that were "
        "not checked."
    )


def _openfhe_bgv(results: Results) -> str:
    best, batching = closest(batching=False), closest(batching=True)
    seals = equal(as_seals(), column("openfhe", "bgv"))
    deep = next(b for b in results.beside(UNCHECKED) if b.has(n=12))
    return (
        f"None of {len(settings())} settings (scaling technique, key switching, digits, attacker, t) gives "
        f"the column: at most {best.equal} of {ALL} depths are equal ({best}), and {batching.equal} with a "
        f"t that batches ({batching}). But the column is that of SEAL's BGV, with 2^14 for smaller rings, "
        f"at {seals} of {ALL} depths, as if the ring was given by hand. OpenFHE takes it only with "
        f"security unchecked; 2^14 at depth 12 then has log2 QP = {deep.predicted('log_qp'):.0f} and "
        f"{deep.predicted('security_bits'):.0f} bits of security. {_ran(results)}"
    )


def _ran(results: Results) -> str:
    """What running the rings given by hand showed; which command would, where they were not run."""
    try:
        last = measured(results, UNCHECKED, DEPTHS[-1])
        checked = measured(results, LARGER_RING, DEPTHS[-1])
    except NotRun as missing:
        return f"(Not yet tested by running: {missing.remedy}.)"
    paper = value("figure8.openfhe.linux.20")
    return (
        f"Run so, 20 products in {power_of_two(ring('openfhe', 'bgv', 20))} are {_right(last.row)} and "
        f"take {last.measured(MEMORY) / MEGABYTE:.0f} MB (paper {paper:.0f} MB); in the ring that OpenFHE "
        f"itself takes with t = {LARGER_MODULUS}, {size(checked.measured(MEMORY))}."
    )


def _right(row: object) -> str:
    return "right" if getattr(row, "outcome", "") == "measured" else "wrong"


def spans(rings: tuple[int | None, ...]) -> str:
    """'2^14 at 2 to 7, 2^15 at 8 to 15': a column of rings as it is said."""
    said: list[tuple[int | None, int, int]] = []
    for depth, n in zip(DEPTHS, rings, strict=True):
        if said and said[-1][0] == n:
            said[-1] = (n, said[-1][1], depth)
        else:
            said.append((n, depth, depth))
    return ", ".join(f"{_ring(n)} at {a}" + (f" to {b}" if b > a else "") for n, a, b in said)


def _ring(n: int | None) -> str:
    return "none" if n is None else power_of_two(n)
