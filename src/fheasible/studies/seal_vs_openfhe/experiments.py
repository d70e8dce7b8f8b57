"""The paper's sums and products as sweeps of SEAL and OpenFHE, and of Lattigo beyond it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fheasible.studies.applied import AppliedExperiment
from fheasible.studies.derived import Derived, Told, nothing
from fheasible.studies.seal_vs_openfhe.chains import PLAIN_MODULUS, bgv_chain, largest
from fheasible.studies.seal_vs_openfhe.printed import COUNTS, DEPTHS, RINGS, ring

TITLES = {"seal": "SEAL", "openfhe": "OpenFHE", "lattigo": "Lattigo"}
LIBRARIES, SCHEMES = tuple(TITLES), ("bgv", "ckks")
COMPARED = ("seal", "openfhe")  # those of the paper
WEBASSEMBLY = "node-seal"  # SEAL as WebAssembly under Node
LARGER_MODULUS = 786433  # the next that batches, in rings up to 2^17
_APPS = Path(__file__).with_name("apps")
_KIND = {"bgv": "integers", "ckks": "reals"}
_DEPTHS = f"n={DEPTHS[0]}:{DEPTHS[-1]}"
_COUNTS = "n=" + ",".join(map(str, COUNTS))
_QUICK: Mapping[tuple[str, str], tuple[int, ...]] = {  # in BGV both sides of where rings grow
    **dict.fromkeys((("seal", "bgv"), ("openfhe", "bgv")), (*range(2, 11), 15, 18)),
    **dict.fromkeys((("seal", "ckks"), ("openfhe", "ckks")), (2, 5, 8, 11, 15, 19, 20)),
    **dict.fromkeys((("lattigo", "bgv"), ("lattigo", "ckks")), (2, 8, 15)),
}
_SPARE = "spare_levels=1"  # the depth that OpenFHE has where the user gives none


def sums_name(library: str, scheme: str) -> str:
    return f"sums-{library}-{scheme}"


def products_name(library: str, scheme: str) -> str:
    return f"products-{library}-{scheme}"


def _counts(*quick: int) -> Callable[[Told], bool]:
    return lambda told: int(told["n"]) in quick


def _sums(library: str, scheme: str) -> AppliedExperiment:
    return AppliedExperiment(
        name=sums_name(library, scheme),
        title=f"Sums in {scheme.upper()}, {TITLES[library]}",
        app=_APPS / f"sums_of_{_KIND[scheme]}.py",
        library=library,
        scheme=scheme,
        vary=("ring_dimension=" + ",".join(map(str, RINGS)),),
        fix=(_SPARE,),
        numbers=(_COUNTS,),
        quick=_counts(COUNTS[0], COUNTS[-1]),
        repetitions=5,
        quick_repetitions=2,
    )


def _largest(scheme: str) -> AppliedExperiment:
    """SEAL with all the modulus that its default gives for the ring."""
    return AppliedExperiment(
        name=f"sums-seal-{scheme}-largest",
        title=f"Sums in {scheme.upper()}, SEAL with its default chain",
        app=_APPS / f"sums_of_{_KIND[scheme]}.py",
        library="seal",
        scheme=scheme,
        vary=("ring_dimension=" + ",".join(map(str, RINGS)),),
        fix=("scale_bits=40",) if scheme == "ckks" else (),
        numbers=(_COUNTS,),
        derived=largest,
        quick=lambda told: told["ring_dimension"] == str(RINGS[1]) and int(told["n"]) in (50, 300),
        repetitions=5,
        quick_repetitions=2,
    )


def _products(
    name: str, library: str, scheme: str, what: str = "", quick: tuple[int, ...] = (), **more: Any
) -> AppliedExperiment:
    modulus = (f"t={PLAIN_MODULUS}",) if scheme == "bgv" else ()
    given: Mapping[str, Any] = {"numbers": (_DEPTHS, *modulus), "fix": ("as_written=true",), **more}
    return AppliedExperiment(
        name=name,
        title=f"Products in {scheme.upper()}, {TITLES.get(library, library)}{what}",
        app=_APPS / f"products_of_{_KIND[scheme]}.py",
        library=library,
        scheme=scheme,
        quick=_counts(*(quick or _QUICK[library, scheme])),
        repetitions=5,
        quick_repetitions=2,
        **given,
    )


def _plain(library: str, scheme: str) -> AppliedExperiment:
    chooses = scheme == "bgv" and library != "openfhe"
    chain: Derived = bgv_chain(library) if chooses else nothing
    return _products(products_name(library, scheme), library, scheme, derived=chain)


def _by_hand(told: Told) -> Told:
    return {"ring_dimension": str(ring("openfhe", "bgv", int(told["n"])))}


SUMS = {(lib, s): _sums(lib, s) for s in SCHEMES for lib in LIBRARIES}
LARGEST = {s: _largest(s) for s in SCHEMES}
PRODUCTS = {(lib, s): _plain(lib, s) for s in SCHEMES for lib in LIBRARIES}

LARGER_RING = _products(
    "products-openfhe-bgv-larger-t", "openfhe", "bgv", f" with t = {LARGER_MODULUS}", (16, 20),
    numbers=("n=16:20", f"t={LARGER_MODULUS}"),
)  # fmt: skip
"""What OpenFHE needs where 65537 no longer batches in its ring."""

UNCHECKED = _products(
    "products-openfhe-bgv-unchecked", "openfhe", "bgv", " in the rings of Table 2, security unchecked",
    (8, 12, 20), fix=("as_written=true", "security=none"), derived=_by_hand,
)  # fmt: skip
"""The rings of Table 2 given by hand, which OpenFHE takes only where it does not check the security."""

BALANCED = {
    lib: _products(
        f"products-{lib}-bgv-balanced", lib, "bgv", ", paired for the least depth", (8, 20),
        numbers=("n=4,8,12,16,20", f"t={PLAIN_MODULUS}"), fix=(),
    )
    for lib in COMPARED
}  # fmt: skip
"""Beyond the paper: the same products in another order."""

IN_WEBASSEMBLY = {
    s: _products(
        f"products-{WEBASSEMBLY}-{s}", WEBASSEMBLY, s, quick=(2, 5, 8),
        derived=bgv_chain("seal") if s == "bgv" else nothing,
    )
    for s in SCHEMES
}  # fmt: skip
"""SEAL's own sets once more, on another platform."""

EXPERIMENTS = (
    *SUMS.values(), *LARGEST.values(), *PRODUCTS.values(), LARGER_RING, UNCHECKED, *BALANCED.values(),
    *IN_WEBASSEMBLY.values(),
)  # fmt: skip
