"""The grid covers what the prediction distinguishes, and a case is named by what sets it apart."""

import pytest

from fheasible.accuracy.noise_grid import (
    DIGITS,
    LARGER,
    LONG,
    MOST_ELEMENTS,
    SCALES,
    SMALL,
    applications,
    cases,
    problem_of,
    requests,
)
from fheasible.libraries.catalogue import CATALOGUE


@pytest.fixture(scope="module")
def inner_product() -> list[object]:
    path = next(p for p in applications() if p.endswith("4_inner_product.py"))
    return list(cases([path], CATALOGUE.values()))


def test_every_scale_technique_and_ring_is_asked_of_openfhe() -> None:
    openfhe = CATALOGUE["openfhe"]
    techniques, found = openfhe.techniques, list(requests(openfhe, "ckks"))
    asked = {(r.technique, r.scale_bits, r.ring_dimension) for r in found}
    small = {(technique, scale, SMALL) for technique in techniques for scale in SCALES}
    assert asked == small | {(technique, 40, LARGER) for technique in techniques}
    assert all(r.security is None for r in found)


def test_both_kinds_of_key_switching_and_both_numbers_of_digits_are_asked() -> None:
    bfv = {r.key_switching for r in requests(CATALOGUE["openfhe"], "bfv")}
    assert {"hybrid", "bv"} <= bfv
    assert {r.digits for r in requests(CATALOGUE["lattigo"], "bgv")} == set(DIGITS)


def test_each_library_and_scheme_has_small_and_secure_cases(inner_product) -> None:
    pairs = {(name, scheme) for name, lib in CATALOGUE.items() for scheme in lib.schemes}
    for secure in (False, True):
        assert {
            (c.parameters.library, c.parameters.scheme) for c in inner_product if c.secure is secure
        } == pairs
    assert {c.parameters.ring_dimension for c in inner_product if not c.secure} == {SMALL, LARGER}


def test_labels_tell_cases_apart(inner_product) -> None:
    assert len({c.label for c in inner_product}) == len(inner_product)
    assert len({c.job.key for c in inner_product}) == len(inner_product)


def test_vectors_of_the_grid_are_cut() -> None:
    path = next(p for p in applications() if p.endswith("1_sum_of_products.py"))
    assert {i.length for i in problem_of(path, MOST_ELEMENTS).circuit.inputs} == {MOST_ELEMENTS}
    assert {i.length for i in problem_of(path).circuit.inputs} == {65_536}


def test_a_long_program_is_secure_in_one_technique_alone() -> None:
    path = next(p for p in applications() if p.endswith("2_std_dev.py"))
    found = list(cases([path], [CATALOGUE["openfhe"]], grid=False))
    assert [c.parameters.technique for c in found] == ["flexibleauto"]
    assert len(found[0].program.operations) >= LONG
