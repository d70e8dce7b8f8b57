"""The cells of the paper's Sections IV and V in BFV, BGV and CKKS, as sweeps."""

from pathlib import Path

from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.studies.applied import AppliedExperiment
from fheasible.studies.derived import Told
from fheasible.studies.operations import OperationExperiment, OperationSet
from fheasible.studies.schemes_and_libraries.printed import DEPTHS, PUBLISHED
from fheasible.units import GIB, MIB

APPS = Path(__file__).with_name("apps")
LIBRARIES = ("openfhe", "lattigo")
SCHEMES = ("bfv", "bgv", "ckks")
TITLES = {"openfhe": "OpenFHE", "lattigo": "Lattigo", "seal": "SEAL"}
LENGTHS = (2, 20, 40, 60, 80, 100)  # of Equations 1 and 2
LIMITS = {0.5: 15, 1: 30, 2: 61, 3: 91}  # GB of memory in Table VII: per cent of the 3.3 GB that it needs
QUICK_PRODUCTS = ("1", "2", "5", "6", "9", "10")
SWAP_BYTES = 2 * GIB

_DEEP = "depth=1,2,3,4,5,6,7,8,9,10"
_OWN = {
    ("openfhe", "bfv"): ("scale_bits=59", "key_switching=hybrid"),
    ("openfhe", "bgv"): ("technique=fixedmanual", "scale_bits=59", "first_bits=59"),
    ("openfhe", "ckks"): ("technique=fixedmanual", "scale_bits=45", "first_bits=55"),
    ("lattigo", "ckks"): ("scale_bits=45", "first_bits=56"),
}  # how Table III's chains are asked for, as far as its log q tells
LATTIGO_CHAINS = {
    "bfv": {
        118: (59, 59), 177: (59, 59, 59), 235: (59, 59, 59, 58), 294: (59,) * 4 + (58,),
        352: (59,) * 4 + (58,) * 2,
    },
    "bgv": {
        118: (59, 59), 235: (59,) * 3 + (58,), 352: (59,) * 4 + (58,) * 2, 410: (59,) * 6 + (58,) * 2,
        583: (59,) * 3 + (58,) * 7,
    },
}  # fmt: skip
"""Chains of Lattigo of at most 59 bits a prime whose sum is Table III's log q. For 410 bits, which carry one
product less than the rest of that row, it is 470: a digit must be damaged."""

BOOTSTRAP_LEVELS = 19
_BOOTSTRAPPED = {
    "openfhe": (
        "technique=flexibleauto", "scale_bits=55", "first_bits=60", "bootstrap_encode_levels=3",
        "bootstrap_decode_levels=2",
    ),
    "lattigo": ("scale_bits=45", "first_bits=55"),
}  # fmt: skip
"""OpenFHE's with 19 levels for a bootstrap and 55 bits for each, as Table V's log q tells; Lattigo's own."""


def _quick(told: Told) -> bool:
    return told["depth"] in QUICK_PRODUCTS


def by_depth(library: str, scheme: str, memory: MemoryLimit | None = None) -> AppliedExperiment:
    """Table III: a product chain of each depth in one ciphertext that is full."""
    ring = int(PUBLISHED.value(f"table3.n.{scheme}"))
    modulus = () if scheme == "ckks" else (f"plain_modulus={int(PUBLISHED.value('table3.t'))}",)
    return AppliedExperiment(
        name=f"depth-{library}-{scheme}",
        title=f"{TITLES[library]} {scheme.upper()} by multiplicative depth (Table III, Figures 3 and 4)",
        app=APPS / ("real_products.py" if scheme == "ckks" else "integer_products.py"),
        library=library,
        scheme=scheme,
        numbers=(_DEEP,),
        fix=(f"ring_dimension={ring}", "as_written=true", *modulus, *_OWN.get((library, scheme), ())),
        quick=_quick,
        repetitions=5,
        quick_repetitions=2,
        memory=memory,
    )


def published_chain(scheme: str) -> AppliedExperiment:
    """Lattigo's chains of Table III, prime by prime, each for one product less than its depth: more do not
    fit."""
    chains = LATTIGO_CHAINS[scheme]
    written = {"+".join(map(str, bits)): total for total, bits in chains.items()}
    wanted = {
        str(depth - 1): int(PUBLISHED.value(f"table3.log_q.{scheme}.lattigo.{depth}")) for depth in DEPTHS
    }

    def theirs(told: Told) -> bool:
        return written[told["prime_bits"]] == wanted.get(told["depth"])

    return AppliedExperiment(
        name=f"chain-lattigo-{scheme}",
        title=f"Lattigo {scheme.upper()} with exactly the paper's log q",
        app=APPS / "integer_products.py",
        library="lattigo",
        scheme=scheme,
        numbers=(_DEEP,),
        vary=(f"prime_bits={','.join(written)}",),
        fix=("ring_dimension=32768", "as_written=true", "plain_modulus=65537", "special_bits=59"),
        only=theirs,
        quick=_quick,
        repetitions=5,
        quick_repetitions=2,
    )


def other_keys() -> AppliedExperiment:
    """OpenFHE's BFV with its default key switching (BV): how its chain differs from that of hybrid."""
    return AppliedExperiment(
        name="keys-openfhe-bfv",
        title="OpenFHE BFV with BV key switching",
        app=APPS / "integer_products.py",
        library="openfhe",
        scheme="bfv",
        numbers=(_DEEP,),
        fix=(
            "ring_dimension=32768",
            "as_written=true",
            "plain_modulus=65537",
            "scale_bits=59",
            "key_switching=bv",
        ),
        quick=lambda told: False,
        repetitions=3,
    )


def inner_products(library: str) -> AppliedExperiment:
    """Equation 2 for each n: Table V's set of OpenFHE, and each library's own."""
    own = ("technique=fixedmanual",) if library == "openfhe" else ()
    return AppliedExperiment(
        name=f"eq2-{library}",
        title=f"Equation 2, the inner product, in {TITLES[library]} CKKS (Table V, Figure 6)",
        app=APPS / "inner_product.py",
        library=library,
        scheme="ckks",
        numbers=(f"n={','.join(map(str, LENGTHS))}",),
        fix=("ring_dimension=4096", "security=none", "scale_bits=36", "first_bits=42", *own),
        quick=lambda told: told["n"] in ("2", "40", "100"),
        repetitions=10,
        quick_repetitions=3,
    )


def long_products(library: str) -> AppliedExperiment:
    """Equation 1 for each n without bootstrapping: products of least depth in one large ring."""
    return AppliedExperiment(
        name=f"eq1-{library}",
        title=f"Equation 1, a long product, in {TITLES[library]} CKKS without bootstrapping",
        app=APPS / "long_product.py",
        library=library,
        scheme="ckks",
        numbers=(f"n={','.join(map(str, LENGTHS))}",),
        fix=("scale_bits=45", "first_bits=55"),
        quick=lambda told: told["n"] in ("2", "40"),
        repetitions=3,
        quick_repetitions=1,
    )


def _levels_left(told: Told) -> dict[str, str]:
    """Table V's depth, less the 19 levels that a bootstrap takes there: then 2, 3, 4 and 5 of them are enough
    for the products of 40, 60, 80 and (but for two) 100, as the text has it."""
    return {"levels": str(int(PUBLISHED.value(f"table5.eq1.{told['n']}.depth")) - BOOTSTRAP_LEVELS)}


def bootstrapped(library: str) -> AppliedExperiment:
    """Equation 1 for each n that Table V bootstraps, one factor after another in all slots of its ring."""
    return AppliedExperiment(
        name=f"eq1-bootstrapped-{library}",
        title=f"Equation 1 in {TITLES[library]} CKKS with bootstraps, as written (Table V, Figure 5)",
        app=APPS / "rotated_product.py",
        library=library,
        scheme="ckks",
        numbers=(f"n={','.join(map(str, LENGTHS[2:]))}", "batch=32768"),
        fix=("ring_dimension=65536", "security=none", *_BOOTSTRAPPED[library]),
        derived=_levels_left,
        quick=lambda told: False,  # minutes, and tens of GiB
        repetitions=1,
    )


def bootstrapped_small(library: str) -> AppliedExperiment:
    """The same with 20 factors in 128 slots of an INSECURE ring, which takes seconds."""
    return AppliedExperiment(
        name=f"eq1-small-{library}",
        title=f"Equation 1 in {TITLES[library]} CKKS with bootstraps, in a small and insecure ring",
        app=APPS / "rotated_product.py",
        library=library,
        scheme="ckks",
        numbers=("n=20", "batch=128"),
        fix=("ring_dimension=8192", "security=none", "levels=7", *_BOOTSTRAPPED[library]),
        repetitions=3,
        quick_repetitions=1,
    )


def vectors(name: str, title: str, memory: MemoryLimit | None = None) -> AppliedExperiment:
    """Ten products of 16 full ciphertexts each in OpenFHE's CKKS: a run that needs much memory."""
    made = DEPTH["openfhe", "ckks"]
    return AppliedExperiment(
        name=name,
        title=title,
        app=made.app,
        library=made.library,
        scheme=made.scheme,
        numbers=("depth=10", "n=524288"),
        fix=made.fix,
        repetitions=2,
        quick_repetitions=1,
        quick=lambda told: memory is None or memory.memory_bytes < UNLIMITED_BYTES // 2,
        memory=memory,
    )


def limited(gigabytes: float) -> AppliedExperiment:
    """The same with as small a part of its memory as the paper's limit is of what its own run needs."""
    bytes_ = UNLIMITED_BYTES * LIMITS[gigabytes] // 100
    return vectors(
        f"limit-{gigabytes:g}",
        f"OpenFHE CKKS, ten products of 16 ciphertexts with {LIMITS[gigabytes]} % of their memory",
        MemoryLimit(bytes_, SWAP_BYTES),
    )


DEPTH = {(lib, scheme): by_depth(lib, scheme) for scheme in SCHEMES for lib in LIBRARIES}
BEYOND = {("seal", scheme): by_depth("seal", scheme) for scheme in ("bfv", "bgv")}
"""SEAL, which the paper does not have; its CKKS has no ring of 65,536."""
CHAINS = {scheme: published_chain(scheme) for scheme in ("bfv", "bgv")}
KEYS = other_keys()
EQUATION_1 = {lib: long_products(lib) for lib in LIBRARIES}
BOOTSTRAPPED = {lib: bootstrapped(lib) for lib in LIBRARIES}
BOOTSTRAPPED_SMALL = {lib: bootstrapped_small(lib) for lib in LIBRARIES}
EQUATION_2 = {lib: inner_products(lib) for lib in LIBRARIES}
UNLIMITED_BYTES = 670 * MIB  # about what the unlimited run needs
UNLIMITED = vectors("limit-none", "OpenFHE CKKS, ten products of 16 ciphertexts without a limit")
BV = AppliedExperiment(
    name="eq2-openfhe-bv",
    title="Equation 2 in OpenFHE CKKS with keys that need no modulus P",
    app=APPS / "inner_product.py",
    library="openfhe",
    scheme="ckks",
    numbers=("n=2",),
    vary=("scale_bits=30,36,39",),
    fix=("ring_dimension=4096", "first_bits=42", "technique=fixedmanual", "key_switching=bv"),
    repetitions=3,
    quick_repetitions=1,
)
LIMITED = {gigabytes: limited(gigabytes) for gigabytes in LIMITS}
OPERATIONS = {
    lib: OperationExperiment(
        name=f"operations-{lib}-bgv",
        title=f"Operations of {TITLES[lib]} BGV with 10 primes of Q, at the top level",
        library=lib,
        scheme="bgv",
        operations=("mul", "relinearize", "rescale"),
        sets=(
            OperationSet(
                "nine products",
                {"ring_dimension": "32768", "plain_modulus": "65537"}
                | dict(one.split("=") for one in _OWN.get((lib, "bgv"), ())),
                9,
            ),
        ),
        repetitions=5,
        quick_repetitions=3,
    )
    for lib in LIBRARIES
}
EXPERIMENTS = (
    *DEPTH.values(), *BEYOND.values(), *CHAINS.values(), KEYS, *EQUATION_2.values(), *EQUATION_1.values(),
    *BOOTSTRAPPED.values(), *BOOTSTRAPPED_SMALL.values(), BV, *OPERATIONS.values(), UNLIMITED,
    *LIMITED.values(),
)  # fmt: skip
