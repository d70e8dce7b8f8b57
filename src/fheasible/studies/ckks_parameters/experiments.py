"""The paper's sweeps as experiments, and beyond them other libraries, quantum levels, other depths [GKS25].

The chain is as long as the paper's: multiplicative depth 4 and 12. The programs need less, 2 and 11 levels;
`spare_levels` adds the others.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from fheasible.studies.applied import AppliedExperiment
from fheasible.studies.derived import Told
from fheasible.studies.operations import OperationExperiment, OperationSet

APPS = Path(__file__).with_name("apps")
LEVELS = (128, 192, 256)
TECHNIQUES = ("fixedauto", "flexibleauto", "flexibleautoext")
DEPTHS = {"multiplicative": 4, "standard-deviation": 12}  # the paper's MultiplicativeDepth
SPARE = {"multiplicative": 2, "standard-deviation": 1}  # levels of it that the program does not need
VALUES = 65_536
BATCH = 32

_GRID = (
    "scale_bits=20:59",
    f"security={','.join(map(str, LEVELS))}",
    f"technique={','.join(TECHNIQUES)}",
)
_CHAINS = {app: ("first_bits=60", f"spare_levels={spare}") for app, spare in SPARE.items()}
_PRODUCTS, _ROOT = _CHAINS["multiplicative"], _CHAINS["standard-deviation"]
_USUAL = "flexibleauto"


def _every_technique_at_192_bits(scales: Iterable[int], others: Iterable[int]) -> Callable[[Told], bool]:
    """The quick sets: every technique at 192 bits at these scales, and one technique at the other levels."""
    wanted, beside = {str(s) for s in scales}, {str(s) for s in others}

    def quick(told: Told) -> bool:
        if told["security"] == "192":
            return told["scale_bits"] in wanted
        return told["scale_bits"] in beside and told["technique"] == _USUAL

    return quick


def _among(**settings: Iterable[object]) -> Callable[[Told], bool]:
    """The quick sets: those whose settings are all among these."""
    wanted = {name: {str(value) for value in values} for name, values in settings.items()}
    return lambda told: all(told[name] in values for name, values in wanted.items())


def _full_ciphertext(told: Told) -> bool:
    """The quick sets: those whose values fill the ciphertext that their security takes."""
    return (told["security"], told["n"]) in (("128", "16384"), ("256", "32768"))


MULTIPLICATIVE = AppliedExperiment(
    name="multiplicative",
    title="Multiplicative function, 65,536 values",
    app=APPS / "multiplicative.py", library="openfhe", scheme="ckks",
    vary=_GRID, fix=_PRODUCTS, quick=_every_technique_at_192_bits((26, 31, 41, 50, 59), (31, 41, 50)),
    quick_repetitions=2,
)  # fmt: skip
MULTIPLICATIVE_32 = AppliedExperiment(
    name="multiplicative-32",
    title="Multiplicative function, 32 values",
    app=APPS / "multiplicative.py", library="openfhe", scheme="ckks",
    vary=_GRID, fix=_PRODUCTS, numbers=(f"n={BATCH}",),
    quick=_among(security=(128, 256), scale_bits=(41,), technique=(_USUAL,)),
    quick_repetitions=2,
)  # fmt: skip
MULTIPLICATIVE_ONE = AppliedExperiment(
    name="multiplicative-one",
    title="Multiplicative function, one ciphertext per vector",
    app=APPS / "multiplicative.py", library="openfhe", scheme="ckks",
    vary=("scale_bits=31:50:19", "security=128,256"), fix=(*_PRODUCTS, f"technique={_USUAL}"),
    numbers=("n=8192,16384",), quick_repetitions=3,
)  # fmt: skip
DEVIATION = AppliedExperiment(
    name="standard-deviation",
    title="Standard deviation, 65,536 values",
    app=APPS / "standard_deviation.py", library="openfhe", scheme="ckks",
    vary=_GRID, fix=_ROOT, quick=_every_technique_at_192_bits((28, 44, 52), (43, 47, 52)),
    quick_repetitions=1,
)  # fmt: skip
DEVIATION_32 = AppliedExperiment(
    name="standard-deviation-32",
    title="Standard deviation, 32 values",
    app=APPS / "standard_deviation.py", library="openfhe", scheme="ckks",
    vary=_GRID, fix=_ROOT, numbers=(f"n={BATCH}",),
    quick=_among(security=(128, 256), scale_bits=(43,), technique=(_USUAL,)),
    quick_repetitions=1,
)  # fmt: skip
DEVIATION_ONE = AppliedExperiment(
    name="standard-deviation-one",
    title="Standard deviation, one ciphertext",
    app=APPS / "standard_deviation.py", library="openfhe", scheme="ckks",
    vary=("security=128,256",), fix=(*_ROOT, f"technique={_USUAL}", "scale_bits=43"),
    numbers=("n=16384,32768",), quick=_full_ciphertext, quick_repetitions=1,
)  # fmt: skip
DEVIATION_NARROW = AppliedExperiment(
    name="standard-deviation-narrow",
    title="Standard deviation, the root on [0, 0.25]",
    app=APPS / "standard_deviation.py", library="openfhe", scheme="ckks",
    vary=("scale_bits=20:59", _GRID[1]), fix=("first_bits=60", "spare_levels=2", f"technique={_USUAL}"),
    numbers=("high=0.25",),
    quick=_among(scale_bits=(43,), security=(128,)), quick_repetitions=1,
)  # fmt: skip
SQUARE_ROOT = AppliedExperiment(
    name="square-root",
    title="Square root by degree",
    app=APPS / "square_root.py", library="openfhe", scheme="ckks",
    fix=("first_bits=40", "scale_bits=39", f"technique={_USUAL}"), numbers=("degree=10:2020:10",),
    quick=_among(degree=(10, 30, 60, 120, 250, 500, 750, 1000, 1500, 2020)),
    repetitions=5, quick_repetitions=1,
)  # fmt: skip


def _sizes(function: str, quick: Iterable[int]) -> OperationExperiment:
    """The sizes of keys and ciphertexts at the paper's chains: the products' key has its own file there."""
    among = set(quick)
    sets = tuple(
        OperationSet(
            f"{level} {technique} {scale}",
            {"scale_bits": str(scale), "first_bits": "60", "security": str(level), "technique": technique},
            DEPTHS[function],
            quick=scale in among and level == 192 and technique == _USUAL,
        )
        for scale in range(20, 60)
        for level in LEVELS
        for technique in TECHNIQUES
    )
    return OperationExperiment(
        name=f"{function}-sizes", title=f"Sizes at depth {DEPTHS[function]}", library="openfhe",
        scheme="ckks", sets=sets, operations=("relinearize",), calls=3, repetitions=1, quick_repetitions=1,
    )  # fmt: skip


MULTIPLICATIVE_SIZES = _sizes("multiplicative", (31, 41))
DEVIATION_SIZES = _sizes("standard-deviation", (28, 44))


def _elsewhere(library: str, app: str) -> AppliedExperiment:
    return AppliedExperiment(
        name=f"{app}-{library}",
        title=f"{app.replace('-', ' ').capitalize()} with {library}",
        app=APPS / f"{app.replace('-', '_')}.py", library=library, scheme="ckks",
        vary=("scale_bits=25:55:5", "security=128,192,256"), fix=("first_bits=60",),
        quick=_among(scale_bits=(40,), security=(128,)), quick_repetitions=1,
    )  # fmt: skip


ELSEWHERE = tuple(_elsewhere(name, app) for app in DEPTHS for name in ("seal", "lattigo"))
QUANTUM = tuple(
    AppliedExperiment(
        name=f"{app}-quantum",
        title=f"{app.replace('-', ' ').capitalize()} at quantum levels",
        app=APPS / f"{app.replace('-', '_')}.py", library="openfhe", scheme="ckks",
        vary=("scale_bits=20:59", _GRID[1]), fix=(*_CHAINS[app], f"technique={_USUAL}", "quantum=true"),
        quick=_among(scale_bits=(40,), security=(128,)), quick_repetitions=1,
    )
    for app in DEPTHS
)  # fmt: skip
OTHER_DEPTHS = AppliedExperiment(
    name="multiplicative-depths",
    title="Multiplicative function at other depths",
    app=APPS / "multiplicative.py", library="openfhe", scheme="ckks",
    vary=("spare_levels=0:6", "scale_bits=20:59", "security=192"),
    fix=("first_bits=60", f"technique={_USUAL}"),
    quick=_among(spare_levels=(0, 6), scale_bits=(40,)), quick_repetitions=1,
)  # fmt: skip

EXPERIMENTS = (
    MULTIPLICATIVE, MULTIPLICATIVE_32, MULTIPLICATIVE_ONE, MULTIPLICATIVE_SIZES,
    DEVIATION, DEVIATION_32, DEVIATION_ONE, DEVIATION_SIZES, DEVIATION_NARROW,
    SQUARE_ROOT,
    *ELSEWHERE, *QUANTUM, OTHER_DEPTHS,
)  # fmt: skip
