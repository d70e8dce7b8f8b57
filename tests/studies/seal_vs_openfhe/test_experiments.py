"""The cells are the paper's, and each program really has the operations that it is named after."""

from collections import Counter

import pytest

from fheasible.exploration.judging.chosen import WrittenShape, chosen
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import request_for
from fheasible.noise.integers.budget import budget_bits
from fheasible.program.types import Action
from fheasible.studies.seal_vs_openfhe.chains import BGV_BITS, LARGEST, PLAIN_MODULUS, bgv_chain, sized
from fheasible.studies.seal_vs_openfhe.experiments import (
    EXPERIMENTS,
    LARGER_RING,
    PRODUCTS,
    SUMS,
    UNCHECKED,
)
from fheasible.studies.seal_vs_openfhe.printed import COUNTS, DEPTHS, RINGS, ring

MULTIPLICATIONS = (Action.MUL, Action.SQUARE)


def actions(experiment_key: tuple[str, str], n: int, kind: str) -> Counter[Action]:
    """How often the program of n operations has each action."""
    experiment = (SUMS if kind == "sums" else PRODUCTS)[experiment_key]
    cells = experiment.predictions({})
    key = next(c.key for c in experiment.cells if c.parameters["n"] == n and not cells[c.key].refused)
    made = experiment._latest[key].candidate
    assert made is not None
    return Counter(op.action for op in made.program.operations)


@pytest.mark.parametrize("scheme", ["bgv", "ckks"])
def test_sums_and_products_are_run_over_all_settings_of_the_paper(scheme: str) -> None:
    for name in ("seal", "openfhe", "lattigo"):
        sums = {(c.parameters["n"], c.parameters["ring_dimension"]) for c in SUMS[name, scheme].cells}
        assert sums == {(n, N) for n in COUNTS for N in RINGS}
        products = PRODUCTS[name, scheme].cells
        assert [c.parameters["n"] for c in products] == list(DEPTHS) == list(range(2, 21))
        assert all(c.parameters["as_written"] == "true" for c in products)


@pytest.mark.parametrize("library_name", ["seal", "openfhe", "lattigo"])
def test_n_additions_are_really_made(library_name: str) -> None:
    for scheme in ("bgv", "ckks"):
        found = actions((library_name, scheme), 50, "sums")
        assert found[Action.ADD] == 50
        assert not any(found[a] for a in MULTIPLICATIONS)


@pytest.mark.parametrize("library_name", ["seal", "openfhe", "lattigo"])
def test_n_products_are_made_one_after_another(library_name: str) -> None:
    for scheme in ("bgv", "ckks"):
        found = actions((library_name, scheme), 6, "products")
        assert sum(found[a] for a in MULTIPLICATIONS) == 6
        made = PRODUCTS[library_name, scheme]._latest
        levels = {int(c.told["n"]): c.candidate.parameters.levels for c in made.values() if c.candidate}
        assert all(n == depth for n, depth in levels.items())


def test_names_are_unique() -> None:
    assert len({e.name for e in EXPERIMENTS}) == len(EXPERIMENTS)


def test_the_rings_given_by_hand_are_those_of_table_2() -> None:
    assert [c.parameters["ring_dimension"] for c in UNCHECKED.cells] == [
        str(ring("openfhe", "bgv", d)) if isinstance(c.parameters["ring_dimension"], str)
        else ring("openfhe", "bgv", d)
        for d, c in zip(DEPTHS, UNCHECKED.cells, strict=True)
    ]  # fmt: skip


def test_the_larger_modulus_is_used_where_the_usual_one_does_not_batch() -> None:
    refused = {
        c.parameters["n"]
        for c in PRODUCTS["openfhe", "bgv"].cells
        if PRODUCTS["openfhe", "bgv"].predictions({})[c.key].refused
    }
    assert refused == {c.parameters["n"] for c in LARGER_RING.cells}
    assert not any(p.refused for p in LARGER_RING.predictions({}).values())


def budget(name: str, ring_dimension: int, bits: int, products: int) -> float:
    asked = request_for(
        "bgv", 0, None, prime_bits=(bits,) * (products + 1), ring_dimension=ring_dimension,
        plain_modulus=PLAIN_MODULUS,
    )  # fmt: skip
    problem = PRODUCTS[name, "bgv"].problem({"n": products, "t": PLAIN_MODULUS})
    made = chosen(problem, library(name), asked, None, WrittenShape(as_written=True))
    assert made.parameters.scheme != "ckks"
    return budget_bits(made.program, made.parameters)


@pytest.mark.parametrize("name", ["seal", "lattigo"])
def test_equal_primes_of_bgv_are_the_smallest_that_leave_a_bit_of_budget(name: str) -> None:
    derived = bgv_chain(name)
    deepest: dict[int, int] = {}
    for n in DEPTHS:
        told = derived({"n": str(n)})
        N = int(told["ring_dimension"])
        assert told["prime_bits"] == ",".join([str(BGV_BITS[name][N])] * (n + 1))
        if not any(p.refused for k, p in PRODUCTS[name, "bgv"].predictions({}).items() if f'"n": {n},' in k):
            deepest[N] = n
    assert set(deepest) == set(RINGS)
    for N, n in deepest.items():
        assert budget(name, N, BGV_BITS[name][N], n) >= 1
        assert budget(name, N, BGV_BITS[name][N] - 1, n) < 1


def test_seal_s_largest_chains_fill_what_128_bits_allow() -> None:
    assert {N: sum(bits) for N, bits in LARGEST.items()} == {8192: 218, 16384: 438, 32768: 881}
    assert sized(LARGEST[16384]) == "3 x 48 + 6 x 49 bits"
