"""Equations 1 and 2 of the paper, a long product and an inner product: in CKKS and in TFHE, and Table V."""

from typing import Any, Final

from fheasible.studies.applied import AppliedExperiment
from fheasible.studies.derived import Told
from fheasible.studies.lookups import LookupExperiment
from fheasible.studies.schemes_and_libraries.printed import APPS, LENGTHS, LIBRARIES, PUBLISHED, TITLES
from fheasible.studies.schemes_and_libraries.table6 import SHIPPED

BOOTSTRAP_LEVELS: Final = 19
FRACTIONS: Final = (4, 8, 12)  # bits after the point of real numbers in TFHE
_ALL: Final = f"n={','.join(map(str, LENGTHS))}"
_BOOTSTRAPPED: Final = {
    "openfhe": (
        "technique=flexibleauto", "scale_bits=55", "first_bits=60", "bootstrap_encode_levels=3",
        "bootstrap_decode_levels=2",
    ),
    "lattigo": ("scale_bits=45", "first_bits=55"),
}  # fmt: skip
"""OpenFHE's with 19 levels for a bootstrap and 55 bits for each, as Table V's log q tells; Lattigo's own."""
_MANUAL: Final = {"openfhe": ("technique=fixedmanual",), "lattigo": ()}


def _in_ckks(name: str, title: str, app: str, library: str, **more: Any) -> AppliedExperiment:
    """An equation in a library's CKKS; `{}` in the title stands for the library."""
    return AppliedExperiment(
        name=f"{name}-{library}",
        title=title.format(f"{TITLES[library]} CKKS"),
        app=APPS / f"{app}.py",
        library=library,
        scheme="ckks",
        **more,
    )


def _long_products(library: str) -> AppliedExperiment:
    """Equation 1 for each n without bootstrapping: products of least depth in one large ring."""
    return _in_ckks(
        "eq1", "Equation 1, a long product, in {} without bootstrapping", "long_product", library,
        numbers=(_ALL,), fix=("scale_bits=45", "first_bits=55"),
        quick=lambda told: told["n"] in ("2", "40"), repetitions=3, quick_repetitions=1,
    )  # fmt: skip


def _inner_products(library: str) -> AppliedExperiment:
    """Equation 2 for each n: Table V's set of OpenFHE, and each library's own."""
    return _in_ckks(
        "eq2", "Equation 2, the inner product, in {} (Table V, Figure 6)", "inner_product", library,
        numbers=(_ALL,),
        fix=("ring_dimension=4096", "security=none", "scale_bits=36", "first_bits=42", *_MANUAL[library]),
        quick=lambda told: told["n"] in ("2", "40", "100"),
    )  # fmt: skip


def _table5_ring(told: Told) -> dict[str, str]:
    """The ring and the slots of Table V, for as many factors as its depth allows, and for one less."""
    n = "2" if int(told["n"]) < 4 else "20"
    ring, batch = (int(PUBLISHED.value(f"table5.eq1.{n}.{name}")) for name in ("ring", "batch"))
    return {"ring_dimension": str(ring), "batch": str(batch)}


def _unrefreshed(library: str) -> AppliedExperiment:
    """The two rows of Table V that are not bootstrapped: with n factors, and with one more, which takes all
    of the depth that is printed."""
    rings = [PUBLISHED.value(f"table5.eq1.{n}.ring") for n in (2, 20)]
    return _in_ckks(
        "eq1-short", "Equation 1 in {} as written, n = 2 and 20 (Table V)", "rotated_product", library,
        numbers=("n=2,3,20,21", "batch=4096,32768"),
        vary=(f"ring_dimension={','.join(f'{ring:.0f}' for ring in rings)}",),
        fix=("security=none", "as_written=true", "scale_bits=45", "first_bits=55", *_MANUAL[library]),
        only=lambda told: {name: told[name] for name in ("ring_dimension", "batch")} == _table5_ring(told),
        quick=lambda told: told["n"] == "2", repetitions=1, quick_repetitions=1,
    )  # fmt: skip


def _levels_left(told: Told) -> dict[str, str]:
    """Table V's depth, less the 19 levels that a bootstrap takes there: then 2, 3, 4 and 5 of them are enough
    for the products of 40, 60, 80 and (but for two) 100, as the text has it."""
    return {"levels": str(int(PUBLISHED.value(f"table5.eq1.{told['n']}.depth")) - BOOTSTRAP_LEVELS)}


def _bootstrapped(library: str) -> AppliedExperiment:
    """Equation 1 for each n that Table V bootstraps, one factor after another in all slots of its ring."""
    return _in_ckks(
        "eq1-bootstrapped", "Equation 1 in {} with bootstraps, as written (Table V, Figure 5)",
        "rotated_product", library,
        numbers=(f"n={','.join(map(str, LENGTHS[2:]))}", "batch=32768"),
        fix=("ring_dimension=65536", "security=none", *_BOOTSTRAPPED[library]),
        derived=_levels_left,
        quick=lambda told: False,  # minutes, and tens of GiB
        repetitions=1,
    )  # fmt: skip


def _bootstrapped_small(library: str) -> AppliedExperiment:
    """The same with 20 factors in 128 slots of an INSECURE ring, which takes seconds."""
    return _in_ckks(
        "eq1-small", "Equation 1 in {} with bootstraps, in a small and insecure ring", "rotated_product",
        library,
        numbers=("n=20", "batch=128"),
        fix=("ring_dimension=8192", "security=none", "levels=7", *_BOOTSTRAPPED[library]),
        repetitions=3, quick_repetitions=1,
    )  # fmt: skip


def _in_tfhe(number: int, app: str) -> LookupExperiment:
    """An equation in TFHE-rs's own set for two bits of message and two of carry, for each precision. Reals
    are in fixed point: digits of two bits, whose products are rounded."""
    few = ("2",) if number == 2 else ("2", "20")
    return LookupExperiment(
        name=f"eq{number}-tfhe_rs",
        title=f"Equation {number} in TFHE-rs, with real numbers in fixed point (Figure {4 + number})",
        app=APPS / f"{app}.py",
        library="tfhe_rs",
        numbers=(_ALL,),
        settings=(f"fraction={','.join(map(str, FRACTIONS))}", f"set={SHIPPED[1]}"),
        quick=lambda told: told["n"] == "2" or (told["n"] in few and told["fraction"] == "4"),
        repetitions=1,
    )


EQUATION_1: Final = {lib: _long_products(lib) for lib in LIBRARIES}
EQUATION_2: Final = {lib: _inner_products(lib) for lib in LIBRARIES}
UNREFRESHED: Final = {lib: _unrefreshed(lib) for lib in LIBRARIES}
BOOTSTRAPPED: Final = {lib: _bootstrapped(lib) for lib in LIBRARIES}
BOOTSTRAPPED_SMALL: Final = {lib: _bootstrapped_small(lib) for lib in LIBRARIES}
IN_TFHE: Final = {1: _in_tfhe(1, "paired_product"), 2: _in_tfhe(2, "inner_product")}
BV: Final = AppliedExperiment(
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
EQUATIONS: Final = (
    *EQUATION_2.values(), *EQUATION_1.values(), *UNREFRESHED.values(), *BOOTSTRAPPED.values(),
    *BOOTSTRAPPED_SMALL.values(), BV, *IN_TFHE.values(),
)  # fmt: skip
