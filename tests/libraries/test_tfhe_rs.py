"""TFHE-rs's own sets, what it refuses, and the shape of its work."""

from dataclasses import replace
from math import log2

import pytest

from fheasible.errors import UnknownName
from fheasible.libraries.lookup_library import LookupTask, NamedSet
from fheasible.libraries.tfhe_rs.library import SCHEME, TFHE_RS
from fheasible.schemes.tfhe.parameters import Gadget, Gaussian, ModulusSwitch, Order, TfheParameters, TUniform
from noise.tfhe.sets import named_set

OWN = TFHE_RS.named_set("message_2_carry_2_ks_pbs_tuniform_2m128").parameters


def test_the_default_set_is_as_the_crate_has_it() -> None:
    assert TfheParameters(
        lwe_dimension=918, glwe_dimension=1, polynomial_size=2048, lwe_errors=TUniform(45),
        glwe_errors=TUniform(17), pbs=Gadget(23, 1), ks=Gadget(4, 4), message_modulus=4, carry_modulus=4,
        modulus_switch=ModulusSwitch.CENTERED,
    ) == OWN  # fmt: skip


def test_all_its_sets_for_processors_are_there_and_possible() -> None:
    assert len(TFHE_RS.named) == 8 + 24  # classic, and groups of 2, 3 and 4 bits, with both kinds of errors
    assert all(TFHE_RS.refusal(SCHEME, each.parameters) == "" for each in TFHE_RS.named.values())
    assert all(-148 < (each.promised_log2_failure or 0) <= -128 for each in TFHE_RS.named.values())


@pytest.mark.parametrize("own", TFHE_RS.named.values(), ids=lambda own: own.name)
def test_a_set_is_what_another_reader_of_the_sources_found(own: NamedSet) -> None:
    """`make_tfhe_rs_sets.py` reads them with other patterns; it leaves the order of steps out."""
    read = named_set(f"V1_7_PARAM_{own.name}")
    assert replace(own.parameters, order=Order.KS_PBS) == read.parameters
    assert own.promised_log2_failure == read.p_fail


def test_a_set_of_another_name_is_unknown_and_others_are_named() -> None:
    with pytest.raises(UnknownName, match="no set of parameters named"):
        TFHE_RS.named_set("MESSAGE_9")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"torus_bits": 32}, "64 bits, not of 32"),
        ({"polynomial_size": 1000}, "size 1000"),
        ({"message_modulus": 3}, "not 12"),
        ({"polynomial_size": 32, "message_modulus": 64}, "at least"),
        ({"ks": Gadget(0, 4)}, "one digit"),
        ({"pbs": Gadget(23, 3)}, "at most"),
        ({"grouping": 4, "modulus_switch": ModulusSwitch.STANDARD}, "do not divide 918"),
        ({"grouping": 2}, "no centered"),
        ({"glwe_errors": Gaussian(1.0)}, "within the torus"),
    ],
)
def test_what_its_core_does_not_take_is_refused(change: dict[str, object], why: str) -> None:
    assert why in TFHE_RS.refusal(SCHEME, replace(OWN, **change))  # type: ignore[arg-type]


def test_a_look_up_is_that_of_the_published_shape() -> None:
    """n [(k+1)(l+1) transforms + (k+1)^2 l N / 2 products of complex values], and the key switch."""
    found = TFHE_RS.work(LookupTask.LOOKUP, SCHEME, replace(OWN, glwe_dimension=2, pbs=Gadget(10, 2)))
    n, k, size, level = 918, 2, 2048, 2
    assert found["butterflies"] == n * (k + 1) * (level + 1) * size / 4 * log2(size / 2)
    assert found["pointwise"] == n * (k + 1) ** 2 * level * size / 2
    assert found["multiply_add"] == k * size * 4 * (n + 1)


def test_groups_of_bits_need_fewer_transforms_and_products_with_monomials() -> None:
    grouped = replace(OWN, grouping=3, modulus_switch=ModulusSwitch.STANDARD)
    alone, together = (TFHE_RS.work(LookupTask.LOOKUP, SCHEME, p) for p in (OWN, grouped))
    assert 3 * together["butterflies"] == alone["butterflies"]
    assert together["monomial"] == 306 * 7 * 4 * 1024  # for each group, 2^3 - 1 keys of four polynomials
    assert together["monomial_values"] == 306 * 7 * 1024


def test_keys_in_memory_are_their_words() -> None:
    found = TFHE_RS.memory(SCHEME, OWN)
    bootstrap, switch = 918 * 4 * 2048 * 8, 4 * 2048 * 919 * 8
    assert found.keys == bootstrap + switch + 2 * 8 * (918 + 2048) + 56 * 2048
    assert found.table == 2 * 2048 * 8
