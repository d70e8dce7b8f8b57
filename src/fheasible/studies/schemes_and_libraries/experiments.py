"""The paper's cells: BFV, BGV and CKKS by depth (Table III), and the experiments of the other files."""

from fheasible.studies.applied import AppliedExperiment
from fheasible.studies.derived import Told
from fheasible.studies.operations import OperationExperiment, OperationSet
from fheasible.studies.schemes_and_libraries.equations import EQUATIONS
from fheasible.studies.schemes_and_libraries.limits import TFHE_LIMITS, limited, unlimited
from fheasible.studies.schemes_and_libraries.printed import (
    APPS,
    DEPTHS,
    LIBRARIES,
    PUBLISHED,
    SCHEMES,
    TITLES,
)
from fheasible.studies.schemes_and_libraries.table6 import TABLE_6

QUICK_PRODUCTS = ("1", "2", "5", "6", "9", "10")

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


def _quick(told: Told) -> bool:
    return told["depth"] in QUICK_PRODUCTS


def by_depth(library: str, scheme: str) -> AppliedExperiment:
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


DEPTH = {(lib, scheme): by_depth(lib, scheme) for scheme in SCHEMES for lib in LIBRARIES}
BEYOND = {("seal", scheme): by_depth("seal", scheme) for scheme in ("bfv", "bgv")}
"""SEAL, which the paper does not have; its CKKS has no ring of 65,536."""
CHAINS = {scheme: published_chain(scheme) for scheme in ("bfv", "bgv")}
KEYS = other_keys()
UNLIMITED, LIMITED = unlimited(DEPTH["openfhe", "ckks"]), limited(DEPTH["openfhe", "ckks"])
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
    *DEPTH.values(), *BEYOND.values(), *CHAINS.values(), KEYS, *TABLE_6.values(), *EQUATIONS,
    *OPERATIONS.values(), UNLIMITED, *LIMITED.values(), *TFHE_LIMITS,
)  # fmt: skip
