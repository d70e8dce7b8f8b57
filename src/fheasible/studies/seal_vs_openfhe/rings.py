"""Which ring each library needs for each depth today, and why it differs from Table 2.

All of it follows from parameters, so that nothing has to be run.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from fheasible.errors import InfeasibleParameters
from fheasible.exploration.judging.chosen import WrittenShape, chosen
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Request, request_for
from fheasible.noise.integers.budget import budget_bits
from fheasible.security.tables import STANDARD_2018, max_log_q
from fheasible.studies.results import Results
from fheasible.studies.seal_vs_openfhe.chains import BGV_BITS, PLAIN_MODULUS
from fheasible.studies.seal_vs_openfhe.experiments import LARGER_RING, PRODUCTS
from fheasible.studies.seal_vs_openfhe.printed import DEPTHS, RINGS, column, ring

Rings = tuple[int | None, ...]  # by depth; None: the library has no such set

TECHNIQUES = ("fixedmanual", "fixedauto", "flexibleauto", "flexibleautoext")
MODULI = (2, 17, 257, 12289, PLAIN_MODULUS)  # the last is the only one that batches in all of these rings
DIGITS = (None, 1, 2, 4)
SCALE_BITS = 40


def needed(results: Results, name: str, scheme: str) -> Rings:
    """The rings of our experiments: for OpenFHE's BGV with the larger modulus where 65537 does not batch."""
    experiments = [PRODUCTS[name, scheme], *([LARGER_RING] if (name, scheme) == ("openfhe", "bgv") else [])]
    found: dict[int, int] = {}
    for experiment in experiments:
        for b in results.beside(experiment):
            if not b.prediction.refused:
                found.setdefault(b.cell.parameters["n"], b.predicted("ring_dimension"))
    return tuple(found.get(depth) for depth in DEPTHS)


def equal(rings: Sequence[int | None], others: Sequence[int | None]) -> int:
    return sum(one == other for one, other in zip(rings, others, strict=True))


# -- SEAL ---------------------------------------------------------------------------------------------------


@cache
def usual_chain(rescalings: int) -> int | None:
    """SEAL's ring for CKKS with the chain of its examples and so many rescalings; None: no ring holds it."""
    return _ring("seal", request_for("ckks", rescalings))


def fullest_chain(rescalings: int) -> tuple[float, float]:
    """log2 QP of SEAL's usual chain for that many rescalings, and what its largest ring allows."""
    limit = max_log_q(STANDARD_2018, RINGS[-1], "ternary", 128)
    assert limit is not None
    return library("seal").parameters(request_for("ckks", rescalings)).log_qp, float(limit)


def one_product_fewer() -> Rings:
    """SEAL's rings in CKKS if the chain for a depth has room for one product fewer."""
    return tuple(usual_chain(depth - 1) for depth in DEPTHS)


@cache
def without_a_larger_first_prime(products: int) -> str:
    """Why SEAL cannot compute in CKKS with primes of 40 bits throughout, whose chain has as many bits as that
    for one product fewer. Empty where it could."""
    experiment = PRODUCTS["seal", "ckks"]
    asked = request_for("ckks", 0, scale_bits=SCALE_BITS, first_bits=SCALE_BITS)
    try:
        chosen(
            experiment.problem({"n": products}), library("seal"), asked, None, WrittenShape(as_written=True)
        )
    except InfeasibleParameters as error:
        return error.message
    return ""


def of_equal_primes(name: str, missing: int) -> Rings:
    """The rings that the standard of 2018 allows for BGV with the smallest equal primes of today's noise
    model, with `missing` primes fewer than products need."""
    return tuple(_equal_primes(name, depth + 2 - missing) for depth in DEPTHS)


def _equal_primes(name: str, primes: int) -> int | None:
    for n in RINGS:
        limit = max_log_q(STANDARD_2018, n, "ternary", 128)
        if limit is not None and primes * BGV_BITS[name][n] <= limit:
            return n
    return None


@dataclass(frozen=True, slots=True)
class Room:
    """What the ring of Table 2 leaves for each prime of a chain of products, and what comes of it."""

    depth: int
    ring: int
    bits: int
    budget: float  # bits of noise budget left; negative: wrong results


@cache
def room(name: str, depth: int) -> Room:
    """Equal primes, depth + 2 of them, as large as the paper's ring allows SEAL at 128 bits."""
    n = ring("seal", "bgv", depth)
    limit = max_log_q(STANDARD_2018, n, "ternary", 128)
    assert limit is not None
    bits = int(limit // (depth + 2))
    experiment = PRODUCTS[name, "bgv"]
    asked = request_for(
        "bgv", 0, None, prime_bits=(bits,) * (depth + 1), ring_dimension=n, plain_modulus=PLAIN_MODULUS
    )
    problem = experiment.problem({"n": depth, "t": PLAIN_MODULUS})
    c = chosen(problem, library(name), asked, None, WrittenShape(as_written=True))
    assert c.parameters.scheme != "ckks"
    return Room(depth, n, bits, budget_bits(c.program, c.parameters))


# -- OpenFHE ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Setting:
    """A choice of what a user of OpenFHE's BGV can set, and the rings that OpenFHE takes with it."""

    settings: Mapping[str, str | int | bool | None]
    rings: Rings

    @property
    def equal(self) -> int:
        return equal(self.rings, column("openfhe", "bgv"))

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.settings.items() if value is not None)


@cache
def settings() -> tuple[Setting, ...]:
    """OpenFHE's rings for BGV for every technique, key switching, attacker, digits and several moduli."""
    return tuple(_settings())


def _settings() -> Iterator[Setting]:
    for t, technique, quantum, switching in product(MODULI, TECHNIQUES, (False, True), ("hybrid", "bv")):
        for digits in DIGITS if switching == "hybrid" else (None,):
            given: dict[str, str | int | bool | None] = {
                "plain_modulus": t, "technique": technique, "quantum": quantum, "key_switching": switching,
                "digits": digits,
            }  # fmt: skip
            yield Setting(given, _rings(given))


def _rings(given: Mapping[str, str | int | bool | None]) -> Rings:
    more = {name: value for name, value in given.items() if name != "quantum"}
    quantum = bool(given["quantum"])
    return tuple(_ring("openfhe", request_for("bgv", depth, 128, quantum, **more)) for depth in DEPTHS)


def closest(batching: bool) -> Setting:
    """The setting with most rings equal to Table 2; `batching`: of those whose modulus batches."""
    return max(
        (s for s in settings() if not batching or s.settings["plain_modulus"] == PLAIN_MODULUS),
        key=lambda s: s.equal,
    )


def as_seals() -> Rings:
    """SEAL's column of BGV in Table 2, with 2^14 in the place of smaller rings."""
    return tuple(max(n, column("openfhe", "bgv")[0]) for n in column("seal", "bgv"))


def _ring(name: str, request: Request) -> int | None:
    try:
        return library(name).parameters(request).ring_dimension
    except InfeasibleParameters:
        return None
