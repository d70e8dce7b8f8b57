"""What OpenFHE does: against its own functions as they were counted, against formulas, and its sizes."""

import json
import subprocess
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.openfhe import rules as openfhe
from fheasible.libraries.openfhe.operations import kept_limbs, perform, variant
from fheasible.libraries.parameters import Parameters, parameters_for, request_for
from fheasible.libraries.work import layout_of
from schemes.rns import bounds
from schemes.rns.actions import ACTIONS
from schemes.rns.toy import LIMBS, toy

from .asking_openfhe import PYTHON, needs_openfhe

COUNTS = Path(__file__).with_name("openfhe_counts.json")
# The wheel's exported functions and large allocations were intercepted; what its loops do inline was not.
TRANSFORMS = ("forward", "inverse", "plain_transforms", "permutations", "embeddings")
SAMPLES = ("uniform_samples", "ternary_samples")
SWITCHES = ("relinearize", "rotate", "swap_rows", "rotate_hoist", "rotate_hoisted")


class Shape(NamedTuple):
    scheme: str
    limbs: int
    special: int
    digits: int


def parameters(layout: Shape) -> Parameters:
    """Of any primes: nothing but their number counts."""
    scheme, limbs, special, digits = layout
    kind = "hybrid" if special else "bv"
    own = {} if scheme == "ckks" else {"plain_modulus": 65537}
    return parameters_for(
        "openfhe", scheme, 0, (1,) * limbs, (1,) * special, digits, key_switching=kind, **own
    )


layouts = st.builds(
    Shape, st.sampled_from(["ckks", "bgv"]), st.integers(3, 9), st.integers(1, 4), st.integers(1, 3)
)


# -- against the wheel's own functions, counted


@cache
def counted() -> tuple[list[Parameters], list[dict[str, Any]]]:
    stored = json.loads(COUNTS.read_text())
    requests = [request_for(**request, security=None) for request in stored["requests"]]
    rows = [dict(zip(stored["columns"], row, strict=True)) for row in stored["rows"]]
    return [openfhe.parameters(request) for request in requests], rows


def same(names: tuple[str, ...], schemes: tuple[str, ...] = ("ckks", "bgv", "bfv")) -> list[Any]:
    """(row, tally, names that differ) of each row where one does."""
    known, rows = counted()
    wrong = []
    for row in rows:
        p = known[row["request"]]
        if p.scheme in schemes:
            tally = done(p, row)
            differ = [name for name in names if tally[name] != row[name]]
            wrong += [(row, tally, differ)] if differ else []
    return wrong


def done(p: Parameters, row: dict[str, Any]) -> Counter[str]:
    """Under the names of the counted columns."""
    tally = perform(p, row["action"], row["level"], row["polys"], row["dropped"], row["depth"])
    tally["peak"] = tally["peak_limbs"]
    return tally


def test_transforms_permutations_samples_and_allocations_are_those_of_the_wheel() -> None:
    assert same((*TRANSFORMS, *SAMPLES, "allocations")) == []


def test_no_more_limbs_are_alive_than_in_the_wheel_and_no_fewer() -> None:
    """The big integers that decode reals are too small to be intercepted. They are in the resident set: 17 to
    19 limbs for a value of two to four limbs, and 4 l + 1 from five limbs on."""
    for row, tally, _ in same(("peak",)):
        limbs = row["level"] + 1
        assert row["action"] == "decrypt"
        assert limbs > 1
        assert (row["peak"], tally["peak"]) == (max(4 * limbs, 9), max(4 * limbs + 1, 19))
    assert same(("peak",), ("bgv", "bfv")) == []


def test_products_are_those_of_the_wheel() -> None:
    assert same(("products",), ("ckks", "bgv")) == []
    # BFV's message is multiplied by 1/t in a loop of its own (TimesQovert).
    assert {row["action"] for row, *_ in same(("products",), ("bfv",))} == {"encrypt", "add_plain"}


def test_additions_are_those_of_the_wheel_and_those_it_inlines() -> None:
    known, _ = counted()
    for row, tally, _ in same(("additions",), ("ckks", "bgv")):
        p = known[row["request"]]
        unseen = tally["additions"] - row["additions"]
        if row["action"] == "encrypt":
            assert unseen == 2 * (row["level"] + 1)  # the errors
        else:
            assert row["action"] == "keygen"  # the source in a digit's limbs, or (BV) the errors
            assert unseen == row["polys"] * (p.limbs if p.p else p.limbs**2)


def test_constants_are_those_of_the_wheel_and_those_of_its_conversions() -> None:
    known, rows = counted()
    for row in rows:
        p, limbs = known[row["request"]], row["level"] + 1
        if p.scheme == "bfv":
            continue
        tally = done(p, row)
        digits = limbs * (row["action"] != "rotate_hoisted")  # which it finds made
        inside = digits + 2 * len(p.p) if p.p and row["action"] in SWITCHES else 0
        assert tally["constant_products"] == row["constants"] + inside, row
        to_plain = p.scheme == "bgv" and row["action"] == "decrypt"
        assert tally["word_reductions"] == row["switches"] + to_plain, row


def test_limbs_kept_after_products_are_those_that_the_wheel_was_seen_to_keep() -> None:
    for case in json.loads(COUNTS.read_text())["kept"]:
        p, depths = openfhe.parameters(request_for(**case["request"], security=None)), len(case["products"])
        for known in (p, layout_of(p).parameters()):
            assert [kept_limbs(known, d, switching=False) for d in range(depths)] == case["products"]
            assert [kept_limbs(known, d, switching=True) for d in range(depths)] == case["rotations"]


# -- against formulas


@given(layout=layouts, below=st.integers(0, 5))
def test_hybrid_key_switching_is_that_of_the_formulas(layout: Shape, below: int) -> None:
    """[HanKi19, Sec. 3]; keyswitch-hybrid.cpp EvalKeySwitchPrecomputeCore, dcrtpoly-impl.h ApproxModDown."""
    p, k, limbs = parameters(layout), layout.special, max(layout.limbs - below, 1)
    tally = perform(p, "relinearize", limbs - 1, 2)
    sizes = [
        min(CATALOGUE[p.library].limbs_per_digit(p), limbs - first)
        for first in range(0, limbs, CATALOGUE[p.library].limbs_per_digit(p))
    ]
    raised = [limbs + k - size for size in sizes]
    assert tally["forward"] == sum(raised) + 2 * limbs
    assert tally["inverse"] == limbs + 2 * k
    assert tally["products"] == 2 * len(sizes) * (limbs + k)
    both = 2 * k * limbs  # of what is divided by P
    assert tally["conversion_products"] == sum(a * b for a, b in zip(sizes, raised, strict=True)) + both
    of_plain = 2 * k + 2 * limbs if layout.scheme == "bgv" else 0
    assert tally["constant_products"] == limbs + 2 * k + 2 * limbs + of_plain
    assert tally["additions"] == 4 * limbs


@given(layout=layouts, below=st.integers(0, 5), hybrid=st.booleans())
def test_a_rotation_that_finds_its_digits_transforms_none(layout: Shape, below: int, hybrid: bool) -> None:
    """EvalFastRotation [HS18]: the division by P is left of hybrid key switching, of BV no transform."""
    layout = layout if hybrid else layout._replace(special=0)
    p, k, limbs = parameters(layout), layout.special, max(layout.limbs - below, 1)
    rotate, first, found = (perform(p, a, limbs - 1, 2) for a in ("rotate", "rotate_hoist", "rotate_hoisted"))
    assert first == rotate
    assert (found["forward"], found["inverse"]) == ((2 * limbs, 2 * k) if hybrid else (0, 0))
    assert found["conversion_products"] == 2 * k * limbs
    for kernel in ("products", "permutations", "additions"):
        assert found[kernel] == rotate[kernel]


@given(layout=layouts, below=st.integers(0, 5))
def test_bv_key_switching_is_that_of_the_formulas(layout: Shape, below: int) -> None:
    """keyswitch-bv.cpp EvalFastKeySwitchCore, dcrtpoly-impl.h CRTDecompose: every limb is a digit."""
    limbs = max(layout.limbs - below, 1)
    tally = perform(parameters(layout._replace(special=0)), "relinearize", limbs - 1, 2)
    assert (tally["forward"], tally["inverse"]) == (limbs * (limbs - 1), limbs)
    assert (tally["products"], tally["additions"]) == (2 * limbs * limbs, 2 * limbs)
    assert tally["word_reductions"] == limbs * (limbs - 1)


@given(layout=layouts, hybrid=st.booleans())
def test_a_rotation_permutes_over_the_extended_modulus_where_there_is_one(
    layout: Shape, hybrid: bool
) -> None:
    layout = layout if hybrid else layout._replace(special=0)
    p, level = parameters(layout), layout.limbs - 1
    turned, switched = (perform(p, action, level, 2) for action in ("rotate", "relinearize"))
    assert turned["permutations"] == 2 * (layout.limbs + layout.special)
    assert turned["forward"] == switched["forward"]
    more = turned["constant_products"] - switched["constant_products"]
    assert more == (layout.limbs if hybrid else 0)  # P·c_0


@pytest.mark.parametrize("limbs", range(1, 8))
def test_a_product_of_bfv_is_that_of_the_formulas(limbs: int) -> None:
    """bfvrns-leveledshe.cpp EvalMult with nothing dropped; [KPZ21, Sec. 4]."""
    tally = perform(parameters(Shape("bfv", limbs, 0, 1)), "mul", 0, 3)
    assert (tally["forward"], tally["inverse"], tally["products"]) == (8 * limbs, 10 * limbs, 8 * limbs)
    expanded = 6 * limbs**2  # Q to R; Q to R and back, of two parts each
    assert tally["conversion_products"] == expanded + 3 * limbs**2
    assert tally["float_corrections"] == 4 * limbs + 3 * limbs


KERNELS = ("forward", "inverse", "products", "constant_products", "additions", "permutations")
ACTIONS_COUNTED = (
    "add",
    "neg",
    "mul",
    "relinearize",
    "rotate",
    "encrypt",
    "decrypt",
    "mul_plain",
    "add_scalar",
)


@given(layout=layouts, action=st.sampled_from(ACTIONS_COUNTED))
def test_more_limbs_are_more_of_every_kernel(layout: Shape, action: str) -> None:
    p, polys = parameters(layout), 3 if action == "mul" else 2
    tallies = [perform(p, action, level, polys) for level in range(layout.limbs)]
    for fewer, more in pairwise(tallies):
        assert all(more[name] >= fewer[name] for name in (*KERNELS, "operand_limbs"))
        assert sum(more[name] for name in KERNELS) > sum(fewer[name] for name in KERNELS)


def test_neither_the_level_of_bfv_nor_the_primes_nor_the_dimension_matter() -> None:
    p = parameters(Shape("bfv", 4, 2, 2))
    assert perform(p, "mul", 0, 3) == perform(p, "mul", 3, 3)
    q = replace(p, q=(17,) * 4, p=(97,) * 2, ring_dimension=8)
    assert perform(q, "rotate", 3, 2) == perform(p, "rotate", 3, 2)


def test_after_products_bfv_multiplies_in_fewer_limbs_but_relinearizes_in_all() -> None:
    p = openfhe.parameters(request_for("bfv", 8, None, plain_modulus=65537, ring_dimension=8192))
    assert perform(p, "mul", 0, 3, depth=7)["forward"] == 8 * 3
    assert perform(p, "relinearize", 0, 2, depth=7) == perform(p, "relinearize", 0, 2)


# -- as a scheme that computes


@pytest.mark.parametrize("special", [2, 0])
@pytest.mark.parametrize("scheme", ["ckks", "bgv", "bfv"])
def test_the_variant_computes_what_it_should(scheme: str, special: int) -> None:
    p = parameters(Shape(scheme, LIMBS, special, 2 if special else 1))
    bench = toy(scheme, variant(p))
    levels = (LIMBS - 1,) if scheme == "bfv" else (LIMBS - 1, 2)
    for level in levels:
        o = bench.operands(level)
        bound = bounds.slots(bench, level) if bench.is_real else 0
        for name, action in ACTIONS.items():
            if action.possible(scheme, level):
                assert bench.error(action.made(bench, o), action.expected(bench, o)) <= bound, (name, level)


# -- against the live library's sizes

LIVE = [
    request_for("ckks", 4, None, scale_bits=40, technique="fixedmanual", ring_dimension=1024, digits=3),
    request_for("bgv", 4, None, plain_modulus=65537, technique="fixedmanual", ring_dimension=1024),
    request_for("bfv", 4, None, plain_modulus=65537, ring_dimension=1024),
    request_for("bfv", 4, None, plain_modulus=65537, ring_dimension=1024, key_switching="hybrid"),
]


@cache
def live() -> list[Any]:
    asked = json.dumps([openfhe.worker_parameters(request) for request in LIVE])
    script = Path(__file__).with_name("live_openfhe_sizes.py")
    run = [str(PYTHON), str(script)]
    done = subprocess.run(run, input=asked, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    answers: list[Any] = json.loads(done.stdout)
    return answers


@pytest.mark.worker
@needs_openfhe
@pytest.mark.parametrize("number", range(len(LIVE)))
def test_the_live_library_s_values_have_the_limbs_that_are_counted(number: int) -> None:
    p, found = openfhe.parameters(LIVE[number]), live()[number]["limbs"]
    top = p.limbs - 1
    assert found["encrypt"] == found["relinearize"] == perform(p, "add", top, 2)["peak_limbs"]
    assert found["mul"] == perform(p, "add", top, 3)["peak_limbs"]
    drawn = perform(p, "keygen", top, 1) - perform(p, "keygen", top, 0)
    assert found["relinearization key"] == 2 * drawn["uniform_samples"]
    if p.scheme != "bfv":
        assert found["rescale"] == perform(p, "add", top - 1, 2)["peak_limbs"]
        assert found["drop"] == perform(p, "add", top - 2, 2)["peak_limbs"]


@pytest.mark.worker
@needs_openfhe
@pytest.mark.parametrize("number", [i for i, request in enumerate(LIVE) if request.scheme == "bfv"])
def test_the_live_library_knows_of_products_by_a_degree_that_sums_take_from_the_first(number: int) -> None:
    powers, sums = live()[number]["degrees"]
    assert powers == sums == [1, 2, 3]
