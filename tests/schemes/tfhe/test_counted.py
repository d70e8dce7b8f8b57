"""The work of a table look-up, against the formulas of the field and against counts by hand."""

from collections import Counter
from dataclasses import replace
from itertools import product

from fheasible.schemes.tfhe import sizes
from fheasible.schemes.tfhe.counted import (
    Part,
    blind_rotation_work,
    encryption_work,
    key_switch_work,
    key_work,
    lookup_parts,
    lookup_work,
    packing_work,
)
from fheasible.schemes.tfhe.parameters import Gadget, ModulusSwitch
from schemes.tfhe.sets import GROUPED, MESSAGE_2_CARRY_2


def test_a_blind_rotation_has_the_shape_that_the_optimiser_of_concrete_gives_it() -> None:
    """n[(k+1)(l+1) transforms + (k+1)^2·l·N/2 products of complex values]."""
    for n, k, log_n, level in product((1, 7, 600), (1, 2, 3), (8, 11), (1, 2, 4)):
        N = 1 << log_n
        work = blind_rotation_work(n, k, N, Gadget(5, level))
        assert work[f"fft:{N}"] == n * (k + 1) * level
        assert work[f"ifft:{N}"] == n * (k + 1)
        assert work["pointwise"] == n * (k + 1) ** 2 * level * N // 2
        assert work["decompose"] == n * level * (k + 1) * N
        assert work["bytes:bootstrap"] == n * (k + 1) ** 2 * level * N * 8


def test_groups_of_bits_have_fewer_transforms_and_larger_keys() -> None:
    one, three = blind_rotation_work(918, 1, 2048, Gadget(23, 1)), lookup_work(GROUPED)
    assert three["fft:2048"] == one["fft:2048"] // 3
    assert three["monomial"] == 306 * 7 * 4 * 1024  # 7 of 8 ciphertexts of 2·2 polynomials per group
    assert three["monomial_values"] == 306 * 7 * 1024
    assert three["bytes:bootstrap"] == 306 * 8 * 4 * 2048 * 8


def test_a_key_switch_multiplies_each_digit_by_each_number_of_a_row() -> None:
    work = key_switch_work(2048, 918, Gadget(4, 4))
    assert work["multiply_add"] == 2048 * 4 * 919
    assert work["decompose"] == 2048 * 4
    assert work["bytes:switch"] == 2048 * 4 * 919 * 8


def test_the_mean_of_rounding_errors_is_counted_where_it_is_compensated() -> None:
    standard = replace(MESSAGE_2_CARRY_2, modulus_switch=ModulusSwitch.STANDARD)
    plain, centered = (lookup_parts(p)[Part.MODULUS_SWITCH] for p in (standard, MESSAGE_2_CARRY_2))
    assert plain == Counter(round=919)
    assert centered == Counter(round=919 + 918, mean=918, add=918 + 2)


def test_the_parts_of_a_look_up_add_up() -> None:
    parts = lookup_parts(MESSAGE_2_CARRY_2)
    assert set(parts) == set(Part)
    assert sum(parts.values(), Counter()) == lookup_work(MESSAGE_2_CARRY_2)


def test_packing_reads_its_key_for_each_ciphertext() -> None:
    work = packing_work(918, 1, 2048, Gadget(4, 3), 10)
    assert work["bytes:packing"] == 10 * 918 * 3 * 2 * 2048 * 8
    assert work["multiply_add"] == 10 * 918 * 3 * 2 * 2048


def test_a_ciphertext_needs_one_random_number_for_each_bit_of_the_key() -> None:
    assert encryption_work(2048)["uniform"] == 2048
    assert encryption_work(2048)["errors"] == 1


def test_the_random_numbers_of_keys_are_their_masks() -> None:
    """What a seed stands for is what is drawn."""
    for p in (MESSAGE_2_CARRY_2, GROUPED):
        work = key_work(p)
        keys = (sizes.bootstrap_key(p), sizes.switch_key(p))
        assert work["uniform"] == sum(key.full - key.seeded for key in keys)
        assert work["errors"] == sum(key.seeded for key in keys)


def test_sizes_are_those_that_tfhe_rs_publishes() -> None:
    """Server key 120.4 MB, compressed 30.1 MB (TFHE-rs's documentation, MESSAGE_2_CARRY_2)."""
    keys = (sizes.bootstrap_key(MESSAGE_2_CARRY_2), sizes.switch_key(MESSAGE_2_CARRY_2))
    assert round(sum(8 * key.full for key in keys) / 1e6, 1) == 120.4
    assert round(sum(8 * key.seeded for key in keys) / 1e6, 1) == 30.1
    assert sizes.ciphertext(MESSAGE_2_CARRY_2) == sizes.Words(2049, 1)


def test_a_key_is_read_once_for_each_look_up() -> None:
    work = lookup_work(MESSAGE_2_CARRY_2)
    assert work["bytes:bootstrap"] == 8 * sizes.bootstrap_key(MESSAGE_2_CARRY_2).full
    assert work["bytes:switch"] == 8 * sizes.switch_key(MESSAGE_2_CARRY_2).full
